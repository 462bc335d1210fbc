/* fit.c - learning the map: graph, start, minimisation, model (Algorithm 1 of the paper).
 *
 *   1. the pairs A_ij                                (affinity.c)
 *   2. the start W                                   (start.c)
 *   3. min over W of sum A_ij d2(W'X_iW, W'X_jW)     (optim, on an engine)
 *   4. once more from other starts when asked, and the best is kept
 *
 * The approximate log-Euclidean cost goes its own way in step 3 (log_euclidean_fit.c). All that a
 * fit knows beyond its data is in one spd_fit_state, which a checkpoint saves as it is: `now` is
 * the record of the running start, brought up to date after every iteration, `best` that of the
 * best start before. */
#include "learn/fit.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/rng.h"
#include "base/sized.h"
#include "engine/blas.h"
#include "engine/engine.h"
#include "engine/parallel.h"
#include "learn/affinity.h"
#include "learn/hash.h"
#include "learn/log_euclidean_fit.h"
#include "learn/model.h"
#include "learn/start.h"
#include "learn/state.h"
#include "linalg/tall.h"
#include "objective/objective.h"

void spd_fit_defaults(spd_fit_options *options, size_t size)
{
    const spd_fit_options standard = {.size = sizeof standard,
                                      .metric = SPD_STEIN,
                                      .affinity_weight = 1.0,
                                      .restarts = 1,
                                      .seed = 1,
                                      .solver = SPD_LBFGS,
                                      .tol = 1e-5,
                                      .gtol = 1e-9,
                                      .max_iter = 200};
    options->size = size;
    sized_give(sizeof standard, &standard, options);
}

spd_status fit_options_take(spd_context *ctx, const spd_fit_options *given, spd_fit_options *mine)
{
    spd_fit_defaults(mine, sizeof *mine);
    spd_status status = sized_take(ctx, "spd_fit_options", sizeof *mine, mine, given);
    return status < 0 ? status : model_options_check(ctx, mine);
}

int fit_approximates(const spd_fit_options *options)
{
    return options->metric == SPD_LOG_EUCLIDEAN && options->log_cost == SPD_LOG_COST_APPROXIMATE;
}

/* A fit in progress. */
typedef struct fit {
    spd_context *ctx;
    size_t n, m;
    const double *X;
    spd_fit_options o;
    spd_fit_watch watch;
    spd_fit_state state;
    double *mean;    /* SPD_MAXIMAL_VARIANCE: the sample that all others are measured from */
    problem *engine; /* NULL for the approximate log-Euclidean cost */
    double *work;    /* of tall_orthonormalise */
    size_t room;     /* for steps in the history of state.now */
    double seconds_graph, seconds_before, began;
    int no_room; /* for the history */
} fit;

static double seconds_fit(const fit *f)
{
    return f->seconds_before + clock_seconds() - f->began;
}

/* What the graph has left of max_time; the least number above 0 when nothing is left, since 0 is no
 * limit. */
static double time_for_starts(const fit *f)
{
    double left = f->o.max_time - f->seconds_graph;
    return f->o.max_time == 0.0 ? 0.0 : left > DBL_MIN ? left : DBL_MIN;
}

static int time_is_over(const fit *f)
{
    return f->o.max_time > 0.0 && seconds_fit(f) >= time_for_starts(f);
}

/* All of X, the labels and the sizes. */
static uint64_t fingerprint(size_t n, size_t p, const double *X, const int *label)
{
    const uint64_t sizes[] = {n, p, label != NULL};
    uint64_t hash = hash_bytes(0, sizes, sizeof sizes);
    hash = hash_bytes(hash, X, p * n * n * sizeof *X);
    return label ? hash_bytes(hash, label, p * sizeof *label) : hash;
}

static spd_status check_options(spd_context *ctx, size_t n, size_t p, const double *X,
                                const spd_fit_options *o)
{
    if (!X || p == 0 || n == 0)
        return ctx_fail(ctx, SPD_EINVAL, "an empty set of matrices has nothing to learn from");
    if (o->m < 1 || o->m >= n)
        return ctx_fail(ctx, SPD_EINVAL,
                        "m = %zu is out of range: a map of %zu x %zu matrices has 1 <= m <= %zu",
                        o->m, n, n, n - 1);
    if (!pair_rule_get(o->metric))
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
    if (!spd_log_cost_name(o->log_cost))
        return ctx_fail(ctx, SPD_EINVAL, "there is no log-Euclidean cost number %d",
                        (int)o->log_cost);
    return SPD_OK;
}

