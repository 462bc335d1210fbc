/* cuda.c - the CUDA engine, as the optimiser sees it.
 *
 * The kernels are in a module of their own (engine/cuda), which is loaded here when it is first
 * asked for: beside the library or the program, or where the system looks for libraries. It stays
 * loaded. Without it, without a device, or for a problem it is not made for, opening an engine
 * fails with a message; whether that is the end is the caller's to say. */
#include "engine/cuda.h"

#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

#include "base/stop.h"
#include "engine/candidates.h"
#include "engine/cuda_module.h"
#include "engine/module.h"
#include "engine/parallel.h"

#define MODULE_NAME "libspdml-cuda.so"

typedef struct cuda_problem {
    problem base;
    spd_context *ctx;
    const cuda_module *module;
    cuda_engine *engine;
    const spd_store *set; /* the samples, */
    spd_store lent;       /* which may be this */
    pthread_t caller;     /* who is in the module: the callback is for this thread alone */
    atomic_int stopped;
    arena room; /* where this lies */
} cuda_problem;

/* ---- the module ----------------------------------------------------------------------------- */

static spd_status load_module(spd_context *ctx, const cuda_module **module)
{
    cuda_module_entry entry = NULL;
    spd_status status =
        module_entry(ctx, MODULE_NAME, "the CUDA engine", CUDA_MODULE_ENTRY, 0, (void **)&entry);
    if (status < 0)
        return status;
    const cuda_module *table = entry ? entry() : NULL;
    if (!table || table->version != CUDA_MODULE_VERSION || table->size != sizeof *table)
        return ctx_fail(ctx, SPD_EDEVICE,
                        "%s is of another version than this library; install both from one build",
                        MODULE_NAME);
    *module = table;
    return SPD_OK;
}

spd_status cuda_pass_fault(spd_context *ctx, int fault, const char *why)
{
    switch (fault) {
    case CUDA_FAULT_NONE:
        return SPD_OK;
    case CUDA_FAULT_MEMORY:
        return ctx_fail(ctx, SPD_ENOMEM, "out of memory on the GPU: %s", why);
    case CUDA_FAULT_NO_DEVICE:
        return ctx_fail(ctx, SPD_EDEVICE, "no GPU can be used: %s", why);
    case CUDA_FAULT_GRAPH:
        return candidates_none(ctx);
    case CUDA_FAULT_SIZE:
        return ctx_fail(ctx, SPD_EDEVICE, "%s", why);
    case CUDA_FAULT_STOPPED:
        return ctx_fail(ctx, SPD_ECANCELLED, "learning cancelled");
    case CUDA_FAULT_PLACE:
        return ctx_fail(ctx, SPD_EINVAL, "%s", why);
    default:
        return ctx_fail(ctx, SPD_EDEVICE, "the GPU failed: %s", why);
    }
}

/* *devices <- how many there are; *about <- the one that a process begins with, if that is asked.
 */
static spd_status first_device(spd_context *ctx, const cuda_module *module, int *devices,
                               cuda_device *about)
{
    char why[CUDA_WHY];
    int fault = module->count(devices, why);
    if (fault == CUDA_FAULT_NONE && *devices == 0)
        return ctx_fail(ctx, SPD_EDEVICE, "no GPU was found");
    if (fault == CUDA_FAULT_NONE && about)
        fault = module->describe(ctx_device(ctx) % *devices, about, why);
    return cuda_pass_fault(ctx, fault, why);
}

spd_status cuda_open_module(spd_context *ctx, const cuda_module **module, int *devices,
                            cuda_device *about)
{
    spd_status status = load_module(ctx, module);
    if (status == SPD_OK)
        status = first_device(ctx, *module, devices, about);
    int number = ctx && ctx->place ? ctx->place->number : 0;
    if (status == SPD_OK && (number < 0 || number >= *devices))
        return ctx_fail(ctx, SPD_EINVAL, "there is no GPU number %d; there are %d", number,
                        *devices);
    return status;
}

spd_status cuda_describe(spd_context *ctx, char *text, size_t room)
{
    const cuda_module *module = NULL;
    cuda_device about = {.size = sizeof about};
    char several[32] = "";
    int devices = 0;
    spd_status status = cuda_open_module(ctx, &module, &devices, &about);
    if (devices > 1)
        snprintf(several, sizeof several, "%d x ", devices);
    if (status == SPD_OK)
        snprintf(text, room, "%s%s, %.0f GB, compute capability %d.%d, CUDA %d.%d", several,
                 about.name, (double)about.memory / 1e9, about.major, about.minor,
                 about.runtime / 1000, about.runtime % 1000 / 10);
    return status;
}

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
        status = store_fail(e->ctx, e->set, SPD_EIO);
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
    int told = ctx->told.task ? ctx_ask_again(ctx) : ctx_tell(ctx, "learning", "iterations", 0, 0);
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
    return status == SPD_OK && !isfinite(f) ? engine_no_cost(e->ctx, f) : status;
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

