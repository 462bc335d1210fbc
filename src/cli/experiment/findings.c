/* findings.c - an experiment's table on stdout and in files. */
#include <math.h>
#include <string.h>

#include "cli/frame/cli_memory.h"
#include "cli/experiment/experiment.h"
#include "cli/frame/sheet.h"
#include "cli/frame/signals.h"
#include "cli/frame/text_file.h"

#define LINES_SHOWN 16 /* commands on a terminal */

static const char citation[] = "Harandi, Salzmann, Hartley: From Manifold to Manifold, ECCV 2014";

/* ---- table ------------------------------------------------------------------------------------
 */

/* "71.3 +- 2.0", or a dash */
static void percent_text(double value, double deviation, char text[24])
{
    if (!isfinite(value))
        snprintf(text, 24, "-");
    else if (isfinite(deviation))
        snprintf(text, 24, "%.1f +- %.1f", 100.0 * value, 100.0 * deviation);
    else
        snprintf(text, 24, "%.1f", 100.0 * value);
}

static int widest(size_t count, char (*name)[EXPERIMENT_NAME], const char *heading)
{
    size_t width = strlen(heading);
    for (size_t i = 0; i < count; i++)
        width = strlen(name[i]) > width ? strlen(name[i]) : width;
    return (int)width;
}

static int column_width(const experiment_table *t, size_t column)
{
    size_t width = strlen(t->column[column]) > 5 ? strlen(t->column[column]) : 5;
    for (size_t r = 0; r < t->rows; r++) {
        char text[24];
        percent_text(t->value[r * t->columns + column], t->deviation[r * t->columns + column],
                     text);
        width = strlen(text) > width ? strlen(text) : width;
    }
    return (int)width;
}

/* Row -1 is the heading. */
static void print_row(const experiment *x, const char *name, int width, long row)
{
    const experiment_table *t = &x->table;
    printf("%-*s", width, name);
    for (size_t c = 0; c < t->columns; c++) {
        char own[24], paper[24];
        size_t at = row < 0 ? 0 : (size_t)row * t->columns + c;
        percent_text(t->value[at], t->deviation[at], own);
        percent_text(t->paper[at], NAN, paper);
        printf("  %*s", column_width(t, c), row < 0 ? t->column[c] : own);
        if (t->compared[c])
            printf("  %5s", row < 0 ? "paper" : paper);
    }
    putchar('\n');
}

static void print_table(const experiment *x)
{
    const experiment_table *t = &x->table;
    const char *heading = x->kind->x_label ? x->kind->x_label : "method";
    int width = widest(t->rows, t->row, heading);
    printf("\naccuracy in percent\n");
    print_row(x, heading, width, -1);
    for (size_t r = 0; r < t->rows; r++)
        print_row(x, t->row[r], width, (long)r);
    if (experiment_has_paper(x))
        printf("paper: %s, on its own data; - where the figure is not at hand\n", citation);
}

static void print_commands(const experiment *x)
{
    size_t shown = x->commands.count <= LINES_SHOWN ? x->commands.count : LINES_SHOWN - 1;
    printf("\nthe same by hand\n");
    for (size_t i = 0; i < shown; i++)
        printf("  %s\n", x->commands.word[i]);
    if (shown < x->commands.count)
        printf("  ... %zu more%s\n", x->commands.count - shown,
               x->temporary ? "; -o DIR writes all of them into DIR/commands.sh" : "");
}

static void data_text(const experiment *x, char *text, size_t size)
{
    if (x->data)
        snprintf(text, size, "%s", x->data);
    else
        snprintf(text, size, "generated: %s, seed %s", x->kind->generated,
                 arguments_text(x->s->args, "seed"));
}

static void print_all(const experiment *x)
{
    sheet r;
    char data[500];
    data_text(x, data, sizeof data);
    sheet_open(&r, 0);
    sheet_line(&r, "experiment", "%s: %s", x->kind->name, x->kind->title);
    sheet_line(&r, "data", "%s", data);
    sheet_line(&r, "matrices", "%s", x->matrices);
    if (x->protocol)
        sheet_line(&r, "protocol", "%s", x->protocol);
    print_table(x);
    for (size_t i = 0; i < x->notes.count; i++)
        printf("%s\n", x->notes.word[i]);
    print_commands(x);
    if (!x->temporary) {
        putchar('\n');
        sheet_line(&r, "report", "%s/report.html", x->folder);
    }
    sheet_close(&r);
}

/* ---- JSON -------------------------------------------------------------------------------------
 */

static json_t *list_json(const words *w)
{
    json_t *list = sheet_json_list();
    for (size_t i = 0; i < w->count; i++)
        sheet_json_append(list, sheet_json_text(w->word[i]));
    return list;
}

