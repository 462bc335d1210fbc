/* accuracies.c - a table that grows by names. */
#include "cli/experiment/accuracies.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/frame/cli_memory.h"
#include "cli/frame/screen.h"
#include "cli/frame/sheet.h"
#include "cli/frame/text_file.h"

static char *cell_key(const char *row, const char *column, table_kind kind)
{
    return words_text("%s\t%s\t%d", row, column, (int)kind);
}

void table_put(table *t, const char *row, const char *column, table_kind kind, double number)
{
    if (!words_has(&t->row, row))
        words_add(&t->row, row);
    if (!words_has(&t->column, column))
        words_add(&t->column, column);
    if (!t->number)
        t->number = sheet_json_keep(json_object());
    if (isfinite(number) && /* a number that is none is left out */
        json_object_set_new_nocheck(t->number, cell_key(row, column, kind), json_real(number)) != 0)
        cli_out_of_memory("a table");
}

double table_at(const table *t, size_t row, size_t column, table_kind kind)
{
    const json_t *number =
        json_object_get(t->number, cell_key(t->row.word[row], t->column.word[column], kind));
    return number ? json_real_value(number) : NAN;
}

int table_compared(const table *t, size_t column)
{
    int any = 0;
    for (size_t r = 0; r < t->row.count && !any; r++)
        any = isfinite(table_at(t, r, column, TABLE_PAPER)) != 0;
    return any;
}

void table_text(const table *t, size_t row, size_t column, int paper, int seconds,
                char text[TABLE_TEXT])
{
    double number = table_at(t, row, column, paper ? TABLE_PAPER : TABLE_OURS);
    double deviation = table_at(t, row, column, paper ? TABLE_PAPER_DEVIATION : TABLE_DEVIATION);
    if (!isfinite(number))
        snprintf(text, TABLE_TEXT, "-");
    else if (seconds)
        snprintf(text, TABLE_TEXT, "%.3g", number);
    else if (isfinite(deviation))
        snprintf(text, TABLE_TEXT, "%.1f +- %.1f", 100.0 * number, 100.0 * deviation);
    else
        snprintf(text, TABLE_TEXT, "%.1f", 100.0 * number);
}

/* A column of one row, ours or the paper's; row -1 is the heading. */
static void print_cell(const table *t, long row, size_t column, int paper, int seconds)
{
    const char *heading = paper ? "paper" : t->column.word[column];
    char text[TABLE_TEXT];
    size_t width = strlen(heading) > 5 ? strlen(heading) : 5;
    for (size_t r = 0; r < t->row.count; r++) {
        table_text(t, r, column, paper, seconds, text);
        width = strlen(text) > width ? strlen(text) : width;
    }
    if (row >= 0)
        table_text(t, (size_t)row, column, paper, seconds, text);
    screen_print("  %*s", (int)width, row < 0 ? heading : text);
}

void table_print(const table *t, const char *caption, const char *heading, int seconds)
{
    size_t width = strlen(heading);
    for (size_t r = 0; r < t->row.count; r++)
        width = strlen(t->row.word[r]) > width ? strlen(t->row.word[r]) : width;
    if (t->row.count)
        screen_print("\n%s\n", caption);
    for (long r = -1; r < (long)t->row.count && t->row.count; r++) {
        screen_print("%-*s", (int)width, r < 0 ? heading : t->row.word[r]);
        for (size_t c = 0; c < t->column.count; c++) {
            print_cell(t, r, c, 0, seconds);
            if (table_compared(t, c))
                print_cell(t, r, c, 1, seconds);
        }
        putchar('\n');
    }
}

/* Our number as it is shown, in tenths of a percent; NaN if there is none. */
static double tenths(const table *t, size_t row, size_t column)
{
    return round(1000.0 * table_at(t, row, column, TABLE_OURS));
}

/* Is none of our numbers in the row, or in the column, larger? */
static int is_best(const table *t, size_t row, size_t column, int in_row)
{
    const size_t others = in_row ? t->column.count : t->row.count;
    for (size_t i = 0; i < others; i++)
        if (tenths(t, in_row ? row : i, in_row ? i : column) > tenths(t, row, column))
            return 0;
    return 1;
}

static void latex_cell(FILE *f, const table *t, size_t row, size_t column, int paper, int bold)
{
    double number = table_at(t, row, column, paper ? TABLE_PAPER : TABLE_OURS);
    double deviation = table_at(t, row, column, paper ? TABLE_PAPER_DEVIATION : TABLE_DEVIATION);
    if (!isfinite(number))
        fputs(" & --", f);
    else
        fprintf(f, bold ? " & \\textbf{%.1f}" : " & %.1f", 100.0 * number);
    if (isfinite(number) && isfinite(deviation))
        fprintf(f, " $\\pm$ %.1f", 100.0 * deviation);
}

void table_latex(FILE *f, const table *t, const char *heading, int columns_are_methods)
{
    fputs("\\begin{tabular}{l", f);
    for (size_t c = 0; c < t->column.count; c++)
        fputs(table_compared(t, c) ? "rr" : "r", f);
    fputs("}\n\\toprule\n", f);
    text_file_latex(f, heading);
    for (size_t c = 0; c < t->column.count; c++) {
        fputs(" & ", f);
        text_file_latex(f, t->column.word[c]);
        fputs(table_compared(t, c) ? " & paper" : "", f);
    }
    fputs(" \\\\\n\\midrule\n", f);
    for (size_t r = 0; r < t->row.count; r++) {
        text_file_latex(f, t->row.word[r]);
        for (size_t c = 0; c < t->column.count; c++) {
            latex_cell(f, t, r, c, 0, is_best(t, r, c, columns_are_methods));
            if (table_compared(t, c))
                latex_cell(f, t, r, c, 1, 0);
        }
        fputs(" \\\\\n", f);
    }
    fputs("\\bottomrule\n\\end{tabular}\n", f);
}
