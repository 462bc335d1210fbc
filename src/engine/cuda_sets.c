/* cuda_sets.c - sets of matrices on the GPU: who is to do it, the call of the module, and what is
 * made of its faults. */
#include "engine/cuda_sets.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/memory.h"
#include "base/ranks.h"
#include "engine/cuda_host.h"
#include "engine/cuda_module.h"
#include "engine/parallel.h"
#include "linalg/dense.h"

/* ---- who ------------------------------------------------------------------------------------ */

#define CORE_FLOPS   1e10 /* per second */
#define GPU_FLOPS    3e12
#define GPU_COPIES   1e10   /* bytes per second */
#define GPU_OPEN     0.7    /* seconds until a GPU can be used */
#define FEW_PAIRS    4096.0 /* of 16 x 16: not worth a device, even where it is asked for by name */
#define FEW_NUMBERS  16384.0
#define FEW_MATRICES 8
#define AIRM_PASSES  8.0 /* of a mean, usually */

/* Do the sets of this call lie on it? */
static int on_device(const spd_context *ctx)
{
    return ctx && ctx->place;
}

/* Is the GPU asked for, or faster by so many operations and bytes to copy? */
static int gains(const spd_context *ctx, int few, double flops, double bytes)
{
    if (on_device(ctx))
        return 1;
    spd_engine wanted = ctx_engine(ctx);
    if (wanted == SPD_ENGINE_CPU || ranks_of(ctx) || few)
        return 0;
    double cpu = flops / (CORE_FLOPS * parallel_threads(ctx));
    double gpu = bytes / GPU_COPIES + flops / GPU_FLOPS;
    return wanted == SPD_ENGINE_CUDA || GPU_OPEN + gpu * ctx_sharers(ctx) < cpu;
}

#define EIGEN_FLOPS 12.0 /* of one matrix, in n^3 */

/* What a metric takes: its number in the module, the largest n, operations per pair and per matrix.
 */
typedef struct effort {
    int number;
    size_t largest;
    double pair, one;
} effort;

static effort effort_of(spd_metric metric, size_t n)
{
    double n2 = (double)n * (double)n, n3 = n2 * (double)n;
    switch (metric) {
    case SPD_STEIN:
        return (effort){CUDA_STEIN, CUDA_MAX_N, 0.7 * n3, 0.7 * n3};
    case SPD_AIRM:
        return (effort){CUDA_AIRM, CUDA_MAX_N, 20.0 * n3, 0.3 * n3};
    case SPD_LOG_EUCLIDEAN:
        return (effort){CUDA_LOG_EUCLIDEAN, CUDA_MAX_N, 1.5 * n2, EIGEN_FLOPS * n3};
    case SPD_EUCLIDEAN:
        return (effort){CUDA_EUCLIDEAN, CUDA_MAX_N, 1.5 * n2, 0.0};
    default:
        return (effort){.largest = 0};
    }
}

static int measures(const spd_context *ctx, spd_metric metric, size_t n, double matrices,
                    double pairs, double results)
{
    const effort each = effort_of(metric, n);
    double n2 = (double)n * (double)n;
    if (n > each.largest)
        return 0;
    int few = pairs * fmax(1.0, n2 / 256.0) < FEW_PAIRS;
    return gains(ctx, few, each.pair * pairs + each.one * matrices,
                 8.0 * (matrices * n2 + results));
}

/* ---- the module -------------------------------------------------------------------------------
 */

typedef struct call {
    spd_context *ctx;
    const char *task, *unit;
    const cuda_module *module;
    cuda_sets in;
    int fault;
    char why[CUDA_WHY];
} call;

static int tell(void *user, double done, double total)
{
    const call *c = user;
    return ctx_progress(c->ctx, c->task, c->unit, done, total);
}

void cuda_sets_place(const spd_context *ctx, cuda_sets *in)
{
    in->size = sizeof *in;
    in->on_device = on_device(ctx);
    in->device = in->on_device ? ctx->place->number : ctx_device(ctx);
    in->stream = in->on_device ? ctx->place->stream : NULL;
}

