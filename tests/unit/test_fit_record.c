/* test_fit_record.c - one record of a fit: after every iteration the model of its state is the best
 * so far, in every member, in memory and from a checkpoint; and a fit that goes on from any
 * checkpoint ends as an undisturbed one, bit for bit. */
#include "test.h"

#include <unistd.h>

#include "random_spd.h"

#define N      9
#define M      3
#define P      30
#define STARTS 3
#define MOST   80 /* iterations */

/* The last two: both costs of log-Euclidean. */
#define COSTS 5
static const spd_metric metrics[COSTS] = {SPD_METRIC_STEIN, SPD_METRIC_AIRM, SPD_METRIC_JEFFREY,
                                          SPD_METRIC_LOG_EUCLIDEAN, SPD_METRIC_LOG_EUCLIDEAN};

typedef struct set {
    double *X;
    int label[P];
} set;

static set set_new(uint64_t seed)
{
    rng r = seeded(seed);
    set s = {.X = random_set(&r, N, P, 50.0)};
    for (int i = 0; i < P; i++) {
        s.label[i] = i % 3;
        s.X[(size_t)i * N * N + (size_t)s.label[i] * (N + 1)] += 3.0;
    }
    return s;
}

static spd_fit_options options_of(spd_metric metric, spd_solver solver, int restarts)
{
    spd_fit_options o = fit_defaults();
    o.m = M;
    o.metric = metric;
    o.solver = solver;
    o.restarts = restarts;
    o.seed = 3;
    return o;
}

static char path[64];

/* A checkpoint, written and read; without one there is nothing to go on with. */
static spd_fit_state *through_file(const spd_fit_state *state)
{
    spd_context *ctx = context_on(0);
    spd_fit_state *loaded = NULL;
    if (spd_fit_state_save(ctx, state, path) != SPD_OK ||
        spd_fit_state_load(ctx, path, &loaded) != SPD_OK) {
        fprintf(stderr, "%s\n", said(ctx));
        abort();
    }
    return loaded;
}

static int same_history(const spd_model *a, const spd_model *b, int times)
{
    for (size_t i = 0; i < a->steps; i++) {
        const spd_fit_step *x = &a->history[i], *y = &b->history[i];
        if (x->cost != y->cost || x->gradient_norm != y->gradient_norm || x->step != y->step ||
            x->probes != y->probes || (times && x->seconds != y->seconds))
            return 0;
    }
    return 1;
}

static int same_options(const spd_fit_options *a, const spd_fit_options *b)
{
    return a->m == b->m && a->metric == b->metric && a->learning == b->learning &&
           a->objective == b->objective && a->nu_w == b->nu_w && a->nu_b == b->nu_b &&
           a->init == b->init && a->solver == b->solver && a->tol == b->tol &&
           a->max_time == b->max_time && a->max_iter == b->max_iter && a->restarts == b->restarts &&
           a->seed == b->seed && a->log_cost == b->log_cost && a->coordinates == b->coordinates;
}

/* The name of the first member that differs; NULL when the models are the same. */
static const char *differs(const spd_model *a, const spd_model *b, int times)
{
    return a->n != b->n || a->m != b->m                         ? "size"
           : memcmp(a->W, b->W, N * M * sizeof *a->W) != 0      ? "W"
           : !same_options(a->options, b->options)              ? "options"
           : a->pairs_within != b->pairs_within                 ? "pairs_within"
           : a->pairs_between != b->pairs_between               ? "pairs_between"
           : a->cost_start != b->cost_start                     ? "cost_start"
           : a->cost != b->cost                                 ? "cost"
           : a->gradient_norm != b->gradient_norm               ? "gradient_norm"
           : a->iterations != b->iterations                     ? "iterations"
           : a->data_passes != b->data_passes                   ? "data_passes"
           : a->stop != b->stop                                 ? "stop"
           : a->starts != b->starts                             ? "starts"
           : a->steps != b->steps || !same_history(a, b, times) ? "history"
           : times && a->seconds_graph != b->seconds_graph      ? "seconds_graph"
           : times && a->seconds_fit != b->seconds_fit          ? "seconds_fit"
           : strcmp(a->version, b->version) != 0                ? "version"
                                                                : NULL;
}

