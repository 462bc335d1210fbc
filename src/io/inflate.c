/* inflate.c - zlib's streams in steps that its 32-bit counters can hold. */
#include "io/inflate.h"

#include <string.h>

#include "io/zip.h"

#define MOST ((uInt)1 << 30)

spd_status inflater_open(spd_context *ctx, inflater *in, inflate_wrap wrap,
                         const unsigned char *packed, size_t size)
{
    memset(in, 0, sizeof *in);
    in->stream.zalloc = zip_allocate;
    in->stream.zfree = zip_release;
    in->stream.next_in = (z_const Bytef *)(uintptr_t)packed;
    in->left = size;
    if (inflateInit2(&in->stream, wrap == INFLATE_RAW ? -MAX_WBITS : MAX_WBITS) != Z_OK)
        return ctx_nomem(ctx, "unpacking");
    return SPD_OK;
}

void inflater_close(inflater *in)
{
    inflateEnd(&in->stream);
}

spd_status inflater_take(spd_context *ctx, inflater *in, unsigned char *bytes, size_t size,
                         size_t *got)
{
    z_stream *stream = &in->stream;
    size_t have = 0;
    while (have < size && in->result == Z_OK) {
        if (stream->avail_in == 0) {
            stream->avail_in = in->left < MOST ? (uInt)in->left : MOST;
            in->left -= stream->avail_in;
        }
        stream->next_out = bytes + have;
        stream->avail_out = size - have < MOST ? (uInt)(size - have) : MOST;
        in->result = inflate(stream, Z_NO_FLUSH);
        have = (size_t)(stream->next_out - bytes);
    }
    *got = have;
    if (in->result == Z_OK || in->result == Z_STREAM_END)
        return SPD_OK;
    if (in->result == Z_MEM_ERROR)
        return ctx_nomem(ctx, "unpacking");
    return ctx_fail(ctx, SPD_EFORMAT, "cannot be unpacked: %s",
                    in->result == Z_BUF_ERROR ? "it is cut off" : "its bytes are damaged");
}
