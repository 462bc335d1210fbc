/* fit.c - learning the map: graph, start, minimisation, model (Algorithm 1 of the paper).
 *
 *   1. the pairs A_ij                                (affinity.c)
 *   2. the start W                                   (fit_start.c)
 *   3. min over W of sum A_ij d2(W'X_iW, W'X_jW)     (optim, on an engine)
 *   4. once more from other starts when asked, and the best is kept
 *
 * Step 3 may run in other coordinates (coordinates.c, eq. 17). All W here but that of the
 * optimiser, state.at, are in the original ones.
 *
 * All that a fit knows beyond its data is in one spd_fit_state, which a checkpoint saves as it is:
 * `now` is the record of the running start, brought up to date after every iteration, `best` that
 * of the best start before. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/sized.h"
#include "fit/engine.h"
#include "learn/affinity.h"
#include "learn/complex_map.h"
#include "learn/coordinates.h"
#include "learn/fitting.h"
#include "learn/logarithms.h"
#include "learn/model.h"
#include "linalg/tall.h"
#include "objective/objective.h"
#include "ops/check.h"
#include "run/blas.h"
#include "run/parallel.h"
#include "sets/blocks.h"
#include "sets/set.h"
#include "spdml.h"

/* ---- what is left to gain ------------------------------------------------------------------- */
/* A cost that falls by A between two of its values and by B = q A after that has B q/(1 - q) left
 * if q stays the same. Taken over windows of one width that is a geometric tail, which most often
 * promises too little; over windows that double in width a tail in powers, which promises too much.
 * The answer is the geometric mean of both: docs/notes/learning.md says how good it was. */

#define LEAST_STEPS   8   /* of a history that says anything */
#define WIDEST        50  /* of a window of one width */
#define LARGEST_QUOTA 0.9 /* of q: slower tails are not told apart */

static double tail(double before, double between, double after)
{
    double fall = between - after, quota = fall / (before - between);
    if (!(fall > 0.0))
        return 0.0;
    if (!(quota >= 0.0 && quota < LARGEST_QUOTA))
        quota = LARGEST_QUOTA;
    return fall * quota / (1.0 - quota);
}

double spd_model_gain(const spd_model *model)
{
    if (model->stop == SPD_STOP_GRADIENT || model->stop == SPD_STOP_LINE_SEARCH)
        return 0.0;
    if (model->stop == SPD_STOP_INVARIANT || model->steps <= LEAST_STEPS)
        return NAN;
    const spd_fit_step *h = model->history;
    size_t last = model->steps - 1, width = last / 4 < WIDEST ? last / 4 : WIDEST;
    double geometric = tail(h[last - 2 * width].cost, h[last - width].cost, h[last].cost);
    double powers = tail(h[last / 4].cost, h[last / 2].cost, h[last].cost);
    return sqrt(geometric * powers);
}

/* ---- the graph ------------------------------------------------------------------------------ */

/* The star: every sample is pushed away from the mean M, which is sample number p. */
static spd_status fitting_star_graph(fit *f)
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
        f->ctx, f->o.metric, f->set,
        &(spd_mean_options){.size = sizeof(spd_mean_options), .tol = 1e-10}, f->mean, NULL);
    return status < 0 ? status : SPD_OK;
}

/* The graph is a copy of one that is known. */
static spd_status fitting_take_graph(fit *f, size_t pairs, const spd_pair *from)
{
    f->state.pair = mem_alloc(pairs, sizeof *from);
    if (!f->state.pair)
        return ctx_nomem(f->ctx, "the graph");
    memcpy(f->state.pair, from, pairs * sizeof *from);
    f->state.pairs = pairs;
    return SPD_OK;
}

/* The graph that the options ask for, or a copy of `known`, unless that is NULL. */
static spd_status fitting_make_graph(fit *f, const fit_graph *known)
{
    spd_fit_state *s = &f->state;
    double began = ranks_clock(ranks_of(f->ctx));
    spd_status status;
    if (known)
        status = fitting_take_graph(f, known->pairs, known->pair);
    else if (f->o.learning == SPD_LEARNING_VARIANCE)
        status = fitting_star_graph(f);
    else
        status = spd_affinity(f->ctx, f->set, f->label, &f->o, &s->pair, &s->pairs);
    if (f->o.search == SPD_SEARCH_AUTO) { /* no neighbours were looked for */
        f->o.search = SPD_SEARCH_EXACT;
        f->o.recall = 1.0;
    }
    /* Squared distances between real forms are twice those between Hermitian matrices. */
    for (size_t k = 0; status == SPD_OK && k < s->pairs && f->set->hermitian; k++) {
        s->pair[k].within *= set_share(f->set);
        s->pair[k].between *= set_share(f->set);
    }
    f->seconds_graph = ranks_clock(ranks_of(f->ctx)) - began;
    return status;
}