/* What the callback saw, start by start: the twin of the library's record. */
typedef struct witness {
    const set *s;
    spd_fit_options o;
    spd_pair *pairs;
    size_t count;
    spd_fit_step step[STARTS][MOST + 1];
    int last[STARTS], start, cancel_at, calls;
    spd_model *model; /* that of the last call */
} witness;

static void check_model(witness *w, const spd_model *model)
{
    int start = 0;
    for (int k = 1; k <= w->start; k++)
        if (w->step[k][w->last[k]].cost < w->step[start][w->last[start]].cost)
            start = k;
    const spd_fit_step *at = &w->step[start][w->last[start]];
    CHECK(model->cost == at->cost && model->gradient_norm == at->gradient_norm,
          "start %d iteration %d: cost %g, not %g", w->start, w->last[w->start], model->cost,
          at->cost);
    CHECK(model->iterations == w->last[start] && model->steps == (size_t)w->last[start] + 1,
          "%d iterations, not %d", model->iterations, w->last[start]);
    CHECK(model->starts == w->start + 1, "%d starts, not %d", model->starts, w->start + 1);
    CHECK(model->cost_start == w->step[start][0].cost, "cost_start");
    for (size_t i = 0; i < model->steps; i++)
        CHECK(memcmp(&model->history[i].cost, &w->step[start][i].cost, 4 * sizeof(double)) == 0 &&
                  model->history[i].probes == w->step[start][i].probes,
              "start %d: history at %zu", start, i);
    CHECK((model->stop == SPD_STOP_CANCELLED) == (start == w->start), "stop %d", (int)model->stop);
    CHECK(model->seconds_fit >= w->step[w->start][w->last[w->start]].seconds, "seconds");
    /* W is the point that the numbers belong to. */
    double cost, G[N * M];
    w->o.objective = model->options->objective;
    w->o.W = model->W;
    w->o.pairs = w->count;
    w->o.own_pairs = w->pairs;
    CHECK(spd_cost(NULL, SPD_SET(N, P, w->s->X), &w->o, &cost, G) == SPD_OK, "cost");
    CHECK_CLOSE(cost, model->cost, 1e-9 * fmax(fabs(cost), 1.0), "cost at W");
}

static int look(void *user, const spd_fit_state *state, const spd_fit_step *last, int iteration)
{
    witness *w = user;
    spd_fit_state *loaded;
    spd_model *model = NULL, *again = NULL;
    w->start += iteration == 0 && w->calls > 0;
    w->last[w->start] = iteration;
    w->step[w->start][iteration] = *last;
    w->calls++;
    CHECK(spd_fit_state_model(NULL, state, &model) == SPD_OK, "model");
    check_model(w, model);
    spd_model_free(w->model);
    w->model = model;
    if (w->cancel_at || w->calls % 3)
        return w->calls == w->cancel_at;
    loaded = through_file(state);
    CHECK(spd_fit_state_model(NULL, loaded, &again) == SPD_OK, "its model");
    CHECK(!differs(model, again, 1), "the checkpoint has another %s", differs(model, again, 1));
    spd_fit_state_free(loaded);
    spd_model_free(again);
    return 0;
}

static witness witness_new(const set *s, const spd_fit_options *o)
{
    witness w = {.s = s, .o = *o};
    CHECK_OK(NULL, spd_affinity(NULL, SPD_SET(N, P, s->X), s->label, &w.o, &w.pairs, &w.count));
    return w;
}

static void witness_free(witness *w)
{
    spd_model_free(w->model);
    spd_pairs_free(w->pairs);
}

