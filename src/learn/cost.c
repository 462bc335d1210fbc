/* cost.c - the objective and its gradient at a given W, for anyone who wants to check us. */
#include <string.h>

#include "base/memory.h"
#include "engine/engine.h"
#include "learn/affinity.h"
#include "learn/fit.h"
#include "learn/logarithms.h"

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

spd_status spd_cost(spd_context *ctx, size_t n, size_t p, const double *X,
                    const spd_fit_options *options, double *cost, double *gradient)
{
    spd_fit_options o;
    ctx_clear(ctx);
    spd_status status = fit_options_take(ctx, options, &o);
    if (status < 0)
        return status;
    if (!X || !o.W || !cost || n == 0 || p == 0 || o.m < 1 || o.m > n)
        return ctx_fail(ctx, SPD_EINVAL,
                        "a cost needs matrices and a map with 1 <= m <= n columns");
    status = affinity_check(ctx, p, o.pairs, o.own_pairs);
    if (status < 0)
        return status;
    engine_input in = {n, o.m, p, X, NULL, o.metric, o.objective, o.pairs, o.own_pairs, NULL};
    if (!fit_metric(o.metric))
        return ctx_fail(ctx, SPD_EINVAL, "no cost is defined under that metric");
    double value = 0.0, *logs = NULL, *G = mem_alloc(n, o.m * sizeof *G);
    if (!G)
        return ctx_nomem(ctx, "the gradient");
    if (fit_approximates(&o)) {
        status = logarithms_new(ctx, n, p, X, &logs);
        in.metric = SPD_EUCLIDEAN;
        in.X = logs;
    }
    if (status == SPD_OK)
        status = engine_cost(ctx, &in, o.W, &value, G);
    /* of Hermitian matrices half the distances; other objectives do not see a factor */
    double share = o.hermitian && o.objective == SPD_DIFFERENCE ? 0.5 : 1.0;
    for (size_t e = 0; e < n * o.m; e++)
        G[e] *= share;
    if (status == SPD_OK)
        *cost = share * value;
    if (status == SPD_OK && gradient)
        memcpy(gradient, G, n * o.m * sizeof *G);
    mem_free(logs);
    mem_free(G);
    return status;
}
