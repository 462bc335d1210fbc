/* mat_check.c - is a MATLAB file of version 5 all there? It is a header of 128 bytes and a chain
 * of elements, each with its length in front; the last must end where the file does. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "formats/mat.h"

#define HEADER_SIZE 128

static spd_status cut_short(spd_context *ctx, size_t at, size_t size)
{
    return ctx_fail(ctx, SPD_EFORMAT,
                    "is cut short: a variable at byte %zu goes on beyond the %zu bytes that are "
                    "there",
                    at, size);
}

static int read_at(int fd, size_t at, void *bytes, size_t size)
{
    ssize_t got;
    do
        got = pread(fd, bytes, size, (off_t)at);
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)size;
}

/* Follows the chain of elements. */
static spd_status walk_elements(spd_context *ctx, int fd, size_t size)
{
    char order[2];
    uint32_t tag[2]; /* type, length */
    if (size < HEADER_SIZE || !read_at(fd, HEADER_SIZE - 2, order, 2))
        return ctx_fail(ctx, SPD_EFORMAT, "is cut off within its header");
    int swap = memcmp(order, "MI", 2) == 0;
    for (size_t at = HEADER_SIZE; at < size;) {
        if (size - at < sizeof tag || !read_at(fd, at, tag, sizeof tag))
            return cut_short(ctx, at, size);
        size_t length = swap ? __builtin_bswap32(tag[1]) : tag[1];
        if (length > size - at - sizeof tag)
            return cut_short(ctx, at, size);
        at += sizeof tag + length;
    }
    return SPD_OK;
}

spd_status mat_check_elements(spd_context *ctx, const char *path, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return ctx_fail(ctx, SPD_EIO, "cannot open: %s", strerror(errno));
    spd_status status = walk_elements(ctx, fd, size);
    close(fd);
    return status;
}
