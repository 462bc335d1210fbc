/* store_load.c - a copy of a store in memory, or of a process's share of it. */

#include "base/memory.h"
#include "engine/parallel.h"
#include "engine/split.h"
#include "engine/walk.h"

#define PIECE ((size_t)1 << 23) /* bytes that a thread reads at once, where there is memory */

/* Rounds to float32; what is too large for one becomes Inf, which a check then names. */
static void narrow(size_t count, const double *from, float *to)
{
    for (size_t e = 0; e < count; e++)
        to[e] = (float)from[e];
}

typedef struct copying {
    const spd_store *from;
    size_t first, last, each; /* samples; of a chunk */
    double *wide;             /* threads x each x n x n, where they become float32; else NULL */
    void *to;                 /* last - first matrices */
} copying;

static spd_status copy_chunk(void *user, size_t chunk, int thread)
{
    const copying *c = user;
    size_t n2 = c->from->n * c->from->n, at = chunk * c->each, left = c->last - c->first - at;
    size_t count = left < c->each ? left : c->each;
    double *X = c->wide ? c->wide + (size_t)thread * c->each * n2 : (double *)c->to + at * n2;
    spd_status status = store_read(c->from, c->first + at, count, X);
    if (status == SPD_OK && c->wide)
        narrow(count * n2, X, (float *)c->to + at * n2);
    return status;
}

/* to (last - first matrices) <- samples first .. last-1, as float32 where that is asked for; by all
 * threads, each a part of the file. */
static spd_status copy(spd_context *ctx, const spd_store *from, size_t first, size_t last,
                       int as_float, void *to)
{
    size_t sample = from->n * from->n * sizeof(double), threads = (size_t)parallel_threads(ctx);
    copying c = {.from = from, .first = first, .last = last, .to = to};
    c.each = store_piece(ctx, threads, PIECE) / sample + 1;
    arena room = {0};
    if (as_float)
        c.wide = arena_alloc(&room, threads, c.each * sample);
    spd_status status = arena_status(&room, ctx, "matrices on their way");
    if (status == SPD_OK)
        status = parallel_for(ctx, (last - first + c.each - 1) / c.each, copy_chunk, &c, "reading",
                              "matrices", (double)(last - first), NULL);
    arena_free(&room);
    return store_fail(ctx, from, status);
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
