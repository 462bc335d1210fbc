/* choose.c - which engine does a job: the one model of what jobs cost, and of what machines do. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/order.h"
#include "cuda/module.h"
#include "run/cuda.h"
#include "run/engine.h"
#include "run/parallel.h"

/* Machines, per second. */
#define CORE_FLOPS   1e10
#define GPU_FLOPS    3e12
#define GPU_COPIES   1e10 /* bytes */
#define GPU_LOAD     4e9  /* bytes of samples that are packed for a fit */
#define GPU_OPEN     0.7  /* seconds until a GPU can be used */
#define GPU_LAUNCHES 4e-4 /* seconds of an iteration that do not depend on its size */

/* Not worth a device, even if it is asked for by name. */
#define FEW_PAIRS    4096.0 /* of 16 x 16 */
#define FEW_NUMBERS  16384.0
#define FEW_MATRICES 8

/* Operations. */
#define EIGEN_FLOPS  12.0 /* of one matrix, in n^3 */
#define FEW_ROWS     128  /* up to which the processor takes eigenvalues without vectors */
#define VALUES_ALONE 0.25 /* in this part of the time */
#define AIRM_PASSES  8.0  /* of a mean, usually */
#define STEIN_PASSES 10.0
#define ITERATIONS   30.0 /* of a fit */

/* What a metric takes: per pair and per matrix, in n^3 and n^2; all passes of a mean and both
 * probes of an iteration of a fit per matrix and per pair, in n^3; below 0: no kernels. */
typedef struct effort {
    double pair, flat, one, mean, fit;
} effort;

static const effort EFFORT[SPD_METRICS] = {
    [SPD_METRIC_STEIN] = {0.7, 0.0, 0.7, STEIN_PASSES * 1.3 + 1.0, 2.0},
    [SPD_METRIC_AIRM] = {20.0, 0.0, 0.3, AIRM_PASSES *EIGEN_FLOPS + 1.0, 60.0},
    [SPD_METRIC_LOG_EUCLIDEAN] = {0.0, 1.5, EIGEN_FLOPS, EIGEN_FLOPS, 1.0},
    [SPD_METRIC_EUCLIDEAN] = {0.0, 1.5, 0.0, 0.0, -1.0},
    [SPD_METRIC_JEFFREY] = {-1.0, 0.0, 0.0, 1.0, 8.0},
    [SPD_METRIC_BURES_WASSERSTEIN] = {-1.0, 0.0, 0.0, -1.0, -1.0},
    [SPD_METRIC_LOG_CHOLESKY] = {-1.0, 0.0, 0.0, -1.0, -1.0}};

/* What a job takes. */
typedef struct work {
    int possible, few;
    double flops, bytes;
} work;

static work pairs_work(const set_job *j)
{
    const effort *e = &EFFORT[j->metric];
    double n = (double)j->X->n, n2 = n * n, p = (double)j->X->p, q = j->Y ? (double)j->Y->p : p;
    double matrices = p + (j->Y ? q : 0.0), pairs = p * q;
    double results = j->of == OPERATION_NEAREST ? q * (double)(j->k[0] + j->k[1]) : pairs;
    return (work){.possible = e->pair >= 0.0 && (j->of != OPERATION_NEAREST ||
                                                 larger(j->k[0], j->k[1]) <= CUDA_MAX_K),
                  .few = pairs * fmax(1.0, n2 / 256.0) < FEW_PAIRS,
                  .flops = (e->pair * n + e->flat) * n2 * pairs + e->one * n2 * n * matrices,
                  .bytes = 8.0 * (matrices * n2 + results)};
}

/* Of so many operations for each matrix, and `copied` times its numbers. */
static work matrices_work(const set_job *j, double flops, double copied)
{
    double all = (double)j->X->p * (double)j->X->n * (double)j->X->n;
    return (work){.possible = flops >= 0.0,
                  .few = j->X->p < FEW_MATRICES || all < FEW_NUMBERS,
                  .flops = flops * (double)j->X->p,
                  .bytes = 8.0 * copied * all};
}

