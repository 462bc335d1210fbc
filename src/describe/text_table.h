/* text_table.h - the channels of a table of text: which columns are taken, and what they are
 * called.
 */
#ifndef SPD_DESCRIBE_TEXT_TABLE_H
#define SPD_DESCRIBE_TEXT_TABLE_H

#include "describe/descriptor.h"
#include "formats/csv.h"

typedef struct text_table {
    spd_array *X;             /* rows x channels, float64 */
    char **name;              /* channels; NULL where the table has no header */
    char time[TIME_NAME_MAX]; /* header of a column of times that was left out; else empty */
} text_table;

/* made <- the columns of the surveyed table (whose text is size bytes) that are channels: those
 * that wanted names, with commas between, in its order; where it is NULL, all that are not marked
 * in aside (columns, or NULL), but for a column of times or row numbers: one with such a name whose
 * values rise. Untouched by a failure. */
spd_status text_table_take(spd_context *ctx, const char *bytes, size_t size, const csv_table *table,
                           const char *aside, const char *wanted, text_table *made);
void text_table_free(text_table *made);

/* Refuses names of channels where a table has none. */
spd_status text_table_no_names(spd_context *ctx, int channels_first);

#endif
