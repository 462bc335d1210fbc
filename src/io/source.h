/* source.h - the bytes of a file, read into memory or mapped.
 *
 * Messages here do not name the file: io_open puts its path in front of all of them. */
#ifndef SPD_IO_SOURCE_H
#define SPD_IO_SOURCE_H

#include "base/context.h"

/* Files from this size on are mapped (copy on write), smaller ones read. */
#define SOURCE_MAP_FROM ((size_t)16 << 20)

typedef struct io_source {
    unsigned char *bytes; /* size bytes, writable; a change never reaches the file */
    size_t size;
    int mapped;
} io_source;

/* SPD_EIO when there is no such regular file, SPD_EFORMAT when it is empty. */
spd_status source_check(spd_context *ctx, const char *path);

/* All bytes of a file, after the same check. */
spd_status source_load(spd_context *ctx, const char *path, io_source **source);

void source_free(io_source *source);

#endif
