/* csv.h - tables of cells separated by commas, semicolons, tabs or spaces.
 *
 * The text stays in memory and is walked twice: once to learn its shape, once to fill an array,
 * so that a table needs no more memory than its text and its numbers. */
#ifndef SPD_FORMATS_CSV_H
#define SPD_FORMATS_CSV_H

#include "base/context.h"
#include "formats/format.h"

/* Where a walk through the text stands. */
typedef struct csv_cursor {
    const char *at, *end;
    char separator; /* ',' ';' '\t' or ' ' for runs of white space */
    size_t line;    /* from 1 */
    size_t column;  /* of the next cell, from 0 */
} csv_cursor;

typedef struct csv_cell {
    const char *from; /* size bytes; a quoted cell without its outer quotes */
    size_t size;
    int quoted;
    int last; /* of its row */
    size_t line, column;
} csv_cell;

typedef enum csv_step { CSV_END = 0, CSV_CELL, CSV_UNCLOSED, CSV_AFTER_QUOTE } csv_step;

/* Starts a walk behind a byte order mark, and guesses the separator from the first line. */
void csv_start(csv_cursor *cursor, const char *bytes, size_t size);

/* The next cell. Blank lines and lines that start with '#' are passed over. */
csv_step csv_next(csv_cursor *cursor, csv_cell *cell);

/* Copies a cell, doubled quotes made single and without an apostrophe before a formula, with a NUL;
 * the bytes without it. */
size_t csv_copy(const csv_cell *cell, char *out);

/* What a column was seen to hold, in the first row and in later ones. */
enum { CSV_TEXT_FIRST = 1, CSV_TEXT_LATER = 2, CSV_NUMBER_FIRST = 4, CSV_NUMBER_LATER = 8 };
enum {
    CSV_TEXT = CSV_TEXT_FIRST | CSV_TEXT_LATER,
    CSV_NUMBER = CSV_NUMBER_FIRST | CSV_NUMBER_LATER
};

/* The shape of a table. */
typedef struct csv_table {
    csv_cursor start; /* at the first data row, header passed over */
    size_t rows, columns;
    unsigned char *seen; /* columns: which of the above */
    size_t label;        /* column with labels, or columns when there is none */
    csv_cell comma;      /* the first number below the first row with a decimal comma; from NULL:
                            there is none */
} csv_table;

/* Learns the shape. y_name: header of the label column besides "y", "label", "labels", "class";
 * may be NULL. Frees nothing on success but by csv_table_free. */
spd_status csv_survey(spd_context *ctx, const char *bytes, size_t size, const char *y_name,
                      csv_table *table);
void csv_table_free(csv_table *table);

/* Cells as numbers into out, row-major: those of one column alone, or all but that column (all
 * with column = columns). */
spd_status csv_numbers(spd_context *ctx, const csv_table *table, size_t column, int alone,
                       double *out);

/* out (rows x n) <- each column at its place (columns) in a row; SIZE_MAX: it is left out. */
spd_status csv_numbers_at(spd_context *ctx, const csv_table *table, size_t n, const size_t *place,
                          double *out);

/* One column as text. */
spd_status csv_texts(spd_context *ctx, const csv_table *table, size_t column, spd_array **array);

/* Element i of an array as a cell: numbers with 17 digits, texts in quotes where they need them. */
void csv_write_element(outfile *out, const spd_array *array, size_t i);

/* Writes matrices and labels of a data set, whole or not at all. The message does not name the
 * file.
 */
spd_status csv_write_data(spd_context *ctx, const char *path, const spd_data *data);

#endif
