/* mat5_stream.c - the bytes of a version 5 file as elements, packed or not; see mat5.h. */
#include <string.h>

#include "formats/mat5.h"

static spd_status damaged(spd_context *ctx)
{
    return ctx_fail(ctx, SPD_EFORMAT, "is cut short or damaged");
}

uint32_t mat5_word(const mat5_stream *stream, const unsigned char *p)
{
    uint32_t word;
    memcpy(&word, p, sizeof word);
    return stream->swap ? __builtin_bswap32(word) : word;
}

mat_type mat5_type(const mat5_stream *stream, uint32_t type)
{
    static const mat_type types[] = {
        [1] = {'i', 1, 0},  [2] = {'u', 1, 0},  [3] = {'i', 2, 0},  [4] = {'u', 2, 0},
        [5] = {'i', 4, 0},  [6] = {'u', 4, 0},  [7] = {'f', 4, 0},  [9] = {'f', 8, 0},
        [12] = {'i', 8, 0}, [13] = {'u', 8, 0}, [16] = {'8', 1, 0}, [17] = {'u', 2, 0},
        [18] = {'u', 4, 0},
    };
    mat_type stored = {0, 1, 0};
    if (type < sizeof types / sizeof *types && types[type].kind)
        stored = types[type];
    stored.swap = stream->swap;
    return stored;
}

spd_status mat5_begin(spd_context *ctx, mat5_stream *stream, int swap, const unsigned char *bytes,
                      size_t size)
{
    *stream = (mat5_stream){.bytes = bytes, .left = size, .swap = swap};
    if (size < 8)
        return damaged(ctx);
    if (mat5_word(stream, bytes) != MI_COMPRESSED)
        return SPD_OK;
    spd_status status = inflater_open(ctx, &stream->in, INFLATE_ZLIB, bytes + 8, size - 8);
    if (status == SPD_OK)
        stream->packed = 1;
    if (__builtin_mul_overflow(size - 8, INFLATE_EXPANSION, &stream->left))
        stream->left = SIZE_MAX;
    return status;
}

void mat5_end(mat5_stream *stream)
{
    if (stream->packed)
        inflater_close(&stream->in);
}

/* out (size) <- the next bytes. */
static spd_status take(spd_context *ctx, mat5_stream *stream, unsigned char *out, size_t size)
{
    size_t got = 0;
    if (size > stream->left)
        return damaged(ctx);
    stream->left -= size;
    if (!stream->packed) {
        if (size)
            memcpy(out, stream->bytes, size);
        stream->bytes += size;
        return SPD_OK;
    }
    spd_status status = inflater_take(ctx, &stream->in, out, size, &got);
    return status == SPD_OK && got < size ? damaged(ctx) : status;
}

spd_status mat5_skip(spd_context *ctx, mat5_stream *stream, size_t size)
{
    unsigned char unwanted[4096];
    if (size > stream->left)
        return damaged(ctx);
    if (!stream->packed) {
        stream->left -= size;
        stream->bytes += size;
        return SPD_OK;
    }
    spd_status status = SPD_OK;
    while (size > 0 && status == SPD_OK) {
        size_t piece = size < sizeof unwanted ? size : sizeof unwanted;
        status = take(ctx, stream, unwanted, piece);
        size -= piece;
    }
    return status;
}

spd_status mat5_tag(spd_context *ctx, mat5_stream *stream, size_t *left, mat5_element *element)
{
    unsigned char tag[8];
    if (*left < sizeof tag)
        return damaged(ctx);
    spd_status status = take(ctx, stream, tag, sizeof tag);
    if (status < 0)
        return status;
    *left -= sizeof tag;
    uint32_t first = mat5_word(stream, tag);
    *element = (mat5_element){.type = first & 0xffff, .size = first >> 16};
    if (element->size > 0) { /* a small one: length and type share a word */
        element->is_inside = 1;
        memcpy(element->inside, tag + 4, 4);
        return element->size <= 4 ? SPD_OK : damaged(ctx);
    }
    element->size = mat5_word(stream, tag + 4);
    if (element->size > *left || element->size > stream->left)
        return damaged(ctx);
    *left -= element->size;
    /* Some leave the last padding out. */
    element->padding = (8 - element->size % 8) % 8;
    if (element->padding > *left)
        element->padding = *left;
    *left -= element->padding;
    return SPD_OK;
}

spd_status mat5_piece(spd_context *ctx, mat5_stream *stream, const mat5_element *element,
                      size_t size, unsigned char *buffer, const unsigned char **piece)
{
    *piece = element->is_inside ? element->inside : stream->packed ? buffer : stream->bytes;
    if (element->is_inside)
        return SPD_OK;
    return stream->packed ? take(ctx, stream, buffer, size) : mat5_skip(ctx, stream, size);
}

spd_status mat5_check_end(spd_context *ctx, mat5_stream *stream)
{
    unsigned char beyond[8];
    size_t got = 0;
    if (!stream->packed)
        return SPD_OK;
    spd_status status = inflater_take(ctx, &stream->in, beyond, sizeof beyond, &got);
    return status == SPD_OK && got == sizeof beyond ? damaged(ctx) : status;
}
