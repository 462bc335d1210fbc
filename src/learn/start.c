/* start.c - where a fit begins: W (n x m) orthonormal. */
#include "learn/start.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "linalg/dense.h"
#include "linalg/tall.h"

/* The part of a column that the others do not span, over its length: below this it is rounding. */
#define RANK_TOLERANCE 1e-12

/* Columns of W <- orthonormal, the same spans from the left. SPD_EINVAL without a message when
 * they have not full rank. */
static spd_status orthonormalise(spd_context *ctx, size_t n, size_t m, double *W)
{
    double *work = mem_alloc(tall_orthonormalise_work(n, m), sizeof *work), least;
    if (!work)
        return ctx_nomem(ctx, "start");
    for (size_t c = 0; c < m; c++) {
        double largest = 0.0; /* keeps squares in range */
        for (size_t r = 0; r < n; r++)
            largest = fmax(largest, fabs(W[r * m + c]));
        double sum = 0.0;
        for (size_t r = 0; r < n; r++)
            sum += largest > 0.0 ? pow(W[r * m + c] / largest, 2.0) : 0.0;
        for (size_t r = 0; r < n && largest > 0.0; r++)
            W[r * m + c] = W[r * m + c] / largest / sqrt(sum);
    }
    least = tall_orthonormalise(n, m, W, work);
    mem_free(work);
    return least > RANK_TOLERANCE ? SPD_OK : SPD_EINVAL;
}

static void identity_start(size_t n, size_t m, double *W)
{
    memset(W, 0, n * m * sizeof *W);
    for (size_t c = 0; c < m; c++)
        W[c * m + c] = 1.0;
}

static spd_status random_start(spd_context *ctx, size_t n, size_t m, rng *r, double *W)
{
    for (size_t e = 0; e < n * m; e++)
        W[e] = rng_normal(r);
    return orthonormalise(ctx, n, m, W); /* normal numbers have full rank */
}

/* W <- the last m columns of V (n x n), last first, each with its largest entry positive. */
static spd_status leading(spd_context *ctx, size_t n, size_t m, const double *V, double *W)
{
    for (size_t c = 0; c < m; c++) {
        const double *v = V + (n - 1 - c);
        double largest = 0.0;
        for (size_t r = 0; r < n; r++)
            if (fabs(v[r * n]) > fabs(largest))
                largest = v[r * n];
        for (size_t r = 0; r < n; r++)
            W[r * m + c] = largest < 0.0 ? -v[r * n] : v[r * n];
    }
    return orthonormalise(ctx, n, m, W);
}

static spd_status mean_start(spd_context *ctx, const spd_store *set, size_t m, double *W)
{
    size_t n = set->n;
    arena room = {0};
    double *M = arena_alloc(&room, n, n * sizeof *M);
    double *lambda = arena_alloc(&room, n, sizeof *lambda);
    double *work = arena_alloc(&room, dense_eigh_work(n), sizeof *work);
    spd_status status = arena_status(&room, ctx, "start");
    if (status == SPD_OK)
        status = spd_mean_store(ctx, SPD_EUCLIDEAN, set, NULL, M, NULL);
    if (status >= 0 && dense_eigh(n, 1, M, lambda, work))
        status = ctx_fail(ctx, SPD_ENUMERIC, "the eigenvectors of the mean did not converge");
    if (status >= 0)
        status = leading(ctx, n, m, M, W);
    arena_free(&room);
    return status;
}

static spd_status given_start(spd_context *ctx, size_t n, size_t m, const double *given, double *W)
{
    if (!given)
        return ctx_fail(ctx, SPD_EINVAL, "a given start needs a matrix W");
    for (size_t e = 0; e < n * m; e++)
        if (!isfinite(given[e]))
            return ctx_fail(ctx, SPD_ENOTFINITE,
                            "the given start holds NaN or Inf at row %zu, column %zu", e / m,
                            e % m);
    double *Q = mem_alloc(n, m * sizeof *Q);
    if (!Q)
        return ctx_nomem(ctx, "start");
    memcpy(Q, given, n * m * sizeof *Q);
    spd_status status = orthonormalise(ctx, n, m, Q);
    if (status == SPD_EINVAL)
        ctx_fail(ctx, status,
                 "the given start does not have full rank: its columns are linearly dependent");
    if (status == SPD_OK)
        memcpy(W, Q, n * m * sizeof *W);
    mem_free(Q);
    return status;
}

spd_status start_point(spd_context *ctx, spd_init init, size_t n, size_t m, size_t p,
                       const double *X, const double *given, rng *r, double *W)
{
    spd_store lent;
    store_lend(&lent, n, p, X);
    return start_point_store(ctx, init, &lent, m, given, r, W);
}

spd_status start_point_store(spd_context *ctx, spd_init init, const spd_store *set, size_t m,
                             const double *given, rng *r, double *W)
{
    size_t n = set->n;
    switch (init) {
    case SPD_INIT_IDENTITY:
        identity_start(n, m, W);
        return SPD_OK;
    case SPD_INIT_MEAN:
        return mean_start(ctx, set, m, W);
    case SPD_INIT_RANDOM:
        return random_start(ctx, n, m, r, W);
    case SPD_INIT_GIVEN:
        return given_start(ctx, n, m, given, W);
    case SPD_INIT_AUTO:  /* chosen before */
    case SPD_INIT_STEIN: /* learned before */
    case SPD_INIT_CSP:   /* start_csp: needs labels */
        break;
    }
    return ctx_fail(ctx, SPD_EINVAL, "unknown start");
}
