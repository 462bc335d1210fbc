/* cost.c - the objective and its gradient at a given W, for anyone who wants to check us. */
#include "base/memory.h"
#include "fit/engine.h"
#include "learn/affinity.h"
#include "learn/fit.h"
#include "learn/logarithms.h"
#include "sets/set.h"

/* *cost and G (n x m) <- those of an engine at W; rubbish when it fails. */
static spd_status engine_cost(spd_context *ctx, const engine_input *in, const double *W,
                              double *cost, double *G)
{
    problem *e = NULL;
    spd_status status = engine_new(ctx, in, &e);
    if (status == SPD_OK)
        status = e->start(e, W);
    if (status == SPD_OK)
        status = e->cost_grad(e, cost, G);
    engine_free(e);
    return status;
}

/* Of checked options, of samples on the host. */
static spd_status cost_of(spd_context *ctx, const spd_set *X, const spd_set *there,
                          const spd_fit_options *o, double *cost, double *G)
{
    double *logs = NULL;
    engine_input in = {.n = X->n,
                       .m = o->m,
                       .p = X->p,
                       .X = set_doubles(X),
                       .metric = o->metric,
                       .objective = o->objective,
                       .pairs = o->pairs,
                       .pair = o->own_pairs,
                       .set = X,
                       .there = there};
    spd_status status = SPD_OK;
    if (fit_approximates(o)) {
        status = logarithms_new(ctx, X->n, X->p, set_doubles(X), &logs);
        in.metric = SPD_METRIC_EUCLIDEAN;
        in.X = logs;
        in.there = NULL;
    }
    if (status == SPD_OK)
        status = engine_cost(ctx, &in, o->W, cost, G);
    mem_free(logs);
    return status;
}

static spd_status check_cost(spd_context *ctx, const spd_set *X, const spd_fit_options *o,
                             const double *cost)
{
    if (!o->W || !cost || o->m < 1 || o->m > X->n)
        return ctx_fail(ctx, SPD_EINVAL,
                        "a cost needs matrices and a map with 1 <= m <= n columns");
    if (!fit_metric(o->metric))
        return ctx_fail(ctx, SPD_EINVAL, "no cost is defined under that metric");
    return affinity_check(ctx, X->p, o->pairs, o->own_pairs);
}

spd_status spd_cost(spd_context *ctx, const spd_set *given, const spd_fit_options *options,
                    double *cost, double *gradient)
{
    spd_fit_options o = {0};
    spd_set X, host;
    arena room = {0};
    double value = 0.0;
    ctx_clear(ctx);
    spd_status status = set_take(ctx, "X", given, &X);
    if (status == SPD_OK)
        status = fit_options_take(ctx, options, &o);
    if (status == SPD_OK)
        status = check_cost(ctx, &X, &o, cost);
    if (status < 0)
        return status;
    const size_t count = X.n * o.m;
    double *G = arena_alloc(&room, count, sizeof *G);
    host = X;
    status = arena_status(&room, ctx, "the gradient");
    if (status == SPD_OK && (engine_of(&X) || fit_approximates(&o)))
        status = set_to_host(ctx, &X, &room, &host);
    if (status == SPD_OK)
        status = cost_of(ctx, &host, engine_of(&X) ? &X : NULL, &o, &value, G);
    /* of Hermitian matrices half the distances; other objectives do not see a factor */
    double share = o.objective == SPD_OBJECTIVE_DIFFERENCE ? set_share(&X) : 1.0;
    if (status == SPD_OK)
        *cost = share * value;
    for (size_t e = 0; e < count && status == SPD_OK && gradient; e++)
        gradient[e] = share * G[e];
    arena_free(&room);
    return status;
}
