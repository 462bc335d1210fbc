/* geodesics.c - the public geodesic: checks, memory, and BLAS held to one thread. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "engine/blas.h"
#include "engine/check.h"
#include "engine/scale.h"
#include "geometry/geodesic.h"

static void explain(spd_context *ctx, spd_status status, spd_metric metric, size_t n,
                    const double *X, const double *Y, double t)
{
    double x = scale_largest(n * n, X), y = scale_largest(n * n, Y), low, high;
    int usual = scale_is_usual(n, 1, X, &low, &high) && scale_is_usual(n, 1, Y, &low, &high);
    if (status == SPD_ENUMERIC && !usual)
        ctx_fail(ctx, status,
                 "the geodesic at t = %g leaves the range of numbers: the largest entries of the "
                 "matrices are %.2g and %.2g; bring them to a scale near 1",
                 t, x, y);
    else if (status == SPD_ENOTSPD)
        ctx_fail_at(ctx, status, SPD_NO_INDEX, t,
                    "at t = %g the %s geodesic has left the positive definite matrices; "
                    "stay within 0 to 1",
                    t, spd_metric_name(metric));
    else
        ctx_fail(ctx, status, "the geodesic at t = %g cannot be represented", t);
}

/* The geodesic of c X and c Y is c times that of X and Y. Bures-Wasserstein's works with products
 * of the two, which must not leave the range of numbers: c = 2^-e is chosen by their common size.
 */
static int common_exponent(spd_metric metric, size_t n, const double *X, const double *Y)
{
    double x = scale_largest(n * n, X), y = scale_largest(n * n, Y);
    return metric == SPD_BURES_WASSERSTEIN ? scale_exponent(sqrt(x) * sqrt(y), SCALE_USUAL) : 0;
}

/* G <- the point; room: 2 n n + geodesic_work(n) doubles. */
static spd_status scaled_point(spd_metric metric, size_t n, const double *X, const double *Y,
                               double t, double *G, double *room)
{
    int e = common_exponent(metric, n, X, Y);
    double *A = room, *B = A + n * n, *work = B + n * n;
    if (e == 0)
        return geodesic_point(metric, n, X, Y, t, G, work);
    scale_by(n * n, X, -e, A);
    scale_by(n * n, Y, -e, B);
    spd_status status = geodesic_point(metric, n, A, B, t, G, work);
    scale_by(n * n, G, e, G);
    for (size_t k = 0; k < n * n && status == SPD_OK; k++)
        status = isfinite(G[k]) ? SPD_OK : SPD_ENUMERIC;
    return status;
}

spd_status spd_geodesic(spd_context *ctx, spd_metric metric, size_t n, const double *X,
                        const double *Y, double t, double *G)
{
    ctx_clear(ctx);
    if (!spd_metric_name(metric))
        return ctx_fail(ctx, SPD_EINVAL, "unknown metric");
    if (n == 0 || !X || !Y || !G)
        return ctx_fail(ctx, SPD_EINVAL, "a geodesic needs two matrices and an output array");
    if (!isfinite(t))
        return ctx_fail(ctx, SPD_EINVAL, "t must be a finite number");
    spd_status status = check_set(ctx, "X", n, 1, X, 0.0);
    if (status == SPD_OK)
        status = check_set(ctx, "Y", n, 1, Y, 0.0);
    if (status < 0)
        return status;
    double *room = mem_alloc(3 * n * n + geodesic_work(n), sizeof *room);
    if (!room)
        return ctx_nomem(ctx, "a geodesic");
    spd_private_blas_hold();
    status = scaled_point(metric, n, X, Y, t, room, room + n * n);
    spd_private_blas_release();
    if (status == SPD_OK)
        memcpy(G, room, n * n * sizeof *G);
    else
        explain(ctx, status, metric, n, X, Y, t);
    mem_free(room);
    return status;
}
