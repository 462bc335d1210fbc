/* test_fit.c - learning the map: it descends, recovers planted subspaces, keeps its promises about
 * data passes and threads, and refuses what cannot work. */
#include "repeat.h"

#include "random_spd.h"

#define N       12
#define D       3 /* planted dimension */
#define CLASSES 3
#define P       48

/* Matrices whose classes differ only in the span of the first D columns of B; elsewhere the same
 * nuisance for all classes. */
typedef struct planted {
    double *X, *B;
    int label[P];
} planted;

static planted planted_new(rng *r, double nuisance)
{
    planted s = {.X = block(P * N * N), .B = block(N * N)};
    random_orthogonal(r, N, s.B);
    for (size_t i = 0; i < P; i++) {
        double *E = block(N * N);
        s.label[i] = (int)(i % CLASSES);
        memset(E, 0, N * N * sizeof *E);
        for (size_t d = 0; d < N; d++)
            E[d * N + d] = d < D ? ((int)d == s.label[i] ? 6.0 : 0.5) * exp(0.1 * rng_normal(r))
                                 : exp(nuisance * rng_normal(r));
        for (size_t a = 1; a < N; a++) /* so that the matrices do not commute */
            for (size_t b = 0; b < a; b++)
                E[a * N + b] = E[b * N + a] =
                    0.03 * rng_normal(r) * sqrt(E[a * N + a] * E[b * N + b]);
        congruent(N, N, s.B, E, s.X + i * N * N); /* columns of B are the directions */
    }
    return s;
}

/* Smallest cosine of the principal angles between span W (N x m) and the planted span. */
static double overlap(const planted *s, size_t m, const double *W)
{
    double C[D * N], A[D * D] = {0}, lambda[D];
    for (size_t d = 0; d < D; d++)
        for (size_t c = 0; c < m; c++) {
            C[d * m + c] = 0.0;
            for (size_t k = 0; k < N; k++)
                C[d * m + c] += s->B[k * N + d] * W[k * m + c];
        }
    for (size_t a = 0; a < D; a++)
        for (size_t b = 0; b < D; b++)
            for (size_t c = 0; c < m; c++)
                A[a * D + b] += C[a * m + c] * C[b * m + c];
    twin_eigh(D, A, lambda, NULL);
    return sqrt(fmax(lambda[0], 0.0));
}

static spd_fit_options options_of(spd_metric metric)
{
    spd_fit_options o = fit_defaults();
    o.m = D;
    o.metric = metric;
    o.objective = SPD_OBJECTIVE_DIFFERENCE;
    o.init = SPD_INIT_RANDOM;
    return o;
}

/* What can be minimised: four metrics, one of them with two costs. */
static const struct cost {
    spd_metric metric;
    spd_log_cost log_cost;
} costs[] = {{SPD_METRIC_STEIN, 0},
             {SPD_METRIC_AIRM, 0},
             {SPD_METRIC_JEFFREY, 0},
             {SPD_METRIC_LOG_EUCLIDEAN, SPD_LOG_COST_APPROXIMATE},
             {SPD_METRIC_LOG_EUCLIDEAN, SPD_LOG_COST_EXACT}};
#define COSTS (sizeof costs / sizeof *costs)

static spd_fit_options options_for(const struct cost *cost)
{
    spd_fit_options o = options_of(cost->metric);
    o.log_cost = cost->log_cost;
    return o;
}

static spd_model *learn(const planted *s, const spd_fit_options *o, const int *label, int threads)
{
    spd_context *ctx = context_on(threads);
    spd_model *model = NULL;
    spd_status status = spd_fit(ctx, SPD_SET(N, P, s->X), label, o, NULL, &model);
    CHECK(status == SPD_OK && model, "%s", said(ctx));
    return model;
}

