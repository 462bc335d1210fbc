/* fit.c - learning the map: graph, start, minimisation, model (Algorithm 1 of the paper).
 *
 *   1. the pairs A_ij                                (affinity.c)
 *   2. the start W                                   (start.c)
 *   3. min over W of sum A_ij d2(W'X_iW, W'X_jW)     (optim, on an engine)
 *   4. once more from other starts when asked, and the best is kept
 *   5. when asked, rounds: the pairs anew, of W'XW, and step 3 again from W
 *
 * Step 3 may run in other coordinates (coordinates.c). All W here but that of the optimiser,
 * state.at, are in the original ones.
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
#include "learn/coordinates.h"
#include "learn/hash.h"
#include "learn/log_euclidean_fit.h"
#include "learn/model.h"
#include "learn/start.h"
#include "learn/state.h"
#include "linalg/tall.h"
#include "objective/objective.h"

/* A fit in progress. */
typedef struct fit {
    spd_context *ctx;
    size_t n, m;
    const double *X;
    const int *label;
    spd_fit_options o;
    spd_fit_watch watch;
    spd_fit_state state;
    double *mean; /* SPD_MAXIMAL_VARIANCE: the sample that all others are measured from */
    problem
        *engine;  /* in the coordinates of the fit; NULL for the approximate log-Euclidean cost */
    double *work; /* of tall_orthonormalise, and of changes of coordinates */
    size_t room;  /* for steps in the history of state.now */
    size_t row;   /* of the history where the running start or round begins */
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

/* The graph is a copy of one that is known. */
static spd_status take_graph(fit *f, size_t pairs, const spd_pair *from)
{
    f->state.pair = mem_alloc(pairs, sizeof *from);
    if (!f->state.pair)
        return ctx_nomem(f->ctx, "the graph");
    memcpy(f->state.pair, from, pairs * sizeof *from);
    f->state.pairs = pairs;
    return SPD_OK;
}

static spd_status make_graph(fit *f, const fit_graph *known)
{
    spd_fit_state *s = &f->state;
    double began = clock_seconds();
    spd_status status;
    if (known)
        status = take_graph(f, known->pairs, known->pair);
    else if (f->o.learning == SPD_MAXIMAL_VARIANCE)
        status = star_graph(f);
    else
        status = spd_affinity(f->ctx, f->n, s->p, f->X, f->label, &f->o, &s->pair, &s->pairs);
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
    f->room = f->row = 0;
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
        if (f->state.L)
            coordinates_leave(f->n, f->m, f->state.L, now->W, f->work);
        now->cost = s->f;
        now->gradient_norm = s->gradient_norm;
    }
    now->cost_start = now->history[0].cost;
    now->iterations = (int)f->row - now->rounds + s->iteration;
    now->data_passes = s->passes;
    now->seconds_fit = seconds_fit(f);
    now->stop = stop;
    now->starts = f->state.start + 1;
}

