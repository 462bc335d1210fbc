/* store_load.c - a copy of a store in memory, or of a process's share of it. */
#include <string.h>

#include "base/memory.h"
#include "engine/split.h"
#include "engine/walk.h"

/* Rounds to float32; what is too large for one becomes Inf, which a check then names. */
static void narrow(size_t count, const double *from, float *to)
{
    for (size_t e = 0; e < count; e++)
        to[e] = (float)from[e];
}

/* to (last - first matrices) <- samples first .. last-1, as float32 where that is asked for. */
static spd_status copy(spd_context *ctx, const spd_store *from, size_t first, size_t last,
                       int as_float, void *to)
{
    store_walk *walk = NULL;
    size_t n2 = from->n * from->n, count = 0, at = 0;
    spd_status status = store_walks_new(ctx, from, 1, 1, (size_t)1 << 24, &walk);
    if (status == SPD_OK)
        store_walk_begin(walk, first, last, NULL);
    for (; first + at < last && status == SPD_OK; at += count) {
        const double *X = store_walk_next(walk, &count);
        if (!X)
            status = store_fail(ctx, from, SPD_EIO);
        else if (as_float)
            narrow(count * n2, X, (float *)to + at * n2);
        else
            memcpy((double *)to + at * n2, X, count * n2 * sizeof *X);
        if (X && ctx_progress(ctx, "reading", "matrices", (double)at, (double)(last - first)))
            status = ctx_fail(ctx, SPD_ECANCELLED, "reading cancelled");
    }
    store_walks_end(walk);
    return status;
}

spd_status spd_store_load(spd_context *ctx, const spd_store *from, int as_float, spd_store **store)
{
    static const double nothing = 0.0; /* until there is something */
    spd_store *fresh = NULL;
    ctx_clear(ctx);
    if (!from || !store)
        return ctx_fail(ctx, SPD_EINVAL, "there is no set of matrices to load");
    size_t width = as_float ? sizeof(float) : sizeof(double);
    spd_status status = spd_store_lend(ctx, from->n, from->p, &nothing, &fresh);
    if (status < 0)
        return status;
    fresh->X = NULL;
    fresh->width = width;
    fresh->block = mem_alloc(from->p, from->n * from->n * width);
    status = fresh->block ? copy(ctx, from, 0, from->p, as_float, fresh->block)
                          : ctx_nomem(ctx, "a set of matrices");
    if (status < 0) {
        spd_store_free(fresh);
        return status;
    }
    if (as_float)
        fresh->X32 = fresh->block;
    else
        fresh->X = fresh->block;
    *store = fresh;
    return SPD_OK;
}

spd_status spd_store_hold(spd_context *ctx, spd_store *store)
{
    ctx_clear(ctx);
    if (!store)
        return ctx_fail(ctx, SPD_EINVAL, "there is no set of matrices to hold");
    split cut = split_make(ctx, store->p);
    if (!store->read || store->held || cut.first == cut.last)
        return ranks_settle(ctx, SPD_OK);
    double *held = mem_alloc(cut.last - cut.first, store->n * store->n * sizeof *held);
    spd_status status =
        held ? copy(ctx, store, cut.first, cut.last, 0, held) : ctx_nomem(ctx, "a set of matrices");
    if (status < 0) {
        mem_free(held);
    } else {
        store->held = held;
        store->held_first = cut.first;
        store->held_last = cut.last;
    }
    return ranks_settle(ctx, status);
}
