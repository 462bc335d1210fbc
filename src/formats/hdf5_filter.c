/* hdf5_filter.c - undoing what was done to a chunk: gzip, shuffled bytes, a checksum. */
#include <string.h>

#include "formats/hdf5.h"
#include "io/inflate.h"

/* Fletcher's checksum over 16-bit words, the first byte high; an odd last byte is a word with 0. */
static uint32_t fletcher32(const unsigned char *bytes, size_t size)
{
    uint32_t low = 0, high = 0;
    for (size_t i = 0; i < size; i += 2) {
        low += (uint32_t)bytes[i] << 8 | (i + 1 < size ? bytes[i + 1] : 0u);
        low = (low & 0xffff) + (low >> 16);
        high += low;
        high = (high & 0xffff) + (high >> 16);
    }
    return high << 16 | low;
}

/* The two halves of a sum, each modulo 65535, of which 0 and 65535 are the same. */
static int same_sum(uint32_t a, uint32_t b)
{
    return (a & 0xffff) % 65535 == (b & 0xffff) % 65535 && (a >> 16) % 65535 == (b >> 16) % 65535;
}

static spd_status check_sum(spd_context *ctx, h5_cursor *now)
{
    if (now->left < 4)
        return h5_damaged(ctx);
    h5_cursor sum = {now->at + now->left - 4, 4, 0};
    now->left -= 4;
    if (!same_sum((uint32_t)h5_take(&sum, 4), fletcher32(now->at, now->left)))
        return ctx_fail(ctx, SPD_EFORMAT, "is damaged: a checksum is wrong");
    return SPD_OK;
}

/* Byte k of all elements stands together: k = 0 first. */
static void unshuffle(const unsigned char *from, size_t size, size_t width, unsigned char *to)
{
    size_t count = size / width;
    for (size_t k = 0; k < width; k++)
        for (size_t i = 0; i < count; i++)
            to[i * width + k] = from[k * count + i];
    memcpy(to + count * width, from + count * width, size % width);
}

static spd_status unpack(spd_context *ctx, h5_cursor *now, size_t size, unsigned char *to)
{
    inflater in;
    size_t got = 0;
    spd_status status = inflater_open(ctx, &in, INFLATE_ZLIB, now->at, now->left);
    if (status < 0)
        return status;
    status = inflater_take(ctx, &in, to, size + H5_MARGIN, &got);
    inflater_close(&in);
    *now = (h5_cursor){to, got, 0};
    return status;
}

spd_status h5_unfilter(spd_context *ctx, const h5_object *object, const h5_chunk *chunk,
                       h5_cursor stored, size_t size, unsigned char *const room[2],
                       const unsigned char **elements)
{
    h5_cursor now = stored;
    spd_status status = SPD_OK;
    for (size_t i = object->filters; i-- > 0 && status == SPD_OK;) {
        unsigned char *to = now.at == room[0] ? room[1] : room[0];
        if (chunk->mask >> i & 1)
            continue;
        if (object->filter[i] == H5_FLETCHER32) {
            status = check_sum(ctx, &now);
        } else if (object->filter[i] == H5_DEFLATE) {
            status = unpack(ctx, &now, size, to);
        } else if (now.left > size + H5_MARGIN) {
            status = h5_damaged(ctx);
        } else {
            unshuffle(now.at, now.left, object->type.size, to);
            now.at = to;
        }
    }
    if (status == SPD_OK && now.left != size)
        status = h5_damaged(ctx);
    *elements = now.at;
    return status;
}