static json_t *cell_json(const experiment_table *t, size_t row, size_t column)
{
    size_t at = row * t->columns + column;
    return json_pack("{s:o,s:o,s:o,s:o}", "column", sheet_json_text(t->column[column]), "accuracy",
                     sheet_json_real(t->value[at]), "deviation", sheet_json_real(t->deviation[at]),
                     "paper", sheet_json_real(t->paper[at]));
}

static json_t *table_json(const experiment_table *t)
{
    json_t *rows = sheet_json_list();
    for (size_t r = 0; r < t->rows; r++) {
        json_t *cells = sheet_json_list();
        for (size_t c = 0; c < t->columns; c++)
            sheet_json_append(cells, cell_json(t, r, c));
        sheet_json_append(
            rows, json_pack("{s:o,s:o}", "row", sheet_json_text(t->row[r]), "cells", cells));
    }
    return rows;
}

static json_t *marks_json(const experiment *x)
{
    json_t *list = sheet_json_list();
    for (size_t i = 0; i < x->marks; i++)
        sheet_json_append(list, json_pack("{s:o,s:o}", "name", sheet_json_text(x->mark[i].name),
                                          "at", sheet_json_real(x->mark[i].at)));
    return list;
}

static void print_json(const experiment *x)
{
    sheet r;
    char data[500];
    data_text(x, data, sizeof data);
    sheet_open(&r, 1);
    sheet_text(&r, "experiment", NULL, x->kind->name);
    sheet_text(&r, "data", NULL, data);
    sheet_flag(&r, "generated", NULL, !x->data);
    sheet_flag(&r, "quick", NULL, x->quick);
    sheet_text(&r, "matrices", NULL, x->matrices);
    sheet_text(&r, "methods", NULL, x->methods);
    sheet_json(&r, "rows", table_json(&x->table));
    sheet_json(&r, "marks", marks_json(x));
    sheet_json(&r, "notes", list_json(&x->notes));
    sheet_json(&r, "commands", list_json(&x->commands));
    sheet_text(&r, "citation", NULL, citation);
    sheet_real(&r, "seconds", NULL, bar_clock() - x->s->start);
    sheet_close(&r);
}

/* ---- files ------------------------------------------------------------------------------------
 */

static void put_number(FILE *f, double value)
{
    if (isfinite(value))
        fprintf(f, ",%.17g", value);
    else
        fputc(',', f);
}

/* A line for every cell. */
static void print_csv(FILE *f, const void *what)
{
    const experiment *x = what;
    const experiment_table *t = &x->table;
    fprintf(f, "%s,%s,accuracy,deviation,paper\n", x->kind->x_label ? "at" : "method",
            x->kind->x_label ? "method" : "column");
    for (size_t r = 0; r < t->rows; r++)
        for (size_t c = 0; c < t->columns; c++) {
            size_t at = r * t->columns + c;
            text_file_csv(f, t->row[r]);
            fputc(',', f);
            text_file_csv(f, t->column[c]);
            put_number(f, t->value[at]);
            put_number(f, t->deviation[at]);
            put_number(f, t->paper[at]);
            fputc('\n', f);
        }
}

static void print_script(FILE *f, const void *what)
{
    const experiment *x = what;
    fprintf(f, "#!/bin/sh\n# What `spdml experiment %s` has run.\nset -e\n", x->kind->name);
    for (size_t i = 0; i < x->commands.count; i++)
        fprintf(f, "%s\n", x->commands.word[i]);
}

static int write_files(experiment *x)
{
    static const struct {
        const char *name;
        text_file_fn print;
        int of_figures;
    } files[] = {{"table.csv", print_csv, 0},
                 {"commands.sh", print_script, 0},
                 {"figure.svg", experiment_print_figure, 1},
                 {"report.html", experiment_print_page, 0}};
    int code = CLI_GOOD;
    for (size_t i = 0; i < sizeof files / sizeof *files && !code; i++)
        if (x->kind->x_label || !files[i].of_figures) {
            char *path = experiment_path(x, files[i].name);
            code = text_file_write(path, files[i].print, x);
            cli_free(path);
        }
    return code;
}

int experiment_report(experiment *x)
{
    bar_clear(&x->s->bar);
    if (signals_interrupted())
        return session_fail(x->s, SPD_ECANCELLED);
    int code = x->temporary ? CLI_GOOD : write_files(x);
    if (code)
        return code;
    if (arguments_flag(x->s->args, "json"))
        print_json(x);
    else
        print_all(x);
    return CLI_GOOD;
}
