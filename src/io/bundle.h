/* bundle.h - arrays and a text in one .npz; how models, checkpoints and data sets are stored. */
#ifndef SPD_IO_BUNDLE_H
#define SPD_IO_BUNDLE_H

#include "base/context.h"
#include "io/file.h"

typedef struct io_bundle {
    size_t count;
    spd_array **array; /* count arrays, by name */
    char *meta;        /* JSON, the member meta.json */
} io_bundle;

/* Writes such a file, whatever its ending; it appears atomically, or not at all. */
spd_status bundle_write(spd_context *ctx, const char *path, size_t count,
                        const spd_array *const *arrays, const char *meta);

/* Reads one, new; meta_only leaves the arrays out. Checksums of all that is read are checked. */
spd_status bundle_read(spd_context *ctx, const char *path, int meta_only, io_bundle **bundle);
void bundle_free(io_bundle *bundle);

/* A bundle from an .npz image in memory; messages do not name a file. */
spd_status bundle_read_memory(spd_context *ctx, const unsigned char *bytes, size_t size,
                              io_bundle **bundle);

/* *meta <- the text of an open file's member meta.json, new; NULL where there is none, as in all
 * formats but .npz. */
spd_status bundle_meta(spd_context *ctx, io_file *file, char **meta);

#endif