/* ---- graph ---------------------------------------------------------------------------------- */

/* The star: every sample is pushed away from the mean M, which is sample number p. */
static spd_status star_graph(fit *f)
{
    size_t p = f->state.p;
    f->mean = mem_alloc(f->n * f->n, sizeof *f->mean);
    f->state.pair = mem_alloc(p, sizeof *f->state.pair);
    if (!f->mean || !f->state.pair)
        return ctx_nomem(f->ctx, "the graph");
    f->state.pairs = p;
    for (size_t i = 0; i < p; i++)
        f->state.pair[i] = (spd_pair){(uint32_t)i, (uint32_t)p, 0.0, 0.5};
    spd_status status = spd_mean(
        f->ctx, f->o.metric, f->n, p, f->X,
        &(spd_mean_options){.size = sizeof(spd_mean_options), .tol = 1e-10}, f->mean, NULL);
    return status < 0 ? status : SPD_OK;
}

static spd_status make_graph(fit *f, const int *label)
{
    spd_fit_state *s = &f->state;
    double began = clock_seconds();
    spd_status status =
        f->o.learning == SPD_MAXIMAL_VARIANCE
            ? star_graph(f)
            : spd_affinity(f->ctx, f->n, s->p, f->X, label, &f->o, &s->pair, &s->pairs);
    f->seconds_graph = clock_seconds() - began;
    return status;
}

static spd_status check_graph(const fit *f)
{
    size_t within, between;
    affinity_count(f->state.pairs, f->state.pair, &within, &between);
    if (objective_get(f->o.objective)->needs_both && (within == 0 || between == 0))
        return ctx_fail(f->ctx, SPD_EINVAL,
                        "the %s objective needs pairs within and between classes; there are %zu "
                        "and %zu",
                        spd_objective_name(f->o.objective), within, between);
    if (f->state.pairs == 0)
        return ctx_fail(f->ctx, SPD_EINVAL, "the graph is empty: there is nothing to minimise");
    double largest = 0.0;
    for (size_t i = 0; i < f->state.pairs; i++)
        largest = fmax(largest, fmax(f->state.pair[i].within, f->state.pair[i].between));
    if (largest < AFFINITY_LEAST)
        return ctx_fail(f->ctx, SPD_EINVAL,
                        "the weights of the graph are at most %.2g: give larger ones; only their "
                        "ratios matter",
                        largest);
    return SPD_OK;
}

/* ---- the record of a start ------------------------------------------------------------------ */

/* state.now <- an empty record; nu_w and nu_b are known. */
static spd_status new_record(fit *f)
{
    spd_model *now = f->state.now = model_new(f->n, &f->o, spd_version());
    if (!now)
        return ctx_nomem(f->ctx, "the model");
    affinity_count(f->state.pairs, f->state.pair, &now->pairs_within, &now->pairs_between);
    now->seconds_graph = f->seconds_graph;
    f->room = 0;
    return SPD_OK;
}

/* Entry `at` of the history <- step, and it ends there. */
static spd_status note_step(fit *f, size_t at, const spd_fit_step *step)
{
    spd_model *now = f->state.now;
    if (at >= f->room) {
        size_t room = 2 * at + 64;
        spd_fit_step *grown = mem_grow(now->history, at * sizeof *grown, room * sizeof *grown);
        if (!grown)
            return SPD_ENOMEM;
        now->history = grown;
        f->room = room;
    }
    now->history[at] = *step;
    now->steps = at + 1;
    return SPD_OK;
}

/* Brings the record up to where the optimiser stands. */
static void note_point(fit *f, spd_stop stop)
{
    const minimise_state *s = &f->state.at;
    spd_model *now = f->state.now;
    if (s->f <= s->best_f) { /* the last W is the result so far */
        memcpy(now->W, s->W, f->n * f->m * sizeof *now->W);
        now->cost = s->f;
        now->gradient_norm = s->gradient_norm;
    }
    now->cost_start = now->history[0].cost;
    now->iterations = s->iteration;
    now->data_passes = s->passes;
    now->seconds_fit = seconds_fit(f);
    now->stop = stop;
    now->starts = f->state.start + 1;
}

