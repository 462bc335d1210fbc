/* cuda.c - the CUDA engine, as the optimiser sees it.
 *
 * The kernels are in a module of their own (cuda, run/cuda.h). Without it, without a device,
 * or for a problem it is not made for, opening an engine fails with a message; whether that is the
 * end is the caller's to say. */
#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

#include "base/stop.h"
#include "fit/candidates.h"
#include "fit/engine.h"
#include "run/cuda.h"
#include "run/parallel.h"

typedef struct cuda_problem {
    problem base;
    spd_context *ctx;
    const cuda_module *module;
    cuda_engine *engine;
    const spd_set *set; /* the samples, */
    spd_set lent;       /* which may be this */
    int before;         /* the device that CUDA's calls of the caller's thread are for; -1: any */
    pthread_t caller;   /* who is in the module: the callback is for this thread alone */
    atomic_int stopped;
    arena room; /* where this lies */
} cuda_problem;

/* ---- a problem ------------------------------------------------------------------------------ */

/* What a call of the module came to, in all ranks: one that has failed says so once, here, and the
 * others hear of it here or in their next exchange (collect). */
static spd_status call_status(cuda_problem *e, int fault, const char *why)
{
    ranks *r = ranks_of(e->ctx);
    int elsewhere = fault == CUDA_FAULT_ELSEWHERE;
    spd_status status = SPD_OK;
    if (r && !elsewhere)
        elsewhere = r->least(r, fault ? -1 : 0) < 0 && !fault;
    if (fault == CUDA_FAULT_READ)
        status = set_fail(e->ctx, e->set, SPD_EIO);
    else if (fault == CUDA_FAULT_GRAPH)
        status = candidates_none(e->ctx);
    else if (!elsewhere)
        status = cuda_pass_fault(e->ctx, fault, why);
    return r && (elsewhere || fault) ? ranks_settle(e->ctx, status) : status;
}

/* The pieces of all ranks, of which each has its own. */
static int collect(void *user, const size_t *at, void *all)
{
    ranks *r = user;
    if (r->least(r, 0) < 0)
        return 1;
    for (int k = 0; k < r->count; k++)
        r->broadcast(r, k, (char *)all + at[k], at[k + 1] - at[k]);
    return 0;
}

/* Devices may differ in the last bits; the optimisers of all ranks must not. */
static void share_numbers(const cuda_problem *e, size_t count, double *x)
{
    ranks *r = ranks_of(e->ctx);
    if (r)
        r->broadcast(r, 0, x, count * sizeof *x);
}

/* Before every call: it is this thread that waits for the module. */
static cuda_engine *enter(cuda_problem *e)
{
    e->caller = pthread_self();
    return e->engine;
}

/* Is a pass still wanted? As in loops on the processor (parallel.c); ranks would not all hear the
 * same. */
static int stop_asked(void *user)
{
    cuda_problem *e = user;
    spd_context *ctx = e->ctx;
    if (!ctx || ranks_of(ctx) || !pthread_equal(e->caller, pthread_self()))
        return atomic_load(&e->stopped);
    int told = ctx->reported.task ? ctx_report_again(ctx)
                                  : ctx_report(ctx, "learning", "iterations", 0, 0);
    if (told || stop_wanted())
        atomic_store(&e->stopped, 1);
    return atomic_load(&e->stopped);
}

static spd_status cuda_start(problem *base, const double *W)
{
    cuda_problem *e = (cuda_problem *)base;
    char why[CUDA_WHY];
    double f = NAN;
    spd_status status = call_status(e, e->module->start(enter(e), W, &f, why), why);
    if (status == SPD_OK)
        share_numbers(e, 1, &f);
    return status == SPD_OK && !isfinite(f) ? engine_no_cost(e->ctx) : status;
}

static spd_status cuda_cost_grad(problem *base, double *f, double *G)
{
    cuda_problem *e = (cuda_problem *)base;
    char why[CUDA_WHY];
    spd_status status = call_status(e, e->module->cost_grad(enter(e), f, G, why), why);
    if (status == SPD_OK) {
        share_numbers(e, 1, f);
        share_numbers(e, base->n * base->m, G);
    }
    return status;
}

static spd_status cuda_aim(problem *base, const double *U, const double *sigma, const double *V)
{
    cuda_problem *e = (cuda_problem *)base;
    char why[CUDA_WHY];
    return call_status(e, e->module->aim(enter(e), U, sigma, V, why), why);
}

/* What goes wrong here goes wrong again in the probe. */
static void cuda_ahead(problem *base, double t)
{
    cuda_problem *e = (cuda_problem *)base;
    char why[CUDA_WHY];
    (void)e->module->ahead(enter(e), t, why);
}

static spd_status cuda_probe(problem *base, double t, double *f, double *df)
{
    cuda_problem *e = (cuda_problem *)base;
    char why[CUDA_WHY];
    spd_status status = call_status(e, e->module->probe(enter(e), t, f, df, why), why);
    if (status == SPD_OK) {
        share_numbers(e, 1, f);
        share_numbers(e, 1, df);
    }
    return status;
}

static spd_status cuda_step(problem *base, double t)
{
    cuda_problem *e = (cuda_problem *)base;
    char why[CUDA_WHY];
    return call_status(e, e->module->step(enter(e), t, why), why);
}

/* Samples that lie on a device are the caller's, who may have chosen another one. */
static void restore_device(const cuda_problem *e)
{
    if (e->before >= 0)
        (void)e->module->choose(e->before);
}