/* SPD_EINVAL, with the reason, for a graph without a cost to minimise. */
static spd_status fitting_check_graph(const fit *f)
{
    size_t within, between;
    affinity_count(f->state.pairs, f->state.pair, &within, &between);
    if (objective_of_samples(f->o.objective) && (within == 0 || between == 0))
        return ctx_fail(f->ctx, SPD_EINVAL,
                        "the softmax objective needs pairs within and between classes; there are "
                        "%zu and %zu",
                        within, between);
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

/* ---- the fit -------------------------------------------------------------------------------- */

static double seconds_fit(const fit *f)
{
    return f->seconds_before + clock_seconds() - f->began;
}

/* The clock that limits are measured by: the same in all ranks, so that all stop together. */
static double common_clock(void *user)
{
    const fit *f = user;
    return ranks_clock(ranks_of(f->ctx));
}

double fitting_time(const fit *f)
{
    double left = f->o.max_time - f->seconds_graph;
    return f->o.max_time == 0.0 ? 0.0 : left > DBL_MIN ? left : DBL_MIN;
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

/* Brings the record up to where the optimiser stands. W is made orthonormal first, as the optimiser
 * does at its end: a fit that ends here and one that is looked at here have the same bits. */
static void note_point(fit *f, spd_stop stop, int ended)
{
    const minimise_state *s = &f->state.at;
    spd_model *now = f->state.now;
    memcpy(now->W, s->W, f->n * f->m * sizeof *now->W);
    if (!ended)
        tall_orthonormalise(f->n, f->m, now->W, f->work);
    if (f->state.L)
        coordinates_leave(f->n, f->m, f->state.L, now->W, f->work);
    if (f->o.hermitian)
        complex_map_basis(f->n, f->m, now->W, f->work);
    now->cost = s->f;
    now->gradient_norm = s->gradient_norm;
    now->cost_start = now->history[0].cost;
    now->iterations = s->iteration;
    now->data_passes = s->passes;
    now->passes_each = f->engine->grad_pass ? 2 : 1;
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
    note_point(f, SPD_STOP_CANCELLED, 0); /* what it would be if the fit ended here */
    int stop = ctx_progress(f->ctx, "learning", "iterations", s->iteration, f->o.max_iter);
    if (f->watch.after)
        stop |= f->watch.after(f->watch.user, &f->state, last, s->iteration);
    return ranks_any(ranks_of(f->ctx), stop);
}

/* ---- starts --------------------------------------------------------------------------------- */

static engine_input describe_input(const fit *f)
{
    engine_input in = {.n = f->n,
                       .m = f->m,
                       .p = f->state.p,
                       .X = set_doubles(f->set),
                       .extra = f->mean,
                       .metric = f->o.metric,
                       .objective = f->o.objective,
                       .pairs = f->state.pairs,
                       .pair = f->state.pair,
                       .set = f->set,
                       .there = f->there,
                       .yields = f->yields};
    if (f->logs) {
        in.X = f->logs;
        in.metric = SPD_METRIC_EUCLIDEAN;
        in.there = NULL;
    }
    return in;
}

/* The engine for the graph at hand. */
static spd_status open_engine(fit *f)
{
    spd_status status = SPD_OK;
    if (fit_approximates(&f->o) && !f->logs)
        status = logarithms_new(f->ctx, f->n, f->state.p, set_doubles(f->set), &f->logs);
    engine_input in = describe_input(f);
    engine_free(f->engine);
    f->engine = NULL;
    return status < 0 ? status : engine_new(f->ctx, &in, &f->engine);
}

/* And seen from the coordinates of the fit; complex maps are to stay so. */
static spd_status enter_coordinates(fit *f)
{
    problem *inside = f->engine;
    spd_status status = SPD_OK;
    if (f->state.L) {
        f->engine = NULL;
        status = coordinates_wrap(f->ctx, inside, f->state.L, &f->engine);
        inside = f->engine;
    }
    if (status < 0 || !f->o.hermitian)
        return status;
    f->engine = NULL;
    return complex_map_wrap(f->ctx, inside, &f->engine);
}

static spd_status minimise_one(fit *f, int resumed)
{
    minimise_options o = {.solver = f->o.solver,
                          .tol = f->o.tol,
                          .gtol = FIT_GTOL,
                          .max_time = fitting_time(f),
                          .max_iter = f->o.max_iter,
                          .refresh = FIT_REFRESH,
                          .seconds_before = f->seconds_before + common_clock(f) - f->began,
                          .clock = common_clock,
                          .clock_user = f};
    minimise_state *s = &f->state.at;
    spd_status status = minimise(f->engine, &o, resumed, s, watch, f);
    if (status == SPD_ECANCELLED)
        return ctx_fail(f->ctx, status, "learning cancelled");
    if (status == SPD_ENUMERIC)
        ctx_fail(f->ctx, status, "the cost or its gradient is not finite; regularise the data");
    if (status == SPD_ENOMEM)
        ctx_nomem(f->ctx, "the optimiser");
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

/* From state.at.W, given in the original coordinates, or from where a resumed state stands, to an
 * end. */
static spd_status descend(fit *f, int resumed)
{
    if (!resumed && f->state.L)
        coordinates_enter(f->n, f->m, f->state.L, f->state.at.W, f->work);
    spd_status status = minimise_one(f, resumed);
    if (f->no_room)
        return ctx_nomem(f->ctx, "the history");
    if (status == SPD_OK) {
        note_point(f, f->state.at.stop, 1);
        fitting_judge_end(f);
    }
    if (status == SPD_ECANCELLED &&
        f->state.now->steps > 0) { /* within an iteration: that before */
        f->state.at.stop = SPD_STOP_CANCELLED;
        status = SPD_OK;
    }
    return status;
}

static int must_end(fit *f)
{
    return f->state.at.stop == SPD_STOP_CANCELLED ||
           (f->o.max_time > 0.0 &&
            f->seconds_before + common_clock(f) - f->began >= fitting_time(f));
}

/* All starts that are left, the first from state.at; state.now is the last one. */
static spd_status run_starts(fit *f, int resumed)
{
    spd_fit_state *s = &f->state;
    spd_status status = resumed ? descend(f, 1) : SPD_OK;
    while (status == SPD_OK) {
        if (!resumed)
            status = new_record(f);
        if (status == SPD_OK && !resumed)
            status = descend(f, 0);
        if (status < 0 || s->start + 1 >= f->o.restarts || must_end(f))
            break;
        keep_best(f);
        s->start++;
        resumed = 0;
        status = fitting_start(f);
    }
    return status;
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
    f->o.init = before->init;
    f->o.coordinates = before->coordinates;
    f->o.search = before->search;
    f->o.recall = before->recall;
    f->state.start = s->start;
    f->state.now = model_copy(s->now, &f->o);
    f->state.best = s->best ? model_copy(s->best, &f->o) : NULL;
    f->room = s->now->steps;
    f->seconds_graph = s->now->seconds_graph;
    f->seconds_before = s->now->seconds_fit;
    minimise_close(&f->state.at);
    if (s->L) {
        f->state.L = mem_alloc(f->n, f->n * sizeof *s->L);
        if (!f->state.L)
            return ctx_nomem(f->ctx, "the coordinates");
        memcpy(f->state.L, s->L, f->n * f->n * sizeof *s->L);
    }
    if (!f->state.now || (s->best && !f->state.best) || minimise_copy(&f->state.at, &s->at) < 0)
        return ctx_nomem(f->ctx, "the state of the fit");
    if (f->o.learning == SPD_LEARNING_VARIANCE)
        return fitting_star_graph(f);
    return fitting_take_graph(f, s->pairs, s->pair);
}

/* o.coordinates, state.L <- what the options ask for. */
static spd_status choose_coordinates(fit *f)
{
    int free_choice = f->o.coordinates == SPD_COORDINATES_AUTO;
    engine_input in = describe_input(f);
    double cost = 0.0;
    spd_status status = SPD_OK;
    if (free_choice && coordinates_need_cost(&f->o))
        status = fitting_cost(f, f->state.at.W, &cost);
    f->o.coordinates = coordinates_choose(&f->o, cost);
    if (status < 0 || f->o.coordinates == SPD_COORDINATES_PLAIN)
        return status;
    f->state.L = mem_alloc(f->n, f->n * sizeof *f->state.L);
    if (!f->state.L)
        return ctx_nomem(f->ctx, "the coordinates");
    status = coordinates_factor(f->ctx, f->o.coordinates, &in, f->state.L);
    if (status != SPD_ENUMERIC || !free_choice)
        return status;
    ctx_clear(f->ctx); /* a singular M: the plain ones always are there */
    mem_free(f->state.L);
    f->state.L = NULL;
    f->o.coordinates = SPD_COORDINATES_PLAIN;
    return SPD_OK;
}

static spd_status fit_open(fit *f, const fit_graph *known)
{
    const spd_fit_state *resume = f->watch.resume;
    f->work = mem_alloc(coordinates_work(f->n, f->m), sizeof *f->work);
    if (!f->work || minimise_open(&f->state.at, f->o.solver, f->n, f->m) < 0)
        return ctx_nomem(f->ctx, "the map");
    spd_status status = resume ? take_over(f, resume) : fitting_make_graph(f, known);
    if (status == SPD_OK)
        status = fitting_check_graph(f);
    f->began = common_clock(f);
    if (status == SPD_OK && !resume)
        status = fitting_approach(f);
    if (status == SPD_OK)
        status = open_engine(f);
    if (status == SPD_OK && !resume)
        status = fitting_start(f);
    if (status == SPD_OK && !resume)
        status = choose_coordinates(f);
    return status < 0 ? status : enter_coordinates(f);
}

static void fit_close(fit *f)
{
    engine_tell(f->ctx, f->engine);
    engine_free(f->engine);
    mem_free(f->logs);
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
    spd_status status = fit_open(f, known);
    if (status == SPD_OK)
        status = run_starts(f, f->watch.resume != NULL);
    if (status == SPD_OK && state_model(&f->state, model) < 0)
        return ctx_nomem(f->ctx, "the model");
    if (status == SPD_OK && f->state.at.stop == SPD_STOP_CANCELLED)
        return ctx_fail(f->ctx, SPD_ECANCELLED, "learning cancelled");
    return status;
}

/* f has its samples and whatever belongs to them. */
static spd_status fit_all(fit *f, const spd_fit_options *options, const spd_fit_hooks *watch,
                          const fit_graph *known, int checked, spd_model **model)
{
    spd_context *ctx = f->ctx;
    f->watch = (spd_fit_hooks)SPD_STRUCT(spd_fit_hooks);
    spd_status status = fit_options_take(ctx, options, &f->o);
    if (status == SPD_OK)
        status = sized_take(ctx, "spd_fit_hooks", sizeof f->watch, &f->watch, watch);
    if (f->watch.resume && (!options || options->solver == SPD_SOLVER_AUTO))
        f->o.solver = f->watch.resume->now->options->solver;
    f->o.hermitian = f->set->hermitian != 0;
    if (status == SPD_OK)
        status = fit_options_check(ctx, f->set, &f->o);
    if (status < 0)
        return status;
    f->n = f->set->n;
    f->state.p = f->set->p;
    f->m = f->o.m;
    f->o.restarts = f->o.restarts > 1 ? f->o.restarts : 1;
    if (!checked)
        status = fitting_examine(f);
    spd_private_blas_hold();
    if (status == SPD_OK)
        status = fit_run(f, known, model);
    spd_private_blas_release();
    ctx_finish(ctx, "learning", f->state.now ? f->state.now->iterations : 0.0);
    fit_close(f);
    return set_locate(ctx, f->set, status);
}

/* What the processor does in a fit reads a copy of samples on a device; the engine takes them from
 * where they lie. So the map has the bits of a fit from the host. */
static spd_status fit_set(fit f, const spd_set *given, const spd_fit_options *options,
                          const spd_fit_hooks *watch, const fit_graph *known, spd_model **model)
{
    spd_set X, host;
    arena room = {0};
    ctx_clear(f.ctx);
    spd_status status = set_take(f.ctx, "X", given, &X);
    if (status < 0)
        return status;
    f.set = &X;
    if (engine_of(&X)) {
        status = set_to_host(f.ctx, &X, &room, &host);
        f.set = &host;
        f.there = &X;
    }
    if (status == SPD_OK)
        status = fit_all(&f, options, watch, known, 0, model);
    arena_free(&room);
    return status;
}

spd_status spd_fit(spd_context *ctx, const spd_set *X, const int *label,
                   const spd_fit_options *options, const spd_fit_hooks *watch, spd_model **model)
{
    fit f = {.ctx = ctx, .label = label};
    return fit_set(f, X, options, watch, NULL, model);
}

spd_status fit_on_graph(spd_context *ctx, const spd_set *X, const int *label,
                        const spd_fit_options *options, const fit_graph *graph, spd_model **model)
{
    fit f = {.ctx = ctx, .label = label, .yields = 1};
    return fit_set(f, X, options, NULL, graph, model);
}

spd_status fitting_again(const fit *f, const spd_fit_options *options, const fit_graph *graph,
                         spd_model **model)
{
    fit own = {.ctx = f->ctx, .set = f->set, .there = f->there, .label = f->label};
    own.yields = f->yields;
    ctx_clear(f->ctx);
    return fit_all(&own, options, NULL, graph, 1, model);
}
