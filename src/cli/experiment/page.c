/* page.c - report.html and figure.svg of an experiment. */
#include <math.h>
#include <stdlib.h>

#include "cli/frame/cli_memory.h"
#include "cli/experiment/experiment.h"
#include "cli/report/html.h"

#define WIDTH  560.0
#define HEIGHT 380.0
#define DASH   "\xE2\x80\x93"

/* ---- figure -----------------------------------------------------------------------------------
 */

static double position(const experiment *x, double at)
{
    return x->kind->x_scale == SVG_LOG10 ? log10(at) : at;
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

/* Points of one method: place, percent, and percent -+ deviation within 0 .. 100; rows each. */
typedef struct curve {
    double *x, *y, *low, *high;
} curve;

static curve curve_of(const experiment *x, size_t column)
{
    const experiment_table *t = &x->table;
    double *values = cli_alloc_table(4, t->rows, sizeof *values, "points");
    curve c = {values, values + t->rows, values + 2 * t->rows, values + 3 * t->rows};
    for (size_t r = 0; r < t->rows; r++) {
        double deviation = t->deviation[r * t->columns + column];
        c.x[r] = position(x, strtod(t->row[r], NULL));
        c.y[r] = 100.0 * t->value[r * t->columns + column];
        c.low[r] = c.high[r] = c.y[r];
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
                   .top = legend_line(x->table.columns + 1) + 2.0,
                   .bottom = HEIGHT - 46,
                   .x0 = INFINITY,
                   .x1 = -INFINITY,
                   .y0 = INFINITY,
                   .y1 = -INFINITY};
    for (size_t c = 0; c < x->table.columns; c++) {
        curve points = curve_of(x, c);
        for (size_t r = 0; r < x->table.rows; r++)
            extend(&a, points.x[r], points.low[r], points.high[r]);
        cli_free(points.x);
    }
    for (size_t i = 0; i < x->marks; i++)
        extend(&a, position(x, x->mark[i].at), NAN, NAN);
    svg_room(&a.x0, &a.x1);
    svg_room(&a.y0, &a.y1);
    a.y0 = fmax(a.y0, 0.0);
    a.y1 = fmin(a.y1, 100.0);
    return a;
}

static void put_curve(const svg_frame *a, const experiment *x, size_t column)
{
    size_t rows = x->table.rows;
    curve c = curve_of(x, column);
    svg_band(a, (int)column, rows, c.x, c.low, c.high);
    svg_line(a, (int)column, rows, c.x, c.y);
    for (size_t r = 0; r < rows; r++)
        if (isfinite(c.y[r]))
            svg_mark(a->f, svg_x(a, c.x[r]), svg_y(a, c.y[r]), 3.5, (int)column, (int)column, 1);
    svg_legend_line(a->f, a->left + (double)(column % 2) * 250.0, legend_line(column), (int)column,
                    x->table.column[column]);
    cli_free(c.x);
}

static void put_mark(const svg_frame *a, const experiment *x, const experiment_mark *mark)
{
    double at = svg_x(a, position(x, mark->at));
    fprintf(a->f,
            "<path class=\"axis\" stroke-dasharray=\"4 3\" d=\"M%.1f %.1fV%.1f\"/>"
            "<text class=\"soft\" x=\"%.1f\" y=\"%.1f\">",
            at, a->top, a->bottom, at + 4, a->bottom - 8);
    html_text(a->f, mark->name);
    fputs("</text>\n", a->f);
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
    for (size_t r = 0; r < x->table.rows; r++)
        put_label(a, svg_x(a, position(x, strtod(x->table.row[r], NULL))), 17, " class=\"soft\"",
                  x->table.row[r]);
    put_label(a, (a->left + a->right) / 2, 37, "", x->kind->x_label);
}

typedef void open_fn(FILE *f, const char *id, double width, double height, const char *title,
                     const char *desc);

static void put_figure(FILE *f, const experiment *x, open_fn *open)
{
    svg_frame a = frame_of(f, x);
    open(f, "figure", WIDTH, HEIGHT, x->kind->title,
         "A line for each method; bands are a standard deviation to either side.");
    if (x->kind->x_scale == SVG_LOG10)
        put_octaves(&a, x);
    else
        svg_axes(&a, x->kind->x_scale, x->kind->x_label, SVG_LINEAR, "accuracy %");
    for (size_t i = 0; i < x->marks; i++)
        put_mark(&a, x, &x->mark[i]);
    for (size_t c = 0; c < x->table.columns; c++)
        put_curve(&a, x, c);
    svg_close(f);
}

void experiment_print_figure(FILE *f, const void *what)
{
    put_figure(f, what, svg_open_alone);
}

/* ---- page -------------------------------------------------------------------------------------
 */

static void cell(FILE *f, double value, double deviation)
{
    if (!isfinite(value))
        fputs("<td>" DASH "</td>", f);
    else if (isfinite(deviation))
        fprintf(f, "<td>%.1f \xC2\xB1 %.1f</td>", 100.0 * value, 100.0 * deviation);
    else
        fprintf(f, "<td>%.1f</td>", 100.0 * value);
}

/* Bars are of the last column. */
static void put_bar_name(FILE *f, const experiment_table *t)
{
    fputs("<th scope=\"col\">", f);
    html_text(f, t->column[t->columns - 1]);
    fputs(", 0 to 100 %</th>", f);
}

static void head(FILE *f, const experiment *x)
{
    const experiment_table *t = &x->table;
    fputs("<thead><tr><th scope=\"col\">", f);
    html_text(f, x->kind->x_label ? x->kind->x_label : "method");
    fputs("</th>", f);
    if (!x->kind->x_label)
        put_bar_name(f, t);
    for (size_t c = 0; c < t->columns; c++) {
        fputs("<th scope=\"col\">", f);
        html_text(f, t->column[c]);
        fputs(t->compared[c] ? "</th><th scope=\"col\">paper</th>" : "</th>", f);
    }
    fputs("</tr></thead>\n", f);
}

static void row(FILE *f, const experiment *x, size_t r)
{
    const experiment_table *t = &x->table;
    size_t last = r * t->columns + t->columns - 1;
    fputs("<tr><th scope=\"row\">", f);
    html_text(f, t->row[r]);
    fputs("</th>", f);
    if (!x->kind->x_label) {
        fputs("<td>", f);
        if (isfinite(t->value[last]))
            svg_bar(f, t->value[last], isfinite(t->deviation[last]) ? t->deviation[last] : 0.0);
        fputs("</td>", f);
    }
    for (size_t c = 0; c < t->columns; c++) {
        cell(f, t->value[r * t->columns + c], t->deviation[r * t->columns + c]);
        if (t->compared[c])
            cell(f, t->paper[r * t->columns + c], NAN);
    }
    fputs("</tr>\n", f);
}

static void results(FILE *f, const experiment *x)
{
    html_section(f, "results", "Results");
    if (x->kind->x_label) {
        html_figure(f, "large");
        put_figure(f, x, svg_open);
        html_figure_close(f, "Bands are a standard deviation to either side. The same as "
                             "<code>figure.svg</code>.");
    }
    html_wide(f, "Table of results");
    fputs("<table>\n<caption>accuracy %</caption>\n", f);
    head(f, x);
    fputs("<tbody>\n", f);
    for (size_t r = 0; r < x->table.rows; r++)
        row(f, x, r);
    fputs("</tbody>\n</table>\n", f);
    html_wide_close(f);
    if (experiment_has_paper(x))
        fputs("<p class=\"note\">paper: M. Harandi, M. Salzmann, R. Hartley, From Manifold to "
              "Manifold: Geometry-Aware Dimensionality Reduction for SPD Matrices, ECCV 2014; a "
              "dash where its figure is not at hand.</p>\n",
              f);
    for (size_t i = 0; i < x->notes.count; i++) {
        fputs("<p class=\"note\">", f);
        html_text(f, x->notes.word[i]);
        fputs("</p>\n", f);
    }
    html_section_close(f);
}

static void links(FILE *f, const experiment *x)
{
    if (x->reports.count == 0)
        return;
    html_section(f, "more", "More of it");
    fputs("<p>Confusion matrices, spectra, samples in two dimensions and chosen parameters:</p>\n"
          "<ul>\n",
          f);
    for (size_t i = 0; i < x->reports.count; i++)
        fprintf(f, "<li><a href=\"%s\">%s</a></li>\n", x->reports.word[i], x->reports.word[i]);
    fputs("</ul>\n", f);
    html_section_close(f);
}

static void commands(FILE *f, const experiment *x)
{
    html_section(f, "again", "The same by hand");
    fputs("<pre><code>", f);
    for (size_t i = 0; i < x->commands.count; i++) {
        words line = {0};
        words_split(&line, x->commands.word[i], " ");
        for (size_t k = 0; k < line.count; k++) {
            fputs(k ? " " : "", f);
            html_word(f, line.word[k]);
        }
        fputc('\n', f);
        words_free(&line);
    }
    fputs("</code></pre>\n<p>Beside this page: <code>table.csv</code> with the numbers, "
          "<code>commands.sh</code> with these lines.</p>\n",
          f);
    html_section_close(f);
}

void experiment_print_page(FILE *f, const void *what)
{
    const experiment *x = what;
    html_open(f, x->kind->title);
    fputs("<p class=\"lead\">", f);
    html_text(f, x->matrices);
    fputs(x->data ? "" : "; generated data", f);
    if (x->protocol) {
        fputs("; ", f);
        html_text(f, x->protocol);
    }
    fputs(".</p>\n", f);
    results(f, x);
    links(f, x);
    commands(f, x);
    fprintf(f, "<footer class=\"note\">Written by spdml %s.</footer>\n", spd_version());
    html_close(f);
}
