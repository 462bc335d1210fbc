/* source.h - the bytes of a file: looked at, read into memory, or mapped.
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

/* What a look at a file tells: its size and how it starts. */
typedef struct source_glance {
    size_t size;
    size_t head_size;
    unsigned char head[16];
} source_glance;

/* SPD_EIO when there is no such regular file, SPD_EFORMAT when it is empty. */
spd_status source_look(spd_context *ctx, const char *path, source_glance *glance);

/* All bytes of a file. */
spd_status source_load(spd_context *ctx, const char *path, io_source **source);

void source_free(io_source *source);

#endif