/* After each iteration: the record, progress, the caller's function. */
static int watch(void *user, const minimise_state *s, const spd_fit_step *last)
{
    fit *f = user;
    f->no_room = note_step(f, (size_t)s->iteration, last) < 0;
    if (f->no_room)
        return 1;
    note_point(f, SPD_STOP_CANCELLED); /* what it would be if the fit ended here */
    if (f->engine)
        tall_orthonormalise(f->n, f->m, f->state.now->W, f->work);
    int stop = ctx_progress(f->ctx, "learning", "iterations", s->iteration, f->o.max_iter);
    if (f->watch.after)
        stop |= f->watch.after(f->watch.user, &f->state, last, s->iteration);
    return stop;
}

/* ---- starts --------------------------------------------------------------------------------- */

static engine_input describe_input(const fit *f)
{
    return (engine_input){f->n,        f->m,           f->state.p,     f->X,         f->mean,
                          f->o.metric, f->o.objective, f->state.pairs, f->state.pair};
}

static spd_status minimise_one(fit *f, int resumed)
{
    minimise_options o = {.solver = f->o.solver,
                          .transport = f->o.transport,
                          .tol = f->o.tol,
                          .gtol = f->o.gtol,
                          .max_time = time_for_starts(f),
                          .max_iter = f->o.max_iter,
                          .refresh = FIT_REFRESH,
                          .seconds_before = seconds_fit(f)};
    minimise_state *s = &f->state.at;
    engine_input in = describe_input(f);
    if (!f->engine)
        return log_euclidean_minimise(f->ctx, &in, &o, resumed, s, watch, f);
    spd_status status = minimise(f->engine, &o, resumed, s, watch, f);
    if (status == SPD_ENUMERIC)
        ctx_fail(f->ctx, status, "the cost or its gradient is not finite; regularise the data");
    if (status == SPD_ENOMEM)
        ctx_nomem(f->ctx, "the optimiser");
    return status;
}

/* Where the start at hand begins. Each draws its own numbers, so that a resumed fit draws the
 * same. */
static spd_status start_at(fit *f)
{
    int start = f->state.start;
    rng r;
    rng_seed(&r, f->o.seed + ((uint64_t)start << 32));
    return start_point(f->ctx, start == 0 ? f->o.init : SPD_INIT_RANDOM, f->n, f->m, f->state.p,
                       f->X, f->o.W, &r, f->state.at.W);
}

/* The start at hand has ended: its record is dropped unless it is the best so far. */
static void keep_best(fit *f)
{
    spd_fit_state *s = &f->state;
    if (s->best && !(s->now->cost < s->best->cost)) {
        spd_model_free(s->now);
    } else {
        spd_model_free(s->best);
        s->best = s->now;
    }
    s->now = NULL;
}

/* One start, or the rest of one; *ended when there is no other to come. */
static spd_status run_start(fit *f, int resumed, int *ended)
{
    spd_fit_state *s = &f->state;
    spd_status status = resumed ? SPD_OK : new_record(f);
    if (status == SPD_OK && !resumed)
        status = start_at(f);
    if (status == SPD_OK)
        status = minimise_one(f, resumed);
    if (f->no_room)
        return ctx_nomem(f->ctx, "the history");
    if (status < 0)
        return status;
    note_point(f, s->at.stop);
    *ended = s->at.stop == SPD_STOP_CANCELLED || s->start + 1 >= f->o.restarts || time_is_over(f);
    if (*ended)
        return SPD_OK;
    keep_best(f);
    s->start++;
    return SPD_OK;
}

/* ---- life ----------------------------------------------------------------------------------- */