static double orthonormality(const spd_model *model)
{
    double worst = 0.0;
    for (size_t a = 0; a < model->m; a++)
        for (size_t b = 0; b < model->m; b++) {
            double dot = 0.0;
            for (size_t k = 0; k < model->n; k++)
                dot += model->W[k * model->m + a] * model->W[k * model->m + b];
            worst = fmax(worst, fabs(dot - (a == b)));
        }
    return worst;
}

TEST(supervised_recovers_the_subspace)
{
    rng r = seeded(1);
    planted s = planted_new(&r, 0.6);
    for (size_t i = 0; i < COSTS; i++) {
        spd_fit_options o = options_for(&costs[i]);
        o.nu_w = o.nu_b = 8;
        o.restarts = 4;
        OWN(spd_model) model = learn(&s, &o, s.label, 2);
        CHECK(overlap(&s, D, model->W) > 0.9, "cost %zu: overlap %g", i, overlap(&s, D, model->W));
        CHECK(model->starts == 4, "%d starts", model->starts);
        CHECK(orthonormality(model) < 1e-12, "W'W - I = %g", orthonormality(model));
        CHECK(model->cost < model->cost_start, "%g from %g", model->cost, model->cost_start);
    }
}

TEST(unsupervised_recovers_the_subspace)
{
    rng r = seeded(2);
    planted s = planted_new(&r, 0.05);
    for (int kind = 0; kind < 2; kind++)
        for (size_t i = 0; i < COSTS; i++) {
            spd_fit_options o = options_for(&costs[i]);
            if (costs[i].metric != SPD_METRIC_STEIN && costs[i].metric != SPD_METRIC_AIRM &&
                !o.log_cost)
                continue;
            o.learning = kind ? SPD_LEARNING_VARIANCE : SPD_LEARNING_UNSUPERVISED;
            o.restarts = 3;
            OWN(spd_model) model = learn(&s, &o, NULL, 2);
            CHECK(overlap(&s, D, model->W) > 0.95, "kind %d cost %zu: overlap %g", kind, i,
                  overlap(&s, D, model->W));
        }
}

TEST(few_labels_are_enough)
{
    rng r = seeded(3);
    planted s = planted_new(&r, 0.2);
    int label[P];
    for (size_t i = 0; i < P; i++)
        label[i] = i < P / 3 ? s.label[i] : -1;
    spd_fit_options o = options_of(SPD_METRIC_STEIN);
    o.nu_w = o.nu_b = 3;
    o.restarts = 3;
    OWN(spd_model) model = learn(&s, &o, label, 2);
    CHECK(overlap(&s, D, model->W) > 0.9, "overlap %g", overlap(&s, D, model->W));
}

TEST(history_descends_and_passes_are_few)
{
    rng r = seeded(4);
    planted s = planted_new(&r, 0.6);
    for (int solver = SPD_SOLVER_POLAK_RIBIERE; solver <= SPD_SOLVER_LBFGS; solver++) {
        spd_fit_options o = options_of(solver % 2 ? SPD_METRIC_AIRM : SPD_METRIC_STEIN);
        o.solver = (spd_solver)solver;
        o.tol = 0.0;
        o.max_iter = 120;
        OWN(spd_model) model = learn(&s, &o, s.label, 2);
        CHECK(model->steps == (size_t)model->iterations + 1, "%zu steps", model->steps);
        for (size_t i = 1; i < model->steps; i++)
            CHECK(model->history[i].cost <=
                      model->history[i - 1].cost + 1e-9 * fabs(model->history[i - 1].cost),
                  "%s rises at %zu", spd_name(SPD_ENUM_SOLVER, o.solver), i);
        size_t allowed = (size_t)model->iterations + 2 + (size_t)model->iterations / 50 + 1;
        CHECK(model->data_passes <= allowed, "%s: %zu passes in %d iterations",
              spd_name(SPD_ENUM_SOLVER, o.solver), model->data_passes, model->iterations);
    }
}

