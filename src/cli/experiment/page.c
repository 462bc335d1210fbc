/* page.c - report.html and figure.svg of an experiment. */
#include <math.h>
#include <stdlib.h>

#include "cli/experiment/experiment.h"
#include "cli/report/html.h"

#define WIDTH  560.0
#define HEIGHT 380.0

/* ---- figure ---------------------------------------------------------------------------------- */

static double position(const experiment *x, double at)
{
    return x->scale == SVG_LOG10 ? log10(at) : at;
}

static void extend(svg_frame *a, double x, double low, double high)
{
    a->x0 = fmin(a->x0, x);
    a->x1 = fmax(a->x1, x);
    if (isfinite(low) && isfinite(high)) {
        a->y0 = fmin(a->y0, low);
        a->y1 = fmax(a->y1, high);
    }
}

/* Points of one method: place, percent, percent -+ deviation within 0 .. 100, and the paper's
 * percent, NaN where it has none; rows each. */
typedef struct curve {
    double *x, *y, *low, *high, *paper;
} curve;

static curve curve_of(const experiment *x, size_t column)
{
    const table *t = &x->table;
    size_t rows = t->row.count;
    double *values = cli_alloc_table(5, rows, sizeof *values, "points");
    curve c = {values, values + rows, values + 2 * rows, values + 3 * rows, values + 4 * rows};
    for (size_t r = 0; r < rows; r++) {
        double deviation = table_at(t, r, column, TABLE_DEVIATION);
        c.x[r] = position(x, strtod(t->row.word[r], NULL));
        c.y[r] = 100.0 * table_at(t, r, column, TABLE_OURS);
        c.low[r] = c.high[r] = c.y[r];
        c.paper[r] = 100.0 * table_at(t, r, column, TABLE_PAPER);
        if (isfinite(c.y[r]) && isfinite(deviation)) {
            c.low[r] = fmax(c.y[r] - 100.0 * deviation, 0.0);
            c.high[r] = fmin(c.y[r] + 100.0 * deviation, 100.0);
        }
    }
    return c;
}

/* Legends stand above the axes, two in a line. */
static double legend_line(size_t column)
{
    size_t line = column / 2;
    return 18.0 + 18.0 * (double)line;
}

static svg_frame frame_of(FILE *f, const experiment *x)
{
    svg_frame a = {.f = f,
                   .left = 64,
                   .right = WIDTH - 14,
                   .top = legend_line(x->table.column.count + 1) + 2.0,
                   .bottom = HEIGHT - 46,
                   .x0 = INFINITY,
                   .x1 = -INFINITY,
                   .y0 = INFINITY,
                   .y1 = -INFINITY};
    for (size_t c = 0; c < x->table.column.count; c++) {
        curve points = curve_of(x, c);
        for (size_t r = 0; r < x->table.row.count; r++) {
            extend(&a, points.x[r], points.low[r], points.high[r]);
            extend(&a, points.x[r], points.paper[r], points.paper[r]);
        }
    }
    for (size_t i = 0; i < x->mark.count; i++)
        extend(&a, position(x, x->mark_at[i]), NAN, NAN);
    svg_room(&a.x0, &a.x1);
    svg_room(&a.y0, &a.y1);
    a.y0 = fmax(a.y0, 0.0);
    a.y1 = fmin(a.y1, 100.0);
    return a;
}

/* The paper's point: a hollow mark, with its number. */
static void put_paper(const svg_frame *a, double x, double percent, size_t column)
{
    double at = svg_x(a, x), level = svg_y(a, percent);
    svg_mark(a->f, at, level, 4.5, (int)column, (int)column, 0);
    fprintf(a->f, "<text class=\"soft\" x=\"%.1f\" y=\"%.1f\">paper %.1f</text>\n", at + 8,
            level + 4, percent);
}

static void put_curve(const svg_frame *a, const experiment *x, size_t column)
{
    size_t rows = x->table.row.count;
    curve c = curve_of(x, column);
    svg_band(a, (int)column, rows, c.x, c.low, c.high);
    svg_line(a, (int)column, rows, c.x, c.y);
    for (size_t r = 0; r < rows; r++) {
        if (isfinite(c.y[r]))
            svg_mark(a->f, svg_x(a, c.x[r]), svg_y(a, c.y[r]), 3.5, (int)column, (int)column, 1);
        if (isfinite(c.paper[r]))
            put_paper(a, c.x[r], c.paper[r], column);
    }
    svg_legend_line(a->f, a->left + (double)(column % 2) * 250.0, legend_line(column), (int)column,
                    x->table.column.word[column]);
}

static void put_mark(const svg_frame *a, const experiment *x, size_t mark)
{
    double at = svg_x(a, position(x, x->mark_at[mark]));
    html_print(a->f,
               "<path class=\"axis\" stroke-dasharray=\"4 3\" d=\"M%.1f %.1fV%.1f\"/>"
               "<text class=\"soft\" x=\"%.1f\" y=\"%.1f\">%s</text>\n",
               at, a->top, a->bottom, at + 4, a->bottom - 8, x->mark.word[mark]);
}

static void put_label(const svg_frame *a, double x, double below, const char *style,
                      const char *text)
{
    fprintf(a->f, "<text%s x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">", style, x,
            a->bottom + below);
    html_text(a->f, text);
    fputs("</text>\n", a->f);
}

/* An axis of octaves: each point is named. */
static void put_octaves(const svg_frame *a, const experiment *x)
{
    svg_axes(a, SVG_BARE, NULL, SVG_LINEAR, "accuracy %");
    for (size_t r = 0; r < x->table.row.count; r++)
        put_label(a, svg_x(a, position(x, strtod(x->table.row.word[r], NULL))), 17,
                  " class=\"soft\"", x->table.row.word[r]);
    put_label(a, (a->left + a->right) / 2, 37, "", x->axis);
}

