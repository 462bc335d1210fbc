/* fit.c - learning the map: graph, start, minimisation, model (Algorithm 1 of the paper).
 *
 *   1. the pairs A_ij                                (affinity.c)
 *   2. the start W                                   (start.c)
 *   3. min over W of sum A_ij d2(W'X_iW, W'X_jW)     (optim, on an engine)
 *   4. once more from other starts when asked, and the best is kept
 *
 * Log-Euclidean goes its own way in step 3 (log_euclidean_fit.c). */
#include "learn/fit.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/rng.h"
#include "engine/engine.h"
#include "engine/parallel.h"
#include "learn/affinity.h"
#include "learn/history.h"
#include "learn/log_euclidean_fit.h"
#include "learn/start.h"
#include "learn/state.h"
#include "optim/minimise.h"

/* A fit in progress. */
typedef struct fit {
    spd_context *ctx;
    size_t n, m, p;
    const double *X;
    spd_fit_options o;
    spd_pair *pairs;
    size_t count;
    double *mean; /* SPD_MAXIMAL_VARIANCE: the sample that all others are measured from */
    engine *e;
    size_t passes; /* data passes before this engine (resumed, or other ways) */
    minimise_state s;
    history steps;
    double cost_start;
    int start;    /* which of the restarts */
    int has_best; /* best_* hold the best of the starts that have ended */
    double best_cost, best_gradient, best_cost_start, *best_W;
    int best_iterations;
    spd_stop best_stop;
    history best_steps;
    uint64_t fingerprint;
    double seconds_graph, seconds_before, began;
    spd_fit_fn after;
    void *user;
    int no_room; /* for the history */
} fit;

static double seconds_fit(const fit *f)
{
    return f->seconds_before + clock_seconds() - f->began;
}

/* The alternating scheme reads the logarithms once an iteration, and once to begin with. */
static size_t data_passes(const fit *f)
{
    return f->passes + (f->e ? f->e->data_passes : (size_t)f->s.iteration + 1);
}

/* FNV-1a over a sample of X's bits and all labels: enough to notice other data. */
static uint64_t fingerprint(size_t n, size_t p, const double *X, const int *label)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    size_t entries = n * n * p, step = entries / 4096 + 1;
    for (size_t e = 0; e < entries; e += step) {
        uint64_t bits;
        memcpy(&bits, X + e, sizeof bits);
        hash = (hash ^ bits) * UINT64_C(1099511628211);
    }
    for (size_t i = 0; label && i < p; i++)
        hash = (hash ^ (uint64_t)(int64_t)label[i]) * UINT64_C(1099511628211);
    return hash;
}

/* ---- options -------------------------------------------------------------------------------- */

void spd_fit_defaults(spd_fit_options *o)
{
    *o = (spd_fit_options){.metric = SPD_STEIN,
                           .affinity_weight = 1.0,
                           .restarts = 1,
                           .seed = 1,
                           .solver = SPD_LBFGS,
                           .tol = 1e-5,
                           .gtol = 1e-9,
                           .max_iter = 200};
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
    if (o->metric != SPD_LOG_EUCLIDEAN && !pair_rule_get(o->metric))
        return ctx_fail(ctx, SPD_EINVAL,
                        "no map is learned under %s; use stein, airm, jeffrey or log-euclidean",
                        spd_metric_name(o->metric) ? spd_metric_name(o->metric) : "that metric");
    if (!(o->tol >= 0.0 && o->gtol >= 0.0 && o->max_time >= 0.0) || o->max_iter < 0)
        return ctx_fail(ctx, SPD_EINVAL, "tolerances and limits must not be negative");
    if (!(o->affinity_weight >= 0.0) || isinf(o->affinity_weight))
        return ctx_fail(ctx, SPD_EINVAL, "the affinity weight must be a number >= 0");
    if (o->learning == SPD_MAXIMAL_VARIANCE && o->objective == SPD_RATIO)
        return ctx_fail(ctx, SPD_EINVAL,
                        "the ratio objective needs pairs to draw together; maximal variance has "
                        "none");
    if (o->learning == SPD_MAXIMAL_VARIANCE && o->metric == SPD_LOG_EUCLIDEAN)
        return ctx_fail(ctx, SPD_EINVAL, "maximal variance is not available for log-euclidean");
    return SPD_OK;
}

