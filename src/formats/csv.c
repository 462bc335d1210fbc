/* csv.c - tables: their shape, their numbers and texts. Faults are named by line and column. */
#include "formats/csv.h"

#include <string.h>

#include "base/memory.h"
#include "io/array.h"
#include "io/text.h"

/* ---- from characters to cells --------------------------------------------------------------- */

static char guess_separator(const csv_cursor *c)
{
    int quoted = 0, comma = 0, tab = 0;
    for (const char *p = c->at; p < c->end && (quoted || (*p != '\n' && *p != '\r')); p++) {
        if (*p == '"')
            quoted = !quoted;
        if (quoted)
            continue;
        if (*p == ';')
            return ';';
        comma |= *p == ',';
        tab |= *p == '\t';
    }
    return comma ? ',' : tab ? '\t' : ' ';
}

static void end_line(csv_cursor *c)
{
    if (c->at < c->end && *c->at == '\r')
        c->at++;
    if (c->at < c->end && *c->at == '\n')
        c->at++;
    c->line++;
    c->column = 0;
}

static int at_break(const csv_cursor *c)
{
    return c->at == c->end || *c->at == '\n' || *c->at == '\r';
}

static void skip_blanks(csv_cursor *c)
{
    while (c->at < c->end && (*c->at == ' ' || (*c->at == '\t' && c->separator != '\t')))
        c->at++;
}

/* To the first character of the next row that has cells; zero at the end of the text. */
static int find_row(csv_cursor *c)
{
    for (;;) {
        const char *row = c->at;
        skip_blanks(c);
        int comment = c->at < c->end && *c->at == '#';
        if (comment)
            while (!at_break(c))
                c->at++;
        if (c->at == c->end)
            return 0;
        if (!at_break(c)) {
            c->at = row;
            return 1;
        }
        end_line(c);
    }
}

void csv_start(csv_cursor *cursor, const char *bytes, size_t size)
{
    csv_cursor c = {bytes, bytes + size, ' ', 1, 0};
    if (size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0)
        c.at += 3;
    if (find_row(&c))
        c.separator = guess_separator(&c);
    *cursor = c;
}

/* The cell between quotes; line breaks inside belong to it. */
static csv_step take_quoted(csv_cursor *c, csv_cell *cell)
{
    cell->quoted = 1;
    cell->from = ++c->at;
    for (;; c->at++) {
        if (c->at == c->end)
            return CSV_UNCLOSED;
        if (*c->at == '\n')
            c->line++;
        if (*c->at != '"')
            continue;
        if (c->end - c->at < 2 || c->at[1] != '"')
            break;
        c->at++;
    }
    cell->size = (size_t)(c->at++ - cell->from);
    return CSV_CELL;
}

static void take_plain(csv_cursor *c, csv_cell *cell)
{
    cell->from = c->at;
    while (!at_break(c) && *c->at != c->separator && (c->separator != ' ' || *c->at != '\t'))
        c->at++;
    cell->size = (size_t)(c->at - cell->from);
    while (cell->size && (cell->from[cell->size - 1] == ' ' || cell->from[cell->size - 1] == '\t'))
        cell->size--;
}

/* Behind a cell: over the separator, or over the end of the line. */
static csv_step finish_cell(csv_cursor *c, csv_cell *cell)
{
    skip_blanks(c);
    c->column++;
    if (at_break(c)) {
        cell->last = 1;
        end_line(c);
        return CSV_CELL;
    }
    if (c->separator == ' ')
        return CSV_CELL; /* the blanks were the separator */
    if (*c->at != c->separator)
        return CSV_AFTER_QUOTE;
    c->at++;
    return CSV_CELL;
}

csv_step csv_next(csv_cursor *c, csv_cell *cell)
{
    csv_step step = CSV_CELL;
    memset(cell, 0, sizeof *cell);
    if (c->column == 0 && !find_row(c))
        return CSV_END;
    skip_blanks(c);
    cell->line = c->line;
    cell->column = c->column;
    if (c->at < c->end && *c->at == '"')
        step = take_quoted(c, cell);
    else
        take_plain(c, cell);
    return step == CSV_CELL ? finish_cell(c, cell) : step;
}

