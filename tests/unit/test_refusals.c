/* test_refusals.c - arguments that make no sense are refused with words that say why, and outputs
 * stay as they were. Each line takes one argument of a good call away. */
#include "classify_steps.h"

#include "io/array.h"

#define N 3
#define P 6

static spd_context *ctx;
static labelled_set set;

static void refused(spd_status status, const char *words)
{
    const spd_error *error = spd_context_error(ctx);
    CHECK(status == SPD_EINVAL, "%s: %d", words, status);
    CHECK(error->status == SPD_EINVAL && strstr(error->message, words), "'%s' instead of '%s'",
          error->message, words);
}

/* And what was said of the calls before is forgotten. */
static void accepted(spd_status status)
{
    const spd_error *error = spd_context_error(ctx);
    CHECK(status == SPD_OK, "%d, %s", status, error->message);
    CHECK(error->status == SPD_OK && error->message[0] == '\0', "still '%s'", error->message);
}

TEST(scores)
{
    const int a[] = {0, 1, 1}, b[] = {0, 0, 1};
    spd_mcnemar_result r = SPD_STRUCT(spd_mcnemar_result);
    const char *words = "no predictions to compare";
    refused(spd_mcnemar(ctx, 0, a, b, b, &r), words);
    refused(spd_mcnemar(ctx, 3, NULL, b, b, &r), words);
    refused(spd_mcnemar(ctx, 3, a, NULL, b, &r), words);
    refused(spd_mcnemar(ctx, 3, a, b, NULL, &r), words);
    refused(spd_mcnemar(ctx, 3, a, b, b, NULL), words);
    accepted(spd_mcnemar(ctx, 3, a, b, b, &r));
}

TEST(splits)
{
    const int label[] = {0, 0, 1, 1}, some[] = {0, 0, -1, 1}, single[] = {0, 1, 2, 3};
    char train[4] = {7, 7, 7, 7};
    refused(spd_split(ctx, 0, label, 0.5, 0, 1, 0, train), "no labels to split by");
    refused(spd_split(ctx, 4, NULL, 0.5, 0, 1, 0, train), "no labels to split by");
    refused(spd_split(ctx, 4, label, 0.5, 0, 1, 0, NULL), "no labels to split by");
    refused(spd_split(ctx, 4, label, 0.0, 0, 1, 0, train), "between 0 and 1, not 0");
    refused(spd_split(ctx, 4, label, 1.0, 0, 1, 0, train), "between 0 and 1, not 1");
    refused(spd_split(ctx, 4, some, 0.5, 0, 1, 0, train), "1 samples have no label");
    refused(spd_split(ctx, 4, single, 0.5, 0, 1, 0, train), "one sample only");
    refused(spd_split(ctx, 4, label, 0.5, 2, 1, 0, train), "2 training samples per class");
    CHECK(train[0] == 7 && train[3] == 7, "touched");
    accepted(spd_split(ctx, 4, label, 0.0, 1, 1, 0, train));
}

TEST(recentring)
{
    double Y[P * N * N] = {5.5};
    const char *words = "no matrices or no groups";
    refused(spd_recenter(ctx, SPD_METRIC_AIRM, 0, P, set.X, set.label, Y), words);
    refused(spd_recenter(ctx, SPD_METRIC_AIRM, N, 0, set.X, set.label, Y), words);
    refused(spd_recenter(ctx, SPD_METRIC_AIRM, N, P, NULL, set.label, Y), words);
    refused(spd_recenter(ctx, SPD_METRIC_AIRM, N, P, set.X, NULL, Y), words);
    refused(spd_recenter(ctx, SPD_METRIC_AIRM, N, P, set.X, set.label, NULL), words);
    CHECK(Y[0] == 5.5, "touched");
    accepted(spd_recenter(ctx, SPD_METRIC_AIRM, N, P, set.X, set.label, Y));
}

TEST(evaluations)
{
    spd_method method = SPD_STRUCT(spd_method), *method_at = &method;
    spd_tune_options tuning = {.size = sizeof tuning, .folds = 2};
    spd_evaluate_options o;
    spd_evaluate_defaults(&o, sizeof o);
    CHECK(spd_method_parse(ctx, "nn-airm", &method) == SPD_OK, "nn");
    refused(spd_tune(ctx, NULL, &set.samples, &tuning, NULL), "no method given");
    refused(spd_tune(ctx, &method, &set.samples, NULL, NULL), "tuning options are missing");
    refused(spd_tune_together(ctx, 0, &method_at, &set.samples, &tuning, NULL), "are missing");
    refused(spd_tune_together(ctx, 1, NULL, &set.samples, &tuning, NULL), "are missing");
    refused(spd_evaluate(ctx, &set.samples, &o, NULL), "no room for an evaluation");
}

