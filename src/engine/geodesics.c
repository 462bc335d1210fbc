/* geodesics.c - the public geodesic: checks, memory, and BLAS held to one thread. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "engine/blas.h"
#include "engine/check.h"
#include "geometry/geodesic.h"

static void explain(spd_context *ctx, spd_status status, spd_metric metric, double t)
{
    if (status == SPD_ENOTSPD)
        ctx_fail_at(ctx, status, SPD_NO_INDEX, t,
                    "at t = %g the %s geodesic has left the positive definite matrices; "
                    "stay within 0 to 1",
                    t, spd_metric_name(metric));
    else
        ctx_fail(ctx, status, "the geodesic at t = %g cannot be represented", t);
}

spd_status spd_geodesic(spd_context *ctx, spd_metric metric, size_t n, const double *X,
                        const double *Y, double t, double *G)
{
    ctx_clear(ctx);
    if (!spd_metric_name(metric))
        return ctx_fail(ctx, SPD_EINVAL, "unknown metric");
    if (n == 0 || !X || !Y || !G)
        return ctx_fail(ctx, SPD_EINVAL, "a geodesic needs two matrices and room for a third");
    if (!isfinite(t))
        return ctx_fail(ctx, SPD_EINVAL, "t must be a finite number");
    spd_status status = check_set(ctx, "X", n, 1, X, 0.0);
    if (status == SPD_OK)
        status = check_set(ctx, "Y", n, 1, Y, 0.0);
    if (status < 0)
        return status;
    double *room = mem_alloc(n * n + geodesic_work(n), sizeof *room);
    if (!room)
        return ctx_nomem(ctx, "a geodesic");
    spd_private_blas_hold();
    status = geodesic_point(metric, n, X, Y, t, room, room + n * n);
    spd_private_blas_release();
    if (status == SPD_OK)
        memcpy(G, room, n * n * sizeof *G);
    else
        explain(ctx, status, metric, t);
    mem_free(room);
    return status;
}