/* ---- graph ---------------------------------------------------------------------------------- */

/* The star: every sample is pushed away from the mean M, which is sample number p. */
static spd_status star_graph(fit *f)
{
    f->mean = mem_alloc(f->n * f->n, sizeof *f->mean);
    f->pairs = mem_alloc(f->p, sizeof *f->pairs);
    if (!f->mean || !f->pairs)
        return ctx_nomem(f->ctx, "the graph");
    f->count = f->p;
    for (size_t i = 0; i < f->p; i++)
        f->pairs[i] = (spd_pair){(uint32_t)i, (uint32_t)f->p, 0.0, 0.5};
    spd_status status =
        spd_mean(f->ctx, f->o.metric, f->n, f->p, f->X, NULL, 1e-10, 0, f->mean, NULL);
    return status < 0 ? status : SPD_OK;
}

static spd_status make_graph(fit *f, const int *label)
{
    double began = clock_seconds();
    spd_status status = SPD_OK;
    if (f->o.learning == SPD_MAXIMAL_VARIANCE)
        status = star_graph(f);
    else
        status = spd_affinity(f->ctx, f->n, f->p, f->X, label, &f->o, &f->pairs, &f->count);
    f->seconds_graph += clock_seconds() - began;
    return status;
}

static spd_status check_ratio(const fit *f)
{
    size_t within, between;
    affinity_count(f->count, f->pairs, &within, &between);
    if (f->o.objective == SPD_RATIO && (within == 0 || between == 0))
        return ctx_fail(f->ctx, SPD_EINVAL,
                        "the ratio objective needs pairs within and between; there are %zu and "
                        "%zu",
                        within, between);
    if (f->count == 0)
        return ctx_fail(f->ctx, SPD_EINVAL, "the graph is empty: there is nothing to minimise");
    return SPD_OK;
}

/* ---- the engine as the optimiser sees it --------------------------------------------------------
 */

static spd_status call_start(void *user, const double *W)
{
    engine *e = user;
    return e->calls->start(e, W);
}

static spd_status call_cost_grad(void *user, double *f, double *G)
{
    engine *e = user;
    return e->calls->cost_grad(e, f, G);
}

static spd_status call_aim(void *user, const double *U, const double *sigma, const double *V)
{
    engine *e = user;
    return e->calls->aim(e, U, sigma, V);
}

static spd_status call_probe(void *user, double t, double *f, double *df)
{
    engine *e = user;
    return e->calls->probe(e, t, f, df);
}

static spd_status call_step(void *user, double t)
{
    engine *e = user;
    return e->calls->step(e, t);
}

static engine_input describe_input(const fit *f)
{
    engine_input in = {f->n,        f->m,           f->p,     f->X,    f->mean,
                       f->o.metric, f->o.objective, f->count, f->pairs};
    return in;
}

/* ---- watching ------------------------------------------------------------------------------- */

/* The fit as a state that can be saved; it borrows everything. */
static spd_fit_state borrow_state(const fit *f)
{
    spd_fit_state s = {.n = f->n, .m = f->m, .p = f->p, .fingerprint = f->fingerprint};
    s.options = f->o;
    s.options.own_pairs = NULL;
    s.options.W = NULL;
    s.pairs = f->count;
    s.pair = f->pairs;
    s.W = f->s.W;
    s.H = f->s.H;
    s.grad = f->s.grad;
    s.f = f->s.f;
    s.gradient_norm = f->s.gradient_norm;
    s.first_gradient_norm = f->s.first_gradient_norm;
    s.last_step = f->s.last_step;
    s.small_steps = f->s.small_steps;
    s.cost_start = f->cost_start;
    s.iteration = f->s.iteration;
    s.refreshes = f->s.refreshes;
    s.memory = minimise_memory(f->o.solver, f->n, f->m);
    s.pair_memory = f->s.memory;
    s.memory_count = f->s.memory_count;
    s.memory_first = f->s.memory_first;
    s.start = f->start;
    s.data_passes = data_passes(f);
    s.seconds_graph = f->seconds_graph;
    s.seconds_fit = seconds_fit(f);
    s.steps = f->steps.count;
    s.history = f->steps.step;
    s.has_best = f->has_best;
    s.best_cost = f->best_cost;
    s.best_gradient = f->best_gradient;
    s.best_cost_start = f->best_cost_start;
    s.best_W = f->best_W;
    s.best_iterations = f->best_iterations;
    s.best_stop = f->best_stop;
    s.best_steps = f->best_steps.count;
    s.best_history = f->best_steps.step;
    return s;
}

