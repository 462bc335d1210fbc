/* cuda.c - the engine of NVIDIA GPUs: its module, loaded when it is first asked for (next to the
 * library or the program, or where the system looks for libraries; it stays loaded), its table, and
 * what is made of its faults. */
#include "run/cuda.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/dense.h"
#include "run/engine.h"
#include "run/module.h"
#include "run/parallel.h"

#define MODULE_NAME "libspdml-cuda.so"

/* ---- the module ------------------------------------------------------------------------------ */

static spd_status load_module(spd_context *ctx, const cuda_module **module)
{
    static _Atomic(const cuda_module *) loaded;
    cuda_module_entry entry = NULL;
    if ((*module = loaded))
        return SPD_OK;
    spd_status status =
        module_entry(ctx, MODULE_NAME, "the CUDA engine", CUDA_MODULE_ENTRY, 0, (void **)&entry);
    if (status < 0)
        return status;
    const cuda_module *table = entry ? entry() : NULL;
    if (!table || table->version != CUDA_MODULE_VERSION || table->size != sizeof *table)
        return ctx_fail(ctx, SPD_EDEVICE,
                        "%s is of another version than this library; install both from one build",
                        MODULE_NAME);
    loaded = table;
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
    case CUDA_FAULT_SIZE:
    case CUDA_FAULT_LIBRARY:
        return ctx_fail(ctx, SPD_EDEVICE, "%s", why);
    case CUDA_FAULT_STOPPED:
        return ctx_fail(ctx, SPD_ECANCELLED, "learning cancelled");
    case CUDA_FAULT_PLACE:
        return ctx_fail(ctx, SPD_EINVAL, "%s", why);
    default:
        return ctx_fail(ctx, SPD_EDEVICE, "the GPU failed: %s", why);
    }
}

