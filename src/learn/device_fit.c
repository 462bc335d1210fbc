/* device_fit.c - a fit of matrices that lie in the memory of a GPU.
 *
 * What a fit does on the processor, which is checks, fingerprint, graph, start and coordinates,
 * reads a copy on the host, made once; the engine takes its samples from where they lie
 * (base/store.h). So the map has the bits of a fit from host memory. */
#include "base/memory.h"
#include "base/store.h"
#include "engine/cuda_host.h"
#include "engine/device.h"

/* With the copy, in a context that knows of the device only which one it is. The caller may have
 * chosen another. */
static spd_status fit_copy(device_stay *s, size_t n, size_t p, const double *X, const double *copy,
                           const int *label, const spd_fit_options *options,
                           const spd_fit_watch *watch, spd_model **model)
{
    spd_store set;
    int before = host_device(s->ctx, -1), device = s->ctx->device;
    store_lend(&set, n, p, copy);
    set.place = &s->at;
    set.there = X;
    s->ctx->place = NULL;
    s->ctx->device = s->at.number;
    spd_status status = spd_fit_store(s->ctx, &set, label, options, watch, model);
    s->ctx->device = device;
    if (before >= 0 && before != s->at.number)
        (void)host_device(s->ctx, before);
    return status;
}

spd_status spd_device_fit(spd_context *ctx, const spd_device *at, size_t n, size_t p,
                          const double *X, const int *label, const spd_fit_options *options,
                          const spd_fit_watch *watch, spd_model **model)
{
    device_stay s;
    double *copy = NULL;
    device_enter(&s, ctx, at);
    if (s.status < 0)
        return s.status;
    if (s.own)
        spd_context_set_engine(s.own, SPD_ENGINE_AUTO);
    if (s.ctx->engine == SPD_ENGINE_CPU)
        return device_leave(&s, ctx_fail(s.ctx, SPD_EINVAL,
                                         "matrices on a GPU are learned from by the engine cuda or "
                                         "auto; for the processor bring them to the host"));
    if (!X || n == 0 || p == 0)
        return device_leave(&s, ctx_fail(s.ctx, SPD_EINVAL, "no matrices given: X is empty"));
    spd_status status = host_copy(s.ctx, n, p, X, &copy);
    if (status == SPD_OK)
        status = fit_copy(&s, n, p, X, copy, label, options, watch, model);
    mem_free(copy);
    return device_leave(&s, status);
}