/* After each iteration: history, the caller's function, progress. */
static int watch(void *user, const minimise_state *s, const spd_fit_step *last)
{
    fit *f = user;
    if (s->iteration == 0)
        f->cost_start = s->f;
    f->no_room = history_set(&f->steps, (size_t)s->iteration, last) < 0;
    if (f->no_room)
        return 1;
    int stop = ctx_progress(f->ctx, "learning", "iterations", s->iteration, f->o.max_iter);
    if (f->after) {
        spd_fit_state state = borrow_state(f);
        stop |= f->after(f->user, &state, last, s->iteration);
    }
    return stop;
}

/* ---- one start ------------------------------------------------------------------------------ */

static spd_status minimise_one(fit *f, int resumed)
{
    minimise_options o = {.solver = f->o.solver,
                          .transport = f->o.transport,
                          .tol = f->o.tol,
                          .gtol = f->o.gtol,
                          .max_time = f->o.max_time,
                          .max_iter = f->o.max_iter,
                          .refresh = FIT_REFRESH,
                          .seconds_before = seconds_fit(f)};
    if (f->o.metric == SPD_LOG_EUCLIDEAN)
        return log_euclidean_minimise(f->ctx, f->o.objective, f->n, f->m, f->p, f->X, f->count,
                                      f->pairs, &o, resumed, &f->s, watch, f);
    problem p = {f->n, f->m, f->e, call_start, call_cost_grad, call_aim, call_probe, call_step};
    spd_status status = minimise(&p, &o, resumed, &f->s, watch, f);
    if (status == SPD_ENUMERIC)
        ctx_fail(f->ctx, status, "the cost or its gradient is not finite; regularise the data");
    if (status == SPD_ENOMEM)
        ctx_nomem(f->ctx, "the optimiser");
    return status;
}

static int better_than_best(const fit *f)
{
    return !f->has_best || f->s.f < f->best_cost;
}

/* Keeps the start that has just ended when it is the best so far. */
static spd_status keep_best(fit *f)
{
    if (!better_than_best(f))
        return SPD_OK;
    if (history_copy(&f->best_steps, &f->steps) < 0)
        return ctx_nomem(f->ctx, "the history");
    memcpy(f->best_W, f->s.W, f->n * f->m * sizeof *f->best_W);
    f->best_cost = f->s.f;
    f->best_gradient = f->s.gradient_norm;
    f->best_cost_start = f->cost_start;
    f->best_iterations = f->s.iteration;
    f->best_stop = f->s.stop;
    f->has_best = 1;
    return SPD_OK;
}

/* All starts, from f->start on; the first one may be a resumed one. */
static spd_status run_starts(fit *f, int resumed)
{
    spd_status status = SPD_OK;
    do {
        rng r; /* each start draws its own numbers, so that a resumed fit draws the same */
        rng_seed(&r, f->o.seed + ((uint64_t)f->start << 32));
        spd_init init = f->start == 0 ? f->o.init : SPD_INIT_RANDOM;
        if (!resumed) {
            f->s.iteration = 0;
            status = start_point(f->ctx, init, f->n, f->m, f->p, f->X, f->o.W, &r, f->s.W);
        }
        if (status == SPD_OK)
            status = minimise_one(f, resumed);
        if (f->no_room)
            status = ctx_nomem(f->ctx, "the history");
        if (status == SPD_OK || status == SPD_ECANCELLED) {
            spd_status kept = keep_best(f);
            status = kept < 0 ? kept : status;
        }
        resumed = 0;
    } while (status == SPD_OK && f->s.stop != SPD_STOP_CANCELLED && ++f->start < f->o.restarts);
    return status;
}

