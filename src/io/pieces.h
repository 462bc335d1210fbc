/* pieces.h - a long range of bytes, piece by piece, on the threads of a context. */
#ifndef SPD_IO_PIECES_H
#define SPD_IO_PIECES_H

#include "base/context.h"

/* Bytes of a piece; shorter ranges are not worth a second thread. */
#define PIECE_BYTES ((size_t)8 << 20)

/* Does the `size` bytes from `from` on, which are piece number from / PIECE_BYTES. It must not
 * touch the context; non-zero: it cannot be done. */
typedef int (*piece_body)(void *user, size_t from, size_t size);

/* Runs body for all pieces of `size` bytes, in any order. SPD_EIO, without a message, when one of
 * them failed; SPD_ECANCELLED when the caller asked to stop. task: "reading". */
spd_status pieces_run(spd_context *ctx, const char *task, size_t size, piece_body body, void *user);

#endif
