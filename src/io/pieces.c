/* pieces.c - pieces of a range, each taken by the next thread that is free. The caller's own thread
 * reports progress, and hears whether to go on. */
#include "io/pieces.h"

#include <stdatomic.h>

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
        ctx_tell(w->ctx, w->task, "bytes", (double)atomic_load(&w->done), (double)w->size))
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