/* ---- life ----------------------------------------------------------------------------------- */

static spd_status fit_allocate(fit *f)
{
    size_t bytes = f->m * sizeof(double);
    f->s.W = mem_alloc(f->n, bytes);
    f->s.H = mem_zero(f->n, bytes);
    f->s.grad = mem_zero(f->n, bytes);
    f->best_W = mem_alloc(f->n, bytes);
    f->s.memory = mem_zero(minimise_memory(f->o.solver, f->n, f->m), sizeof(double));
    if (!f->s.memory || !f->s.W || !f->s.H || !f->s.grad || !f->best_W)
        return ctx_nomem(f->ctx, "the map");
    return SPD_OK;
}

static void fit_release(fit *f)
{
    engine_free(f->e);
    spd_pairs_free(f->pairs);
    mem_free(f->mean);
    mem_free(f->s.W);
    mem_free(f->s.H);
    mem_free(f->s.grad);
    mem_free(f->s.memory);
    mem_free(f->best_W);
    history_free(&f->steps);
    history_free(&f->best_steps);
}

/* The best of the starts that had ended. */
static spd_status take_over_best(fit *f, const spd_fit_state *s)
{
    const history saved = {s->best_steps, s->best_steps, s->best_history};
    if (history_copy(&f->best_steps, &saved) < 0)
        return ctx_nomem(f->ctx, "the history");
    memcpy(f->best_W, s->best_W, f->n * f->m * sizeof *f->best_W);
    f->best_cost = s->best_cost;
    f->best_gradient = s->best_gradient;
    f->best_cost_start = s->best_cost_start;
    f->best_iterations = s->best_iterations;
    f->best_stop = s->best_stop;
    f->has_best = 1;
    return SPD_OK;
}

/* Takes graph, point and counters over from a saved state. */
static spd_status take_over(fit *f, const spd_fit_state *s)
{
    size_t bytes = f->n * f->m * sizeof(double);
    if (s->n != f->n || s->p != f->p || s->m != f->m || s->fingerprint != f->fingerprint)
        return ctx_fail(f->ctx, SPD_EINVAL,
                        "the checkpoint belongs to other data (%zu matrices %zu x %zu, m = %zu)",
                        s->p, s->n, s->n, s->m);
    f->pairs = mem_alloc(s->pairs, sizeof *f->pairs);
    if (!f->pairs)
        return ctx_nomem(f->ctx, "the graph");
    memcpy(f->pairs, s->pair, s->pairs * sizeof *f->pairs);
    f->count = s->pairs;
    f->o.nu_w = s->options.nu_w;
    f->o.nu_b = s->options.nu_b;
    memcpy(f->s.W, s->W, bytes);
    memcpy(f->s.H, s->H, bytes);
    memcpy(f->s.grad, s->grad, bytes);
    f->s.f = s->f;
    f->s.gradient_norm = s->gradient_norm;
    f->s.first_gradient_norm = s->first_gradient_norm;
    f->s.last_step = s->last_step;
    f->s.small_steps = s->small_steps;
    f->s.iteration = s->iteration;
    f->s.refreshes = s->refreshes;
    if (s->memory == minimise_memory(f->o.solver, f->n, f->m) && s->memory > 0) {
        memcpy(f->s.memory, s->pair_memory, s->memory * sizeof *s->pair_memory);
        f->s.memory_count = s->memory_count;
        f->s.memory_first = s->memory_first;
    }
    f->cost_start = s->cost_start;
    f->start = s->start;
    f->passes = f->o.metric == SPD_LOG_EUCLIDEAN ? 0 : s->data_passes;
    f->seconds_graph = s->seconds_graph;
    f->seconds_before = s->seconds_fit;
    for (size_t i = 0; i < s->steps; i++)
        if (history_set(&f->steps, i, &s->history[i]) < 0)
            return ctx_nomem(f->ctx, "the history");
    spd_status status = s->has_best ? take_over_best(f, s) : SPD_OK;
    if (status < 0)
        return status;
    if (s->options.learning == SPD_MAXIMAL_VARIANCE) {
        spd_pairs_free(f->pairs);
        f->pairs = NULL;
        return star_graph(f);
    }
    return SPD_OK;
}

