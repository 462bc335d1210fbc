/* start_csp.c - the generalised eigenvectors of the class means, as a map and as a start (math.md,
 * eq. 18).
 *
 *   M_c the mean of class c,  P = (mean of the M_c)^-1/2,  B = sum_c log(P M_c P)^2
 *   W = orth(P U), U the leading eigenvectors of B
 *
 * Common spatial patterns for any number of classes: where the classes differ most, in units of
 * what they have in common. */
#include <string.h>

#include "base/classes.h"
#include "engine/blas.h"
#include "engine/class_means.h"
#include "learn/start.h"
#include "linalg/dense.h"
#include "linalg/tall.h"

spd_status start_leading(spd_context *ctx, size_t n, size_t m, const double *M, double *W)
{
    arena room = {0};
    double *lambda = arena_alloc(&room, n, sizeof *lambda);
    double *V = arena_alloc(&room, n, n * sizeof *V);
    spd_status status = lambda && V ? spd_eigh(ctx, n, 1, M, lambda, V) : ctx_nomem(ctx, "a map");
    for (size_t r = 0; r < n && status == SPD_OK; r++)
        for (size_t c = 0; c < m; c++)
            W[r * m + c] = V[r * n + (n - 1 - c)];
    arena_free(&room);
    return status;
}

/* P (n x n) <- M^-1/2 with M the arithmetic mean of `count` means. */
static spd_status whitener(spd_context *ctx, size_t n, size_t count, const double *means, double *P)
{
    spd_status status = spd_mean(ctx, SPD_EUCLIDEAN, n, count, means, NULL, P, NULL);
    return status < 0 ? status : spd_apply(ctx, SPD_INVSQRT, 0.0, n, 1, P, P);
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
        status = spd_apply(ctx, SPD_LOG, 0.0, n, count, means, means);
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

spd_status start_csp(spd_context *ctx, spd_metric metric, size_t n, size_t m, size_t p,
                     const double *X, const int *label, double *W)
{
    spd_store lent;
    store_lend(&lent, n, p, X);
    return start_csp_store(ctx, metric, &lent, m, label, W);
}

spd_status start_csp_store(spd_context *ctx, spd_metric metric, const spd_store *set, size_t m,
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
        status = class_means_store(ctx, metric, 0.0, set, &of, means);
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
