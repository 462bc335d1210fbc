/* geodesics.c - the public geodesic: checks, memory, and BLAS held to one thread. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "engine/check.h"
#include "engine/parallel.h"
#include "geometry/geodesic.h"

typedef struct geodesic_job {
    spd_metric metric;
    size_t n;
    const double *X, *Y;
    double t;
    double *G, *work;
} geodesic_job;

static spd_status point_chunk(void *user, size_t chunk, int thread)
{
    geodesic_job *j = user;
    (void)chunk;
    (void)thread;
    return geodesic_point(j->metric, j->n, j->X, j->Y, j->t, j->G, j->work);
}

static spd_status find_point(spd_context *ctx, geodesic_job *j)
{
    spd_status status = parallel_for(ctx, 1, point_chunk, j, NULL, NULL, 0.0, NULL);
    if (status == SPD_ENOTSPD)
        return ctx_fail_at(ctx, status, SPD_NO_INDEX, j->t,
                           "at t = %g the %s geodesic has left the positive definite matrices; "
                           "stay within 0 to 1",
                           j->t, spd_metric_name(j->metric));
    if (status < 0)
        return ctx_fail(ctx, status, "the geodesic at t = %g cannot be represented", j->t);
    return status;
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
    geodesic_job j = {metric, n, X, Y, t, room, room + n * n};
    status = find_point(ctx, &j);
    if (status == SPD_OK)
        memcpy(G, room, n * n * sizeof *G);
    mem_free(room);
    return status;
}
