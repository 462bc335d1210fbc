/* to_host.c - a copy of a set on the host, or of a process's share of it. */
#include "sets/set.h"

#include "base/memory.h"
#include "run/engine.h"
#include "run/parallel.h"
#include "run/split.h"
#include "sets/walk.h"

#define PIECE ((size_t)1 << 23) /* bytes that a thread reads at once, where there is memory */

typedef struct copying {
    const spd_set *from;
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
    spd_status status = set_read(c->from, c->first + at, count, X);
    /* What is too large for float32 becomes Inf, which a check then names. */
    for (size_t e = 0; status == SPD_OK && c->wide && e < count * n2; e++)
        ((float *)c->to)[at * n2 + e] = (float)X[e];
    return status;
}

/* to (last - first matrices) <- samples first .. last-1, as float32 where that is asked for; by all
 * threads, each a part of the file. */
static spd_status copy_samples(spd_context *ctx, const spd_set *from, size_t first, size_t last,
                               int as_float, void *to)
{
    size_t sample = from->n * from->n * sizeof(double), threads = (size_t)parallel_threads(ctx);
    if (engine_of(from) && !as_float)
        return engine_of(from)->copy(ctx, from, from->X, from->p * sample, to);
    copying c = {.from = from, .first = first, .last = last, .to = to};
    c.each = set_piece(ctx, threads, PIECE) / sample + 1;
    arena room = {0};
    if (as_float)
        c.wide = arena_alloc(&room, threads, c.each * sample);
    spd_status status = arena_status(&room, ctx, "matrices on their way");
    if (status == SPD_OK)
        status = parallel_for(ctx, (last - first + c.each - 1) / c.each, copy_chunk, &c, "reading",
                              "matrices", (double)(last - first), NULL);
    arena_free(&room);
    return set_fail(ctx, from, status);
}

spd_status set_to_host(spd_context *ctx, const spd_set *X, arena *room, spd_set *host)
{
    if (!X)
        return SPD_OK;
    *host = *X;
    if (set_doubles(X))
        return SPD_OK;
    size_t sample = X->n * X->n * sizeof(double);
    spd_status status = ctx_ask(ctx, "matrices on the host", (double)X->p * (double)sample);
    if (status < 0)
        return status;
    double *copy = arena_alloc(room, X->p, sample);
    status = copy ? copy_samples(ctx, X, 0, X->p, 0, copy) : ctx_nomem(ctx, "matrices on the host");
    *host = *SPD_SET(X->n, X->p, copy);
    host->hermitian = X->hermitian;
    return status;
}

/* to <- a set, by way of the host where it lies on a device and is to become float32. */
static spd_status load(spd_context *ctx, const spd_set *from, spd_type type, void *to)
{
    arena room = {0};
    spd_set host = *from;
    spd_status status =
        engine_of(from) && type == SPD_TYPE_FLOAT32 ? set_to_host(ctx, from, &room, &host) : SPD_OK;
    if (status == SPD_OK)
        status = copy_samples(ctx, &host, 0, host.p, type == SPD_TYPE_FLOAT32, to);
    arena_free(&room);
    return status;
}

spd_status spd_set_load(spd_context *ctx, const spd_set *from, spd_type type, spd_set **set)
{
    spd_set X;
    ctx_clear(ctx);
    spd_status status = set_take(ctx, "the set", from, &X);
    if (status == SPD_OK && (!set || (type != SPD_TYPE_FLOAT64 && type != SPD_TYPE_FLOAT32)))
        status = ctx_fail(ctx, SPD_EINVAL, "a set is loaded as float64 or float32");
    if (status < 0)
        return status;
    size_t width = type == SPD_TYPE_FLOAT32 ? sizeof(float) : sizeof(double);
    spd_set *fresh = mem_zero(1, sizeof *fresh);
    void *block = mem_alloc(X.p, X.n * X.n * width);
    status = fresh && block ? load(ctx, &X, type, block) : ctx_nomem(ctx, "a set of matrices");
    if (status < 0 || !fresh) {
        mem_free(fresh);
        mem_free(block);
        return status;
    }
    *fresh = (spd_set){.size = sizeof *fresh,
                       .n = X.n,
                       .p = X.p,
                       .X = block,
                       .type = type,
                       .hermitian = X.hermitian};
    *set = fresh;
    return SPD_OK;
}

spd_status spd_set_hold(spd_context *ctx, spd_set *set)
{
    spd_set X;
    ctx_clear(ctx);
    spd_status status = set_take(ctx, "the set", set, &X);
    if (status < 0)
        return status;
    struct spd_files *f = X.files;
    split cut = split_make(ctx, X.p);
    if (X.place != SPD_PLACE_FILES || f->held || cut.first == cut.last)
        return ranks_settle(ctx, SPD_OK);
    double *held = mem_alloc(cut.last - cut.first, X.n * X.n * sizeof *held);
    status = held ? copy_samples(ctx, &X, cut.first, cut.last, 0, held)
                  : ctx_nomem(ctx, "a set of matrices");
    if (status < 0) {
        mem_free(held);
    } else {
        f->held = held;
        f->held_first = cut.first;
        f->held_last = cut.last;
    }
    return ranks_settle(ctx, status);
}

spd_status spd_set_read(spd_context *ctx, const spd_set *set, size_t first, size_t count, double *X)
{
    spd_set from;
    ctx_clear(ctx);
    spd_status status = set_take(ctx, "the set", set, &from);
    if (status < 0)
        return status;
    size_t n2 = from.n * from.n;
    if (!X || first > from.p || count > from.p - first)
        return ctx_fail(ctx, SPD_EINVAL, "samples %zu to %zu of %zu cannot be read", first,
                        first + count, from.p);
    if (engine_of(&from))
        return engine_of(&from)->copy(ctx, &from, (const double *)from.X + first * n2,
                                      count * n2 * sizeof *X, X);
    return set_fail(ctx, &from, set_read(&from, first, count, X));
}
