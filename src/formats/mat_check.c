/* mat_check.c - is a MATLAB file of version 5 all there? It is a header of 128 bytes and a chain
 * of elements, each with its length in front; the last must end where the file does. */
#include <string.h>

#include "formats/mat.h"
#include "io/source.h"

#define HEADER_SIZE 128

/* Follows the chain of elements. */
static spd_status walk_elements(spd_context *ctx, const unsigned char *bytes, size_t size)
{
    uint32_t tag[2]; /* type, length */
    if (size < HEADER_SIZE)
        return ctx_fail(ctx, SPD_EFORMAT, "is cut off within its header");
    int swap = memcmp(bytes + HEADER_SIZE - 2, "MI", 2) == 0;
    for (size_t at = HEADER_SIZE; at < size;) {
        size_t left = size - at, length = 0;
        if (left >= sizeof tag) {
            memcpy(tag, bytes + at, sizeof tag);
            length = swap ? __builtin_bswap32(tag[1]) : tag[1];
        }
        if (left < sizeof tag || length > left - sizeof tag)
            return ctx_fail(
                ctx, SPD_EFORMAT,
                "is cut short: a variable at byte %zu extends beyond the file's %zu bytes", at,
                size);
        at += sizeof tag + length;
    }
    return SPD_OK;
}

spd_status mat_check_elements(spd_context *ctx, const char *path)
{
    io_source *source;
    spd_status status = source_load(ctx, path, &source);
    if (status < 0)
        return status;
    status = walk_elements(ctx, source->bytes, source->size);
    source_free(source);
    return status;
}
