/* gram.c - repair of kernel matrices. */
#include "classify/gram.h"

#include <float.h>
#include <string.h>

#include "run/blas.h"
#include "run/parallel.h"
#include "linalg/tall.h"

/* An eigenvalue below this, times p and the largest one, is rounding. */
#define ROUNDING (4.0 * DBL_EPSILON)

/* Keeps columns first .. p-1 of U (p x p), with their values s. */
static spd_status keep_columns(spd_context *ctx, arena *keep, gram *g, const double *U,
                               const double *s, size_t first)
{
    size_t p = g->p, rank = p - first;
    g->U = arena_alloc(keep, p, rank * sizeof *g->U);
    g->s = arena_alloc(keep, rank, sizeof *g->s);
    if (!g->U || !g->s)
        return ctx_nomem(ctx, "the kernel");
    for (size_t r = 0; r < p; r++)
        memcpy(g->U + r * rank, U + r * p + first, rank * sizeof *U);
    memcpy(g->s, s + first, rank * sizeof *s);
    g->rank = rank;
    return SPD_OK;
}

/* K <- U diag(s) U', exactly symmetric. */
static spd_status rebuild(spd_context *ctx, gram *g)
{
    size_t p = g->p, rank = g->rank;
    arena room = {0};
    double *scaled = arena_alloc(&room, p, rank * sizeof *scaled);
    if (!scaled)
        return ctx_nomem(ctx, "the kernel");
    for (size_t r = 0; r < p; r++)
        for (size_t c = 0; c < rank; c++)
            scaled[r * rank + c] = g->U[r * rank + c] * g->s[c];
    spd_private_blas_hold();
    tall_product_trans(p, rank, p, scaled, g->U, g->K);
    spd_private_blas_release();
    spd_symmetrize(p, 1, g->K);
    arena_free(&room);
    return SPD_OK;
}

static spd_status clip(spd_context *ctx, arena *keep, gram *g)
{
    size_t p = g->p, first = 0;
    arena room = {0};
    double *V = arena_alloc(&room, p, p * sizeof *V), *s = arena_alloc(&room, p, sizeof *s);
    spd_status status =
        V && s ? spd_eigh(ctx, SPD_SET(p, 1, g->K), s, V) : ctx_nomem(ctx, "the kernel");
    if (status == SPD_OK) {
        double least = ROUNDING * (double)p * s[p - 1];
        while (first < p - 1 && !(s[first] > least))
            first++;
        g->smallest = s[0] < -least ? s[0] : 0.0;
        status = keep_columns(ctx, keep, g, V, s, first);
    }
    if (status == SPD_OK && first > 0)
        status = rebuild(ctx, g);
    arena_free(&room);
    return status;
}

/* ---- all of it ---------------------------------------------------------------------------- */

spd_status gram_make(spd_context *ctx, size_t p, double *K, double lambda, arena *keep, gram *g)
{
    *g = (gram){.p = p, .K = K};
    spd_status status = lasso_dictionary_make(ctx, p, K, keep, &g->dictionary);
    if (status == SPD_OK && !g->dictionary.inverse) /* not clearly definite */
        status = clip(ctx, keep, g);
    if (status == SPD_OK)
        status = lasso_dictionary_shift(ctx, lambda, keep, &g->dictionary);
    if (status == SPD_OK && g->smallest < 0.0)
        status =
            ctx_fail(ctx, SPD_NOT_DEFINITE,
                     "the kernel matrix has eigenvalues down to %.3g: %zu of %zu were clipped; "
                     "a larger beta makes it definite",
                     g->smallest, p - g->rank, p);
    return status;
}

void gram_keep(saved_arrays *s, size_t p, double lambda, gram *g)
{
    if (saved_taking(s))
        *g = (gram){.p = p};
    saved_size(s, "kernel_rank", 0, p, &g->rank);
    saved_symmetric(s, "kernel", p, &g->K);
    saved_reals(s, "kernel_vectors", p, g->rank, &g->U);
    saved_reals(s, "kernel_values", g->rank, 1, &g->s);
    for (size_t k = 0; s->status == SPD_OK && k < g->rank; k++)
        if (!(g->s[k] > 0.0))
            saved_refuse(s, "kernel_values", "an eigenvalue is not positive");
    lasso_dictionary_keep(s, p, g->K, &g->dictionary);
    if (s->status == SPD_OK && saved_taking(s))
        s->status = lasso_dictionary_shift(s->ctx, lambda, s->room, &g->dictionary);
}

size_t gram_fit_work(const gram *g, size_t count)
{
    return count * g->rank;
}

void gram_fit(const gram *g, size_t count, double *k, double *y2, double *work)
{
    for (size_t i = 0; i < count; i++)
        y2[i] = 0.0; /* lasso_solve has the inverse */
    if (!g->rank)
        return;
    tall_product(count, g->p, g->rank, k, g->U, work);
    tall_product_trans(count, g->rank, g->p, work, g->U, k);
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < g->rank; c++)
            y2[i] += work[i * g->rank + c] * work[i * g->rank + c] / g->s[c];
}
