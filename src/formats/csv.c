/* csv.c - tables: their shape, their numbers and texts. Faults are named by line and column. */
#include "formats/csv.h"

#include <string.h>

#include "base/memory.h"
#include "io/array.h"
#include "io/text.h"

static spd_status broken_cell(spd_context *ctx, csv_step step, const csv_cell *cell)
{
    return ctx_fail(ctx, SPD_EFORMAT, "line %zu, column %zu: %s", cell->line, cell->column + 1,
                    step == CSV_UNCLOSED ? "a quote is not closed"
                                         : "something follows a closing quote");
}

static spd_status not_a_number(spd_context *ctx, const csv_cell *cell)
{
    char text[32], plain[24];
    size_t size = cell->size < sizeof text - 1 ? cell->size : sizeof text - 1;
    if (size == 0)
        return ctx_fail(ctx, SPD_EFORMAT, "line %zu, column %zu is empty; a number is expected",
                        cell->line, cell->column + 1);
    memcpy(text, cell->from, size);
    text[size] = '\0';
    return ctx_fail(ctx, SPD_EFORMAT, "line %zu, column %zu: '%s' is not a number", cell->line,
                    cell->column + 1, text_plain(text, plain, sizeof plain));
}

/* A label column's name in a header line. */
static int names_labels(const csv_cell *cell, const char *y_name)
{
    static const char *const known[] = {"y", "label", "labels", "class"};
    char text[64];
    if (cell->size >= sizeof text)
        return 0;
    csv_copy(cell, text);
    if (y_name)
        return strcmp(text, y_name) == 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (text_same(text, known[i]))
            return 1;
    return 0;
}

/* The first row: how many columns, which of them are not numbers, which is named as labels. */
static spd_status first_row(spd_context *ctx, csv_cursor *c, const char *y_name, csv_table *table)
{
    csv_cursor again = *c;
    csv_cell cell;
    csv_step step;
    double value;
    size_t columns = 0;
    do {
        step = csv_next(c, &cell);
        columns++;
    } while (step == CSV_CELL && !cell.last);
    if (step == CSV_END)
        return ctx_fail(ctx, SPD_EFORMAT, "contains no rows");
    if (step != CSV_CELL)
        return broken_cell(ctx, step, &cell);
    table->columns = table->label = columns;
    table->rows = 1;
    table->seen = mem_zero(columns, 1);
    if (!table->seen)
        return ctx_nomem(ctx, "a table");
    for (size_t j = 0; j < columns; j++) {
        csv_next(&again, &cell);
        table->seen[j] =
            text_number(cell.from, cell.size, &value) ? CSV_NUMBER_FIRST : CSV_TEXT_FIRST;
        if (table->seen[j] == CSV_TEXT_FIRST && table->label == columns &&
            names_labels(&cell, y_name))
            table->label = j;
    }
    return SPD_OK;
}

/* All further rows: as many cells as the first, and which columns are text. */
static spd_status later_rows(spd_context *ctx, csv_cursor *c, csv_table *table)
{
    csv_cell cell;
    csv_step step;
    double value;
    while ((step = csv_next(c, &cell)) == CSV_CELL) {
        if (cell.column >= table->columns || (cell.last && cell.column + 1 < table->columns))
            return ctx_fail(ctx, SPD_EFORMAT, "line %zu has %s than the %zu cells of the first row",
                            cell.line, cell.last && cell.column < table->columns ? "less" : "more",
                            table->columns);
        table->seen[cell.column] |=
            text_number(cell.from, cell.size, &value) ? CSV_NUMBER_LATER : CSV_TEXT_LATER;
        table->rows += cell.last ? 1 : 0;
    }
    return step == CSV_END ? SPD_OK : broken_cell(ctx, step, &cell);
}

/* The first row is a header when it names the labels, when a column is text there alone, or
 * when all of it is text above some numbers. */
static int has_header(const csv_table *table)
{
    int header = table->label < table->columns, all_text = 1, numbers = 0;
    for (size_t j = 0; j < table->columns; j++) {
        unsigned char seen = table->seen[j];
        header |= seen == (CSV_TEXT_FIRST | CSV_NUMBER_LATER);
        all_text &= (seen & CSV_TEXT_FIRST) != 0;
        numbers |= (seen & CSV_NUMBER_LATER) != 0;
    }
    return header || (table->columns > 1 && all_text && numbers);
}

static spd_status survey_rows(spd_context *ctx, const char *y_name, csv_table *table)
{
    csv_cursor c = table->start;
    csv_cell cell;
    spd_status status = first_row(ctx, &c, y_name, table);
    if (status == SPD_OK)
        status = later_rows(ctx, &c, table);
    if (status < 0 || !has_header(table))
        return status;
    for (size_t j = 0; j < table->columns; j++) {
        csv_next(&table->start, &cell);
        table->seen[j] &= CSV_TEXT_LATER | CSV_NUMBER_LATER;
    }
    table->rows--;
    return SPD_OK;
}

spd_status csv_survey(spd_context *ctx, const char *bytes, size_t size, const char *y_name,
                      csv_table *table)
{
    csv_table learnt = {0};
    if (memchr(bytes, 0, size))
        return ctx_fail(ctx, SPD_EFORMAT, "is not a text file (it contains NUL bytes)");
    csv_start(&learnt.start, bytes, size);
    spd_status status = survey_rows(ctx, y_name, &learnt);
    if (status < 0)
        csv_table_free(&learnt);
    else
        *table = learnt;
    return status;
}

void csv_table_free(csv_table *table)
{
    mem_free(table->seen);
    table->seen = NULL;
}

spd_status csv_numbers(spd_context *ctx, const csv_table *table, size_t column, int alone,
                       double *out)
{
    csv_cursor walk = table->start;
    csv_cell cell;
    while (csv_next(&walk, &cell) == CSV_CELL)
        if ((cell.column == column) == alone && !text_number(cell.from, cell.size, out++))
            return not_a_number(ctx, &cell);
    return SPD_OK;
}

spd_status csv_numbers_but(spd_context *ctx, const csv_table *table, const char *skip, double *out)
{
    csv_cursor walk = table->start;
    csv_cell cell;
    while (csv_next(&walk, &cell) == CSV_CELL)
        if (!skip[cell.column] && !text_number(cell.from, cell.size, out++))
            return not_a_number(ctx, &cell);
    return SPD_OK;
}

spd_status csv_texts(spd_context *ctx, const csv_table *table, size_t column, spd_array **array)
{
    csv_cursor walk = table->start;
    csv_cell cell;
    size_t bytes = 0, row = 0;
    while (csv_next(&walk, &cell) == CSV_CELL)
        bytes += cell.column == column ? cell.size + 1 : 0;
    spd_array *fresh;
    char *pool;
    spd_status status = array_new_text(ctx, 1, &table->rows, bytes, &fresh, &pool);
    if (status < 0)
        return status;
    for (walk = table->start; csv_next(&walk, &cell) == CSV_CELL;) {
        if (cell.column != column)
            continue;
        fresh->text[row++] = pool;
        pool += csv_copy(&cell, pool) + 1;
        if (utf8_length(fresh->text[row - 1]) == SIZE_MAX) {
            spd_array_free(fresh);
            return ctx_fail(ctx, SPD_EFORMAT, "line %zu, column %zu is not UTF-8 text", cell.line,
                            cell.column + 1);
        }
    }
    *array = fresh;
    return SPD_OK;
}