static void not_fitted(spd_fit_options o, size_t n, size_t p, const double *X, const char *words)
{
    spd_model *model = NULL;
    refused(spd_fit(ctx, SPD_SET(n, p, X), set.label, &o, NULL, &model), words);
    CHECK(!model, "%s: a model", words);
}

TEST(fits)
{
    spd_fit_options good = fit_defaults(), o;
    good.m = 2;
    not_fitted(good, 0, P, set.X, "no matrices given");
    not_fitted(good, N, 0, set.X, "no matrices given");
    not_fitted(good, N, P, NULL, "no matrices given");
    o = good, o.tol = -1.0;
    not_fitted(o, N, P, set.X, "must not be negative");
    o = good, o.max_time = -1.0;
    not_fitted(o, N, P, set.X, "must not be negative");
    o = good, o.max_iter = -1;
    not_fitted(o, N, P, set.X, "must not be negative");
    o = good, o.m = N;
    not_fitted(o, N, P, set.X, "1 <= m <= 2");
    o = good, o.m = 0;
    not_fitted(o, N, P, set.X, "1 <= m <= 2");
    o = good, o.metric = SPD_METRIC_EUCLIDEAN;
    not_fitted(o, N, P, set.X, "no map can be learned under euclidean");
    o = good, o.learning = SPD_LEARNING_VARIANCE, o.objective = SPD_OBJECTIVE_SOFTMAX;
    not_fitted(o, N, P, set.X, "the softmax objective needs pairs");
    o = good, o.learning = SPD_LEARNING_VARIANCE, o.metric = SPD_METRIC_LOG_EUCLIDEAN;
    not_fitted(o, N, P, set.X, "maximal variance is not available");
    const spd_pair within = {0, 3, 1.0, 0.0};
    o = good, o.learning = SPD_LEARNING_OWN_GRAPH, o.objective = SPD_OBJECTIVE_SOFTMAX, o.pairs = 1;
    o.own_pairs = &within;
    not_fitted(o, N, P, set.X, "there are 1 and 0");
    o = good, o.init = (spd_init)99;
    not_fitted(o, N, P, set.X, "no init number 99");
}

TEST(graphs)
{
    spd_fit_options good = fit_defaults(), o;
    spd_pair *pairs = NULL;
    size_t count = 77;
    const char *words = "options or the output for pairs are missing";
    refused(spd_affinity(ctx, SPD_SET(0, P, set.X), set.label, &good, &pairs, &count),
            "X is empty");
    refused(spd_affinity(ctx, SPD_SET(N, P, NULL), set.label, &good, &pairs, &count), "X is empty");
    refused(spd_affinity(ctx, SPD_SET(N, P, set.X), set.label, NULL, &pairs, &count), words);
    refused(spd_affinity(ctx, SPD_SET(N, P, set.X), set.label, &good, NULL, &count), words);
    refused(spd_affinity(ctx, SPD_SET(N, P, set.X), set.label, &good, &pairs, NULL), words);
    refused(spd_affinity(ctx, SPD_SET(N, 1, set.X), set.label, &good, &pairs, &count),
            "at least two");
    refused(spd_affinity(ctx, SPD_SET(N, (size_t)UINT32_MAX + 1, set.X), set.label, &good, &pairs,
                         &count),
            "more than a graph can hold");
    o = good, o.learning = (spd_learning)99;
    refused(spd_affinity(ctx, SPD_SET(N, P, set.X), set.label, &o, &pairs, &count),
            "kind of learning");
    CHECK(!pairs && count == 77, "touched");
    accepted(spd_affinity(ctx, SPD_SET(N, P, set.X), set.label, &good, &pairs, &count));
    spd_pairs_free(pairs);
    const spd_pair own[] = {{0, 3, 1.0, 0.0}, {0, 0, 1.0, 0.0}};
    o = good, o.learning = SPD_LEARNING_OWN_GRAPH, o.own_pairs = own, o.pairs = 2;
    refused(spd_affinity(ctx, SPD_SET(N, P, set.X), NULL, &o, &pairs, &count), "pair 1");
    o.pairs = 1;
    accepted(spd_affinity(ctx, SPD_SET(N, P, set.X), NULL, &o, &pairs, &count));
    CHECK(count == 1 && memcmp(pairs, own, sizeof *own) == 0, "%zu pairs", count);
    spd_pairs_free(pairs);
}