TEST(model_is_the_best_at_every_iteration)
{
    set s = set_new(1);
    for (size_t k = 0; k < COSTS * 2; k++) {
        spd_fit_options o =
            options_of(metrics[k / 2], (spd_solver)(SPD_SOLVER_POLAK_RIBIERE + k % 2), STARTS);
        o.log_cost = k / 2 == COSTS - 1 ? SPD_LOG_COST_EXACT : SPD_LOG_COST_APPROXIMATE;
        witness *w = take(sizeof *w);
        spd_model *model = NULL;
        o.max_iter = 12;
        *w = witness_new(&s, &o);
        spd_fit_hooks watch = {sizeof watch, NULL, look, w};
        CHECK(spd_fit(NULL, SPD_SET(N, P, s.X), s.label, &o, &watch, &model) == SPD_OK, "fit");
        CHECK(w->start == STARTS - 1, "%d starts", w->start + 1);
        CHECK(model && model->cost <= w->model->cost, "the end is no worse");
        spd_model_free(model);
        /* Cancelled in each start: what spd_fit hands over is the model of the state. */
        int calls = w->calls;
        for (int at = 1; at <= calls; at += calls / 4 + 1) {
            witness_free(w);
            *w = witness_new(&s, &o);
            w->cancel_at = at;
            model = NULL;
            CHECK(spd_fit(NULL, SPD_SET(N, P, s.X), s.label, &o, &watch, &model) == SPD_ECANCELLED,
                  " ");
            CHECK(model && !differs(model, w->model, 0), "cancelled at %d: another %s", at,
                  model ? differs(model, w->model, 0) : "");
            spd_model_free(model);
        }
        witness_free(w);
    }
}

/* Keeps every `each`-th state, through a file. */
typedef struct keeper {
    int calls, each;
    size_t count;
    spd_fit_state *state[STARTS * (MOST + 1)];
} keeper;

static int keep(void *user, const spd_fit_state *state, const spd_fit_step *last, int iteration)
{
    keeper *k = user;
    (void)last;
    (void)iteration;
    if (k->calls++ % k->each)
        return 0;
    k->state[k->count++] = through_file(state);
    return 0;
}

static void check_resume(const set *s, const spd_fit_options *o, int each, const char *what)
{
    keeper *k = take_zeros(1, sizeof *k);
    spd_context *ctx[] = {spd_context_new(), spd_context_new()};
    spd_model *whole = NULL, *rest = NULL;
    spd_fit_hooks watch = {sizeof watch, NULL, keep, k};
    spd_context_set_threads(ctx[0], 1);
    spd_context_set_threads(ctx[1], 2);
    k->each = each;
    CHECK(spd_fit(ctx[0], SPD_SET(N, P, s->X), s->label, o, &watch, &whole) == SPD_OK, "%s", what);
    CHECK(k->count > 2, "%s: %zu states", what, k->count);
    watch.after = NULL;
    for (size_t i = 0; i < k->count; i++) {
        watch.resume = k->state[i];
        rest = NULL;
        spd_context *any = ctx[i & 1];
        CHECK(spd_fit(any, SPD_SET(N, P, s->X), s->label, o, &watch, &rest) == SPD_OK, "%s", what);
        CHECK(rest && !differs(rest, whole, 0), "%s, state %zu: another %s", what, i,
              rest ? differs(rest, whole, 0) : "end");
        spd_model_free(rest);
        spd_fit_state_free(k->state[i]);
    }
    spd_model_free(whole);
    spd_context_free(ctx[0]);
    spd_context_free(ctx[1]);
}

/* Beyond 50 iterations the engine is started afresh; where nothing falls any more searches fail. */
TEST(resumed_fits_have_the_same_bits)
{
    set s = set_new(2);
    for (size_t k = 0; k < COSTS * 2; k++) {
        spd_fit_options o =
            options_of(metrics[k / 2], (spd_solver)(SPD_SOLVER_POLAK_RIBIERE + k % 2), 2);
        char what[80];
        o.log_cost = k / 2 == COSTS - 1 ? SPD_LOG_COST_EXACT : SPD_LOG_COST_APPROXIMATE;
        o.objective = k % 3 ? SPD_OBJECTIVE_DIFFERENCE : SPD_OBJECTIVE_SOFTMAX;
        o.tol = 0.0;
        o.max_iter = 54;
        snprintf(what, sizeof what, "%s, %s", METRIC_NAME(o.metric),
                 spd_name(SPD_ENUM_SOLVER, o.solver));
        check_resume(&s, &o, k == 1 ? 2 : k / 2 == 3 ? 5 : 17, what);
    }
}

