/* embed_neighbours.c - neighbours of every sample, and their inner products in its tangent space.
 *
 *   AIRM          log_X Y = X^1/2 log(X^-1/2 Y X^-1/2) X^1/2; in coordinates that make the inner
 *                 product at X = L L' that of vectors:  t(Y) = vec log(L^-1 Y L^-T)
 *   flat metrics  t(Y) = f(Y) - f(X), f the vector whose Euclidean distances are the metric's
 *
 * vec stacks the lower triangle, off-diagonals times sqrt 2. G = T'T for the columns t of the k
 * neighbours: any other factor of X turns T, and leaves G. */
#include <string.h>

#include "classify/embed.h"
#include "ops/pairwise.h"
#include "run/parallel.h"
#include "geometry/flat.h"
#include "geometry/spdfun.h"
#include "linalg/dense.h"

#define BLOCK (SPDFUN_OCTETS * LANES)

typedef struct gram_job {
    const kernels *kernels;
    const metric *metric;
    size_t n, size;  /* size: doubles of a prepared sample */
    const double *F; /* p x size */
    const neighbourhoods *h;
    size_t stride;
    double *work; /* threads x stride */
} gram_job;

static int is_flat(const metric *m)
{
    return m->flat;
}

/* Comes first in the scratch of a thread: octets are aligned. */
static size_t airm_work(const gram_job *j)
{
    size_t n = j->n;
    return is_flat(j->metric) ? 0 : ((1 + SPDFUN_OCTETS) * TRI(n) + n * n) * LANES + spdfun_work(n);
}

/* T (TRI(n) x k) <- t of the neighbours (k samples) of the sample f. */
static void flat_tangents(const gram_job *j, const double *f, const int64_t *neighbour, double *T)
{
    size_t k = j->h->k;
    for (size_t c = 0; c < k; c++) {
        const double *g = j->F + (size_t)neighbour[c] * j->size;
        for (size_t e = 0; e < TRI(j->n); e++)
            T[e * k + c] = g[e] - f[e];
    }
}

/* Columns first .. first+count-1 of T (TRI(n) x k) <- vec log(L^-1 Y L^-T), L (TRI(n) x 8) the
 * spread factor of f. Non-zero when a logarithm fails. A prepared sample begins with its matrix. */
static int airm_block(const gram_job *j, const int64_t *neighbour, size_t first, size_t count,
                      const double *L, double *T, double *work)
{
    const kernels *kern = j->kernels;
    size_t n = j->n, k = j->h->k, entries = TRI(n) * LANES, used;
    double *A = work, *full = A + SPDFUN_OCTETS * entries, *rest = full + n * n * LANES;
    const double *Y[BLOCK];
    unsigned bad[SPDFUN_OCTETS], any = 0;
    for (size_t c = 0; c < count; c++)
        Y[c] = j->F + (size_t)neighbour[first + c] * j->size;
    used = block_interleave(kern, TRI(n), count, Y, A);
    for (size_t g = 0; g < used; g++)
        kern->reduce(n, L, A + g * entries, A + g * entries, full);
    spdfun_apply(kern, SPD_FUNCTION_LOG, 0.0, n, used, A, bad, rest);
    for (size_t g = 0; g < used; g++) {
        size_t lanes = count - g * LANES < LANES ? count - g * LANES : LANES;
        flat_weigh(n, A + g * entries);
        for (size_t e = 0; e < TRI(n); e++)
            memcpy(T + e * k + first + g * LANES, A + g * entries + e * LANES, lanes * sizeof *T);
        any |= bad[g]; /* missing lanes repeat the first */
    }
    return any != 0;
}

static int airm_tangents(const gram_job *j, const double *f, const int64_t *neighbour, double *T,
                         double *work)
{
    size_t k = j->h->k;
    double *L = work, *rest = L + TRI(j->n) * LANES;
    j->kernels->spread(TRI(j->n), f + TRI(j->n) + 1, L);
    for (size_t first = 0; first < k; first += BLOCK) {
        size_t count = k - first < BLOCK ? k - first : BLOCK;
        if (airm_block(j, neighbour, first, count, L, T, rest))
            return 1;
    }
    return 0;
}

static spd_status gram_body(void *user, size_t i, int thread)
{
    const gram_job *j = user;
    size_t k = j->h->k;
    const int64_t *neighbour = j->h->index + i * k;
    const double *f = j->F + i * j->size;
    double *octets = j->work + (size_t)thread * j->stride, *T = octets + airm_work(j);
    double *G = j->h->G + i * k * k;
    if (is_flat(j->metric))
        flat_tangents(j, f, neighbour, T);
    else if (airm_tangents(j, f, neighbour, T, octets))
        return SPD_ENUMERIC;
    dense_trans_product(k, k, TRI(j->n), T, T, 0.0, G);
    spd_symmetrize(k, 1, G);
    return SPD_OK;
}

/* h->G, whose room is there, <- inner products. */
static spd_status fill_grams(spd_context *ctx, const metric *m, size_t n, const double *X,
                             neighbourhoods *h)
{
    size_t failed = 0, p = h->p, size = m->size(n);
    gram_job j = {.kernels = kernels_get(), .metric = m, .n = n, .size = size, .h = h};
    arena room = {0};
    double *F = arena_alloc(&room, p, size * sizeof *F);
    j.F = F;
    j.stride = (airm_work(&j) + TRI(n) * h->k + LANES - 1) / LANES * LANES;
    j.work = arena_alloc(&room, (size_t)parallel_threads(ctx), j.stride * sizeof *j.work);
    spd_status status = arena_status(&room, ctx, "log maps");
    if (status == SPD_OK)
        status = prepare_set(ctx, m, n, p, X, "X", F);
    if (status == SPD_OK) {
        status = parallel_for(ctx, p, gram_body, &j, "log maps", "matrices", (double)p, &failed);
        if (status == SPD_ENUMERIC)
            status =
                ctx_fail_at(ctx, SPD_ENUMERIC, failed, 0.0,
                            "the logarithms of the neighbours of X[%zu] cannot be computed: the "
                            "matrices are too ill-conditioned; regularise them",
                            failed);
    }
    arena_free(&room);
    return status;
}

spd_status neighbourhoods_find(spd_context *ctx, spd_metric which, size_t n, size_t p,
                               const double *X, size_t k, int grams, arena *keep, neighbourhoods *h)
{
    *h = (neighbourhoods){.p = p,
                          .k = k,
                          .index = arena_alloc(keep, p, k * sizeof *h->index),
                          .d2 = arena_alloc(keep, p, k * sizeof *h->d2),
                          .G = grams ? arena_alloc(keep, p, k * k * sizeof *h->G) : NULL};
    if (keep->failed)
        return ctx_nomem(ctx, "neighbours");
    spd_status status =
        spd_nearest(ctx, which, SPD_SET(n, p, X), NULL, k, NULL, h->index, h->d2, NULL);
    if (status == SPD_OK && grams)
        status = fill_grams(ctx, metric_get(which), n, X, h);
    return status;
}
