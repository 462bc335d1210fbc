/* findings.c - an experiment's table on stdout and in files, its figure and its page. */
#include <math.h>
#include <stdlib.h>

#include "cli/drawing/html.h"
#include "cli/experiment/experiment.h"
#include "cli/frame/screen.h"
#include "cli/frame/signals.h"
#include "cli/frame/text_file.h"

#define LINES_SHOWN 16    /* commands on a terminal */
#define WIDTH       560.0 /* of the figure */
#define HEIGHT      380.0

static const char *rows_of(const experiment *x)
{
    return x->axis[0] ? x->axis : "method";
}

static const char *source_of(const experiment *x)
{
    if (x->data)
        return x->data;
    return x->generated[0] ? words_text("generated: %s, seed %s", x->generated,
                                        arguments_text(x->s->args, "seed"))
                           : "as the recipe says";
}

/* ---- terminal -------------------------------------------------------------------------------- */

static void print_commands(const experiment *x)
{
    size_t shown = x->commands.count <= LINES_SHOWN ? x->commands.count : LINES_SHOWN - 1;
    screen_print("\nthe same, step by step\n");
    for (size_t i = 0; i < shown; i++)
        screen_print("  %s\n", x->commands.word[i]);
    if (shown < x->commands.count)
        screen_print("  ... %zu more%s\n", x->commands.count - shown,
                     x->temporary ? "; -o DIR writes all of them into DIR/commands.sh" : "");
}

