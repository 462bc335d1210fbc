/* rows.h - what the rows of the matrices are, for the record of a run: joints and how they hang
 * together, names of channels. Features of images follow from the parameters. */
#ifndef SPD_DESCRIBE_ROWS_H
#define SPD_DESCRIBE_ROWS_H

#include "describe/inputs.h"

/* *rows <- {"joints": names, "parents": numbers, -1 for a root, "position": x y z of each in that
 * frame}, new; untouched where the clip has no names. Parents are left out where they are unknown.
 */
spd_status rows_of_clip(spd_context *ctx, const motion *clip, size_t frame, json_t **rows);

/* *rows <- {"channels": names}, new. */
spd_status rows_of_names(spd_context *ctx, size_t channels, char *const *name, json_t **rows);

/* A text as JSON; bytes that are not UTF-8 cannot stand there. */
json_t *rows_text(const char *text);

#endif