TEST(same_bits_for_any_threads)
{
    rng r = seeded(5);
    planted s = planted_new(&r, 0.6);
    for (size_t i = 0; i < COSTS; i++) {
        spd_fit_options o = options_for(&costs[i]);
        OWN(spd_model) one = learn(&s, &o, s.label, 1), *three = learn(&s, &o, s.label, 3);
        CHECK(one && three && memcmp(one->W, three->W, N * D * sizeof(double)) == 0, "cost %zu", i);
    }
}

/* What spd_cost says at the model's W is what the model says. */
TEST(cost_agrees_with_the_model)
{
    rng r = seeded(6);
    planted s = planted_new(&r, 0.6);
    for (size_t i = 0; i < COSTS; i++) {
        spd_fit_options o = options_for(&costs[i]);
        OWN(spd_model) model = learn(&s, &o, s.label, 2);
        spd_pair *pairs = NULL;
        size_t count;
        double cost = NAN;
        CHECK_OK(NULL, spd_affinity(NULL, SPD_SET(N, P, s.X), s.label, &o, &pairs, &count));
        o.pairs = count;
        o.own_pairs = pairs;
        o.W = model->W;
        CHECK(spd_cost(NULL, SPD_SET(N, P, s.X), &o, &cost, NULL) == SPD_OK, "cost");
        CHECK_CLOSE(cost, model->cost, 1e-9 * fabs(cost), "%s", METRIC_NAME(o.metric));
        spd_pairs_free(pairs);
    }
}

/* Time that is over ends the fit: within a start, between starts, and where a start ended for
 * another reason. What has been found so far is the result. */
TEST(time_ends_all_starts)
{
    rng r = seeded(7);
    planted s = planted_new(&r, 0.6);
    for (size_t i = 0; i < COSTS; i++)
        for (int iterations = 0; iterations < 2; iterations++) {
            spd_fit_options o = options_for(&costs[i]);
            o.restarts = 1000000;
            o.max_time = 1e-300;
            o.max_iter = iterations ? 200 : 0;
            OWN(spd_model) model = learn(&s, &o, s.label, 2);
            CHECK(model->starts == 1 && model->iterations == 0, "cost %zu: %d starts", i,
                  model->starts);
            CHECK(model->stop == (iterations ? SPD_STOP_TIME : SPD_STOP_ITERATIONS), "stop %d",
                  (int)model->stop);
            CHECK(isfinite(model->cost) && orthonormality(model) < 1e-12, "cost %g", model->cost);
        }
}

static void refuse(const planted *s, spd_fit_options o, const int *label, const char *words)
{
    spd_context *ctx = context_on(0);
    OWN(spd_model) model = NULL;
    spd_status status = spd_fit(ctx, SPD_SET(N, P, s->X), label, &o, NULL, &model);
    CHECK(status < 0 && !model, "accepted: %s", words);
    CHECK_SAYS(ctx, words);
}

TEST(bad_input)
{
    rng r = seeded(8);
    planted s = planted_new(&r, 0.3);
    int same[P] = {0}, unknown[P], alone[P];
    for (int i = 0; i < P; i++) {
        unknown[i] = -1;
        alone[i] = i;
    }
    spd_fit_options o = options_of(SPD_METRIC_STEIN);
    o.m = N;
    refuse(&s, o, s.label, "out of range");
    o.m = 0;
    refuse(&s, o, s.label, "out of range");
    o = options_of(SPD_METRIC_EUCLIDEAN);
    refuse(&s, o, s.label, "no map can be learned under euclidean");
    o = options_of(SPD_METRIC_STEIN);
    refuse(&s, o, NULL, "label");
    refuse(&s, o, same, "class");
    refuse(&s, o, unknown, "label");
    refuse(&s, o, alone, "class");
    o.tol = -1.0;
    refuse(&s, o, s.label, "negative");
    o = options_of(SPD_METRIC_LOG_EUCLIDEAN);
    o.learning = SPD_LEARNING_VARIANCE;
    refuse(&s, o, NULL, "use the exact one");
    o.log_cost = (spd_log_cost)2;
    refuse(&s, o, NULL, "no log-Euclidean cost number 2");
    o = options_of(SPD_METRIC_STEIN);
    o.objective = (spd_objective)7;
    refuse(&s, o, s.label, "there is no objective number 7");
    o = options_of(SPD_METRIC_STEIN);
    o.solver = (spd_solver)99;
    refuse(&s, o, s.label, "there is no solver number 99");
    o = options_of(SPD_METRIC_STEIN);
    s.X[5 * N * N] = -100.0;
    refuse(&s, o, s.label, "X[5] is not positive definite");
}