static work work_of(const set_job *j)
{
    double n = (double)j->X->n, n3 = n * n * n;
    work w;
    switch (j->of) {
    case OPERATION_PAIRWISE:
    case OPERATION_PRODUCTS:
    case OPERATION_NEAREST:
        return pairs_work(j);
    case OPERATION_APPLY:
        return matrices_work(j, EIGEN_FLOPS * n3, 2.0);
    case OPERATION_EIGEN:
        return matrices_work(
            j, (j->out[1] || j->X->n > FEW_ROWS ? 1.0 : VALUES_ALONE) * EIGEN_FLOPS * n3,
            j->out[1] ? 2.0 : 1.0);
    case OPERATION_MEAN:
        w = matrices_work(j, EFFORT[j->metric].mean * n3, 1.0);
        w.few |= j->metric == SPD_METRIC_EUCLIDEAN; /* a sum: to send them takes longer */
        return w;
    default:
        return (work){0};
    }
}

const engine_table *engine_of(const spd_set *X)
{
    return X->place == SPD_PLACE_DEVICE ? &engine_cuda : NULL;
}

const engine_table *engine_for(const spd_context *ctx, const set_job *j)
{
    const work w = work_of(j);
    int host = j->X->place == SPD_PLACE_HOST && j->X->type == SPD_TYPE_FLOAT64 &&
               (!j->Y || (j->Y->place == SPD_PLACE_HOST && j->Y->type == SPD_TYPE_FLOAT64));
    if (!w.possible || j->X->n > CUDA_MAX_N)
        return NULL;
    if (!host)
        return engine_of(j->X);
    spd_engine wanted = ctx_engine(ctx);
    if (wanted == SPD_ENGINE_CPU || ranks_of(ctx) || w.few)
        return NULL;
    double cpu = w.flops / (CORE_FLOPS * parallel_threads(ctx));
    double gpu = w.bytes / GPU_COPIES + w.flops / GPU_FLOPS;
    int gains = GPU_OPEN + gpu * ctx_sharers(ctx) < cpu;
    return wanted == SPD_ENGINE_CUDA || gains ? &engine_cuda : NULL;
}

/* ---- fits ------------------------------------------------------------------------------------ */

int engine_fits(const fit_work *w)
{
    return EFFORT[w->metric].fit >= 0.0 && w->n <= CUDA_MAX_N && w->m <= CUDA_MAX_M;
}

/* Of an iteration. */
static double fit_flops(const fit_work *w)
{
    double n = (double)w->n, m = (double)w->m, p = (double)w->p;
    return 2.0 * p * n * m * (n + 4.0 * m) + EFFORT[w->metric].fit * (double)w->pairs * m * m * m;
}

int engine_gains(const spd_context *ctx, const fit_work *w)
{
    double n = (double)w->n, flops = fit_flops(w);
    double cpu = ITERATIONS * flops / (CORE_FLOPS * parallel_threads(ctx));
    double load = w->there ? 0.0 : 8.0 * (double)w->p * n * n / GPU_LOAD;
    double gpu = load + ITERATIONS * (GPU_LAUNCHES + flops / GPU_FLOPS);
    return (w->there ? 0.0 : GPU_OPEN) + gpu * ctx_sharers(ctx) < cpu;
}

/* ---- what there is --------------------------------------------------------------------------- */

void engine_note(spd_context *ctx, const char *text)
{
    if (ctx)
        snprintf(ctx->ran_on, sizeof ctx->ran_on, "%s", text);
}

const char *spd_context_engine_info(const spd_context *ctx)
{
    return ctx ? ctx->ran_on : "";
}

spd_status spd_engine_device(spd_context *ctx, spd_engine wanted, size_t room, char *text)
{
    ctx_clear(ctx);
    if (wanted != SPD_ENGINE_CPU) {
        spd_status status = cuda_describe(ctx, text, room);
        if (status == SPD_OK)
            return status;
        if (wanted == SPD_ENGINE_CUDA)
            return ctx_advise(ctx, status, SPD_REMEDY_AUTO_ENGINE, 0.0);
        ctx_clear(ctx);
    }
    snprintf(text, room, "%d threads, %s", parallel_threads(ctx), spd_isa_name());
    return SPD_OK;
}