/* The model of the best start. */
static spd_status make_model(fit *f, spd_model **out)
{
    spd_model *model = mem_zero(1, sizeof *model);
    if (model) {
        model->version = mem_text(spd_version());
        model->history = mem_alloc(f->best_steps.count, sizeof *model->history);
    }
    if (!model || !model->version || !model->history) {
        spd_model_free(model);
        return ctx_nomem(f->ctx, "the model");
    }
    memcpy(model->history, f->best_steps.step, f->best_steps.count * sizeof *model->history);
    model->steps = f->best_steps.count;
    model->n = f->n;
    model->m = f->m;
    model->W = f->best_W;
    f->best_W = NULL;
    model->metric = f->o.metric;
    model->learning = f->o.learning;
    model->objective = f->o.objective;
    model->graph = f->o.graph;
    model->nu_w = f->o.nu_w;
    model->nu_b = f->o.nu_b;
    model->affinity_weight = f->o.affinity_weight;
    model->init = f->o.init;
    model->solver = f->o.solver;
    model->transport = f->o.transport;
    model->tol = f->o.tol;
    model->gtol = f->o.gtol;
    model->max_time = f->o.max_time;
    model->max_iter = f->o.max_iter;
    model->restarts = f->o.restarts;
    model->seed = f->o.seed;
    affinity_count(f->count, f->pairs, &model->pairs_within, &model->pairs_between);
    model->cost_start = f->best_cost_start;
    model->cost = f->best_cost;
    model->gradient_norm = f->best_gradient;
    model->iterations = f->best_iterations;
    model->data_passes = data_passes(f);
    model->stop = f->best_stop;
    model->seconds_graph = f->seconds_graph;
    model->seconds_fit = seconds_fit(f);
    *out = model;
    return SPD_OK;
}

/* Everything between the checks and the release. */
static spd_status fit_run(fit *f, const int *label, const spd_fit_state *resume, spd_model **model)
{
    spd_status status = fit_allocate(f);
    if (status == SPD_OK)
        status = resume ? take_over(f, resume) : make_graph(f, label);
    if (status == SPD_OK)
        status = check_ratio(f);
    f->began = clock_seconds();
    engine_input in = describe_input(f);
    if (status == SPD_OK && f->o.metric != SPD_LOG_EUCLIDEAN)
        status = engine_cpu_new(f->ctx, &in, &f->e);
    if (status == SPD_OK)
        status = run_starts(f, resume != NULL);
    int cancelled =
        status == SPD_ECANCELLED || (status == SPD_OK && f->s.stop == SPD_STOP_CANCELLED);
    if (f->has_best && (status == SPD_OK || cancelled)) {
        spd_status made = make_model(f, model);
        if (made < 0)
            return made;
    }
    return cancelled ? ctx_fail(f->ctx, SPD_ECANCELLED, "learning cancelled") : status;
}

spd_status spd_fit(spd_context *ctx, size_t n, size_t p, const double *X, const int *label,
                   const spd_fit_options *options, const spd_fit_state *resume, spd_fit_fn after,
                   void *user, spd_model **model)
{
    ctx_clear(ctx);
    spd_status status = check_options(ctx, n, p, X, options);
    if (status == SPD_OK)
        status = spd_check(ctx, n, p, X, 0.0);
    if (status < 0)
        return status;
    fit f = {.ctx = ctx, .n = n, .m = options->m, .p = p, .X = X, .o = *options};
    f.after = after;
    f.user = user;
    f.fingerprint = fingerprint(n, p, X, label);
    f.o.restarts = options->restarts > 1 ? options->restarts : 1;
    spd_blas_hold();
    status = fit_run(&f, label, resume, model);
    spd_blas_release();
    fit_release(&f);
    return status;
}