/* Every basis with every objective. */
TEST(resumed_in_any_coordinates)
{
    set s = set_new(5);
    for (size_t k = 0; k < 5 * 2; k++) {
        spd_fit_options o =
            options_of(k % 3 ? SPD_METRIC_STEIN : SPD_METRIC_AIRM, SPD_SOLVER_LBFGS, 2);
        char what[80];
        o.coordinates = (spd_coordinates)(k % 5);
        o.objective = k < 5 ? SPD_OBJECTIVE_DIFFERENCE : SPD_OBJECTIVE_SOFTMAX;
        o.nu_w = o.nu_b = 3;
        o.tol = 0.0;
        o.max_iter = 12;
        snprintf(what, sizeof what, "%s, %s", spd_name(SPD_ENUM_COORDINATES, o.coordinates),
                 spd_name(SPD_ENUM_OBJECTIVE, o.objective));
        check_resume(&s, &o, 5, what);
    }
}

TEST(resumed_fits_of_other_kinds)
{
    set s = set_new(3);
    const spd_learning kinds[] = {SPD_LEARNING_UNSUPERVISED, SPD_LEARNING_VARIANCE,
                                  SPD_LEARNING_OWN_GRAPH};
    spd_pair pairs[P - 1];
    for (uint32_t i = 0; i + 1 < P; i++)
        pairs[i] = (spd_pair){i, i + 1, i % 3 ? 1.0 : 0.0, i % 3 ? 0.0 : 1.0};
    for (size_t k = 0; k < 3; k++) {
        spd_fit_options o =
            options_of(k ? SPD_METRIC_AIRM : SPD_METRIC_STEIN, SPD_SOLVER_LBFGS, STARTS);
        o.learning = kinds[k];
        o.init = SPD_INIT_MEAN;
        o.pairs = P - 1;
        o.own_pairs = pairs;
        check_resume(&s, &o, 7, spd_name(SPD_ENUM_LEARNING, o.learning));
    }
}

static int stop_at_fifth(void *user, const spd_fit_state *state, const spd_fit_step *last,
                         int iteration)
{
    (void)user;
    (void)last;
    CHECK(spd_fit_state_save(NULL, state, path) == SPD_OK, "save");
    return iteration == 5;
}

static void refuse(const set *s, const spd_fit_options *o, const spd_fit_hooks *watch,
                   const char *words)
{
    spd_context *ctx = context_on(0);
    spd_model *none = NULL;
    CHECK(spd_fit(ctx, SPD_SET(N, P, s->X), s->label, o, watch, &none) == SPD_EINVAL && !none, "%s",
          words);
    CHECK_SAYS(ctx, words);
}

/* Any entry, any label: the fingerprint sees all of them. */
TEST(other_fits_are_refused)
{
    set s = set_new(4);
    spd_fit_options o = options_of(SPD_METRIC_STEIN, SPD_SOLVER_LBFGS, 1), other = o;
    spd_fit_hooks watch = {sizeof watch, NULL, stop_at_fifth, NULL};
    OWN(spd_model) part = NULL;
    OWN(spd_fit_state) state = NULL;
    CHECK(spd_fit(NULL, SPD_SET(N, P, s.X), s.label, &o, &watch, &part) == SPD_ECANCELLED, "part");
    CHECK(part && part->iterations == 5 && part->stop == SPD_STOP_CANCELLED, "part");
    CHECK(spd_fit_state_load(NULL, path, &state) == SPD_OK, "load");
    watch = (spd_fit_hooks){sizeof watch, state, NULL, NULL};
    for (size_t i = 0; i < P; i++) {
        double *x = &s.X[i * N * N + i % N * (N + 1)], kept = *x;
        *x *= 1.0 + 0x1p-50;
        refuse(&s, &o, &watch, "other data");
        *x = kept;
    }
    s.label[P - 1]++;
    refuse(&s, &o, &watch, "other data");
    s.label[P - 1]--;
    other.metric = SPD_METRIC_AIRM;
    refuse(&s, &other, &watch, "another metric");
    other = o;
    other.seed++;
    refuse(&s, &other, &watch, "another seed");
    other = o;
    other.log_cost = SPD_LOG_COST_EXACT;
    refuse(&s, &other, &watch, "another log_cost");
}

SETUP(name_the_file)
{
    snprintf(path, sizeof path, "test_fit_record_%ld.npz", (long)getpid());
}

TEARDOWN(remove_the_file)
{
    remove(path);
}