static void cuda_free(problem *base)
{
    cuda_problem *e = (cuda_problem *)base;
    arena room = e->room;
    e->module->close(e->engine);
    restore_device(e);
    arena_free(&room);
}

/* "NVIDIA H200, 36.1 GB used; a pass over the samples takes 4.2 ms, 71 % of the memory's speed" */
static void cuda_about(problem *base, size_t room, char *text)
{
    cuda_problem *e = (cuda_problem *)base;
    cuda_usage used = {.size = sizeof used};
    char device[200] = "", pass[160] = "", speed[100] = "";
    e->module->usage(e->engine, &used);
    if (cuda_describe(e->ctx, device, sizeof device) < 0)
        ctx_clear(e->ctx);
    if (used.streamed && used.sent == 0)
        snprintf(speed, sizeof speed, ", packing them anew: there is no room to keep them packed");
    else if (used.seconds > 0.0 && used.streamed)
        snprintf(speed, sizeof speed, ", %.1f GB sent at %.3g GB/s", 1e-9 * (double)used.sent,
                 1e-9 * (double)used.sent / used.seconds);
    else if (used.seconds > 0.0 && used.peak > 0.0)
        snprintf(speed, sizeof speed, ", %.0f %% of the memory's speed",
                 100.0 * used.moved / used.seconds / used.peak);
    if (used.seconds > 0.0)
        snprintf(pass, sizeof pass, "; a pass over the samples takes %.3g ms%s", 1e3 * used.seconds,
                 speed);
    snprintf(text, room, "%s, %.3g GB used%s", device, 1e-9 * (double)used.bytes, pass);
}

static spd_status check_known(spd_context *ctx, const engine_input *in)
{
    const fit_work any = {.n = 1, .m = 1, .metric = in->metric};
    if (engine_fits(&any))
        return SPD_OK; /* sizes are the module's to refuse */
    return ctx_fail(ctx, SPD_EDEVICE, "the CUDA engine does not know the metric %s",
                    spd_name(SPD_ENUM_METRIC, in->metric));
}

/* Samples for the module, from any thread. */
static int read_samples(void *user, size_t first, size_t count, double *to)
{
    return set_read(user, first, count, to) < 0;
}

static cuda_input describe_fit(spd_context *ctx, const engine_input *in, const engine_room *room,
                               cuda_problem *e)
{
    const spd_set *there = in->there;
    ranks *r = ranks_of(ctx);
    return (cuda_input){.size = sizeof(cuda_input),
                        .n = in->n,
                        .m = in->m,
                        .p = in->p,
                        .X = there ? there->X : in->X,
                        .read = read_samples,
                        .user = (void *)(uintptr_t)e->set,
                        .extra = in->extra,
                        .metric = in->metric,
                        .objective = in->objective,
                        .pairs = in->pairs,
                        .pair = in->pair,
                        .device = there ? there->device : ctx_device(ctx),
                        .peers = {ranks_count(r), ranks_rank(r), collect, r},
                        .threads = parallel_threads(ctx),
                        .memory_bytes = room->memory_bytes,
                        .buffer_bytes = room->buffer_bytes,
                        .on_device = there != NULL,
                        .stream = there ? there->stream : NULL,
                        .stop = stop_asked,
                        .stop_user = e};
}

/* The module, a device, and then the engine: in all ranks, or in none. */
static spd_status open_engine(spd_context *ctx, const engine_input *in, engine_room room,
                              cuda_problem *e)
{
    cuda_device about = {.size = sizeof about};
    char why[CUDA_WHY] = "";
    int devices = 0;
    spd_status status = cuda_open_module(ctx, &e->module, &devices, &about);
    if (status == SPD_OK)
        status = check_known(ctx, in);
    status = ranks_settle(ctx, status);
    if (status < 0)
        return status;
    if (room.memory_bytes == 0 && ctx_sharers(ctx) > 1)
        room.memory_bytes = about.memory / (size_t)ctx_sharers(ctx);
    if (in->there)
        e->before = e->module->choose(-1);
    enter(e);
    cuda_input given = describe_fit(ctx, in, &room, e);
    return call_status(e, e->module->open(&given, &e->engine, why), why);
}

spd_status engine_cuda_new(spd_context *ctx, const engine_input *in, const engine_room *room,
                           problem **out)
{
    static const engine_room usual = {0};
    arena own = {0};
    cuda_problem *e = arena_zero(&own, 1, sizeof *e);
    if (!e)
        return ctx_nomem(ctx, "the engine");
    e->ctx = ctx;
    e->before = -1;
    e->set = engine_set(in, &e->lent);
    spd_status status = open_engine(ctx, in, room ? *room : usual, e);
    if (status < 0) {
        if (e->engine)
            e->module->close(e->engine);
        restore_device(e);
        arena_free(&own);
        return status;
    }
    e->base = (problem){.n = in->n,
                        .m = in->m,
                        .start = cuda_start,
                        .cost_grad = cuda_cost_grad,
                        .aim = cuda_aim,
                        .ahead = ranks_of(ctx) ? NULL : cuda_ahead,
                        .probe = cuda_probe,
                        .step = cuda_step,
                        .free = cuda_free,
                        .about = cuda_about};
    e->room = own;
    if (ctx)
        ctx->device_calls++;
    *out = &e->base;
    return SPD_OK;
}
