/* engine.c - which engine runs, and what all engines have alike. */
#include "fit/engine.h"

#include "fit/pair_sums.h"
#include "fit/pair_tiles.h"
#include "run/engine.h"
#include "run/parallel.h"

spd_status engine_new(spd_context *ctx, const engine_input *in, problem **engine)
{
    /* Euclidean pairs are those of logarithms (learn/logarithms.h), for which the CPU is enough. */
    const fit_work work = {in->n, in->m, in->p, in->pairs, in->metric, in->there != NULL};
    spd_engine wanted = in->metric == SPD_METRIC_EUCLIDEAN ? SPD_ENGINE_CPU : ctx_engine(ctx);
    if (wanted == SPD_ENGINE_CUDA && in->yields && !engine_fits(&work))
        wanted = SPD_ENGINE_CPU;
    int named = wanted == SPD_ENGINE_CUDA;
    if (named || (wanted == SPD_ENGINE_AUTO && engine_gains(ctx, &work))) {
        spd_status status = engine_cuda_new(ctx, in, NULL, engine);
        if (named && status == SPD_EDEVICE)
            return ctx_advise(ctx, status, SPD_REMEDY_AUTO_ENGINE, 0.0);
        if (named || status == SPD_OK || status == SPD_ECANCELLED)
            return status;
        ctx_clear(ctx); /* whatever was in the way, the CPU goes on */
    }
    return engine_cpu_new(ctx, in, engine);
}

/* ---- memory ---------------------------------------------------------------------------------- */

#define TRIANGLES  9.0  /* of m x m per sample: the engine's and those of pair sums */
#define PAIR_BYTES 96.0 /* of the graph, and what pair sums keep of it */

const spd_set *engine_set(const engine_input *in, spd_set *lent)
{
    *lent = *SPD_SET(in->n, in->p, in->X);
    return in->X ? lent : in->set;
}

spd_status engine_choose_room(spd_context *ctx, const engine_input *in, const spd_set *set,
                              int *small)
{
    const size_t tri = TRI(in->m), ld = PASS_LD(in->m);
    int in_files = set->place == SPD_PLACE_FILES;
    double share = 1.0 / ranks_count(ranks_of(ctx)), limit = spd_context_memory(ctx);
    double p = (double)in->p * share, there = in_files ? 0.0 : spd_set_bytes(set) * share;
    if (in_files)
        there += 8.0 * (double)(set->files->held_last - set->files->held_first) * (double)in->n *
                 (double)in->n;
    double ahead = set_walks_bytes(ctx, set, (size_t)parallel_threads(ctx), 1, ENGINE_PIECE);
    double least = 8.0 * TRIANGLES * p * (double)tri + PAIR_BYTES * (double)in->pairs;
    if (pair_sums_tiled(in->metric, in->objective, in->m, in->p, in->pairs, in->pair))
        least += (double)pair_tiles_bytes(in->m, in->p) * share;
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

void engine_tell(spd_context *ctx, problem *engine)
{
    char text[256] = "";
    if (engine && engine->about)
        engine->about(engine, sizeof text, text);
    engine_note(ctx, text);
}

void engine_free(problem *engine)
{
    if (engine)
        engine->free(engine);
}

spd_status engine_no_cost(spd_context *ctx)
{
    ctx_fail(ctx, SPD_ENOTSPD,
             "the cost does not exist at the start: a mapped matrix is not positive definite");
    return ctx_advise(ctx, SPD_ENOTSPD, SPD_REMEDY_REGULARIZE, 1e-6);
}