TEST(costs)
{
    const spd_pair pair = {0, 1, 1.0, 0.0};
    const double W[N * 2] = {1.0, 0.0, 0.0, 1.0, 0.0, 0.0};
    double cost = 5.5;
    spd_fit_options good = fit_defaults(), o;
    good.m = 2;
    good.W = W;
    good.pairs = 1;
    good.own_pairs = &pair;
    const char *words = "a cost needs matrices and a map";
    refused(spd_cost(ctx, SPD_SET(N, P, NULL), &good, &cost, NULL), "X is empty");
    refused(spd_cost(ctx, SPD_SET(N, P, set.X), &good, NULL, NULL), words);
    refused(spd_cost(ctx, SPD_SET(0, P, set.X), &good, &cost, NULL), "X is empty");
    refused(spd_cost(ctx, SPD_SET(N, 0, set.X), &good, &cost, NULL), "X is empty");
    o = good, o.W = NULL;
    refused(spd_cost(ctx, SPD_SET(N, P, set.X), &o, &cost, NULL), words);
    o = good, o.m = 0;
    refused(spd_cost(ctx, SPD_SET(N, P, set.X), &o, &cost, NULL), words);
    o = good, o.m = N + 1;
    refused(spd_cost(ctx, SPD_SET(N, P, set.X), &o, &cost, NULL), words);
    o = good, o.metric = SPD_METRIC_EUCLIDEAN;
    refused(spd_cost(ctx, SPD_SET(N, P, set.X), &o, &cost, NULL), "no cost is defined");
    CHECK(cost == 5.5, "touched");
    accepted(spd_cost(ctx, SPD_SET(N, P, set.X), &good, &cost, NULL));
    CHECK(cost != 5.5, "no cost");
}

/* As the header has them. */
TEST(usual_values)
{
    spd_fit_options f;
    spd_evaluate_options e;
    memset(&f, 0x55, sizeof f);
    memset(&e, 0x55, sizeof e);
    spd_fit_defaults(&f, sizeof f);
    spd_evaluate_defaults(&e, sizeof e);
    CHECK(f.size == sizeof f && f.metric == SPD_METRIC_STEIN && f.solver == SPD_SOLVER_AUTO,
          "kinds");
    CHECK(f.restarts == 1 && f.seed == 1, "starts");
    CHECK(f.tol == 1e-4 && f.max_iter == 1000 && f.max_time == 0.0, "limits");
    CHECK(f.m == 0 && f.nu_w == 0 && f.nu_b == 0 && !f.W && !f.own_pairs && f.pairs == 0, "none");
    CHECK(e.size == sizeof e && e.repeats == 10 && e.fraction == 0.5, "splits");
    CHECK(e.folds == 5 && e.seed == 1 && e.per_class == 0 && e.methods == 0, "tuning");
}

/* More neighbours than there are: all of them. */
TEST(too_many_neighbours)
{
    spd_fit_options few = fit_defaults(), many = few;
    spd_pair *all = NULL, *same = NULL;
    size_t count = 0, again = 0;
    few.nu_w = few.nu_b = P - 1;
    many.nu_w = many.nu_b = 1000;
    accepted(spd_affinity(ctx, SPD_SET(N, P, set.X), set.label, &few, &all, &count));
    accepted(spd_affinity(ctx, SPD_SET(N, P, set.X), set.label, &many, &same, &again));
    CHECK(count == again && memcmp(all, same, count * sizeof *all) == 0, "%zu, %zu", count, again);
    spd_pairs_free(all);
    spd_pairs_free(same);
    many.learning = SPD_LEARNING_UNSUPERVISED;
    refused(spd_affinity(ctx, SPD_SET(N, P, set.X), NULL, &many, &same, &again),
            "with nu_w 5 all 6 samples");
}

/* A side of zero makes an array empty, wherever it stands and whatever the others are. */
TEST(sizes_of_arrays)
{
    const size_t most = SIZE_MAX, shapes[][3] = {{0, most, most}, {most, 0, most}, {most, most, 0}};
    size_t count;
    for (size_t i = 0; i < 3; i++) {
        count = 77;
        CHECK(array_count(3, shapes[i], &count) == 0 && count == 0, "%zu: %zu", i, count);
    }
    const size_t large[] = {most / 2, 3}, largest[] = {most / 3, 3}, one = 5;
    count = 77;
    CHECK(array_count(2, large, &count) != 0 && count == 77, "too large");
    CHECK(array_count(2, largest, &count) == 0 && count == most / 3 * 3, "%zu", count);
    CHECK(array_count(1, &one, &count) == 0 && count == 5, "%zu", count);
    CHECK(array_count(0, &one, &count) == 0 && count == 1, "%zu", count);
}

SETUP(make_samples)
{
    ctx = context_on(0);
    set = labelled_random(1, N, P, 3, 0.3);
}