static void cuda_free(problem *base)
{
    cuda_problem *e = (cuda_problem *)base;
    arena room = e->room;
    e->module->close(e->engine);
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
    snprintf(text, room, "%s, %d used, %.3g GB%s", device, used.devices, 1e-9 * (double)used.bytes,
             pass);
}

/* The module's number of a metric of fits; -1 for others. */
static int metric_number(spd_metric metric)
{
    switch (metric) {
    case SPD_STEIN:
        return CUDA_STEIN;
    case SPD_AIRM:
        return CUDA_AIRM;
    case SPD_JEFFREY:
        return CUDA_JEFFREY;
    case SPD_LOG_EUCLIDEAN:
        return CUDA_LOG_EUCLIDEAN;
    default:
        return -1;
    }
}

int cuda_takes(spd_metric metric, size_t n, size_t m)
{
    return metric_number(metric) >= 0 && n <= CUDA_MAX_N && m <= CUDA_MAX_M;
}

static spd_status check_known(spd_context *ctx, const engine_input *in)
{
    if (metric_number(in->metric) < 0)
        return ctx_fail(ctx, SPD_EDEVICE, "the CUDA engine does not know the metric %s",
                        spd_metric_name(in->metric));
    return SPD_OK;
}

static int number_of(spd_objective wanted)
{
    return wanted == SPD_RATIO        ? CUDA_RATIO
           : wanted == SPD_SOFTMAX    ? CUDA_SOFTMAX
           : wanted == SPD_LOG_MARGIN ? CUDA_LOG_MARGIN
                                      : CUDA_DIFFERENCE;
}

/* Samples for the module, from any thread. */
static int read_samples(void *user, size_t first, size_t count, double *to)
{
    return store_read(user, first, count, to) < 0;
}

#define MUCH_EACH 5e10 /* operations of an iteration that keep a device busy for some 20 ms */

/* How many devices share the samples: one to a rank or a lane; else all, where that is a gain. */
static int devices_for(spd_context *ctx, const engine_input *in, int there, size_t memory)
{
    double n = (double)in->n, m = (double)in->m, p = (double)in->p;
    double bytes = 8.0 * p * (0.5 * n * (n + 16.0) + 2.0 * n * m + 7.0 * m * m);
    double work = 2.0 * p * n * m * (n + 4.0 * m) +
                  (in->metric == SPD_AIRM ? 60.0 : 2.0) * (double)in->pairs * m * m * m;
    int others = (ctx && ctx->ranks) || ctx_sharers(ctx) > 1;
    return others || (bytes < (double)memory && work < MUCH_EACH) ? 1 : there;
}

/* Where the samples lie on a GPU; NULL: nowhere. */
static const spd_device *place_of(const engine_input *in)
{
    return in->set && in->X && in->X == in->set->X ? in->set->place : NULL;
}

static cuda_input describe_fit(spd_context *ctx, const engine_input *in, const engine_room *room,
                               cuda_problem *e)
{
    const spd_device *place = place_of(in);
    ranks *r = ranks_of(ctx);
    return (cuda_input){.size = sizeof(cuda_input),
                        .n = in->n,
                        .m = in->m,
                        .p = in->p,
                        .X = place ? in->set->there : in->X,
                        .read = read_samples,
                        .user = (void *)(uintptr_t)e->set,
                        .extra = in->extra,
                        .metric = metric_number(in->metric),
                        .objective = number_of(in->objective),
                        .pairs = in->pairs,
                        .pair = (const cuda_pair *)(const void *)in->pair,
                        .device = place ? place->number : ctx_device(ctx),
                        .devices = room->devices,
                        .peers = {ranks_count(r), ranks_rank(r), collect, r},
                        .threads = parallel_threads(ctx),
                        .memory_bytes = room->memory_bytes,
                        .buffer_bytes = room->buffer_bytes,
                        .on_device = place != NULL,
                        .stream = place ? place->stream : NULL,
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
    if (room.devices == 0)
        room.devices = place_of(in) ? 1 : devices_for(ctx, in, devices, about.free);
    if (room.memory_bytes == 0 && ctx_sharers(ctx) > 1)
        room.memory_bytes = about.memory / (size_t)ctx_sharers(ctx);
    enter(e);
    cuda_input given = describe_fit(ctx, in, &room, e);
    return call_status(e, e->module->open(&given, &e->engine, why), why);
}

spd_status engine_cuda_new(spd_context *ctx, const engine_input *in, const engine_room *room,
                           problem **out)
{
    _Static_assert(sizeof(cuda_pair) == sizeof(spd_pair), "the module reads spd_pair");
    static const engine_room usual = {0};
    arena own = {0};
    cuda_problem *e = arena_zero(&own, 1, sizeof *e);
    if (!e)
        return ctx_nomem(ctx, "the engine");
    e->ctx = ctx;
    e->set = engine_set(in, &e->lent);
    spd_status status = open_engine(ctx, in, room ? *room : usual, e);
    if (status < 0) {
        if (e->engine)
            e->module->close(e->engine);
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
