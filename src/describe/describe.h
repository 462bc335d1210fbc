/* describe.h - parts of spd_describe that have files of their own. */
#ifndef SPD_DESCRIBE_DESCRIBE_H
#define SPD_DESCRIBE_DESCRIBE_H

#include "describe/descriptor.h"
#include "spdml-data.h"

/* *text <- how the matrices were made, as JSON; new. */
spd_status meta_text(spd_context *ctx, const descriptor *how, const spd_describe_options *options,
                     size_t paths, const char *const *path, size_t skipped, char **text);

/* What the descriptor adds to the diagonal unless told otherwise. */
double defaults_regularize(spd_descriptor kind);

#endif
