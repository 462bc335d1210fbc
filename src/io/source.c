/* source.c - opening files for reading; small ones are read, large ones mapped.
 *
 * Mapping is private and writable: regularising a mapped set copies the pages it touches and
 * leaves the file alone. MAP_NORESERVE lets a file larger than memory be mapped. */
#include "io/source.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

/* Opens a regular file that is not empty. */
static spd_status open_regular(spd_context *ctx, const char *path, int *fd, size_t *size)
{
    struct stat st;
    /* O_NONBLOCK: opening a pipe that nobody writes to must not hang. */
    int opened = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (opened < 0)
        return ctx_fail(ctx, SPD_EIO, "cannot open: %s", strerror(errno));
    spd_status status = SPD_OK;
    if (fstat(opened, &st) != 0)
        status = ctx_fail(ctx, SPD_EIO, "cannot open: %s", strerror(errno));
    else if (S_ISDIR(st.st_mode))
        status =
            ctx_fail(ctx, SPD_EIO, "is a directory, not a file; only spdml describe reads folders");
    else if (!S_ISREG(st.st_mode))
        status = ctx_fail(ctx, SPD_EIO, "is not a regular file; copy its content to one first");
    else if (st.st_size == 0)
        status = ctx_fail(ctx, SPD_EFORMAT, "is empty");
    if (status < 0) {
        close(opened);
        return status;
    }
    *fd = opened;
    *size = (size_t)st.st_size;
    return SPD_OK;
}

spd_status source_check(spd_context *ctx, const char *path)
{
    int fd;
    size_t size;
    spd_status status = open_regular(ctx, path, &fd, &size);
    if (status == SPD_OK)
        close(fd);
    return status;
}

static spd_status map_bytes(spd_context *ctx, int fd, io_source *source)
{
    void *base =
        mmap(NULL, source->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, fd, 0);
    if (base == MAP_FAILED)
        return ctx_fail(ctx, SPD_EIO, "cannot map: %s", strerror(errno));
    source->bytes = base;
    source->mapped = 1;
    return SPD_OK;
}

static spd_status read_bytes(spd_context *ctx, int fd, io_source *source)
{
    source->bytes = mem_alloc(source->size, 1);
    if (!source->bytes)
        return ctx_nomem(ctx, "the content of the file");
    for (size_t done = 0; done < source->size;) {
        ssize_t got = read(fd, source->bytes + done, source->size - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return ctx_fail(ctx, SPD_EIO, "cannot read: %s", strerror(errno));
        if (got == 0)
            return ctx_fail(ctx, SPD_EIO, "shrank while it was being read");
        done += (size_t)got;
    }
    return SPD_OK;
}

spd_status source_load(spd_context *ctx, const char *path, io_source **source)
{
    int fd = -1;
    io_source *fresh = mem_zero(1, sizeof *fresh);
    if (!fresh)
        return ctx_nomem(ctx, "a file");
    spd_status status = open_regular(ctx, path, &fd, &fresh->size);
    if (status == SPD_OK)
        status =
            fresh->size >= SOURCE_MAP_FROM ? map_bytes(ctx, fd, fresh) : read_bytes(ctx, fd, fresh);
    if (fd >= 0)
        close(fd);
    if (status < 0) {
        source_free(fresh);
        return status;
    }
    *source = fresh;
    return SPD_OK;
}

void source_free(io_source *source)
{
    if (!source)
        return;
    if (source->mapped)
        munmap(source->bytes, source->size);
    else
        mem_free(source->bytes);
    mem_free(source);
}
