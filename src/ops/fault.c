/* fault.c - why a matrix is not positive definite, and which pair has no distance. */
#include "ops/fault.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "ops/scale.h"
#include "linalg/kernels.h"
#include "linalg/margin.h"

#define LEAST_ENTRY 0x1p-960
#define NEAR_ONE    "bring the matrices to a scale near 1"

/* Smallest eigenvalue of X; NaN when it cannot be had. */
static double smallest_eigenvalue(size_t n, const double *X)
{
    const kernels *k = kernels_get();
    double *octet = mem_alloc((TRI(n) + n) * LANES + kernels_eigh_work(n), sizeof *octet);
    if (!octet)
        return NAN;
    double *lambda = octet + TRI(n) * LANES, smallest = INFINITY;
    unsigned bad;
    k->pack(n, 1, &X, octet);
    k->eigvals(n, 1, octet, lambda, &bad, lambda + n * LANES);
    for (size_t i = 0; i < n; i++)
        smallest = fmin(smallest, lambda[i * LANES]);
    mem_free(octet);
    return bad & 1u ? NAN : smallest;
}

spd_status fault_matrix(spd_context *ctx, size_t n, const double *X, const char *name, size_t index)
{
    for (size_t e = 0; e < n * n; e++)
        if (!isfinite(X[e]))
            return ctx_fail_at(ctx, SPD_ENOTFINITE, index, X[e],
                               "%s[%zu] holds NaN or Inf at row %zu, column %zu", name, index,
                               e / n, e % n);
    double smallest = smallest_eigenvalue(n, X);
    if (smallest > 0.0 && scale_largest(n * n, X) < LEAST_ENTRY)
        return ctx_fail_at(ctx, SPD_ENOTSPD, index, smallest,
                           "%s[%zu] is too small: its smallest eigenvalue, %.2g, is at the end of "
                           "the range of numbers; multiply all matrices by a constant",
                           name, index, smallest);
    if (fabs(smallest) <= DEFINITE_MARGIN(n) * scale_largest(n * n, X))
        return ctx_fail_at(ctx, SPD_ENOTSPD, index, smallest,
                           "%s[%zu] is not positive definite: its smallest eigenvalue, %.2g, is "
                           "zero up to rounding",
                           name, index, smallest);
    return ctx_fail_at(ctx, SPD_ENOTSPD, index, smallest,
                       "%s[%zu] is not positive definite (smallest eigenvalue %.2g)", name, index,
                       smallest);
}

spd_status fault_pair(spd_context *ctx, size_t n, const char *x, size_t i, const double *X,
                      const char *y, size_t j, const double *Y)
{
    double low, high, a = scale_largest(n * n, X), b = scale_largest(n * n, Y);
    if (!scale_is_usual(n, 1, X, &low, &high) || !scale_is_usual(n, 1, Y, &low, &high))
        return ctx_fail_at(ctx, SPD_ENUMERIC, i, a,
                           "the distance between %s[%zu] and %s[%zu] leaves the range of numbers: "
                           "their largest entries are %.2g and %.2g; " NEAR_ONE,
                           x, i, y, j, a, b);
    if (i == j && strcmp(x, y) == 0)
        ctx_fail_at(ctx, SPD_ENUMERIC, i, 0.0, "%s[%zu] is too ill-conditioned for distances", x,
                    i);
    else
        ctx_fail_at(ctx, SPD_ENUMERIC, i, 0.0,
                    "the distance between %s[%zu] and %s[%zu] cannot be computed: the matrices "
                    "are too ill-conditioned",
                    x, i, y, j);
    return ctx_advise(ctx, SPD_ENUMERIC, SPD_REMEDY_REGULARIZE, 1e-6);
}

spd_status fault_mean(spd_context *ctx, size_t n, size_t p, const double *X, size_t index)
{
    double low, high;
    if (!scale_is_usual(n, p, X, &low, &high))
        return ctx_fail_at(ctx, SPD_ENUMERIC, index, 0.0,
                           "the mean leaves the range of numbers: the largest entries of the "
                           "matrices lie between %.2g and %.2g; " NEAR_ONE,
                           low, high);
    if (index == SPD_NO_INDEX)
        ctx_fail(ctx, SPD_ENUMERIC, "the mean broke down: the matrices are too ill-conditioned");
    else
        ctx_fail_at(ctx, SPD_ENUMERIC, index, 0.0,
                    "X[%zu] is too ill-conditioned relative to the mean", index);
    return ctx_advise(ctx, SPD_ENUMERIC, SPD_REMEDY_REGULARIZE, 1e-6);
}

spd_status fault_unnamed(spd_context *ctx, spd_status status)
{
    if (status != SPD_ENUMERIC || !ctx || ctx->error.index == SPD_NO_INDEX)
        return status;
    if (!(ctx->error.remedy & SPD_REMEDY_REGULARIZE))
        return ctx_fail(ctx, status,
                        "distances or means leave the range of numbers: some matrices are too "
                        "large, too small or too far apart; " NEAR_ONE);
    ctx_fail(ctx, status, "some matrices are too ill-conditioned for distances and means");
    return ctx_advise(ctx, status, SPD_REMEDY_REGULARIZE, 1e-6);
}

void fault_renumber(spd_context *ctx, size_t first)
{
    char bare[40], words[sizeof ctx->error.message];
    spd_error was = ctx->error;
    const char *at = strstr(was.message, "X[");
    size_t length = (size_t)snprintf(bare, sizeof bare, "X[%zu]", was.index);
    if (first == 0 || !at || strncmp(at, bare, length) != 0)
        return;
    snprintf(words, sizeof words, "%.*sX[%zu]%.300s", (int)(at - was.message), was.message,
             was.index + first, at + length);
    ctx_fail_at(ctx, was.status, was.index + first, was.value, "%s", words);
    ctx_advise(ctx, was.status, was.remedy, was.remedy_value);
}
