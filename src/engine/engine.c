/* engine.c - which engine runs, and what all engines have alike. */
#include "engine/engine.h"

#include <math.h>
#include <stdio.h>

#include "engine/cuda.h"
#include "engine/parallel.h"

/* What the estimate below supposes of a fit and of machines; all but the first per second. */
#define ITERATIONS   30.0
#define CORE_FLOPS   1e10
#define GPU_FLOPS    3e12
#define GPU_LOAD     4e9  /* bytes */
#define GPU_OPEN     0.7  /* seconds until a GPU can be used */
#define GPU_LAUNCHES 4e-4 /* seconds of an iteration that do not depend on its size */
/* Operations per pair, in m^3, both probes of an iteration; logarithms are taken of samples. */
static const double PAIR[] = {
    [SPD_STEIN] = 2.0, [SPD_AIRM] = 60.0, [SPD_JEFFREY] = 8.0, [SPD_LOG_EUCLIDEAN] = 1.0};

/* Would a GPU be faster, counting the operations of a fit? */
static int gpu_pays(const spd_context *ctx, const engine_input *in)
{
    double n = (double)in->n, m = (double)in->m, p = (double)in->p;
    double flops =
        2.0 * p * n * m * (n + 4.0 * m) + PAIR[in->metric] * (double)in->pairs * m * m * m;
    double cpu = ITERATIONS * flops / (CORE_FLOPS * parallel_threads(ctx));
    int there = in->set && in->set->place; /* the samples, and so the GPU is open */
    double load = there ? 0.0 : 8.0 * p * n * n / GPU_LOAD;
    double gpu = load + ITERATIONS * (GPU_LAUNCHES + flops / GPU_FLOPS);
    return (there ? 0.0 : GPU_OPEN) + gpu * ctx_sharers(ctx) < cpu;
}

spd_status engine_new(spd_context *ctx, const engine_input *in, problem **engine)
{
    /* Euclidean pairs are those of logarithms (learn/logarithms.h), for which the CPU is enough. */
    spd_engine wanted = in->metric == SPD_EUCLIDEAN ? SPD_ENGINE_CPU : ctx_engine(ctx);
    if (wanted == SPD_ENGINE_CUDA) {
        spd_status status = engine_cuda_new(ctx, in, NULL, engine);
        return status == SPD_EDEVICE ? ctx_advise(ctx, status, SPD_REMEDY_AUTO_ENGINE, 0.0)
                                     : status;
    }
    if (wanted == SPD_ENGINE_AUTO && gpu_pays(ctx, in)) {
        spd_status status = engine_cuda_new(ctx, in, NULL, engine);
        if (status == SPD_OK || status == SPD_ECANCELLED)
            return status;
        ctx_clear(ctx); /* whatever was in the way, the CPU goes on */
    }
    return engine_cpu_new(ctx, in, engine);
}

/* ---- memory ---------------------------------------------------------------------------------- */

#define TRIANGLES  9.0  /* of m x m per sample: the engine's and those of pair sums */
#define PAIR_BYTES 96.0 /* of the graph, and what pair sums keep of it */

const spd_store *engine_set(const engine_input *in, spd_store *lent)
{
    if (!in->X)
        return in->set;
    store_lend(lent, in->n, in->p, in->X);
    return lent;
}

spd_status engine_choose_room(spd_context *ctx, const engine_input *in, const spd_store *set,
                              int *small)
{
    const size_t tri = TRI(in->m), ld = PASS_LD(in->m);
    double share = 1.0 / ranks_count(ranks_of(ctx)), limit = spd_context_memory(ctx);
    double p = (double)in->p * share, there = set->read ? 0.0 : store_bytes(set) * share;
    there += 8.0 * (double)(set->held_last - set->held_first) * (double)in->n * (double)in->n;
    double ahead = store_walks_bytes(ctx, set, (size_t)parallel_threads(ctx), 1, ENGINE_PIECE);
    double least = 8.0 * TRIANGLES * p * (double)tri + PAIR_BYTES * (double)in->pairs;
    double whole = least + 16.0 * p * (double)in->n * (double)ld;
    *small = ranks_any(ranks_of(ctx), there + ahead + whole > limit);
    if (!*small || !ctx || ctx->memory == 0.0 || there + ahead + least <= limit)
        return ranks_settle(ctx, SPD_OK);
    spd_status status =
        ctx_fail(ctx, SPD_ENOMEM,
                 "the limit of %.3g GB is too small: %.3g GB are needed for what is kept of %zu "
                 "samples and %zu pairs, %.3g GB for the matrices themselves and to read ahead",
                 1e-9 * limit, 1e-9 * least, in->p, in->pairs, 1e-9 * (there + ahead));
    return ranks_settle(ctx, status);
}

/* ---------------------------------------------------------------------------------------------- */

void engine_note(spd_context *ctx, problem *engine)
{
    if (ctx)
        ctx->ran_on[0] = 0;
    if (ctx && engine && engine->about)
        engine->about(engine, sizeof ctx->ran_on, ctx->ran_on);
}

const char *spd_context_ran_on(const spd_context *ctx)
{
    return ctx ? ctx->ran_on : "";
}

void engine_free(problem *engine)
{
    if (engine)
        engine->free(engine);
}

spd_status engine_no_cost(spd_context *ctx, double f)
{
    if (isinf(f))
        return ctx_fail(ctx, SPD_EINVAL,
                        "the ratio does not exist at the start: all pairs %s classes have "
                        "distance zero; take another objective",
                        f > 0.0 ? "between" : "within");
    ctx_fail(ctx, SPD_ENOTSPD,
             "the cost does not exist at the start: a mapped matrix is not positive definite");
    return ctx_advise(ctx, SPD_ENOTSPD, SPD_REMEDY_REGULARIZE, 1e-6);
}

spd_status spd_engine_device(spd_context *ctx, spd_engine engine, size_t room, char *text)
{
    ctx_clear(ctx);
    if (engine != SPD_ENGINE_CPU) {
        spd_status status = cuda_describe(ctx, text, room);
        if (status == SPD_OK)
            return status;
        if (engine == SPD_ENGINE_CUDA)
            return ctx_advise(ctx, status, SPD_REMEDY_AUTO_ENGINE, 0.0);
        ctx_clear(ctx);
    }
    snprintf(text, room, "%d threads, %s", parallel_threads(ctx), spd_isa_name());
    return SPD_OK;
}