static spd_status open_call(call *c)
{
    cuda_device about = {.size = sizeof about};
    int devices = 0, there = on_device(c->ctx);
    cuda_sets_place(c->ctx, &c->in);
    c->in.threads = parallel_threads(c->ctx);
    c->in.tell = tell;
    c->in.user = c;
    spd_status status = cuda_open_module(c->ctx, &c->module, &devices, there ? NULL : &about);
    if (status == SPD_OK && !there)
        c->in.device %= devices;
    if (status == SPD_OK && (c->in.device < 0 || c->in.device >= devices))
        return ctx_fail(c->ctx, SPD_EINVAL, "there is no GPU number %d; there are %d", c->in.device,
                        devices);
    return status;
}

static atomic_size_t answered;

size_t cuda_sets_answered(void)
{
    return answered;
}

/* What is left to the processor: what the kernels are not made for, and, unless the GPU was asked
 * for by name, whatever else is in the way. */
static spd_status conclude(call *c, spd_status opened, int *done)
{
    spd_context *ctx = c->ctx;
    spd_status status = opened == SPD_OK ? cuda_pass_fault(ctx, c->fault, c->why) : opened;
    int left = opened == SPD_OK && (c->fault == CUDA_FAULT_SAMPLE || c->fault == CUDA_FAULT_SIZE);
    *done = status == SPD_OK;
    answered += (size_t)*done;
    ctx->device_calls += (size_t)*done;
    if (opened == SPD_OK && c->fault == CUDA_FAULT_STOPPED)
        return ctx_fail(ctx, SPD_ECANCELLED, "%s cancelled", c->task);
    if (left || (status < 0 && ctx->engine == SPD_ENGINE_AUTO && !ctx->place)) {
        ctx_clear(ctx);
        return SPD_OK;
    }
    return status == SPD_EDEVICE && !ctx->place
               ? ctx_advise(ctx, status, SPD_REMEDY_AUTO_ENGINE, 0.0)
               : status;
}

/* ---- distances --------------------------------------------------------------------------------
 */

static call measuring(spd_context *ctx, const char *task, spd_metric metric, size_t n, size_t p,
                      const double *X, size_t q, const double *Q)
{
    call c = {.ctx = ctx, .task = task, .unit = "pairs"};
    c.in.n = n;
    c.in.p = p;
    c.in.X = X;
    c.in.q = q;
    c.in.Q = Q;
    c.in.metric = effort_of(metric, n).number;
    return c;
}

/* One of the module's functions for all pairs, which have queries in rows, samples in columns. */
static spd_status all_pairs(spd_context *ctx, const char *task, int products, spd_metric metric,
                            size_t n, size_t p, const double *X, size_t q, const double *Y,
                            double *out, int *done)
{
    double columns = Y ? (double)q : (double)p, pairs = (double)p * columns;
    *done = 0;
    if (!measures(ctx, metric, n, (double)p + (Y ? columns : 0.0), pairs, pairs))
        return SPD_OK;
    call c = Y ? measuring(ctx, task, metric, n, q, Y, p, X)
               : measuring(ctx, task, metric, n, p, X, 0, NULL);
    spd_status status = open_call(&c);
    if (status == SPD_OK)
        c.fault = (products ? c.module->products : c.module->pairwise)(&c.in, out, c.why);
    return conclude(&c, status, done);
}

spd_status cuda_pairwise2(spd_context *ctx, spd_metric metric, size_t n, size_t p, const double *X,
                          size_t q, const double *Y, double *D2, int *done)
{
    spd_status status = all_pairs(ctx, "distances", 0, metric, n, p, X, q, Y, D2, done);
    if (status < 0 || *done || !on_device(ctx))
        return status;
    *done = 1;
    return host_pairwise2(ctx, metric, n, p, X, q, Y, D2);
}

spd_status cuda_log_products(spd_context *ctx, size_t n, size_t p, const double *X, size_t q,
                             const double *Y, double *K, int *done)
{
    spd_status status = all_pairs(ctx, "kernel", 1, SPD_LOG_EUCLIDEAN, n, p, X, q, Y, K, done);
    if (status < 0 || *done || !on_device(ctx))
        return status;
    *done = 1;
    return host_log_products(ctx, n, p, X, q, Y, K);
}

