/* csv_cells.c - from characters to cells. */
#include "formats/csv.h"

#include <string.h>

#include "io/text.h"

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
        memmove(out, out + 1, used); /* as csv_write.c wrote it */
        used--;
    }
    return used;
}