typedef void open_fn(FILE *f, const char *id, double width, double height, const char *title,
                     const char *desc);

static void put_figure(FILE *f, const experiment *x, open_fn *open)
{
    svg_frame a = frame_of(f, x);
    open(f, "figure", WIDTH, HEIGHT, x->title,
         "One line per method; bands are one standard deviation to either side; hollow marks are "
         "the paper's.");
    if (x->scale == SVG_LOG10)
        put_octaves(&a, x);
    else
        svg_axes(&a, x->scale, x->axis, SVG_LINEAR, "accuracy %");
    for (size_t i = 0; i < x->mark.count; i++)
        put_mark(&a, x, i);
    for (size_t c = 0; c < x->table.column.count; c++)
        put_curve(&a, x, c);
    svg_close(f);
}

void experiment_print_figure(FILE *f, const void *what)
{
    put_figure(f, what, svg_open_alone);
}

/* ---- page ------------------------------------------------------------------------------------ */

static void put_cell(FILE *f, const char *tag, const char *text, const char *more)
{
    fprintf(f, "<%s>", tag);
    html_text(f, text);
    fprintf(f, "%s</%.2s>", more, tag);
}

/* Bars are of the last column. */
static void put_row(FILE *f, const table *t, size_t r, int seconds, int bars)
{
    char text[TABLE_TEXT];
    double last = table_at(t, r, t->column.count - 1, TABLE_OURS);
    double deviation = table_at(t, r, t->column.count - 1, TABLE_DEVIATION);
    fputs("<tr>", f);
    put_cell(f, "th scope=\"row\"", t->row.word[r], "");
    fputs(bars ? "<td>" : "", f);
    if (bars && isfinite(last))
        svg_bar(f, last, isfinite(deviation) ? deviation : 0.0);
    fputs(bars ? "</td>" : "", f);
    for (size_t c = 0; c < t->column.count; c++)
        for (int paper = 0; paper <= table_compared(t, c); paper++) {
            table_text(t, r, c, paper, seconds, text);
            put_cell(f, "td", text, "");
        }
    fputs("</tr>\n", f);
}

static void put_table(FILE *f, const table *t, const char *caption, const char *rows, int seconds,
                      int bars)
{
    static const char heading[] = "th scope=\"col\"";
    if (t->row.count == 0)
        return;
    html_wide(f, "Table of results");
    fprintf(f, "<table>\n<caption>%s</caption>\n<thead><tr>", caption);
    put_cell(f, heading, rows, "");
    if (bars)
        put_cell(f, heading, t->column.word[t->column.count - 1], ", 0 to 100 %");
    for (size_t c = 0; c < t->column.count; c++) {
        put_cell(f, heading, t->column.word[c], "");
        if (table_compared(t, c))
            put_cell(f, heading, "paper", "");
    }
    fputs("</tr></thead>\n<tbody>\n", f);
    for (size_t r = 0; r < t->row.count; r++)
        put_row(f, t, r, seconds, bars);
    fputs("</tbody>\n</table>\n", f);
    html_wide_close(f);
}

static void put_note(FILE *f, const char *label, const char *text)
{
    html_print(f, "<p class=\"note\">%s%s</p>\n", label, text);
}

static void results(FILE *f, const experiment *x)
{
    html_section(f, "results", "Results");
    if (x->axis[0]) {
        html_figure(f, "large");
        put_figure(f, x, svg_open);
        html_figure_close(f, "Bands are one standard deviation to either side; hollow marks are "
                             "the paper's. The same as <code>figure.svg</code>.");
    }
    put_table(f, &x->table, "accuracy %", experiment_rows(x), 0, !x->axis[0]);
    put_table(f, &x->times, EXPERIMENT_SECONDS, "method", 1, 0);
    if (x->paper_data[0]) {
        put_note(f, "paper: ", EXPERIMENT_CITATION);
        put_note(f, "Data of the paper: ", x->paper_data);
        put_note(f, "Data here: ", x->source);
    }
    for (size_t i = 0; i < x->notes.count; i++)
        put_note(f, "", x->notes.word[i]);
    html_section_close(f);
}

static void links(FILE *f, const experiment *x)
{
    if (x->reports.count == 0)
        return;
    html_section(f, "more", "Details");
    fputs("<p>Confusion matrices, spectra, samples in two dimensions and chosen parameters:</p>\n"
          "<ul>\n",
          f);
    for (size_t i = 0; i < x->reports.count; i++)
        html_print(f, "<li><a href=\"%s\">%s</a></li>\n", x->reports.word[i], x->reports.word[i]);
    fputs("</ul>\n", f);
    html_section_close(f);
}

static void commands(FILE *f, const experiment *x)
{
    html_section(f, "again", "The same, step by step");
    fputs("<pre><code>", f);
    for (size_t i = 0; i < x->commands.count; i++) {
        words line = {0};
        words_split(&line, x->commands.word[i], " ");
        for (size_t k = 0; k < line.count; k++) {
            fputs(k ? " " : "", f);
            html_word(f, line.word[k]);
        }
        fputc('\n', f);
    }
    fputs("</code></pre>\n<p>In the same folder: <code>table.csv</code> with the numbers, "
          "<code>commands.sh</code> with these lines.</p>\n",
          f);
    html_section_close(f);
}

void experiment_print_page(FILE *f, const void *what)
{
    const experiment *x = what;
    html_open(f, x->title);
    html_print(f, "<p class=\"lead\">%s; %s%s.</p>\n", x->matrices,
               x->data || !x->generated[0] ? "" : "generated data; ", x->protocol);
    results(f, x);
    links(f, x);
    commands(f, x);
    html_close(f);
}