/* A set that was checked is not tested again, and has the same map. */
TEST(checked_sets_are_not_tested_again)
{
    rng r = seeded(9);
    planted s = planted_new(&r, 0.3);
    spd_set X = *SPD_SET(N, P, s.X);
    spd_fit_options o = options_of(SPD_METRIC_STEIN);
    spd_context *ctx = context_on(0);
    OWN(spd_model) one = NULL, *two = NULL, *three = NULL, *four = NULL;
    o.max_iter = 5;
    CHECK_OK(ctx, spd_fit(ctx, &X, s.label, &o, NULL, &one));
    X.checked = 1;
    CHECK_OK(ctx, spd_fit(ctx, &X, s.label, &o, NULL, &two));
    CHECK(one && two && !memcmp(one->W, two->W, N * D * sizeof(double)), "another map");
    s.X[1] += 1e-3;
    CHECK_OK(ctx, spd_fit(ctx, &X, s.label, &o, NULL, &three));
    X.checked = 0;
    CHECK(spd_fit(ctx, &X, s.label, &o, NULL, &four) == SPD_ENOTSYM, "not tested");
}

/* Without iterations a fit hands over where it began: as it was told the first time, at random the
 * others, of which the best is kept. */
TEST(starts)
{
    rng r = seeded(12);
    planted s = planted_new(&r, 0.3);
    spd_fit_options o = options_of(SPD_METRIC_STEIN);
    o.max_iter = 0;
    o.init = SPD_INIT_IDENTITY;
    OWN(spd_model) identity = learn(&s, &o, s.label, 1);
    for (size_t e = 0; e < N * D; e++)
        CHECK_CLOSE(fabs(identity->W[e]), e / D == e % D ? 1.0 : 0.0, 1e-14, "entry %zu", e);
    o.init = SPD_INIT_RANDOM;
    OWN(spd_model) random = learn(&s, &o, s.label, 1);
    CHECK(gap_between(N * D, random->W, identity->W) > 0.1, "the same start");
    o.init = SPD_INIT_GIVEN;
    o.W = random->W;
    OWN(spd_model) given = learn(&s, &o, s.label, 1);
    CHECK_CLOSE(given->cost, random->cost, 1e-9 * fabs(random->cost), "cost");
    o.restarts = 6;
    OWN(spd_model) best = learn(&s, &o, s.label, 1);
    CHECK(best->cost < given->cost, "%g is not better than %g", best->cost, given->cost);
}

/* Left to choose, a fit begins at the mean or at csp, whichever has the lower cost: here sets where
 * it is the one and where it is the other. */
