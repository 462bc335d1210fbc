/* long_table.h - one long table as slices, one for each value of the column options->group: their
 * rows in the order of the table, slices in the order in which they first appear. */
#ifndef SPD_DESCRIBE_LONG_TABLE_H
#define SPD_DESCRIBE_LONG_TABLE_H

#include "describe/arrays.h"
#include "spdml-data.h"

/* The array X (one slice, r x n) with the column options->group among its extras, which have r
 * rows: becomes one slice per value, and the extras one row per slice. Extras that differ within a
 * slice are dropped; labels that do are an error. */
spd_status long_table_of_array(spd_context *ctx, const char *path,
                               const spd_describe_options *options, array_source *source);

/* The same from a .csv file with a header; the column y_name, where given, holds labels. */
spd_status long_table_of_text(spd_context *ctx, const char *path,
                              const spd_describe_options *options, array_source *source);

#endif
