/* fit_options.c - the options of a fit: defaults, the paper's settings, and what goes together. */
#include "base/sized.h"
#include "learn/affinity.h"
#include "learn/fit.h"
#include "learn/model.h"
#include "objective/objective.h"
#include "sets/set.h"

/* ---- what is taken where options leave it open ---------------------------------------------- */

/* By measurement on ten sets (docs/notes/results-earlier.md). */
#define USUAL_OBJECTIVE SPD_OBJECTIVE_SOFTMAX

/* Candidates of softmax: all of them in sets of no more samples than this, and beyond as many of
 * the nearest. */
#define ALL_CANDIDATES_UP_TO 500
#define CANDIDATES_WITHIN    30
#define CANDIDATES_BETWEEN   60

/* The same for maps to choose settings by. */
#define ROUGH_WITHIN  10
#define ROUGH_BETWEEN 20

/* Neighbours of other classes under the difference, if nu_w is no less. */
#define PAPERS_BETWEEN 3

/* The approximate log-Euclidean cost is meant for the paper's objective; candidates need labels. */
static spd_objective usual_objective(const spd_fit_options *o)
{
    int by_labels = o->learning == SPD_LEARNING_SUPERVISED && !o->own_pairs;
    return o->paper || !by_labels || fit_approximates(o) ? SPD_OBJECTIVE_DIFFERENCE
                                                         : USUAL_OBJECTIVE;
}

void usual_choices(spd_fit_options *options)
{
    if (options->objective == SPD_OBJECTIVE_AUTO)
        options->objective = usual_objective(options);
    if (options->init == SPD_INIT_AUTO && options->paper)
        options->init = SPD_INIT_IDENTITY;
    if (options->coordinates == SPD_COORDINATES_AUTO && options->paper)
        options->coordinates = SPD_COORDINATES_PLAIN;
    if (options->solver == SPD_SOLVER_AUTO)
        options->solver = options->paper ? SPD_SOLVER_POLAK_RIBIERE : SPD_SOLVER_LBFGS;
}

void usual_nu(size_t p, const classes *c, spd_fit_options *options)
{
    size_t nu_w = c->smallest, nu_b = PAPERS_BETWEEN;
    int candidates = objective_of_samples(options->objective);
    if (candidates && p > ALL_CANDIDATES_UP_TO) {
        nu_w = CANDIDATES_WITHIN;
        nu_b = CANDIDATES_BETWEEN;
    } else if (candidates) {
        nu_w = c->largest > 1 ? c->largest - 1 : 1;
        nu_b = c->labelled - c->smallest;
    }
    if (options->nu_w == 0)
        options->nu_w = nu_w;
    if (options->nu_b == 0)
        options->nu_b = candidates || nu_b < options->nu_w ? nu_b : options->nu_w;
}

void usual_nu_roughly(spd_fit_options *options)
{
    if (options->learning != SPD_LEARNING_SUPERVISED || options->nu_w || options->nu_b ||
        !objective_of_samples(options->objective))
        return;
    options->nu_w = ROUGH_WITHIN;
    options->nu_b = ROUGH_BETWEEN;
}

/* ---- the options ---------------------------------------------------------------------------- */

void spd_fit_defaults(spd_fit_options *options, size_t size)
{
    const spd_fit_options standard = {.size = sizeof standard,
                                      .metric = SPD_METRIC_STEIN,
                                      .objective = SPD_OBJECTIVE_AUTO,
                                      .init = SPD_INIT_AUTO,
                                      .search = SPD_SEARCH_AUTO,
                                      .restarts = 1,
                                      .seed = 1,
                                      .solver = SPD_SOLVER_AUTO,
                                      .tol = 1e-4,
                                      .max_iter = 1000};
    options->size = size;
    sized_give(sizeof standard, &standard, options);
}

void spd_fit_resolve(spd_fit_options *options)
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
    return metric == SPD_METRIC_STEIN || metric == SPD_METRIC_AIRM ||
           metric == SPD_METRIC_JEFFREY || metric == SPD_METRIC_LOG_EUCLIDEAN;
}

int fit_approximates(const spd_fit_options *options)
{
    return options->metric == SPD_METRIC_LOG_EUCLIDEAN &&
           options->log_cost == SPD_LOG_COST_APPROXIMATE;
}

spd_status fit_options_check(spd_context *ctx, const spd_set *set, const spd_fit_options *o)
{
    const size_t n = set->n;
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
                        spd_name(SPD_ENUM_METRIC, o->metric) ? spd_name(SPD_ENUM_METRIC, o->metric)
                                                             : "that metric");
    if (!(o->tol >= 0.0 && o->max_time >= 0.0) || o->max_iter < 0)
        return ctx_fail(ctx, SPD_EINVAL, "tolerances and limits must not be negative");
    if (o->learning == SPD_LEARNING_VARIANCE && objective_of_samples(o->objective))
        return ctx_fail(ctx, SPD_EINVAL,
                        "the softmax objective needs pairs to pull together; maximal variance has "
                        "none");
    if (o->learning == SPD_LEARNING_VARIANCE && fit_approximates(o))
        return ctx_fail(ctx, SPD_EINVAL,
                        "maximal variance is not available for the approximate log-Euclidean cost; "
                        "use the exact one");
    if (o->learning == SPD_LEARNING_VARIANCE && o->init == SPD_INIT_STEIN)
        return ctx_fail(ctx, SPD_EINVAL,
                        "maximal variance cannot start from a fit under Stein: the mean, which it "
                        "measures from, is another one there");
    if (!spd_name(SPD_ENUM_LOG_COST, o->log_cost))
        return ctx_fail(ctx, SPD_EINVAL, "there is no log-Euclidean cost number %d",
                        (int)o->log_cost);
    if (fit_approximates(o) && !set_doubles(set))
        return ctx_fail(ctx, SPD_EINVAL,
                        "the approximate log-Euclidean cost needs all matrices in memory as "
                        "float64; use the exact one, or another metric");
    if (o->metric == SPD_METRIC_LOG_EUCLIDEAN && o->coordinates > SPD_COORDINATES_PLAIN)
        return ctx_fail(ctx, SPD_EINVAL,
                        "the coordinates '%s' are not available under log-euclidean, whose cost is "
                        "another one in other coordinates; use plain ones",
                        spd_name(SPD_ENUM_COORDINATES, o->coordinates));
    return SPD_OK;
}
