/* start.c - where a fit begins: W (n x m) orthonormal. */
#include "learn/start.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/classes.h"
#include "base/memory.h"
#include "linalg/dense.h"
#include "linalg/tall.h"
#include "ops/class_means.h"
#include "run/blas.h"

/* ---- by class means ------------------------------------------------------------------------- */
/* M_c the mean of class c,  P = (mean of the M_c)^-1/2,  B = sum_c log(P M_c P)^2
 *   W = orth(P U), U the leading eigenvectors of B
 *
 * Common spatial patterns for any number of classes: where the classes differ most, in units of
 * what they have in common. */

spd_status start_leading(spd_context *ctx, size_t n, size_t m, const double *M, double *W)
{
    arena room = {0};
    double *lambda = arena_alloc(&room, n, sizeof *lambda);
    double *V = arena_alloc(&room, n, n * sizeof *V);
    spd_status status =
        lambda && V ? spd_eigh(ctx, SPD_SET(n, 1, M), lambda, V) : ctx_nomem(ctx, "a map");
    for (size_t r = 0; r < n && status == SPD_OK; r++)
        for (size_t c = 0; c < m; c++)
            W[r * m + c] = V[r * n + (n - 1 - c)];
    arena_free(&room);
    return status;
}

/* P (n x n) <- M^-1/2 with M the arithmetic mean of `count` means. */
static spd_status whitener(spd_context *ctx, size_t n, size_t count, const double *means, double *P)
{
    spd_status status =
        spd_mean(ctx, SPD_METRIC_EUCLIDEAN, SPD_SET(n, count, means), NULL, P, NULL);
    return status < 0 ? status : spd_apply(ctx, SPD_FUNCTION_INVSQRT, 0.0, SPD_SET(n, 1, P), P);
}

/* B (n x n) <- sum of log(P M_c P)^2; means are overwritten. */
static spd_status sum_squared_logs(spd_context *ctx, size_t n, size_t count, double *means,
                                   const double *P, double *B)
{
    size_t n2 = n * n;
    arena room = {0};
    double *work = arena_alloc(&room, n2, sizeof *work);
    spd_status status = work ? SPD_OK : ctx_nomem(ctx, "class means");
    if (status == SPD_OK) {
        spd_private_blas_hold();
        for (size_t c = 0; c < count; c++)
            dense_congruence(n, P, means + c * n2, means + c * n2, work);
        spd_private_blas_release();
        status = spd_apply(ctx, SPD_FUNCTION_LOG, 0.0, SPD_SET(n, count, means), means);
    }
    memset(B, 0, n2 * sizeof *B);
    for (size_t c = 0; c < count && status == SPD_OK; c++) {
        dense_gram(n, means + c * n2, work);
        for (size_t e = 0; e < n2; e++)
            B[e] += work[e];
    }
    arena_free(&room);
    return status;
}

/* W <- P U, made orthonormal. */
static spd_status unwhiten(spd_context *ctx, size_t n, size_t m, const double *P, double *W)
{
    arena room = {0};
    double *U = arena_alloc(&room, n, m * sizeof *U);
    double *work = arena_alloc(&room, tall_orthonormalise_work(n, m), sizeof *work);
    spd_status status = arena_status(&room, ctx, "a map");
    if (status == SPD_OK) {
        memcpy(U, W, n * m * sizeof *U);
        dense_trans_product(n, m, n, P, U, 0.0, W); /* P is symmetric */
        tall_orthonormalise(n, m, W, work);
    }
    arena_free(&room);
    return status;
}

spd_status start_csp(spd_context *ctx, spd_metric metric, const spd_set *set, size_t m,
                     const int *label, double *W)
{
    size_t n = set->n;
    arena room = {0};
    classes of = {0};
    if (!label)
        return ctx_fail(ctx, SPD_EINVAL, "the start csp needs labels: it is made of class means");
    double *P = arena_alloc(&room, n, n * sizeof *P), *B = arena_alloc(&room, n, n * sizeof *B);
    spd_status status = arena_status(&room, ctx, "class means");
    if (status == SPD_OK)
        status = classes_sort(ctx, set->p, label, &room, &of);
    if (status == SPD_OK && of.count < 2)
        status =
            ctx_fail(ctx, SPD_EINVAL, "the start csp needs two classes: it is made of their means");
    double *means = status == SPD_OK ? arena_alloc(&room, of.count, n * n * sizeof *means) : NULL;
    if (status == SPD_OK)
        status = arena_status(&room, ctx, "class means");
    if (status == SPD_OK)
        status = class_means_of_set(ctx, metric, set, &of, means);
    if (status >= 0)
        status = whitener(ctx, n, of.count, means, P);
    if (status == SPD_OK)
        status = sum_squared_logs(ctx, n, of.count, means, P, B);
    if (status == SPD_OK)
        status = start_leading(ctx, n, m, B, W);
    if (status == SPD_OK)
        status = unwhiten(ctx, n, m, P, W);
    arena_free(&room);
    return status;
}

/* ---- others --------------------------------------------------------------------------------- */

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

static spd_status mean_start(spd_context *ctx, const spd_set *set, size_t m, double *W)
{
    size_t n = set->n;
    arena room = {0};
    double *M = arena_alloc(&room, n, n * sizeof *M);
    double *lambda = arena_alloc(&room, n, sizeof *lambda);
    double *work = arena_alloc(&room, dense_eigh_work(n), sizeof *work);
    spd_status status = arena_status(&room, ctx, "start");
    if (status == SPD_OK)
        status = spd_mean(ctx, SPD_METRIC_EUCLIDEAN, set, NULL, M, NULL);
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

spd_status start_point(spd_context *ctx, spd_init init, const spd_set *set, size_t m,
                       const double *given, rng *r, double *W)
{
    size_t n = set->n;
    switch (init) {
    case SPD_INIT_IDENTITY:
        memset(W, 0, n * m * sizeof *W);
        for (size_t c = 0; c < m; c++)
            W[c * m + c] = 1.0;
        return SPD_OK;
    case SPD_INIT_MEAN:
        return mean_start(ctx, set, m, W);
    case SPD_INIT_RANDOM:
        for (size_t e = 0; e < n * m; e++)
            W[e] = rng_normal(r);
        return orthonormalise(ctx, n, m, W); /* normal numbers have full rank */
    case SPD_INIT_GIVEN:
        return given_start(ctx, n, m, given, W);
    case SPD_INIT_AUTO:  /* chosen before */
    case SPD_INIT_STEIN: /* learned before */
    case SPD_INIT_CSP:   /* start_csp: needs labels */
        break;
    }
    return ctx_fail(ctx, SPD_EINVAL, "unknown start");
}
