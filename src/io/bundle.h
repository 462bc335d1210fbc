/* bundle.h - arrays and a text in one .npz; the public functions are spd_bundle_*. */
#ifndef SPD_IO_BUNDLE_H
#define SPD_IO_BUNDLE_H

#include "base/context.h"
#include "io/file.h"

/* A bundle from an .npz image in memory; messages do not name a file. */
spd_status bundle_read_memory(spd_context *ctx, const unsigned char *bytes, size_t size,
                              int meta_only, spd_bundle **bundle);

/* *meta <- the text of an open file's member meta.json, new; NULL where there is none, as in all
 * formats but .npz. */
spd_status bundle_meta(spd_context *ctx, io_file *file, char **meta);

#endif
