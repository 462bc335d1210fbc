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
#define FEW_ROWS     128  /* up to which the processor takes eigenvalues without vectors */
#define VALUES_ALONE 0.25 /* in this part of the time */
#define AIRM_PASSES  8.0  /* of a mean, usually */
#define PRODUCTS     4.0  /* times CORE_FLOPS that a core does in products alone */
#define STEIN_PASSES 10.0

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
    int crowded = c->fault == CUDA_FAULT_MEMORY && ctx_sharers(ctx) > 1;
    int left = opened == SPD_OK &&
               (c->fault == CUDA_FAULT_SAMPLE || c->fault == CUDA_FAULT_SIZE || crowded);
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
    if (!solves(ctx, n, p, V ? 2.0 : 1.0, V || n > FEW_ROWS ? 1.0 : VALUES_ALONE))
        return SPD_OK;
    call c = solving(ctx, "eigenvalues", n, p, X);
    spd_status status = open_call(&c);
    if (status == SPD_OK)
        c.fault = c.module->eigen(&c.in, lambda, V, c.why);
    return conclude(&c, status, done);
}

/* ---- congruences -------------------------------------------------------------------------------
 */

/* Of matrices on the host the upper halves are sent, each number of which the processor would need
 * but once: that pays where m is large or cores are few. */
static int maps(const spd_context *ctx, size_t n, size_t m, size_t p)
{
    double n2 = (double)n * (double)n, m2 = (double)m * (double)m, all = (double)p * n2;
    double flops = 2.0 * (double)p * (n2 * (double)m + (double)n * m2);
    if (n > CUDA_MAX_N || m > CUDA_MAX_M)
        return 0;
    return gains(ctx, p < FEW_MATRICES || all < FEW_NUMBERS, flops / PRODUCTS,
                 8.0 * (0.5 * all + (double)p * m2));
}

static spd_status congruence(spd_context *ctx, size_t n, size_t m, size_t p, const double *X,
                             const double *W, double *S, int *done)
{
    *done = 0;
    if (!maps(ctx, n, m, p))
        return SPD_OK;
    call c = solving(ctx, "projection", n, p, X);
    spd_status status = open_call(&c);
    if (status == SPD_OK)
        c.fault = c.module->congruence(&c.in, m, W, S, c.why);
    return conclude(&c, status, done);
}

spd_status cuda_congruence(spd_context *ctx, size_t n, size_t m, size_t p, const double *X,
                           const double *W, double *S, int *done)
{
    spd_status status = congruence(ctx, n, m, p, X, W, S, done);
    if (status < 0 || *done || !on_device(ctx))
        return status;
    *done = 1;
    return host_congruence(ctx, n, m, p, X, W, S);
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
    cuda_mean *mean;
    double *at, *L, *sum; /* n x n each, then room for the terms of any rule */
};

/* Operations of all passes of a mean, in n^3 for each matrix; below 0: none on the GPU. */
static double pass_flops(spd_metric metric)
{
    switch (metric) {
    case SPD_AIRM:
        return AIRM_PASSES * EIGEN_FLOPS + 1.0;
    case SPD_LOG_EUCLIDEAN:
        return EIGEN_FLOPS;
    case SPD_STEIN:
        return STEIN_PASSES * 1.3 + 1.0;
    case SPD_JEFFREY:
        return 1.0;
    case SPD_EUCLIDEAN:
        return 0.0;
    default:
        return -1.0;
    }
}

static int number_of(spd_metric metric)
{
    return metric == SPD_JEFFREY ? CUDA_JEFFREY : effort_of(metric, 0).number;
}

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
    m->at = mem_alloc(4 * n2 + 2, sizeof *m->at);
    if (!m->at)
        return ctx_nomem(c->ctx, "the mean");
    m->L = m->at + n2;
    m->sum = m->L + n2;
    spd_status status = open_call(c);
    c->in.tell = tell_share;
    if (status == SPD_OK)
        c->fault = c->module->mean_open(&c->in, weight, &m->mean, c->why);
    return conclude(c, status, done);
}

spd_status cuda_passes_open(spd_context *ctx, spd_metric metric, size_t n, size_t p,
                            const double *X, const double *weight, cuda_passes **passes)
{
    double flops = pass_flops(metric);
    int done = 0;
    *passes = NULL;
    if (flops < 0.0 || !solves(ctx, n, p, 1.0, flops / EIGEN_FLOPS))
        return SPD_OK;
    cuda_passes *m = mem_alloc(1, sizeof *m);
    if (!m)
        return ctx_nomem(ctx, "the mean");
    *m = (cuda_passes){.c = solving(ctx, "mean", n, p, X)};
    m->c.unit = "iterations";
    m->c.in.metric = number_of(metric);
    spd_status status = open_passes(m, weight, &done);
    if (done)
        *passes = m;
    else
        cuda_passes_close(m);
    return status;
}

/* What the module is told of the point, out of the rule's frame. The logarithms of the
 * log-Euclidean mean are those at the identity. */
static const double *point_of(cuda_passes *m, int metric, const double *frame)
{
    size_t n = m->c.in.n;
    if (metric == CUDA_STEIN)
        dense_unpack(n, frame, m->at);
    else
        for (size_t e = 0; e < n * n; e++)
            m->at[e] = e % (n + 1) == 0;
    if (metric == CUDA_AIRM) {
        dense_unpack(n, frame, m->L);
        dense_solve(n, m->L, m->at);
    }
    return m->at;
}

spd_status cuda_passes_sum(cuda_passes *m, spd_metric rule, const double *frame, size_t terms,
                           double *sum, int *done)
{
    call *c = &m->c;
    int metric = number_of(rule);
    const double *at = point_of(m, metric, frame);
    c->fault = c->module->mean_sum(m->mean, metric, at, m->sum, c->why);
    spd_status status = conclude(c, SPD_OK, done);
    if (*done)
        memcpy(sum, m->sum, terms * sizeof *sum);
    return status;
}

void cuda_passes_close(cuda_passes *m)
{
    if (!m)
        return;
    if (m->mean)
        m->c.module->mean_close(m->mean);
    mem_free(m->at);
    mem_free(m);
}