static void print_all(const experiment *x)
{
    sheet r;
    sheet_open(&r, 0);
    sheet_line(&r, "experiment", "%s: %s", x->recipe.name, x->title);
    if (x->gathers) {
        sheet_line(&r, "data", "%s", x->source);
        sheet_line(&r, "matrices", "%s", x->matrices);
        sheet_line(&r, "protocol", "%s", x->protocol);
    }
    table_print(&x->table, "accuracy in percent", rows_of(x), 0);
    table_print(&x->times, EXPERIMENT_SECONDS, "method", 1);
    putchar('\n');
    if (x->paper_data[0])
        screen_print("paper: " EXPERIMENT_CITATION "\n");
    if (x->paper_data[0])
        screen_print("  its data: %s\n", x->paper_data);
    if (x->paper_data[0])
        screen_print("  here: %s; %s\n", x->source, x->matrices);
    for (size_t i = 0; i < x->notes.count; i++)
        screen_print("%s\n", x->notes.word[i]);
    print_commands(x);
    if (!x->temporary) {
        putchar('\n');
        sheet_line(&r, "report", "%s/report.html", x->folder);
    }
    sheet_close(&r);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *table_json(const table *t, const char *ours)
{
    const char *const key[] = {ours, "deviation", "paper", "paper_deviation"};
    json_t *rows = sheet_json_list();
    for (size_t r = 0; r < t->row.count; r++) {
        json_t *cells = sheet_json_list();
        for (size_t c = 0; c < t->column.count; c++) {
            json_t *cell = json_pack("{s:o}", "column", sheet_json_text(t->column.word[c]));
            for (int k = 0; k < 4; k++)
                sheet_json_set(cell, key[k], sheet_json_real(table_at(t, r, c, (table_kind)k)));
            sheet_json_append(cells, cell);
        }
        sheet_json_append(
            rows, json_pack("{s:o,s:o}", "row", sheet_json_text(t->row.word[r]), "cells", cells));
    }
    return rows;
}

static json_t *marks_json(const experiment *x)
{
    json_t *list = sheet_json_list();
    for (size_t i = 0; i < x->mark.count; i++)
        sheet_json_append(list, json_pack("{s:o,s:o}", "name", sheet_json_text(x->mark.word[i]),
                                          "at", sheet_json_real(x->mark_at[i])));
    return list;
}

static void print_json(const experiment *x)
{
    sheet r;
    const char *methods = recipe_value(&x->recipe, "methods");
    sheet_open(&r, 1);
    sheet_text(&r, "experiment", NULL, x->recipe.name);
    sheet_text(&r, "data", NULL, x->source);
    sheet_flag(&r, "generated", NULL, !x->data && x->generated[0]);
    sheet_flag(&r, "quick", NULL, arguments_flag(x->s->args, "quick"));
    sheet_text(&r, "matrices", NULL, x->matrices);
    sheet_text(&r, "methods", NULL, methods ? methods : "");
    sheet_json(&r, "rows", table_json(&x->table, "accuracy"));
    sheet_json(&r, "times", table_json(&x->times, "seconds"));
    sheet_json(&r, "marks", marks_json(x));
    sheet_json(&r, "notes", sheet_json_words(&x->notes));
    sheet_json(&r, "commands", sheet_json_words(&x->commands));
    sheet_text(&r, "citation", NULL, EXPERIMENT_CITATION);
    sheet_text(&r, "paper_data", NULL, x->paper_data);
    sheet_real(&r, "seconds", NULL, bar_clock() - x->s->start);
    sheet_close(&r);
}

/* ---- figure ---------------------------------------------------------------------------------- */

static double position(const experiment *x, double at)
{
    return x->scale == DRAW_LOG10 ? log10(at) : at;
}

static void extend(draw_frame *a, double x, double low, double high)
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

static draw_frame frame_of(drawing *d, const experiment *x)
{
    draw_frame a = {.d = d,
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
    draw_room(&a.x0, &a.x1);
    draw_room(&a.y0, &a.y1);
    a.y0 = fmax(a.y0, 0.0);
    a.y1 = fmin(a.y1, 100.0);
    return a;
}

/* The paper's point: a hollow mark, with its number. */
static void put_paper(const draw_frame *a, double x, double percent, size_t column)
{
    double at = draw_x(a, x), level = draw_y(a, percent);
    draw_mark(a->d, at, level, 4.5, (int)column, (int)column, 0);
    draw_text(a->d, TEXT_SOFT, at + 8, level + 4, 0, words_text("paper %.1f", percent));
}

static void put_curve(const draw_frame *a, const experiment *x, size_t column)
{
    size_t rows = x->table.row.count;
    curve c = curve_of(x, column);
    draw_band(a, (int)column, rows, c.x, c.low, c.high);
    draw_series(a, (int)column, rows, c.x, c.y);
    for (size_t r = 0; r < rows; r++) {
        if (isfinite(c.y[r]))
            draw_mark(a->d, draw_x(a, c.x[r]), draw_y(a, c.y[r]), 3.5, (int)column, (int)column, 1);
        if (isfinite(c.paper[r]))
            put_paper(a, c.x[r], c.paper[r], column);
    }
    draw_legend_line(a->d, a->left + (double)(column % 2) * 250.0, legend_line(column), (int)column,
                     x->table.column.word[column]);
}

static void put_mark(const draw_frame *a, const experiment *x, size_t mark)
{
    double at = draw_x(a, position(x, x->mark_at[mark]));
    draw_line(a->d, (draw_ink){.look = LOOK_DASHED}, at, a->top, at, a->bottom);
    draw_text(a->d, TEXT_SOFT, at + 4, a->bottom - 8, 0, x->mark.word[mark]);
}

/* An axis of octaves: each point is named. */
static void put_octaves(const draw_frame *a, const experiment *x)
{
    draw_axes(a, DRAW_BARE, NULL, DRAW_LINEAR, "accuracy %");
    for (size_t r = 0; r < x->table.row.count; r++)
        draw_text(a->d, TEXT_SOFT | TEXT_MIDDLE,
                  draw_x(a, position(x, strtod(x->table.row.word[r], NULL))), a->bottom + 17, 0,
                  x->table.row.word[r]);
    draw_text(a->d, TEXT_MIDDLE, (a->left + a->right) / 2, a->bottom + 37, 0, x->axis);
}

static void put_figure(drawing *d, const void *what)
{
    const experiment *x = what;
    draw_frame a = frame_of(d, x);
    if (x->scale == DRAW_LOG10)
        put_octaves(&a, x);
    else
        draw_axes(&a, x->scale, x->axis, DRAW_LINEAR, "accuracy %");
    for (size_t i = 0; i < x->mark.count; i++)
        put_mark(&a, x, i);
    for (size_t c = 0; c < x->table.column.count; c++)
        put_curve(&a, x, c);
}

static figure figure_of(const experiment *x)
{
    return (figure){"figure",
                    x->title,
                    "One line per method; bands are one standard deviation to either side; hollow "
                    "marks are the paper's.",
                    WIDTH,
                    HEIGHT,
                    put_figure,
                    x};
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
        html_bar(f, last, isfinite(deviation) ? deviation : 0.0);
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
        figure g = figure_of(x);
        html_figure(f, "large");
        figure_inline(f, &g);
        html_figure_close(
            f, "Bands are one standard deviation to either side; hollow marks are "
               "the paper's. The same as <code>figure.svg</code> and <code>figure.pdf</code>.");
    }
    put_table(f, &x->table, "accuracy %", rows_of(x), 0, !x->axis[0]);
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

/* ---- files ----------------------------------------------------------------------------------- */

/* A line for every cell. */
static void print_csv(FILE *f, const void *what)
{
    const experiment *x = what;
    const table *t = &x->table;
    fprintf(f, "%s,accuracy,deviation,paper,paper_deviation\n",
            x->axis[0] ? "at,method" : "method,column");
    for (size_t r = 0; r < t->row.count; r++)
        for (size_t c = 0; c < t->column.count; c++) {
            text_file_csv(f, t->row.word[r]);
            fputc(',', f);
            text_file_csv(f, t->column.word[c]);
            for (int k = 0; k < 4; k++) {
                double number = table_at(t, r, c, (table_kind)k);
                fprintf(f, isfinite(number) ? ",%.17g" : ",", number);
            }
            fputc('\n', f);
        }
}

static void write_files(experiment *x)
{
    text_file_write(text_file_in(x->folder, "table.csv"), print_csv, x);
    figure g = figure_of(x);
    if (x->axis[0])
        figure_files(&g, x->folder);
    text_file_write(text_file_in(x->folder, "report.html"), experiment_print_page, x);
}

void experiment_report(experiment *x)
{
    bar_clear(&x->s->bar);
    if (signals_interrupted())
        session_fail(x->s, SPD_ECANCELLED);
    x->source = source_of(x);
    if (!x->table.row.count)
        x->axis = ""; /* a figure without points */
    if (!x->temporary)
        write_files(x);
    if (arguments_flag(x->s->args, "json"))
        print_json(x);
    else if (session_choice(x->s, "format") == 1)
        table_latex(stdout, &x->table, rows_of(x), x->axis[0] != '\0');
    else
        print_all(x);
}
