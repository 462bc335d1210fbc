/* inflate.h - unpacking what zlib packed, piece by piece.
 *
 * Nobody knows beforehand how much will come out: the caller asks for as many bytes as it has room
 * for. Messages say "cannot be unpacked" and why; they do not name the file. */
#ifndef SPD_IO_INFLATE_H
#define SPD_IO_INFLATE_H

#include <zlib.h>

#include "io/source.h"

/* zlib cannot make more bytes than this of one. */
#define INFLATE_EXPANSION 1032

typedef enum inflate_wrap { INFLATE_RAW, INFLATE_ZLIB } inflate_wrap;

typedef struct inflater {
    z_stream stream;
    const io_source *source; /* of packed bytes that are read when they are needed, or NULL */
    uint64_t at;             /* in the source: where the next ones are */
    unsigned char *piece;    /* where they are read to */
    size_t left;             /* packed bytes that the stream has not seen */
    int result;              /* of the last step: Z_OK while there may be more */
} inflater;

/* packed (size bytes, borrowed): deflated bytes, alone or with zlib's header and checksum. An
 * inflater that was not opened may be closed. */
spd_status inflater_open(spd_context *ctx, inflater *in, inflate_wrap wrap,
                         const unsigned char *packed, size_t size);
void inflater_close(inflater *in);

/* The same for `size` raw deflated bytes of a source from `at` on, read piece by piece. */
spd_status inflater_open_source(spd_context *ctx, inflater *in, const io_source *source,
                                uint64_t at, size_t size);

/* bytes (size) <- the next bytes; *got is fewer only where the stream ends, and its checksum is
 * right then. Packed bytes that end before the stream does are a failure. */
spd_status inflater_take(spd_context *ctx, inflater *in, unsigned char *bytes, size_t size,
                         size_t *got);

#endif