static spd_status nearest(spd_context *ctx, spd_metric metric, size_t n, size_t p, const double *X,
                          size_t q, const double *Q, spd_neighbours *near, int *done)
{
    double rows = Q ? (double)q : (double)p, pairs = rows * (double)p;
    *done = 0;
    if (!measures(ctx, metric, n, (double)p + (Q ? rows : 0.0), pairs, rows * (double)near->k))
        return SPD_OK;
    call c = measuring(ctx, "neighbours", metric, n, p, X, q, Q);
    spd_status status = open_call(&c);
    if (status == SPD_OK)
        c.fault = c.module->neighbours(&c.in, near->k, near->index, near->d2, c.why);
    status = conclude(&c, status, done);
    if (*done) {
        near->exact = near->pairs = rows * (double)(p - (Q ? 0 : 1));
        near->pruned = 0.0;
        near->recall = 1.0;
        near->search = SPD_SEARCH_EXACT;
    }
    return status;
}

spd_status cuda_nearest(spd_context *ctx, spd_metric metric, size_t n, size_t p, const double *X,
                        size_t q, const double *Q, spd_neighbours *near, int *done)
{
    spd_status status = nearest(ctx, metric, n, p, X, q, Q, near, done);
    if (status < 0 || *done || !on_device(ctx))
        return status;
    status = host_nearest(ctx, metric, n, p, X, q, Q, near);
    *done = status == SPD_OK;
    return status;
}

/* ---- eigenvalues and functions -----------------------------------------------------------------
 */

static int solves(const spd_context *ctx, size_t n, size_t p, double copied, double times)
{
    double n2 = (double)n * (double)n, all = (double)p * n2;
    if (n > CUDA_MAX_N)
        return 0;
    return gains(ctx, p < FEW_MATRICES || all < FEW_NUMBERS, times * EIGEN_FLOPS * all * (double)n,
                 8.0 * copied * all);
}

static call solving(spd_context *ctx, const char *task, size_t n, size_t p, const double *X)
{
    call c = {.ctx = ctx, .task = task, .unit = "matrices"};
    c.in.n = n;
    c.in.p = p;
    c.in.X = X;
    return c;
}

static int function_number(spd_function f)
{
    static const int number[] = {[SPD_LOG] = CUDA_LOG,
                                 [SPD_EXP] = CUDA_EXP,
                                 [SPD_SQRT] = CUDA_SQRT,
                                 [SPD_INVSQRT] = CUDA_INVSQRT,
                                 [SPD_POWER] = CUDA_POWER};
    return number[f];
}

int cuda_applies(const spd_context *ctx, size_t n, size_t p)
{
    return solves(ctx, n, p, 2.0, 1.0);
}

static spd_status apply(spd_context *ctx, spd_function f, double power, size_t n, size_t p,
                        const double *X, double *F, int *done)
{
    *done = 0;
    if (!cuda_applies(ctx, n, p))
        return SPD_OK;
    call c = solving(ctx, "functions", n, p, X);
    spd_status status = open_call(&c);
    if (status == SPD_OK)
        c.fault = c.module->apply(&c.in, function_number(f), power, F, c.why);
    return conclude(&c, status, done);
}

spd_status cuda_apply(spd_context *ctx, spd_function f, double power, size_t n, size_t p,
                      const double *X, double *F, int *done)
{
    spd_status status = apply(ctx, f, power, n, p, X, F, done);
    if (status < 0 || *done || !on_device(ctx))
        return status;
    *done = 1;
    return host_apply(ctx, f, power, n, p, X, F);
}

spd_status cuda_eigh(spd_context *ctx, size_t n, size_t p, const double *X, double *lambda,
                     double *V, int *done)
{
    *done = 0;
    if (!solves(ctx, n, p, V ? 2.0 : 1.0, 1.0))
        return SPD_OK;
    call c = solving(ctx, "eigenvalues", n, p, X);
    spd_status status = open_call(&c);
    if (status == SPD_OK)
        c.fault = c.module->eigen(&c.in, lambda, V, c.why);
    return conclude(&c, status, done);
}

