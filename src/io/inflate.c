/* inflate.c - zlib's streams in steps that its 32-bit counters can hold. */
#include "io/inflate.h"

#include <string.h>

#include "base/memory.h"
#include "io/zip.h"

#define MOST  ((uInt)1 << 30)
#define PIECE ((size_t)1 << 16) /* of a source at a time */

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

spd_status inflater_open_source(spd_context *ctx, inflater *in, const io_source *source,
                                uint64_t at, size_t size)
{
    spd_status status = inflater_open(ctx, in, INFLATE_RAW, NULL, size);
    in->source = source;
    in->at = at;
    in->piece = mem_alloc(PIECE, 1);
    return status == SPD_OK && !in->piece ? ctx_nomem(ctx, "unpacking") : status;
}

void inflater_close(inflater *in)
{
    inflateEnd(&in->stream);
    mem_free(in->piece);
}

/* Gives the stream its next packed bytes. */
static spd_status feed(spd_context *ctx, inflater *in)
{
    size_t most = in->source ? PIECE : MOST, size = in->left < most ? in->left : most;
    spd_status status = SPD_OK;
    if (in->source) {
        status = source_read(ctx, in->source, in->at, size, in->piece);
        in->stream.next_in = in->piece;
        in->at += size;
    }
    in->stream.avail_in = (uInt)size;
    in->left -= size;
    return status;
}

spd_status inflater_take(spd_context *ctx, inflater *in, unsigned char *bytes, size_t size,
                         size_t *got)
{
    z_stream *stream = &in->stream;
    size_t have = 0;
    while (have < size && in->result == Z_OK) {
        spd_status status = stream->avail_in ? SPD_OK : feed(ctx, in);
        if (status < 0)
            return status;
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
