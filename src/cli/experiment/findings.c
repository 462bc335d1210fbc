/* findings.c - an experiment's table on stdout and in files. */
#include <math.h>

#include "cli/experiment/experiment.h"
#include "cli/frame/screen.h"
#include "cli/frame/signals.h"
#include "cli/frame/text_file.h"

#define LINES_SHOWN 16 /* commands on a terminal */

const char *experiment_rows(const experiment *x)
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
    table_print(&x->table, "accuracy in percent", experiment_rows(x), 0);
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
    if (x->axis[0])
        text_file_write(text_file_in(x->folder, "figure.svg"), experiment_print_figure, x);
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
    else
        print_all(x);
}