/* Goes on with a saved state: a copy of it, with the options given now. */
static spd_status take_over(fit *f, const spd_fit_state *s)
{
    const spd_fit_options *before = s->now->options;
    const char *differs = model_options_differ(before, &f->o);
    if (s->now->n != f->n || s->p != f->state.p || s->fingerprint != f->state.fingerprint)
        return ctx_fail(f->ctx, SPD_EINVAL,
                        "the checkpoint belongs to other data (%zu matrices %zu x %zu, m = %zu)",
                        s->p, s->now->n, s->now->n, s->now->m);
    if (differs)
        return ctx_fail(f->ctx, SPD_EINVAL, "the checkpoint belongs to a fit with another %s",
                        differs);
    f->o.nu_w = before->nu_w;
    f->o.nu_b = before->nu_b;
    f->state.start = s->start;
    f->state.now = model_copy(s->now, &f->o);
    f->state.best = s->best ? model_copy(s->best, &f->o) : NULL;
    f->room = s->now->steps;
    f->seconds_graph = s->now->seconds_graph;
    f->seconds_before = s->now->seconds_fit;
    minimise_close(&f->state.at);
    if (!f->state.now || (s->best && !f->state.best) || minimise_copy(&f->state.at, &s->at) < 0)
        return ctx_nomem(f->ctx, "the state of the fit");
    if (f->o.learning == SPD_MAXIMAL_VARIANCE)
        return star_graph(f);
    f->state.pair = mem_alloc(s->pairs, sizeof *s->pair);
    if (!f->state.pair)
        return ctx_nomem(f->ctx, "the graph");
    memcpy(f->state.pair, s->pair, s->pairs * sizeof *s->pair);
    f->state.pairs = s->pairs;
    return SPD_OK;
}

static spd_status fit_open(fit *f, const int *label)
{
    const spd_fit_state *resume = f->watch.resume;
    f->work = mem_alloc(tall_orthonormalise_work(f->n, f->m), sizeof *f->work);
    if (!f->work || minimise_open(&f->state.at, f->o.solver, f->n, f->m) < 0)
        return ctx_nomem(f->ctx, "the map");
    spd_status status = resume ? take_over(f, resume) : make_graph(f, label);
    if (status == SPD_OK)
        status = check_graph(f);
    f->began = clock_seconds();
    engine_input in = describe_input(f);
    if (status == SPD_OK && !fit_approximates(&f->o))
        status = engine_new(f->ctx, &in, &f->engine);
    return status;
}

static void fit_close(fit *f)
{
    engine_free(f->engine);
    mem_free(f->mean);
    mem_free(f->work);
    mem_free(f->state.pair);
    minimise_close(&f->state.at);
    spd_model_free(f->state.now);
    spd_model_free(f->state.best);
}

/* Everything between the checks and the release. */
static spd_status fit_run(fit *f, const int *label, spd_model **model)
{
    int resumed = f->watch.resume != NULL, ended = 0;
    spd_status status = fit_open(f, label);
    while (status == SPD_OK && !ended) {
        status = run_start(f, resumed, &ended);
        resumed = 0;
    }
    if (status == SPD_OK && state_model(&f->state, model) < 0)
        return ctx_nomem(f->ctx, "the model");
    if (status == SPD_OK && f->state.at.stop == SPD_STOP_CANCELLED)
        return ctx_fail(f->ctx, SPD_ECANCELLED, "learning cancelled");
    return status;
}

spd_status spd_fit(spd_context *ctx, size_t n, size_t p, const double *X, const int *label,
                   const spd_fit_options *options, const spd_fit_watch *watch, spd_model **model)
{
    fit f = {.ctx = ctx, .n = n, .X = X, .watch = SPD_INIT(spd_fit_watch), .state = {.p = p}};
    ctx_clear(ctx);
    spd_status status = fit_options_take(ctx, options, &f.o);
    if (status == SPD_OK)
        status = sized_take(ctx, "spd_fit_watch", sizeof f.watch, &f.watch, watch);
    if (status == SPD_OK)
        status = check_options(ctx, n, p, X, &f.o);
    if (status == SPD_OK)
        status = spd_check(ctx, n, p, X, 0.0);
    if (status < 0)
        return status;
    f.m = f.o.m;
    f.o.restarts = f.o.restarts > 1 ? f.o.restarts : 1;
    f.state.fingerprint = fingerprint(n, p, X, label);
    spd_private_blas_hold();
    status = fit_run(&f, label, model);
    spd_private_blas_release();
    fit_close(&f);
    return status;
}
