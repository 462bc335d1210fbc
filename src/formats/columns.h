/* columns.h - arrays with a row per sample, put together from rows of other arrays. */
#ifndef SPD_FORMATS_COLUMNS_H
#define SPD_FORMATS_COLUMNS_H

#include "base/context.h"
#include "formats/csv.h"

/* A row of an array; array NULL: there is none. */
typedef struct cell {
    const spd_array *array;
    size_t row;
} cell;

/* Are two rows equal? Arrays of one type and width. */
int column_same(cell a, cell b);

/* *column <- p rows under that name, new; integers become reals where both occur. *column is NULL
 * when a cell is missing or when types or shapes do not agree. */
spd_status column_gather(spd_context *ctx, const char *name, size_t p, const cell *cells,
                         spd_array **column);

/* *column <- p texts under a name, new; bytes that are not UTF-8 become '?'. */
spd_status column_texts(spd_context *ctx, const char *name, size_t p, const char *const *texts,
                        spd_array **column);

/* *column <- one column of a table under a name, new: texts, or numbers, which become integers
 * where all are whole. */
spd_status column_of_table(spd_context *ctx, const csv_table *table, size_t at, int as_texts,
                           const char *name, spd_array **column);

#endif
