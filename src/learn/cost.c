/* cost.c - the objective and its gradient at a given W, for anyone who wants to check us. */
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "engine/engine.h"
#include "learn/affinity.h"
#include "learn/log_euclidean_fit.h"

spd_status spd_cost(spd_context *ctx, spd_metric metric, spd_objective objective, size_t n,
                    size_t m, size_t p, const double *X, size_t count, const spd_pair *pairs,
                    const double *W, double *cost, double *gradient)
{
    ctx_clear(ctx);
    if (!X || !W || !cost || n == 0 || p == 0 || m < 1 || m > n)
        return ctx_fail(ctx, SPD_EINVAL,
                        "a cost needs matrices and a map with 1 <= m <= n columns");
    spd_status status = affinity_check(ctx, p, count, pairs);
    if (status == SPD_OK && metric == SPD_LOG_EUCLIDEAN)
        return log_euclidean_cost(ctx, objective, n, m, p, X, count, pairs, W, cost, gradient);
    if (status == SPD_OK && !pair_rule_get(metric))
        status = ctx_fail(ctx, SPD_EINVAL, "no cost is defined under that metric");
    if (status < 0)
        return status;
    engine_input in = {n, m, p, X, NULL, metric, objective, count, pairs};
    engine *e = NULL;
    double value, *G = mem_alloc(n, m * sizeof *G);
    status = G ? engine_cpu_new(ctx, &in, &e) : ctx_nomem(ctx, "the gradient");
    if (status == SPD_OK)
        status = e->calls->start(e, W);
    if (status == SPD_OK)
        status = e->calls->cost_grad(e, &value, G);
    if (status == SPD_OK) {
        *cost = value;
        if (gradient)
            memcpy(gradient, G, n * m * sizeof *G);
    }
    engine_free(e);
    mem_free(G);
    return status;
}