size_t csv_copy(const csv_cell *cell, char *out)
{
    size_t used = 0;
    for (size_t i = 0; i < cell->size; i++) {
        out[used++] = cell->from[i];
        if (cell->quoted && cell->from[i] == '"')
            i++; /* a quote inside is doubled */
    }
    out[used] = '\0';
    if (*out == '\'' && plain_is_formula(out)) {
        memmove(out, out + 1, used); /* as csv_file.c wrote it */
        used--;
    }
    return used;
}

/* ---- from cells to tables ------------------------------------------------------------------- */

static spd_status broken_cell(spd_context *ctx, csv_step step, const csv_cell *cell)
{
    return ctx_fail(ctx, SPD_EFORMAT, "line %zu, column %zu: %s", cell->line, cell->column + 1,
                    step == CSV_UNCLOSED ? "a quote is not closed"
                                         : "something follows a closing quote");
}

/* Is it a number whose point is a comma: "3,14"? */
static int has_decimal_comma(const csv_cell *cell)
{
    char text[64];
    double value;
    char *comma = NULL;
    if (cell->size >= sizeof text)
        return 0;
    memcpy(text, cell->from, cell->size);
    text[cell->size] = '\0';
    comma = strchr(text, ',');
    if (!comma)
        return 0;
    *comma = '.';
    return text_number(text, cell->size, &value);
}

static spd_status decimal_comma(spd_context *ctx, const csv_cell *cell)
{
    return ctx_fail(ctx, SPD_EFORMAT,
                    "line %zu, column %zu: '%.*s' has a decimal comma; numbers have a point: "
                    "replace the commas",
                    cell->line, cell->column + 1, (int)cell->size, cell->from);
}