/* After each iteration: the record, progress, the caller's function. */
static int watch(void *user, const minimise_state *s, const spd_fit_step *last)
{
    fit *f = user;
    f->no_room = note_step(f, f->row + (size_t)s->iteration, last) < 0;
    if (f->no_room)
        return 1;
    note_point(f, SPD_STOP_CANCELLED); /* what it would be if the fit ended here */
    if (f->engine && !f->state.L)
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
    double *W = f->state.at.W;
    rng r;
    rng_seed(&r, f->o.seed + ((uint64_t)start << 32));
    spd_init init = start == 0 ? f->o.init : SPD_INIT_RANDOM;
    spd_status status =
        init == SPD_INIT_CSP
            ? start_csp(f->ctx, f->o.metric, f->n, f->m, f->state.p, f->X, f->label, W)
            : start_point(f->ctx, init, f->n, f->m, f->state.p, f->X, f->o.W, &r, W);
    if (status == SPD_OK && f->state.L)
        coordinates_enter(f->n, f->m, f->state.L, W, f->work);
    return status;
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

/* From state.at.W, or from where a resumed state stands, to an end. */
static spd_status descend(fit *f, int resumed)
{
    spd_status status = minimise_one(f, resumed);
    if (f->no_room)
        return ctx_nomem(f->ctx, "the history");
    if (status == SPD_OK)
        note_point(f, f->state.at.stop);
    return status;
}

static int must_end(const fit *f)
{
    return f->state.at.stop == SPD_STOP_CANCELLED || time_is_over(f);
}

/* All starts that are left; state.now is the last one. */
static spd_status run_starts(fit *f, int resumed)
{
    spd_fit_state *s = &f->state;
    for (;;) {
        spd_status status = resumed ? SPD_OK : new_record(f);
        if (status == SPD_OK && !resumed)
            status = start_at(f);
        if (status == SPD_OK)
            status = descend(f, resumed);
        if (status < 0 || s->start + 1 >= f->o.restarts || must_end(f))
            return status;
        keep_best(f);
        s->start++;
        resumed = 0;
    }
}

/* ---- rounds --------------------------------------------------------------------------------- */

/* The problem of the graph at hand. */
static spd_status open_engine(fit *f)
{
    engine_input in = describe_input(f);
    engine_free(f->engine);
    f->engine = NULL;
    if (fit_approximates(&f->o))
        return SPD_OK;
    spd_status status = engine_new(f->ctx, &in, &f->engine);
    if (status == SPD_OK && f->state.L) {
        problem *inside = f->engine;
        f->engine = NULL;
        status = coordinates_wrap(f->ctx, inside, f->state.L, &f->engine);
    }
    return status;
}

/* *pairs (new), *count <- the graph of W'XW. */
static spd_status graph_of_mapped(fit *f, spd_pair **pairs, size_t *count)
{
    const spd_fit_state *s = &f->state;
    double *S = mem_alloc(s->p, f->m * f->m * sizeof *S);
    if (!S)
        return ctx_nomem(f->ctx, "mapped matrices");
    spd_status status = spd_congruence(f->ctx, f->n, f->m, s->p, f->X, s->now->W, S);
    if (status == SPD_OK)
        status = spd_affinity(f->ctx, f->m, s->p, S, f->label, &f->o, pairs, count);
    mem_free(S);
    return status;
}

/* The graph <- that of W'XW, and everything made ready to go on from W; *changed is the number of
 * pairs that are different, and without any the graph stays. */
static spd_status next_round(fit *f, size_t *changed)
{
    spd_fit_state *s = &f->state;
    spd_pair *fresh = NULL;
    size_t pairs = 0;
    spd_status status = graph_of_mapped(f, &fresh, &pairs);
    if (status < 0)
        return status;
    *changed = s->now->pairs_changed = affinity_changed(s->pairs, s->pair, pairs, fresh);
    if (*changed == 0) {
        mem_free(fresh);
        return SPD_OK;
    }
    mem_free(s->pair);
    s->pair = fresh;
    s->pairs = pairs;
    affinity_count(pairs, fresh, &s->now->pairs_within, &s->now->pairs_between);
    s->now->rounds++;
    f->row = s->now->steps;
    memcpy(s->at.W, s->now->W, f->n * f->m * sizeof *s->at.W);
    if (s->L)
        coordinates_enter(f->n, f->m, s->L, s->at.W, f->work);
    status = check_graph(f);
    return status < 0 ? status : open_engine(f);
}

/* Those that are left, after the round that a resumed state stands in. */
static spd_status run_rounds(fit *f, int resumed)
{
    spd_fit_state *s = &f->state;
    spd_status status = resumed ? descend(f, 1) : SPD_OK;
    size_t changed = 1;
    while (status == SPD_OK && !must_end(f) && s->now->rounds < f->o.rebuild_graph) {
        status = next_round(f, &changed);
        if (status < 0 || !changed)
            break;
        status = descend(f, 0);
    }
    return status;
}

/* The best of the starts goes on; it alone. */
static void choose_start(fit *f)
{
    spd_fit_state *s = &f->state;
    if (s->best && !(s->now->cost < s->best->cost)) {
        spd_model *other = s->now;
        s->best->starts = other->starts;
        s->now = s->best;
        spd_model_free(other);
        f->room = s->now->steps;
    } else {
        spd_model_free(s->best);
    }
    s->best = NULL;
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
    f->o.coordinates = before->coordinates;
    f->state.start = s->start;
    f->state.now = model_copy(s->now, &f->o);
    f->state.best = s->best ? model_copy(s->best, &f->o) : NULL;
    f->room = s->now->steps;
    f->row = s->now->steps - 1 - (size_t)s->at.iteration;
    f->seconds_graph = s->now->seconds_graph;
    f->seconds_before = s->now->seconds_fit;
    minimise_close(&f->state.at);
    if (!f->state.now || (s->best && !f->state.best) || minimise_copy(&f->state.at, &s->at) < 0)
        return ctx_nomem(f->ctx, "the state of the fit");
    if (f->o.learning == SPD_MAXIMAL_VARIANCE)
        return star_graph(f);
    return take_graph(f, s->pairs, s->pair);
}

/* state.L <- what the coordinates are made by: computed, or that of the state resumed. */
static spd_status open_coordinates(fit *f)
{
    const spd_fit_state *resume = f->watch.resume;
    engine_input in = describe_input(f);
    if (f->o.coordinates == SPD_COORDINATES_PLAIN)
        return SPD_OK;
    f->state.L = mem_alloc(f->n, f->n * sizeof *f->state.L);
    if (!f->state.L)
        return ctx_nomem(f->ctx, "the coordinates");
    if (!resume)
        return coordinates_factor(f->ctx, f->o.coordinates, &in, f->state.L);
    memcpy(f->state.L, resume->L, f->n * f->n * sizeof *f->state.L);
    return SPD_OK;
}

static spd_status fit_open(fit *f, const fit_graph *known)
{
    const spd_fit_state *resume = f->watch.resume;
    f->work = mem_alloc(coordinates_work(f->n, f->m), sizeof *f->work);
    if (!f->work || minimise_open(&f->state.at, f->o.solver, f->n, f->m) < 0)
        return ctx_nomem(f->ctx, "the map");
    spd_status status = resume ? take_over(f, resume) : make_graph(f, known);
    if (status == SPD_OK)
        status = check_graph(f);
    f->began = clock_seconds();
    if (status == SPD_OK)
        status = open_coordinates(f);
    return status < 0 ? status : open_engine(f);
}

static void fit_close(fit *f)
{
    engine_free(f->engine);
    mem_free(f->mean);
    mem_free(f->work);
    mem_free(f->state.pair);
    mem_free(f->state.L);
    minimise_close(&f->state.at);
    spd_model_free(f->state.now);
    spd_model_free(f->state.best);
}

/* Everything between the checks and the release. */
static spd_status fit_run(fit *f, const fit_graph *known, spd_model **model)
{
    int resumed = f->watch.resume != NULL;
    spd_status status = fit_open(f, known);
    int in_rounds = resumed && status == SPD_OK && f->state.now->rounds > 0;
    if (status == SPD_OK && !in_rounds)
        status = run_starts(f, resumed);
    if (status == SPD_OK && f->o.rebuild_graph && !must_end(f)) {
        choose_start(f);
        status = run_rounds(f, in_rounds);
    }
    if (status == SPD_OK && state_model(&f->state, model) < 0)
        return ctx_nomem(f->ctx, "the model");
    if (status == SPD_OK && f->state.at.stop == SPD_STOP_CANCELLED)
        return ctx_fail(f->ctx, SPD_ECANCELLED, "learning cancelled");
    return status;
}

static spd_status fit_all(spd_context *ctx, size_t n, size_t p, const double *X, const int *label,
                          const spd_fit_options *options, const spd_fit_watch *watch,
                          const fit_graph *known, spd_model **model)
{
    fit f = {.ctx = ctx,
             .n = n,
             .X = X,
             .label = label,
             .watch = SPD_INIT(spd_fit_watch),
             .state = {.p = p}};
    ctx_clear(ctx);
    spd_status status = fit_options_take(ctx, options, &f.o);
    if (status == SPD_OK)
        status = sized_take(ctx, "spd_fit_watch", sizeof f.watch, &f.watch, watch);
    if (status == SPD_OK)
        status = fit_options_check(ctx, n, p, X, &f.o);
    if (status == SPD_OK)
        status = spd_check(ctx, n, p, X, 0.0);
    if (status < 0)
        return status;
    f.m = f.o.m;
    f.o.coordinates = f.watch.resume ? f.o.coordinates : coordinates_choose(&f.o);
    f.o.restarts = f.o.restarts > 1 ? f.o.restarts : 1;
    f.state.fingerprint = fingerprint(n, p, X, label);
    spd_private_blas_hold();
    status = fit_run(&f, known, model);
    spd_private_blas_release();
    fit_close(&f);
    return status;
}

spd_status spd_fit(spd_context *ctx, size_t n, size_t p, const double *X, const int *label,
                   const spd_fit_options *options, const spd_fit_watch *watch, spd_model **model)
{
    return fit_all(ctx, n, p, X, label, options, watch, NULL, model);
}

spd_status fit_on_graph(spd_context *ctx, size_t n, size_t p, const double *X, const int *label,
                        const spd_fit_options *options, const fit_graph *graph, spd_model **model)
{
    return fit_all(ctx, n, p, X, label, options, NULL, graph, model);
}
