/* inflate.h - unpacking what zlib packed, piece by piece.
 *
 * Nobody knows beforehand how much will come out: the caller asks for as many bytes as it has room
 * for. Messages say "cannot be unpacked" and why; they do not name the file. */
#ifndef SPD_IO_INFLATE_H
#define SPD_IO_INFLATE_H

#include <zlib.h>

#include "base/context.h"

/* zlib cannot make more bytes than this of one. */
#define INFLATE_EXPANSION 1032

typedef enum inflate_wrap { INFLATE_RAW, INFLATE_ZLIB } inflate_wrap;

typedef struct inflater {
    z_stream stream;
    size_t left; /* packed bytes that the stream has not seen */
    int result;  /* of the last step: Z_OK while there may be more */
} inflater;

/* packed (size bytes, borrowed): deflated bytes, alone or with zlib's header and checksum. */
spd_status inflater_open(spd_context *ctx, inflater *in, inflate_wrap wrap,
                         const unsigned char *packed, size_t size);
void inflater_close(inflater *in);

/* bytes (size) <- the next bytes; *got is fewer only where the stream ends, and its checksum is
 * right then. Packed bytes that end before the stream does are a failure. */
spd_status inflater_take(spd_context *ctx, inflater *in, unsigned char *bytes, size_t size,
                         size_t *got);

#endif
