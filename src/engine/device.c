/* device.c - sets that lie in the memory of a GPU: the public functions on sets, told so.
 *
 * The context remembers for the call where the sets lie. Arguments are checked where those of sets
 * on the host are; what comes after is the GPU's (cuda_sets.c), or is brought to the host
 * (cuda_host.c): nothing else looks at the matrices. */
#include "engine/device.h"

#include "base/sized.h"
#include "engine/cuda_sets.h"

void device_enter(device_stay *s, spd_context *ctx, const spd_device *at)
{
    *s = (device_stay){.ctx = ctx, .at = SPD_INIT(spd_device), .status = SPD_OK};
    ctx_clear(ctx);
    if (ranks_of(ctx))
        s->status = ctx_fail(ctx, SPD_EINVAL, "sets on a GPU are for one process");
    if (s->status == SPD_OK)
        s->status = sized_take(ctx, "spd_device", sizeof s->at, &s->at, at);
    if (s->status == SPD_OK && !ctx) {
        s->ctx = s->own = spd_context_new();
        s->status = s->own ? SPD_OK : SPD_ENOMEM;
    }
    if (s->status == SPD_OK)
        s->ctx->place = &s->at;
}

spd_status device_leave(device_stay *s, spd_status status)
{
    s->ctx->place = NULL;
    spd_context_free(s->own);
    return status;
}

spd_status spd_device_pairwise2(spd_context *ctx, const spd_device *at, spd_metric metric, size_t n,
                                size_t p, const double *X, size_t q, const double *Y, double *D2)
{
    device_stay s;
    device_enter(&s, ctx, at);
    return s.status < 0 ? s.status
                        : device_leave(&s, spd_pairwise2(s.ctx, metric, n, p, X, q, Y, D2));
}

spd_status spd_device_nearest(spd_context *ctx, const spd_device *at, spd_metric metric, size_t n,
                              size_t p, const double *X, size_t q, const double *Q,
                              spd_neighbours *neighbours)
{
    device_stay s;
    device_enter(&s, ctx, at);
    return s.status < 0 ? s.status
                        : device_leave(&s, spd_nearest(s.ctx, metric, n, p, X, q, Q, neighbours));
}

spd_status spd_device_apply(spd_context *ctx, const spd_device *at, spd_function f, double power,
                            size_t n, size_t p, const double *X, double *F)
{
    device_stay s;
    device_enter(&s, ctx, at);
    return s.status < 0 ? s.status : device_leave(&s, spd_apply(s.ctx, f, power, n, p, X, F));
}

spd_status spd_device_kernel(spd_context *ctx, const spd_device *at, spd_kernel_kind kind,
                             double beta, size_t n, size_t p, const double *X, size_t q,
                             const double *Y, double *K)
{
    device_stay s;
    device_enter(&s, ctx, at);
    return s.status < 0 ? s.status
                        : device_leave(&s, spd_kernel(s.ctx, kind, beta, n, p, X, q, Y, K));
}

spd_status spd_device_congruence(spd_context *ctx, const spd_device *at, size_t n, size_t m,
                                 size_t p, const double *X, const double *W, double *S)
{
    device_stay s;
    device_enter(&s, ctx, at);
    return s.status < 0 ? s.status : device_leave(&s, spd_congruence(s.ctx, n, m, p, X, W, S));
}

spd_status spd_device_mean(spd_context *ctx, const spd_device *at, spd_metric metric, size_t n,
                           size_t p, const double *X, const spd_mean_options *options, double *M,
                           spd_mean_info *info)
{
    device_stay s;
    device_enter(&s, ctx, at);
    return s.status < 0 ? s.status
                        : device_leave(&s, spd_mean(s.ctx, metric, n, p, X, options, M, info));
}

spd_status spd_device_check(spd_context *ctx, const spd_device *at, size_t n, size_t p,
                            const double *X, double tolerance)
{
    device_stay s;
    device_enter(&s, ctx, at);
    if (s.status < 0)
        return s.status;
    if (!X || n == 0 || p == 0)
        return device_leave(&s, ctx_fail(ctx, SPD_EINVAL, "no matrices to check: X is empty"));
    if (!(tolerance >= 0.0))
        return device_leave(&s, ctx_fail(ctx, SPD_EINVAL, "tolerance %g is negative", tolerance));
    return device_leave(&s, cuda_check(s.ctx, n, p, X, tolerance));
}
