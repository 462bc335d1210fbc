/* map.c - fitting and applying the maps; formulas in map.h. */
#include "evaluate/map.h"

#include <string.h>

#include "base/rng.h"
#include "classify/samples.h"
#include "evaluate/method.h"
#include "learn/fit.h"
#include "learn/start.h"

/* ---- the learned map ---------------------------------------------------------------------------
 */

static spd_status fit_ml(spd_context *ctx, const spd_method *method, const samples *train,
                         map_graph graph, map *a)
{
    spd_fit_options options = method_fit_options(method);
    const fit_graph known = {graph.count, graph.pairs};
    spd_status status = fit_on_graph(ctx, train->n, train->p, train->X, train->label, &options,
                                     graph.pairs ? &known : NULL, &a->model);
    if (status < 0)
        return status;
    a->W = a->model->W;
    a->nu_w = a->model->options->nu_w;
    a->nu_b = a->model->options->nu_b;
    return SPD_OK;
}

static spd_status map_room(spd_context *ctx, arena *keep, map *a)
{
    a->W = arena_alloc(keep, a->n, a->m * sizeof *a->W);
    return a->W ? SPD_OK : ctx_nomem(ctx, "a map");
}

spd_status map_of_model(spd_context *ctx, const spd_model *model, arena *keep, map *a)
{
    *a = (map){
        .n = model->n, .m = model->m, .nu_w = model->options->nu_w, .nu_b = model->options->nu_b};
    spd_status status = map_room(ctx, keep, a);
    if (status == SPD_OK)
        memcpy(a->W, model->W, a->n * a->m * sizeof *a->W);
    return status;
}

/* ---- maps without learning ----------------------------------------------------------------------
 */

/* random and pca are starts of the learner. */
static spd_status fit_start(spd_context *ctx, const spd_method *method, const samples *train,
                            const map *a)
{
    rng r;
    rng_seed(&r, method->fit ? method->fit->seed : 1);
    spd_init init = method->map == SPD_MAP_RANDOM ? SPD_INIT_RANDOM : SPD_INIT_MEAN;
    return start_point(ctx, init, a->n, a->m, train->p, train->X, NULL, &r, a->W);
}

static spd_status fit_mean(spd_context *ctx, const spd_method *method, const samples *train,
                           const map *a)
{
    arena room = {0};
    double *M = arena_alloc(&room, a->n, a->n * sizeof *M);
    spd_status status = M ? spd_mean(ctx, method->metric, a->n, train->p, train->X, NULL, M, NULL)
                          : ctx_nomem(ctx, "a map");
    if (status >= 0)
        status = start_leading(ctx, a->n, a->m, M, a->W);
    arena_free(&room);
    return status;
}

/* ---- all of them -------------------------------------------------------------------------------
 */

spd_status map_fit(spd_context *ctx, const spd_method *method, const samples *train,
                   map_graph graph, arena *keep, map *a)
{
    *a = (map){.n = train->n, .m = method_count(method, SPD_PARAM_M)};
    if (method->map == SPD_MAP_NONE)
        a->m = a->n;
    if (a->m < 1 || a->m > a->n)
        return ctx_fail(ctx, SPD_EINVAL,
                        "m = %zu is out of range: a map of %zu x %zu matrices has 1 <= m <= %zu",
                        a->m, a->n, a->n, a->n);
    if (a->m == a->n)
        return SPD_OK;
    if (method->map == SPD_MAP_ML)
        return fit_ml(ctx, method, train, graph, a);
    spd_status status = map_room(ctx, keep, a);
    if (status < 0)
        return status;
    if (method->map == SPD_MAP_MEAN)
        return fit_mean(ctx, method, train, a);
    if (method->map == SPD_MAP_CSP)
        return start_csp(ctx, method->metric, a->n, a->m, train->p, train->X, train->label, a->W);
    return fit_start(ctx, method, train, a);
}

spd_status map_apply(spd_context *ctx, const map *a, arena *keep, samples *s)
{
    if (!a->W)
        return SPD_OK;
    double *S = arena_alloc(keep, s->p, a->m * a->m * sizeof *S);
    spd_status status = S ? spd_congruence(ctx, a->n, a->m, s->p, s->X, a->W, S)
                          : ctx_nomem(ctx, "mapped matrices");
    s->X = S;
    s->n = a->m;
    return status;
}
