/* fit_options.c - the options of a fit: defaults, the paper's settings, and what goes together. */
#include "base/sized.h"
#include "base/store.h"
#include "learn/affinity.h"
#include "learn/fit.h"
#include "learn/model.h"
#include "learn/usual.h"
#include "objective/objective.h"

void spd_fit_defaults(spd_fit_options *options, size_t size)
{
    const spd_fit_options standard = {.size = sizeof standard,
                                      .metric = SPD_STEIN,
                                      .objective = SPD_OBJECTIVE_AUTO,
                                      .init = SPD_INIT_AUTO,
                                      .search = SPD_SEARCH_AUTO,
                                      .affinity_weight = 1.0,
                                      .restarts = 1,
                                      .seed = 1,
                                      .solver = SPD_SOLVER_AUTO,
                                      .tol = 1e-4,
                                      .gtol = 1e-6,
                                      .max_iter = 1000};
    options->size = size;
    sized_give(sizeof standard, &standard, options);
}

void spd_fit_usual(spd_fit_options *options)
{
    spd_fit_options mine;
    fit_options_take(NULL, options, &mine);
    sized_give(sizeof mine, &mine, options);
}

spd_status fit_options_read(spd_context *ctx, const spd_fit_options *given, spd_fit_options *mine)
{
    spd_fit_defaults(mine, sizeof *mine);
    spd_status status = sized_take(ctx, "spd_fit_options", sizeof *mine, mine, given);
    mine->hermitian = mine->hermitian != 0;
    return status < 0 ? status : model_options_check(ctx, mine);
}

spd_status fit_options_take(spd_context *ctx, const spd_fit_options *given, spd_fit_options *mine)
{
    spd_status status = fit_options_read(ctx, given, mine);
    usual_choices(mine);
    return status;
}

int fit_metric(spd_metric metric)
{
    return metric == SPD_STEIN || metric == SPD_AIRM || metric == SPD_JEFFREY ||
           metric == SPD_LOG_EUCLIDEAN;
}

int fit_approximates(const spd_fit_options *options)
{
    return options->metric == SPD_LOG_EUCLIDEAN && options->log_cost == SPD_LOG_COST_APPROXIMATE;
}

/* What the newer options go with. */
static spd_status check_coordinates(spd_context *ctx, const spd_fit_options *o)
{
    if (o->metric == SPD_LOG_EUCLIDEAN && o->coordinates > SPD_COORDINATES_PLAIN)
        return ctx_fail(ctx, SPD_EINVAL,
                        "the coordinates '%s' are not available under log-euclidean, whose cost is "
                        "another one in other coordinates; use plain ones",
                        spd_coordinates_name(o->coordinates));
    if (o->rebuild_graph < 0 || o->rebuild_graph > FIT_MOST_ROUNDS)
        return ctx_fail(ctx, SPD_EINVAL, "the graph can be rebuilt 0 to %d times, not %d",
                        FIT_MOST_ROUNDS, o->rebuild_graph);
    if (o->rebuild_graph && o->learning == SPD_OWN_GRAPH)
        return ctx_fail(ctx, SPD_EINVAL,
                        "a graph of your own cannot be rebuilt: how it was made is not known");
    if (o->rebuild_graph && o->learning == SPD_MAXIMAL_VARIANCE)
        return ctx_fail(ctx, SPD_EINVAL,
                        "maximal variance has no graph of neighbours that could be rebuilt");
    if (o->rebuild_graph && o->learning == SPD_UNSUPERVISED)
        return ctx_fail(ctx, SPD_EINVAL,
                        "a graph without labels cannot be rebuilt: it would ask the map what is "
                        "near, which the map has learned from it");
    if (o->candidates && o->learning != SPD_SUPERVISED)
        return ctx_fail(ctx, SPD_EINVAL, "only graphs with labels can be made among %zu candidates",
                        o->candidates);
    return SPD_OK;
}

spd_status fit_options_check(spd_context *ctx, const spd_store *set, const spd_fit_options *o)
{
    const size_t n = set ? set->n : 0;
    if (!set || set->p == 0 || n == 0)
        return ctx_fail(ctx, SPD_EINVAL, "an empty set of matrices has nothing to learn from");
    if (o->m < 1 || o->m >= n)
        return ctx_fail(ctx, SPD_EINVAL,
                        "m = %zu is out of range: a map of %zu x %zu matrices has 1 <= m <= %zu",
                        o->m, n, n, n - 1);
    if (o->hermitian && (n % 2 || o->m % 2))
        return ctx_fail(ctx, SPD_EINVAL,
                        "n = %zu and m = %zu: the real forms of complex matrices have even sizes",
                        n, o->m);
    if (!fit_metric(o->metric))
        return ctx_fail(ctx, SPD_EINVAL,
                        "no map can be learned under %s; use stein, airm, jeffrey or log-euclidean",
                        spd_metric_name(o->metric) ? spd_metric_name(o->metric) : "that metric");
    if (!(o->tol >= 0.0 && o->gtol >= 0.0 && o->max_time >= 0.0) || o->max_iter < 0)
        return ctx_fail(ctx, SPD_EINVAL, "tolerances and limits must not be negative");
    if (!(o->affinity_weight >= 0.0 && o->affinity_weight <= AFFINITY_LARGEST))
        return ctx_fail(ctx, SPD_EINVAL,
                        "the affinity weight must be a number >= 0, and at most %g",
                        AFFINITY_LARGEST);
    if (o->learning == SPD_MAXIMAL_VARIANCE && objective_get(o->objective)->needs_both)
        return ctx_fail(ctx, SPD_EINVAL,
                        "the %s objective needs pairs to pull together; maximal variance has "
                        "none",
                        spd_objective_name(o->objective));
    if (o->learning == SPD_MAXIMAL_VARIANCE && fit_approximates(o))
        return ctx_fail(ctx, SPD_EINVAL,
                        "maximal variance is not available for the approximate log-Euclidean cost; "
                        "use the exact one");
    if (o->learning == SPD_MAXIMAL_VARIANCE && o->init == SPD_INIT_STEIN)
        return ctx_fail(ctx, SPD_EINVAL,
                        "maximal variance cannot start from a fit under Stein: the mean, which it "
                        "measures from, is another one there");
    if (!spd_log_cost_name(o->log_cost))
        return ctx_fail(ctx, SPD_EINVAL, "there is no log-Euclidean cost number %d",
                        (int)o->log_cost);
    if (fit_approximates(o) && !set->X)
        return ctx_fail(ctx, SPD_EINVAL,
                        "the approximate log-Euclidean cost needs all matrices in memory as "
                        "float64; use the exact one, or another metric");
    return check_coordinates(ctx, o);
}