TEST(the_better_of_two_starts)
{
    int mean_won = 0, csp_won = 0;
    for (uint64_t seed = 0; seed < 40 && !(mean_won && csp_won); seed++) {
        rng r = seeded(seed);
        planted s = planted_new(&r, seed % 2 ? 2.0 : 0.1);
        spd_fit_options o = options_of(SPD_METRIC_STEIN);
        o.objective = seed % 4 < 2 ? SPD_OBJECTIVE_SOFTMAX : SPD_OBJECTIVE_DIFFERENCE;
        o.max_iter = 0;
        double cost[3];
        const spd_init init[3] = {SPD_INIT_MEAN, SPD_INIT_CSP, SPD_INIT_AUTO};
        for (size_t k = 0; k < 3; k++) {
            o.init = init[k];
            OWN(spd_model) model = learn(&s, &o, s.label, 1);
            cost[k] = model->cost_start;
        }
        mean_won |= cost[0] < cost[1];
        csp_won |= cost[1] < cost[0];
        CHECK_CLOSE(cost[2], fmin(cost[0], cost[1]), 1e-9 * fabs(cost[2]), "seed %d", (int)seed);
    }
    CHECK(mean_won && csp_won, "mean %d, csp %d", mean_won, csp_won);
}

/* Left to choose, AIRM begins where Stein ends on the same graph, here that of all pairs; and a fit
 * that is cancelled on the way there has a map. */
TEST(airm_goes_on_from_stein)
{
    rng r = seeded(21);
    planted s = planted_new(&r, 0.3);
    spd_fit_options o = options_of(SPD_METRIC_STEIN);
    o.objective = SPD_OBJECTIVE_SOFTMAX;
    o.init = SPD_INIT_AUTO;
    OWN(spd_model) stein = learn(&s, &o, s.label, 1);
    o.metric = SPD_METRIC_AIRM;
    OWN(spd_model) airm = learn(&s, &o, s.label, 1);
    o.init = SPD_INIT_GIVEN;
    o.W = stein->W;
    OWN(spd_model) given = learn(&s, &o, s.label, 1);
    CHECK(airm->options->init == SPD_INIT_STEIN, "init %d", (int)airm->options->init);
    CHECK_CLOSE(airm->cost_start, given->cost_start, 1e-9 * given->cost_start, "start");
    CHECK(airm->cost < airm->cost_start, "%g", airm->cost);
    o.init = SPD_INIT_STEIN;
    OWN(spd_model) cut = NULL;
    spd_context *ctx = context_on(0);
    int calls = 0;
    spd_context_set_progress(ctx, stop_now, &calls);
    CHECK_STATUS(spd_fit(ctx, SPD_SET(N, P, s.X), s.label, &o, NULL, &cut), SPD_ECANCELLED);
    CHECK(cut && orthonormality(cut) < 1e-12, "no map");
    o.learning = SPD_LEARNING_VARIANCE;
    o.objective = SPD_OBJECTIVE_DIFFERENCE;
    refuse(&s, o, s.label, "cannot start from a fit under Stein");
}

/* Equal matrices: every distance is zero, so is the gradient. */
TEST(constant_data_stops_at_once)
{
    rng r = seeded(9);
    planted s = planted_new(&r, 0.3);
    for (size_t i = 1; i < P; i++)
        memcpy(s.X + i * N * N, s.X, N * N * sizeof *s.X);
    for (size_t i = 0; i < COSTS; i++) {
        spd_fit_options o = options_for(&costs[i]);
        OWN(spd_model) model = learn(&s, &o, s.label, 1);
        CHECK(model->iterations <= 3 && fabs(model->cost) < 1e-9, "%d iterations, cost %g",
              model->iterations, model->cost);
    }
}

TEST(allocation_failures)
{
    rng r = seeded(10);
    planted s = planted_new(&r, 0.3);
    spd_context *ctx = context_on(1);
    for (size_t i = 0; i < COSTS; i++) {
        spd_fit_options o = options_for(&costs[i]);
        if (o.metric == SPD_METRIC_AIRM || o.metric == SPD_METRIC_JEFFREY) /* as Stein */
            continue;
        o.max_iter = 2;
        for (sweep_state w = SWEEP(ctx, 20, NULL, 0); sweep_on(&w);) {
            OWN(spd_model) model = NULL;
            w.status = spd_fit(ctx, SPD_SET(N, P, s.X), s.label, &o, NULL, &model);
            CHECK_MADE(w, model);
        }
    }
}