spd_status cuda_open_module(spd_context *ctx, const cuda_module **module, int *devices,
                            cuda_device *about)
{
    char why[CUDA_WHY];
    spd_status status = load_module(ctx, module);
    if (status < 0)
        return status;
    int fault = (*module)->count(devices, why);
    if (fault == CUDA_FAULT_NONE && *devices == 0)
        return ctx_fail(ctx, SPD_EDEVICE, "no GPU was found");
    if (fault == CUDA_FAULT_NONE && about)
        fault = (*module)->describe(ctx_device(ctx) % *devices, about, why);
    return cuda_pass_fault(ctx, fault, why);
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

/* ---- calls ----------------------------------------------------------------------------------- */

typedef struct call {
    spd_context *ctx;
    const char *task, *unit;
    double total; /* of progress; 0: as the module counts */
    const cuda_module *module;
    cuda_sets in;
    int fault;
    char why[CUDA_WHY];
} call;

static int tell(void *user, double done, double total)
{
    const call *c = user;
    double unit = c->total > 0.0 ? c->total / total : 1.0;
    return ctx_progress(c->ctx, c->task, c->unit, unit * done, unit * total);
}

/* c <- a call about sets where X lies. c->in.user points to c: it must not move. */
static spd_status open_call(call *c, spd_context *ctx, const spd_set *X)
{
    cuda_device about = {.size = sizeof about};
    int devices = 0, there = X->place == SPD_PLACE_DEVICE;
    c->ctx = ctx;
    c->in.size = sizeof c->in;
    c->in.n = X->n;
    c->in.p = X->p;
    c->in.X = X->X;
    c->in.on_device = there;
    c->in.device = there ? X->device : ctx_device(ctx);
    c->in.stream = there ? X->stream : NULL;
    c->in.threads = parallel_threads(ctx);
    c->in.progress = tell;
    c->in.user = c;
    spd_status status = cuda_open_module(ctx, &c->module, &devices, there ? NULL : &about);
    if (status == SPD_OK && there && (X->device < 0 || X->device >= devices))
        return ctx_fail(ctx, SPD_EINVAL, "there is no GPU number %d; there are %d", X->device,
                        devices);
    if (status == SPD_OK && !there)
        c->in.device %= devices;
    return status;
}

static atomic_size_t done;

size_t cuda_jobs_done(void)
{
    return done;
}

/* What is left to the processor: what the kernels are not made for, and, unless the GPU was asked
 * for by name, whatever else is in the way. */
static spd_status conclude(call *c, spd_status opened)
{
    spd_context *ctx = c->ctx;
    spd_status status = opened == SPD_OK ? cuda_pass_fault(ctx, c->fault, c->why) : opened;
    int crowded = c->fault == CUDA_FAULT_MEMORY && ctx_sharers(ctx) > 1;
    int named = ctx_engine(ctx) == SPD_ENGINE_CUDA,
        missing = c->fault == CUDA_FAULT_LIBRARY && !named;
    int cannot = c->fault == CUDA_FAULT_SAMPLE || c->fault == CUDA_FAULT_SIZE || crowded || missing;
    int free_choice = ctx_engine(ctx) == SPD_ENGINE_AUTO && !c->in.on_device;
    if (status == SPD_OK) {
        done++;
        if (ctx)
            ctx->device_calls++;
        return SPD_OK;
    }
    if (opened == SPD_OK && c->fault == CUDA_FAULT_STOPPED)
        return ctx_fail(ctx, SPD_ECANCELLED, "%s cancelled", c->task);
    if ((opened == SPD_OK && cannot) || free_choice) {
        ctx_clear(ctx);
        return SPD_DECLINED;
    }
    return status == SPD_EDEVICE && !c->in.on_device
               ? ctx_advise(ctx, status, SPD_REMEDY_AUTO_ENGINE, 0.0)
               : status;
}

/* ---- operations ------------------------------------------------------------------------------ */

static spd_status open_job(call *c, spd_context *ctx, const set_job *j)
{
    *c = (call){.task = j->task, .unit = j->unit};
    spd_status status = open_call(c, ctx, j->X);
    c->in.metric = j->metric;
    return status;
}

/* All pairs have queries in rows, samples in columns. */
static spd_status all_pairs(spd_context *ctx, const set_job *j, int products)
{
    call c;
    spd_status status = open_job(&c, ctx, j);
    if (j->Y) {
        c.in.p = j->Y->p;
        c.in.X = j->Y->X;
        c.in.q = j->X->p;
        c.in.Q = j->X->X;
    }
    if (status == SPD_OK)
        c.fault = (products ? c.module->products : c.module->pairwise)(&c.in, j->out[0], c.why);
    return conclude(&c, status);
}

static spd_status pairwise(spd_context *ctx, const set_job *j)
{
    return all_pairs(ctx, j, 0);
}

static spd_status products(spd_context *ctx, const set_job *j)
{
    return all_pairs(ctx, j, 1);
}

static spd_status nearest(spd_context *ctx, const set_job *j)
{
    call c;
    double exact = 0.0;
    spd_status status = open_job(&c, ctx, j);
    c.in.q = j->Y ? j->Y->p : 0;
    c.in.Q = j->Y ? j->Y->X : NULL;
    c.in.label = j->label;
    c.in.brute = j->brute;
    if (status == SPD_OK)
        c.fault = c.module->neighbours(&c.in, j->k, j->out[0], j->out[1], &exact, c.why);
    status = conclude(&c, status);
    if (status == SPD_OK && j->exact)
        *j->exact = exact;
    return status;
}

static spd_status apply(spd_context *ctx, const set_job *j)
{
    call c;
    if (j->f == SPD_FUNCTION_FLOOR)
        return SPD_DECLINED;
    spd_status status = open_job(&c, ctx, j);
    if (status == SPD_OK)
        c.fault = c.module->apply(&c.in, j->f, j->power, j->out[0], c.why);
    return conclude(&c, status);
}

static spd_status eigen(spd_context *ctx, const set_job *j)
{
    call c;
    spd_status status = open_job(&c, ctx, j);
    if (status == SPD_OK)
        c.fault = c.module->eigen(&c.in, j->out[0], j->out[1], c.why);
    return conclude(&c, status);
}

/* ---- sets on the device ---------------------------------------------------------------------- */

/* Those that are finite and symmetric are good; of one that is not the processor says more. */
static spd_status inspect(spd_context *ctx, const set_job *j)
{
    call c;
    size_t bad = j->X->p;
    spd_status status = open_job(&c, ctx, j);
    if (status == SPD_OK)
        status = cuda_pass_fault(ctx, c.module->inspect(&c.in, j->tolerance, &bad, c.why), c.why);
    *(size_t *)j->out[0] = bad;
    return status;
}

static spd_status copy(spd_context *ctx, const spd_set *at, const void *from, size_t bytes,
                       void *to)
{
    call c = {0};
    spd_status status = open_call(&c, ctx, at);
    return status < 0 ? status
                      : cuda_pass_fault(ctx, c.module->copy(&c.in, from, bytes, to, c.why), c.why);
}

static spd_status exponentials(spd_context *ctx, const spd_set *at, double beta, size_t count,
                               double *K)
{
    call c = {0};
    spd_status status = open_call(&c, ctx, at);
    return status < 0
               ? status
               : cuda_pass_fault(ctx, c.module->exponentials(&c.in, beta, count, K, c.why), c.why);
}

static spd_status scale(spd_context *ctx, const spd_set *at, double factor, size_t count, double *K)
{
    call c = {0};
    spd_status status = open_call(&c, ctx, at);
    return status < 0
               ? status
               : cuda_pass_fault(ctx, c.module->scale(&c.in, factor, count, K, c.why), c.why);
}

/* ---- means ----------------------------------------------------------------------------------- */

struct engine_passes {
    call c;
    cuda_mean *mean;
    double *at, *sum; /* n x n, then room for the terms of any rule */
};

static void mean_close(engine_passes *m)
{
    if (m->mean && m->c.module)
        m->c.module->mean_close(m->mean);
    mem_free(m->at);
    mem_free(m);
}

static spd_status mean_open(spd_context *ctx, const set_job *j, const double *weight,
                            engine_passes **passes)
{
    size_t n2 = j->X->n * j->X->n;
    engine_passes *m = mem_zero(1, sizeof *m);
    if (!m || !(m->at = mem_alloc(3 * n2 + 2, sizeof *m->at))) {
        mem_free(m);
        return ctx_nomem(ctx, "the mean");
    }
    m->sum = m->at + n2;
    spd_status status = open_job(&m->c, ctx, j);
    m->c.total = 1.0; /* a pass is one iteration */
    if (status == SPD_OK)
        m->c.fault = m->c.module->mean_open(&m->c.in, weight, &m->mean, m->c.why);
    status = conclude(&m->c, status);
    if (status == SPD_OK)
        *passes = m;
    else
        mean_close(m);
    return status;
}

/* What the module is told of the point, out of the rule's frame: M, or its factor. The logarithms of
 * the log-Euclidean mean are those at the identity. */
static const double *point_of(engine_passes *m, spd_metric rule, const double *frame)
{
    size_t n = m->c.in.n;
    if (rule == SPD_METRIC_STEIN || rule == SPD_METRIC_AIRM)
        dense_unpack(n, frame, m->at);
    else
        for (size_t e = 0; e < n * n; e++)
            m->at[e] = e % (n + 1) == 0;
    return m->at;
}

static spd_status mean_sum(engine_passes *m, spd_metric rule, const double *frame, size_t terms,
                           double *sum)
{
    call *c = &m->c;
    const double *at = point_of(m, rule, frame);
    c->fault = c->module->mean_sum(m->mean, rule, at, m->sum, c->why);
    spd_status status = conclude(c, SPD_OK);
    if (status == SPD_OK)
        memcpy(sum, m->sum, terms * sizeof *sum);
    return status;
}

const engine_table engine_cuda = {.run = {[OPERATION_CHECK] = inspect,
                                          [OPERATION_PAIRWISE] = pairwise,
                                          [OPERATION_PRODUCTS] = products,
                                          [OPERATION_NEAREST] = nearest,
                                          [OPERATION_APPLY] = apply,
                                          [OPERATION_EIGEN] = eigen},
                                  .mean_open = mean_open,
                                  .mean_sum = mean_sum,
                                  .mean_close = mean_close,
                                  .copy = copy,
                                  .exponentials = exponentials,
                                  .scale = scale};
