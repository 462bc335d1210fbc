/* zlib.h - stands in for zlib's header in builds without it: the part of its interface that spdml
 * uses. Everything is read; what is written is stored, not packed. */
#ifndef SPD_MISSING_ZLIB_H
#define SPD_MISSING_ZLIB_H

#include <stddef.h>

#define z_const const
typedef unsigned char Bytef;
typedef unsigned int uInt;
typedef unsigned long uLong, uLongf;
typedef void *voidpf;
typedef long z_off_t;

enum { Z_OK = 0, Z_STREAM_END = 1, Z_STREAM_ERROR = -2, Z_DATA_ERROR = -3 };
enum { Z_MEM_ERROR = -4, Z_BUF_ERROR = -5 };
enum { Z_NO_FLUSH = 0, Z_FINISH = 4, Z_DEFLATED = 8 };
enum { Z_BEST_COMPRESSION = 9, Z_DEFAULT_STRATEGY = 0 };
enum { MAX_WBITS = 15, MAX_MEM_LEVEL = 9 };

typedef struct z_stream {
    z_const Bytef *next_in;
    uInt avail_in;
    Bytef *next_out;
    uInt avail_out;
    uLong total_out;
    voidpf (*zalloc)(voidpf opaque, uInt count, uInt size);
    void (*zfree)(voidpf opaque, voidpf block);
    voidpf opaque;
    struct inflate_state *state;
} z_stream;

const char *zlibVersion(void);

/* ---- unpacking (inflate.c): bits < 0 for deflated bytes alone, else with header and checksum ---
 */

int inflateInit2(z_stream *stream, int bits);
int inflate(z_stream *stream, int flush);
int inflateEnd(z_stream *stream);

/* ---- packing and checksums (stored.c) ----------------------------------------------------------
 */

int deflateInit2(z_stream *stream, int level, int method, int bits, int memory, int strategy);
uLong deflateBound(z_stream *stream, uLong size);
int deflate(z_stream *stream, int flush);
int deflateEnd(z_stream *stream);
int compress(Bytef *to, uLongf *size, const Bytef *from,
             uLong count); /* with header and checksum */

uLong crc32(uLong crc, const Bytef *bytes, uInt size);
uLong crc32_z(uLong crc, const Bytef *bytes, size_t size);
uLong crc32_combine(uLong first, uLong second, z_off_t size); /* size: of what `second` is of */
uLong adler32(uLong adler, const Bytef *bytes, uInt size);

#endif
