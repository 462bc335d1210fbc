/* test_classify_logistic.c - logistic regression: its gradient by Taylor slopes, its minimum by
 * plain descent, the path of ts-lr. */
#include "classify_steps.h"

#include "classify/logistic.h"

#define N   4
#define P   30
#define DIM 5
#define C   3

static logistic random_problem(uint64_t seed, double lambda)
{
    rng r = seeded(seed);
    double *x = block(P * DIM);
    size_t *at = take(P * sizeof *at);
    for (size_t i = 0; i < P; i++) {
        at[i] = i % C;
        for (size_t e = 0; e < DIM; e++)
            x[i * DIM + e] = rng_normal(&r) + (e == at[i] ? 0.7 : 0.0);
    }
    return (logistic){.p = P, .dim = DIM, .count = C, .x = x, .at = at, .lambda = lambda};
}

/* The cost by its formula, one exponential after the other. */
static double twin_cost(const logistic *l, const double *z)
{
    double cost = 0.0;
    for (size_t i = 0; i < P; i++) {
        double score[C], sum = 0.0;
        for (size_t c = 0; c < C; c++) {
            score[c] = z[C * DIM + c];
            for (size_t e = 0; e < DIM; e++)
                score[c] += z[c * DIM + e] * l->x[i * DIM + e];
            sum += exp(score[c]);
        }
        cost -= log(exp(score[l->at[i]]) / sum) / P;
    }
    for (size_t e = 0; e < C * DIM; e++)
        cost += 0.5 * l->lambda * z[e] * z[e];
    return cost;
}

/* |f(z + t h) - f(z) - t g'h| falls with t^2. */
TEST(gradient)
{
    logistic l = random_problem(1, 0.1);
    size_t size = logistic_size(&l);
    rng r = seeded(2);
    double *z = block(size), *h = block(size), *to = block(size), *g = block(size);
    double *other = block(size), *work = block(P * C), slope = 0.0, rest[2];
    CHECK(size == C * (DIM + 1), "size %zu", size);
    for (size_t e = 0; e < size; e++) {
        z[e] = rng_normal(&r);
        h[e] = rng_normal(&r);
    }
    double f = logistic_cost(&l, z, g, work);
    CHECK_CLOSE(f, twin_cost(&l, z), 1e-12, "cost");
    for (size_t e = 0; e < size; e++)
        slope += g[e] * h[e];
    for (int k = 0; k < 2; k++) {
        double t = k ? 1e-4 : 1e-3;
        for (size_t e = 0; e < size; e++)
            to[e] = z[e] + t * h[e];
        rest[k] = fabs(logistic_cost(&l, to, other, work) - f - t * slope);
    }
    CHECK(rest[0] > 50.0 * rest[1] && rest[0] < 200.0 * rest[1], "%g, then %g", rest[0], rest[1]);
}

/* Plain descent, many small steps. */
TEST(minimum)
{
    logistic l = random_problem(3, 0.05);
    size_t size = logistic_size(&l);
    double *z = take_zeros(size, sizeof *z), *slow = take_zeros(size, sizeof *slow);
    double *g = block(size), *work = block(P * C);
    CHECK(logistic_fit(NULL, &l, z) == SPD_OK, "fit");
    for (int step = 0; step < 20000; step++) {
        logistic_cost(&l, slow, g, work);
        for (size_t e = 0; e < size; e++)
            slow[e] -= 0.2 * g[e];
    }
    CHECK(gap_between(size, z, slow) < 1e-5, "%g apart", gap_between(size, z, slow));
    CHECK(twin_cost(&l, z) <= twin_cost(&l, slow) + 1e-12, "cost");
    double f = twin_cost(&l, z);
    CHECK(logistic_fit(NULL, &l, z) == SPD_OK && fabs(twin_cost(&l, z) - f) < 1e-14,
          "it stays where it is");
}

/* While lambda is open, prepare follows the path; each value then gives what it gives alone. */
TEST(path_of_ts_lr)
{
    labelled_set train = labelled_random(1, N, P, C, 0.8);
    const classifier *kind = &classifier_ts_lr;
    spd_method method = steps_method(kind, SPD_METRIC_AIRM, &train.samples);
    const double lambdas[] = {1e-3, 2e-2, 5.0}; /* of the grid, between, above */
    method.value[SPD_PARAMETER_LAMBDA] = NAN;
    training_state tuned = {.kind = kind, .method = method, .train = train.samples};
    CHECK(kind->prepare(NULL, &tuned) == SPD_OK, "prepare");
    for (size_t k = 0; k < 3; k++) {
        training_state alone = {.kind = kind, .method = method, .train = train.samples};
        alone.method.value[SPD_PARAMETER_LAMBDA] = tuned.method.value[SPD_PARAMETER_LAMBDA] =
            lambdas[k];
        CHECK(kind->prepare(NULL, &alone) == SPD_OK && kind->train(NULL, &alone) == SPD_OK &&
                  kind->train(NULL, &tuned) == SPD_OK,
              "steps");
        size_t rank = N * (N + 1) / 2, size = C * (rank + 1);
        double gap = gap_between(size, alone.trained, tuned.trained);
        CHECK(gap < 1e-3 * norm(size, alone.trained), "lambda %g: %g apart", lambdas[k], gap);
        arena_free(&tuned.training);
        training_state_free(&alone);
    }
    training_state_free(&tuned);
}
