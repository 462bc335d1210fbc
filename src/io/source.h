/* source.h - the bytes of a file: ranges of it, or all of them, read into memory of ours.
 *
 * Nothing is mapped: what was checked is what is used, whatever others do to the file meanwhile,
 * and a file that shrinks is an error, never a signal. A file that changes while it is open, by its
 * size or the time of its last change, is refused. Messages here do not name the file: io_open puts
 * its path in front of all of them. */
#ifndef SPD_IO_SOURCE_H
#define SPD_IO_SOURCE_H

#include <time.h>

#include "base/context.h"

typedef struct io_source {
    size_t size;          /* of the file */
    unsigned char *bytes; /* all of them, once they have been asked for; else NULL */
    int fd;               /* open for reading; -1 where the bytes are all there is */
    int lent;             /* the bytes belong to another */
    struct timespec time; /* of its last change, when it was opened */
} io_source;

/* Opens a regular file and reads nothing yet. SPD_EIO when there is none, SPD_EFORMAT when it is
 * empty. It never waits: a pipe that nobody writes to is refused as well. */
spd_status source_open(spd_context *ctx, const char *path, io_source **source);

/* Standard input, read to its end into memory; a terminal is refused. */
spd_status source_stdin(spd_context *ctx, io_source **source);

/* size bytes of memory as a source; they must outlive it. */
spd_status source_lend(spd_context *ctx, const unsigned char *bytes, size_t size,
                       io_source **source);

/* bytes <- the `size` bytes from `at` on, which lie within the source. SPD_EIO when the file has
 * changed since it was opened. */
spd_status source_read(spd_context *ctx, const io_source *source, uint64_t at, size_t size,
                       void *bytes);

/* The same for what may be long: by the threads of the context, with progress, and it may be
 * cancelled. */
spd_status source_fill(spd_context *ctx, const io_source *source, uint64_t at, size_t size,
                       void *bytes);

/* source->bytes <- the whole content. */
spd_status source_all(spd_context *ctx, io_source *source);

/* Opens a file and reads all of it. */
spd_status source_load(spd_context *ctx, const char *path, io_source **source);

void source_free(io_source *source);

/* Bytes of a piece; shorter ranges are not worth a second thread. */
#define PIECE_BYTES ((size_t)8 << 20)

/* Does the `size` bytes from `from` on, which are piece number from / PIECE_BYTES. It must not
 * touch the context; non-zero: it cannot be done. */
typedef int (*piece_body)(void *user, size_t from, size_t size);

/* Runs body for all pieces of `size` bytes, in any order. SPD_EIO, without a message, when one of
 * them failed; SPD_ECANCELLED when the caller asked to stop. task: "reading". */
spd_status pieces_run(spd_context *ctx, const char *task, size_t size, piece_body body, void *user);

#endif
