/* source.c - opening and reading files. */
#define _DEFAULT_SOURCE /* st_mtim */
#include "io/source.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

/* ---- pieces of a range ---------------------------------------------------------------------- */

typedef struct piecework {
    spd_context *ctx;
    const char *task;
    size_t size;
    piece_body body;
    void *user;
    atomic_size_t next, done; /* bytes that are taken, and that are finished */
    atomic_int failed, cancelled;
} piecework;

/* Ranks would not all hear the same answer, and report nothing. */
static void report(piecework *w)
{
    if (!ranks_of(w->ctx) &&
        ctx_report(w->ctx, w->task, "bytes", (double)atomic_load(&w->done), (double)w->size))
        atomic_store(&w->cancelled, 1);
}

static void work(void *user, int thread)
{
    piecework *w = user;
    while (!atomic_load(&w->failed) && !atomic_load(&w->cancelled)) {
        size_t from = atomic_fetch_add(&w->next, PIECE_BYTES);
        if (from >= w->size)
            break;
        size_t size = w->size - from < PIECE_BYTES ? w->size - from : PIECE_BYTES;
        if (w->body(w->user, from, size))
            atomic_store(&w->failed, 1);
        atomic_fetch_add(&w->done, size);
        if (thread == 0)
            report(w);
    }
}

spd_status pieces_run(spd_context *ctx, const char *task, size_t size, piece_body body, void *user)
{
    piecework w = {.ctx = ctx, .task = task, .size = size, .body = body, .user = user};
    size_t pieces = size / PIECE_BYTES + 1, threads = (size_t)ctx_threads(ctx);
    if (ctx)
        pool_run(&ctx->workers, (int)(threads < pieces ? threads : pieces), work, &w);
    else
        work(&w, 0);
    if (w.cancelled)
        return ctx_fail(ctx, SPD_ECANCELLED, "%s cancelled", task);
    return w.failed ? SPD_EIO : SPD_OK;
}

/* ---- files ---------------------------------------------------------------------------------- */

/* The most that is asked of the system at once. */
#define PIECE ((size_t)64 << 20)

/* Room for standard input to begin with, and how long it is waited for at a time. */
#define FIRST_ROOM ((size_t)64 << 10)
#define WAIT_MS    100

/* Opens a regular file that is not empty. */
static spd_status open_regular(spd_context *ctx, const char *path, io_source *source)
{
    struct stat st;
    /* O_NONBLOCK: opening a pipe that nobody writes to must not hang. */
    source->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (source->fd < 0 || fstat(source->fd, &st) != 0)
        return ctx_fail(ctx, SPD_EIO, "cannot open: %s", strerror(errno));
    if (S_ISDIR(st.st_mode))
        return ctx_fail(ctx, SPD_EIO,
                        "is a directory, not a file; only spdml describe reads folders");
    if (!S_ISREG(st.st_mode))
        return ctx_fail(ctx, SPD_EIO, "is not a regular file; copy its content to one first");
    if (st.st_size == 0)
        return ctx_fail(ctx, SPD_EFORMAT, "is empty");
    source->size = (size_t)st.st_size;
    source->time = st.st_mtim;
    return SPD_OK;
}

spd_status source_open(spd_context *ctx, const char *path, io_source **source)
{
    io_source *fresh = mem_zero(1, sizeof *fresh);
    if (!fresh)
        return ctx_nomem(ctx, "a file");
    fresh->fd = -1;
    spd_status status = open_regular(ctx, path, fresh);
    if (status < 0)
        source_free(fresh);
    else
        *source = fresh;
    return status;
}

/* Waits until there is something to read; a few times a second the caller may stop it. */
static spd_status wait_for_input(spd_context *ctx, size_t so_far)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    int ready = 0;
    while (ready == 0) {
        ready = poll(&input, 1, WAIT_MS);
        if (ready < 0 && errno != EINTR)
            return ctx_fail(ctx, SPD_EIO, "cannot read: %s", strerror(errno));
        if (ctx_progress(ctx, "reading", "bytes", (double)so_far, 0.0))
            return ctx_fail(ctx, SPD_ECANCELLED, "reading cancelled");
        ready = ready < 0 ? 0 : ready;
    }
    return SPD_OK;
}

/* source->bytes <- standard input up to its end. */
static spd_status read_stdin(spd_context *ctx, io_source *source)
{
    size_t room = 0;
    ssize_t got = 1;
    if (isatty(STDIN_FILENO))
        return ctx_fail(ctx, SPD_EIO, "standard input is a terminal; name a file, or pipe one in");
    while (got != 0) {
        if (source->size == room) {
            unsigned char *more =
                room > SIZE_MAX / 2 ? NULL
                                    : mem_grow(source->bytes, source->size, 2 * room + FIRST_ROOM);
            if (!more)
                return ctx_nomem(ctx, "standard input");
            source->bytes = more;
            room = 2 * room + FIRST_ROOM;
        }
        spd_status status = wait_for_input(ctx, source->size);
        if (status < 0)
            return status;
        const size_t most = room - source->size < PIECE ? room - source->size : PIECE;
        got = read(STDIN_FILENO, source->bytes + source->size, most);
        if (got < 0 && errno != EINTR && errno != EAGAIN)
            return ctx_fail(ctx, SPD_EIO, "cannot read: %s", strerror(errno));
        source->size += got > 0 ? (size_t)got : 0;
    }
    return source->size ? SPD_OK : ctx_fail(ctx, SPD_EFORMAT, "is empty");
}