/* Where there are decimal commas, they are why a header was not known as one, too. */
static spd_status not_a_number(spd_context *ctx, const csv_table *table, const csv_cell *cell)
{
    char text[32], plain[24];
    if (has_decimal_comma(cell))
        return decimal_comma(ctx, cell);
    if (table->comma.from)
        return decimal_comma(ctx, &table->comma);
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

/* What is learnt of a table before it is known whether its first row is a header. */
typedef struct survey {
    csv_table *table;
    csv_cell label;    /* the cell of the first row that names the labels, if there is one */
    int chosen;        /* it has the name that was asked for */
    int label_again;   /* its text occurs again below: it is a label, not a name */
    int counts;        /* the numbers of the first row are 0, 1, 2 .. or 1, 2, 3 .. */
    int mistyped;      /* its first text begins as a number does */
    size_t numbers;    /* of the first row */
    size_t text, over; /* its first text, and its first text above numbers alone; or columns */
} survey;

/* How many columns the first row has. */
static spd_status count_columns(spd_context *ctx, csv_cursor *c, csv_table *table)
{
    csv_cell cell;
    csv_step step;
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
    return table->seen ? SPD_OK : ctx_nomem(ctx, "a table");
}

/* Does a text begin as a number does, such as 1.o or -3x? */
static int begins_as_number(const csv_cell *cell)
{
    size_t i = 0;
    while (i < cell->size && i < 2 && strchr("+-.", cell->from[i]))
        i++;
    return i < cell->size && cell->from[i] >= '0' && cell->from[i] <= '9';
}

/* The first row: which columns are not numbers, which is named as labels. */
static void look_at_first(csv_cursor c, const char *y_name, survey *s)
{
    csv_table *table = s->table;
    csv_cell cell;
    double value = 0.0, first = 0.0;
    s->counts = 1;
    s->text = table->columns;
    for (size_t j = 0; j < table->columns; j++) {
        csv_next(&c, &cell);
        if (text_number(cell.from, cell.size, &value)) {
            table->seen[j] = CSV_NUMBER_FIRST;
            first = s->numbers == 0 ? value : first;
            s->counts &= (first == 0.0 || first == 1.0) && value == first + (double)s->numbers;
            s->numbers++;
            continue;
        }
        table->seen[j] = CSV_TEXT_FIRST;
        if (s->text == table->columns) {
            s->text = j;
            s->mistyped = begins_as_number(&cell);
        }
        if (table->label == table->columns && names_labels(&cell, y_name)) {
            table->label = j;
            s->label = cell;
            s->chosen = y_name != NULL;
        }
    }
}

/* All further rows: as many cells as the first, and which columns are text. */
static spd_status later_rows(spd_context *ctx, csv_cursor *c, survey *s)
{
    csv_table *table = s->table;
    csv_cell cell;
    csv_step step;
    double value;
    while ((step = csv_next(c, &cell)) == CSV_CELL) {
        if (cell.column >= table->columns || (cell.last && cell.column + 1 < table->columns))
            return ctx_fail(ctx, SPD_EFORMAT, "line %zu has %s than the %zu cells of the first row",
                            cell.line, cell.last && cell.column < table->columns ? "less" : "more",
                            table->columns);
        const int number = text_number(cell.from, cell.size, &value);
        table->seen[cell.column] |= number ? CSV_NUMBER_LATER : CSV_TEXT_LATER;
        if (!number && !table->comma.from && has_decimal_comma(&cell))
            table->comma = cell;
        s->label_again |= s->label.from && cell.column == table->label &&
                          cell.size == s->label.size &&
                          memcmp(cell.from, s->label.from, cell.size) == 0;
        table->rows += cell.last ? 1 : 0;
    }
    return step == CSV_END ? SPD_OK : broken_cell(ctx, step, &cell);
}

typedef enum row_kind { ROW_DATA, ROW_HEADER, ROW_NEITHER } row_kind;

/* What the first row is. A header consists of words; besides them it may have numbers only where it
 * names the labels and counts the other columns. A row of numbers with a word among them, above
 * numbers, is most likely mistyped: taken for a header it would be lost without a word. */
static row_kind judge_first(survey *s)
{
    const csv_table *table = s->table;
    const int named = table->label < table->columns;
    int numbers_below = 0;
    s->over = table->columns;
    for (size_t j = table->columns; j-- > 0;) {
        numbers_below |= (table->seen[j] & CSV_NUMBER_LATER) != 0;
        if (table->seen[j] == (CSV_TEXT_FIRST | CSV_NUMBER_LATER))
            s->over = j;
    }
    if (named && (s->chosen || s->numbers == 0 || s->counts))
        return ROW_HEADER;
    if (s->numbers == 0 && table->columns > 1)
        return numbers_below ? ROW_HEADER : ROW_DATA;
    if (s->numbers == 0)
        return s->over == 0 && !s->mistyped ? ROW_HEADER : ROW_DATA;
    return s->over < table->columns || (named && !s->label_again) ? ROW_NEITHER : ROW_DATA;
}

static spd_status refuse_first(spd_context *ctx, const survey *s)
{
    const csv_table *table = s->table;
    const size_t odd = s->over < table->columns ? s->over : table->label;
    csv_cursor walk = table->start;
    csv_cell cell;
    char text[32] = "", plain[40];
    do
        csv_next(&walk, &cell);
    while (cell.column < odd);
    if (cell.from)
        memcpy(text, cell.from, cell.size < sizeof text - 1 ? cell.size : sizeof text - 1);
    return ctx_fail(ctx, SPD_EFORMAT,
                    "line %zu, column %zu: '%s' is not a number, but other cells of this line "
                    "are; correct it, or if the line is a header, name all columns in words",
                    cell.line, cell.column + 1, text_plain(text, plain, sizeof plain));
}

static spd_status survey_rows(spd_context *ctx, const char *y_name, csv_table *table)
{
    csv_cursor c = table->start;
    csv_cell cell;
    survey s = {.table = table};
    spd_status status = count_columns(ctx, &c, table);
    if (status < 0)
        return status;
    look_at_first(table->start, y_name, &s);
    status = later_rows(ctx, &c, &s);
    if (status < 0)
        return status;
    switch (judge_first(&s)) {
    case ROW_NEITHER:
        return refuse_first(ctx, &s);
    case ROW_HEADER:
        for (size_t j = 0; j < table->columns; j++) {
            csv_next(&table->start, &cell);
            table->seen[j] &= CSV_TEXT_LATER | CSV_NUMBER_LATER;
        }
        table->rows--;
        return SPD_OK;
    default:
        table->label = table->columns;
        return SPD_OK;
    }
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
            return not_a_number(ctx, table, &cell);
    return SPD_OK;
}

spd_status csv_numbers_at(spd_context *ctx, const csv_table *table, size_t n, const size_t *place,
                          double *out)
{
    csv_cursor walk = table->start;
    csv_cell cell;
    while (csv_next(&walk, &cell) == CSV_CELL) {
        const size_t at = place[cell.column];
        if (at != SIZE_MAX && !text_number(cell.from, cell.size, out + at))
            return not_a_number(ctx, table, &cell);
        out += cell.last ? n : 0;
    }
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
