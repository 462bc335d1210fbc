/* record.h - what model files and checkpoints share: the head of meta.json, matrices and the
 * history of a fit as arrays of a bundle. */
#ifndef SPD_LEARN_RECORD_H
#define SPD_LEARN_RECORD_H

#include <jansson.h>

#include "base/context.h"
#include "io/file.h"

/* What this library writes; a file with another number is not read. */
#define RECORD_MODEL_FORMAT      1
#define RECORD_CHECKPOINT_FORMAT 2

/* A new meta object that says "format", "kind" and "version"; NULL when out of memory. */
json_t *record_meta_new(const char *kind, int format, const char *version);

/* *text <- the object as JSON; memory of mem_alloc. */
spd_status record_meta_text(spd_context *ctx, const json_t *object, char **text);

/* *object <- meta of a file that must be of this kind and format; *version points into it. */
spd_status record_meta_parse(spd_context *ctx, const char *text, const char *kind, int format,
                             const char **version, json_t **object);

/* A view of rows x columns values under a name. */
spd_array record_matrix(const char *name, size_t rows, size_t columns, double *values);

/* *array <- the array of that name: of that type, rows x columns, and finite. */
spd_status record_find(spd_context *ctx, const io_bundle *bundle, const char *name, spd_type type,
                       size_t rows, size_t columns, const spd_array **array);

/* A history as a table, steps x 5: *table is new, memory of mem_alloc; and back, by name. */
spd_status record_from_history(spd_context *ctx, size_t steps, const spd_fit_step *history,
                               double **table);
spd_status record_to_history(spd_context *ctx, const io_bundle *bundle, const char *name,
                             size_t steps, spd_fit_step **history);

#define RECORD_HISTORY_COLUMNS 5

/* SPD_EFORMAT unless W'W = I to 1e-8; name for the message. */
spd_status record_check_orthonormal(spd_context *ctx, const char *name, size_t n, size_t m,
                                    const double *W);

#endif