spd_status source_stdin(spd_context *ctx, io_source **source)
{
    io_source *fresh = mem_zero(1, sizeof *fresh);
    if (!fresh)
        return ctx_nomem(ctx, "a file");
    fresh->fd = -1;
    spd_status status = read_stdin(ctx, fresh);
    if (status < 0)
        source_free(fresh);
    else
        *source = fresh;
    return status;
}

spd_status source_lend(spd_context *ctx, const unsigned char *bytes, size_t size,
                       io_source **source)
{
    io_source *fresh = mem_zero(1, sizeof *fresh);
    if (!fresh)
        return ctx_nomem(ctx, "a file");
    *fresh =
        (io_source){.size = size, .bytes = (unsigned char *)(uintptr_t)bytes, .fd = -1, .lent = 1};
    *source = fresh;
    return SPD_OK;
}

/* Is the file still the one that was opened? A reader that saw half of a change must not go on. */
static spd_status check_same(spd_context *ctx, const io_source *source)
{
    struct stat st;
    if (fstat(source->fd, &st) != 0)
        return ctx_fail(ctx, SPD_EIO, "cannot read: %s", strerror(errno));
    if ((size_t)st.st_size != source->size || st.st_mtim.tv_sec != source->time.tv_sec ||
        st.st_mtim.tv_nsec != source->time.tv_nsec)
        return ctx_fail(ctx, SPD_EIO,
                        "changed while it was being read; wait until it is written, or copy it");
    return SPD_OK;
}

spd_status source_read(spd_context *ctx, const io_source *source, uint64_t at, size_t size,
                       void *bytes)
{
    if (at > source->size || size > source->size - at)
        return ctx_fail(ctx, SPD_EFORMAT, "is cut off");
    if (source->bytes) {
        memcpy(bytes, source->bytes + at, size);
        return SPD_OK;
    }
    for (size_t done = 0; done < size;) {
        size_t most = size - done < PIECE ? size - done : PIECE;
        ssize_t got = pread(source->fd, (char *)bytes + done, most, (off_t)(at + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return ctx_fail(ctx, SPD_EIO, "cannot read: %s", strerror(errno));
        if (got == 0)
            return ctx_fail(ctx, SPD_EIO, "shrank while it was being read; copy it again");
        done += (size_t)got;
    }
    return check_same(ctx, source);
}

/* A range that is read in pieces. */
typedef struct filling {
    const io_source *source;
    uint64_t at;
    char *bytes;
    atomic_size_t lowest; /* where the first piece at fault begins; else SIZE_MAX */
} filling;

static int fill_piece(void *user, size_t from, size_t size)
{
    filling *f = user;
    spd_context own = {0}; /* for a message that nobody sees */
    if (source_read(&own, f->source, f->at + from, size, f->bytes + from) == SPD_OK)
        return 0;
    size_t before = atomic_load(&f->lowest);
    while (from < before && !atomic_compare_exchange_weak(&f->lowest, &before, from))
        ;
    return 1;
}

spd_status source_fill(spd_context *ctx, const io_source *source, uint64_t at, size_t size,
                       void *bytes)
{
    filling f = {source, at, bytes, SIZE_MAX};
    if (at > source->size || size > source->size - at || size <= PIECE_BYTES)
        return source_read(ctx, source, at, size, bytes);
    spd_status status = pieces_run(ctx, "reading", size, fill_piece, &f);
    if (status != SPD_EIO)
        return status;
    size_t from = f.lowest, some = size - from < PIECE_BYTES ? size - from : PIECE_BYTES;
    status =
        source_read(ctx, source, at + from, some, f.bytes + from); /* once more, for its words */
    return status < 0 ? status : ctx_fail(ctx, SPD_EIO, "cannot read; try again");
}

spd_status source_all(spd_context *ctx, io_source *source)
{
    if (source->bytes)
        return SPD_OK;
    unsigned char *bytes = mem_alloc(source->size, 1);
    if (!bytes)
        return ctx_fail(ctx, SPD_ENOMEM, "out of memory for the %zu bytes of the file",
                        source->size);
    spd_status status = source_fill(ctx, source, 0, source->size, bytes);
    if (status < 0)
        mem_free(bytes);
    else
        source->bytes = bytes;
    return status;
}

spd_status source_load(spd_context *ctx, const char *path, io_source **source)
{
    io_source *fresh = NULL;
    spd_status status = source_open(ctx, path, &fresh);
    if (status == SPD_OK)
        status = source_all(ctx, fresh);
    if (status < 0)
        source_free(fresh);
    else
        *source = fresh;
    return status;
}

void source_free(io_source *source)
{
    if (!source)
        return;
    if (!source->lent)
        mem_free(source->bytes);
    if (source->fd >= 0)
        close(source->fd);
    mem_free(source);
}