/* ---- sets on the device -------------------------------------------------------------------------
 */

spd_status cuda_check(spd_context *ctx, size_t n, size_t p, const double *X, double tolerance)
{
    call c = solving(ctx, "checking", n, p, X);
    size_t bad = p;
    spd_status status = open_call(&c);
    if (status == SPD_OK)
        status = cuda_pass_fault(ctx, c.module->inspect(&c.in, tolerance, &bad, c.why), c.why);
    return status == SPD_OK && bad < p ? host_check(ctx, n, bad, X, tolerance) : status;
}

spd_status cuda_exponentials(spd_context *ctx, double beta, size_t count, double *K)
{
    call c = {.ctx = ctx, .task = "kernel"};
    spd_status status = open_call(&c);
    if (status == SPD_OK)
        status = cuda_pass_fault(ctx, c.module->exponentials(&c.in, beta, count, K, c.why), c.why);
    return status;
}

/* ---- means -------------------------------------------------------------------------------------
 */

struct cuda_passes {
    call c;
    spd_metric metric;
    cuda_mean *mean;
    double *L, *Linv, *sum;
};

/* A pass is one iteration. */
static int tell_share(void *user, double done, double total)
{
    const call *c = user;
    return ctx_progress(c->ctx, c->task, c->unit, done / total, 1.0);
}

static spd_status open_passes(cuda_passes *m, const double *weight, int *done)
{
    call *c = &m->c;
    size_t n2 = c->in.n * c->in.n;
    m->L = mem_alloc(3 * n2 + 2, sizeof *m->L);
    if (!m->L)
        return ctx_nomem(c->ctx, "the mean");
    m->Linv = m->L + n2;
    m->sum = m->Linv + n2;
    spd_status status = open_call(c);
    c->in.tell = tell_share;
    if (status == SPD_OK)
        c->fault = c->module->mean_open(&c->in, weight, &m->mean, c->why);
    return conclude(c, status, done);
}

spd_status cuda_passes_open(spd_context *ctx, spd_metric metric, size_t n, size_t p,
                            const double *X, const double *weight, cuda_passes **passes)
{
    int airm = metric == SPD_AIRM, done = 0;
    *passes = NULL;
    if ((!airm && metric != SPD_LOG_EUCLIDEAN) || !solves(ctx, n, p, 1.0, airm ? AIRM_PASSES : 1.0))
        return SPD_OK;
    cuda_passes *m = mem_alloc(1, sizeof *m);
    if (!m)
        return ctx_nomem(ctx, "the mean");
    *m = (cuda_passes){.c = solving(ctx, "mean", n, p, X), .metric = metric};
    m->c.unit = "iterations";
    spd_status status = open_passes(m, weight, &done);
    if (done)
        *passes = m;
    else
        cuda_passes_close(m);
    return status;
}

/* The logarithms of the log-Euclidean mean are those at the identity. */
spd_status cuda_passes_sum(cuda_passes *m, const double *frame, double *sum, int *done)
{
    call *c = &m->c;
    size_t n = c->in.n, triangle = n * (n + 1) / 2;
    int airm = m->metric == SPD_AIRM;
    for (size_t e = 0; e < n * n; e++)
        m->Linv[e] = e % (n + 1) == 0;
    if (airm) {
        dense_unpack(n, frame, m->L);
        dense_solve(n, m->L, m->Linv);
    }
    c->fault = c->module->mean_sum(m->mean, m->Linv, m->sum, c->why);
    spd_status status = conclude(c, SPD_OK, done);
    if (*done)
        memcpy(sum, m->sum, (triangle + (airm ? 2 : 0)) * sizeof *sum);
    return status;
}

void cuda_passes_close(cuda_passes *m)
{
    if (!m)
        return;
    if (m->mean)
        m->c.module->mean_close(m->mean);
    mem_free(m->L);
    mem_free(m);
}
