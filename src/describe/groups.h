/* groups.h - one long table whose rows belong to groups, as slices: rows of a group in their order,
 * groups in the order in which they first appear. */
#ifndef SPD_DESCRIBE_GROUPS_H
#define SPD_DESCRIBE_GROUPS_H

#include "describe/arrays.h"
#include "spdml-data.h"

/* The array X (one slice, r x n) with the column options->group among its extras, which have r
 * rows: becomes one slice per group, and the extras one row per group. Extras that differ within a
 * group are dropped; labels that do are an error. */
spd_status groups_of_array(spd_context *ctx, const char *path, const spd_describe_options *options,
                           array_source *source);

/* The same from a .csv file with a header; the column y_name, where given, holds labels. */
spd_status groups_of_text(spd_context *ctx, const char *path, const spd_describe_options *options,
                          array_source *source);

#endif
