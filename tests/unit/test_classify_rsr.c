/* test_classify_rsr.c - Riemannian sparse representation against golden predictions and against a
 * slow program; kernels that are not definite; classes and parameters at the edge. */
#include "unit/test_classify_common.h"
#include "golden_recognition.h"
#include "golden_values.h"
#include "twin_lasso.h"

#include "classify/gram.h"

#define N 5
#define P 40
#define Q 24
#define C 4

static spd_method rsr_method(double beta, double scale, double lambda)
{
    spd_method method = {.metric = SPD_METRIC_STEIN};
    for (int i = 0; i < SPD_PARAMETERS; i++)
        method.value[i] = NAN;
    method.value[SPD_PARAMETER_BETA] = beta;
    method.value[SPD_PARAMETER_BETA_SCALE] = scale;
    method.value[SPD_PARAMETER_LAMBDA] = lambda;
    return method;
}

TEST(golden)
{
    /* With beta 3.5 all codes are zero, and ties go to the first class. */
    const int expected[2][GOLDEN_Q] = {{0, 1, 0, 2, 0, 0, 1, 0, 0}, {0}};
    const spd_samples train = golden_samples(GOLDEN_P, golden_X);
    const spd_samples queries = golden_samples(GOLDEN_Q, golden_Xq);
    int label[GOLDEN_Q];
    for (int b = 0; b < 2; b++) {
        spd_method method = rsr_method(b ? 3.5 : 0.5, NAN, 1e-3);
        CHECK(steps_run(NULL, &classifier_rsr, &method, &train, &queries, label) == SPD_OK, "beta");
        for (size_t i = 0; i < GOLDEN_Q; i++)
            CHECK(label[i] == expected[b][i], "beta %g, query %zu: %d", b ? 3.5 : 0.5, i, label[i]);
    }
}

/* K (p x p) <- its positive part; F (p x p) <- the projection onto the positive eigenspace. */
static void twin_clip(size_t p, double *K, double *F)
{
    double *value = block(p), *V = block(p * p), *D = copy_of(p * p, K);
    twin_eigh(p, K, value, V);
    memset(D, 0, p * p * sizeof *D);
    for (size_t i = 0; i < p; i++)
        D[i * (p + 1)] = value[i] > 1e-12 ? 1.0 : 0.0;
    congruent(p, p, V, D, F);
    for (size_t i = 0; i < p; i++)
        D[i * (p + 1)] = value[i] > 1e-12 ? value[i] : 0.0;
    congruent(p, p, V, D, K);
}

/* label (q) <- by the definition; -1 where two classes are too close to call. */
static void twin_rsr(const spd_samples *train, const spd_samples *queries, const spd_method *method,
                     int *label)
{
    size_t p = train->p, n2 = train->n * train->n;
    double *K = block(p * p), *F = block(p * p), *k = block(p), *f = block(p), *v = block(p);
    double beta = isnan(method->value[SPD_PARAMETER_BETA])
                      ? method->value[SPD_PARAMETER_BETA_SCALE] / twin_median(train->n, p, train->X)
                      : method->value[SPD_PARAMETER_BETA];
    twin_stein(beta, train->n, p, train->X, p, train->X, K);
    spd_symmetrize(p, 1, K);
    twin_clip(p, K, F);
    for (size_t i = 0; i < queries->p; i++) {
        double margin;
        twin_stein(beta, train->n, 1, queries->X + i * n2, p, train->X, k);
        times(p, p, 1, F, k, f);
        twin_lasso(p, K, f, method->value[SPD_PARAMETER_LAMBDA], 20000, v);
        label[i] = twin_residuals(p, K, f, v, train->classes, train->label, &margin);
        if (margin < 1e-5)
            label[i] = -1;
    }
}

static void check_against_twin(const labelled_set *train, const labelled_set *test,
                               const spd_method *method, const char *name)
{
    int label[Q], expected[Q];
    size_t clear = 0;
    spd_status status =
        steps_run(NULL, &classifier_rsr, method, &train->samples, &test->samples, label);
    twin_rsr(&train->samples, &test->samples, method, expected);
    CHECK(status >= 0, "%s: %d", name, (int)status);
    for (size_t i = 0; i < Q; i++) {
        clear += expected[i] >= 0;
        CHECK(expected[i] < 0 || label[i] == expected[i], "%s, query %zu: %d", name, i, label[i]);
    }
    CHECK(clear > Q / 2, "%s: only %zu clear queries", name, clear);
}

TEST(against_definition)
{
    labelled_set train = labelled_random(1, N, P, C, 0.4), test = labelled_random(2, N, Q, C, 0.4);
    const double scales[] = {0.5, 1.0, 4.0}, lambdas[] = {1e-3, 1e-1};
    for (size_t s = 0; s < 3; s++)
        for (size_t l = 0; l < 2; l++) {
            spd_method method = rsr_method(NAN, scales[s], lambdas[l]);
            char name[80];
            snprintf(name, sizeof name, "scale %g, lambda %g", scales[s], lambdas[l]);
            check_against_twin(&train, &test, &method, name);
        }
    spd_method method = rsr_method(0.7, 100.0, 1e-2); /* beta wins over its scale */
    check_against_twin(&train, &test, &method, "beta given");
}

/* Nearly singular 3 x 3 matrices, flat in one direction each, and a small beta: the kernel has
 * negative eigenvalues. */
static labelled_set flat(uint64_t seed, size_t p)
{
    enum { SIZE = 3, WIDE = 2 };
    double U[SIZE * WIDE], unit[WIDE * WIDE] = {1.0, 0.0, 0.0, 1.0};
    labelled_set s = labelled_random(seed, SIZE, p, C, 0.1);
    rng r = seeded(seed);
    for (size_t i = 0; i < p; i++) {
        for (size_t e = 0; e < SIZE * WIDE; e++)
            U[e] = rng_normal(&r) + (e == i % C ? 2.0 : 0.0);
        congruent(SIZE, WIDE, U, unit, s.X + i * SIZE * SIZE);
        spd_regularize(SIZE, 1, s.X + i * SIZE * SIZE, 0.0, 0.01);
    }
    return s;
}

TEST(negative_eigenvalues)
{
    labelled_set train = flat(3, P), test = flat(4, Q);
    const double lambdas[] = {1e-3, 1e-2, 0.1};
    spd_context *ctx = context_on(0);
    for (size_t l = 0; l < 3; l++) {
        spd_method method = rsr_method(0.1, NAN, lambdas[l]);
        FREED_BY(training_state_free)
        training_state run = {.kind = &classifier_rsr, .method = method, .train = train.samples};
        char name[40];
        snprintf(name, sizeof name, "lambda %g", lambdas[l]);
        check_against_twin(&train, &test, &method, name);
        CHECK(classifier_rsr.prepare(ctx, &run) == SPD_OK, "prepare");
        spd_status status = classifier_rsr.train(ctx, &run);
        CHECK(status == SPD_NOT_DEFINITE && strstr(said(ctx), "eigenvalues down to -"), "%d: %s",
              (int)status, said(ctx));
    }
    spd_method method = rsr_method(0.1, NAN, 1e-3);
    steps_sweep(&classifier_rsr, &method, &train.samples, &test.samples);
}

/* Any indefinite K: clipped to its positive part; k = K e_j stays the column of atom j. */
TEST(repair)
{
    enum { SIZE = 30 };
    gram g;
    double lambda[SIZE], *K = block(SIZE * SIZE), *clipped, *F = block(SIZE * SIZE);
    double *k = block(SIZE), y2;
    rng r = seeded(5);
    for (size_t i = 0; i < SIZE; i++)
        lambda[i] = (double)i - 9.5;
    random_with_spectrum(&r, SIZE, lambda, K);
    FREED_BY(arena_free) arena room = {0};
    double *own = copy_of(SIZE * SIZE, K);
    CHECK(gram_make(NULL, SIZE, own, 1e-2, &room, &g) == SPD_NOT_DEFINITE, "not noticed");
    CHECK_CLOSE(g.smallest, -9.5, 1e-12, "smallest");
    CHECK(g.rank == 20, "rank %zu", g.rank);
    clipped = copy_of(SIZE * SIZE, K);
    twin_clip(SIZE, clipped, F);
    CHECK(relative_gap(SIZE * SIZE, g.K, clipped) < 1e-13, "clipped");
    double *work = block(gram_fit_work(&g, 1));
    for (size_t j = 0; j < SIZE; j++) {
        memcpy(k, K + j * SIZE, SIZE * sizeof *k);
        gram_fit(&g, 1, k, &y2, work);
        CHECK(relative_gap(SIZE, k, clipped + j * SIZE) < 1e-12, "column %zu", j);
        CHECK_CLOSE(y2, clipped[j * (SIZE + 1)], 1e-12, "k'K^+k of column %zu", j);
    }
}

TEST(query_equals_a_sample)
{
    labelled_set train = labelled_random(1, N, P, C, 0.6);
    int label[P];
    spd_method method = rsr_method(NAN, 2.0, 1e-3);
    CHECK(steps_run(NULL, &classifier_rsr, &method, &train.samples, &train.samples, label) >= 0,
          "failed");
    CHECK(steps_correct(&train.samples, label) == P, "%zu", steps_correct(&train.samples, label));
}

/* Every sample twice gives what every sample once does. */
TEST(samples_twice)
{
    labelled_set train = labelled_random(1, N, P, C, 0.5), test = labelled_random(2, N, Q, C, 0.5);
    size_t each = P * N * N;
    double *X = block(2 * each);
    int y[2 * P], once[Q], twice[Q];
    memcpy(X, train.X, each * sizeof *X);
    memcpy(X + each, train.X, each * sizeof *X);
    for (size_t i = 0; i < 2 * P; i++)
        y[i] = train.label[i % P];
    spd_samples both = samples_of(N, 2 * P, X, C, y);
    spd_method method = rsr_method(0.5, NAN, 1e-2);
    CHECK(steps_run(NULL, &classifier_rsr, &method, &train.samples, &test.samples, once) ==
                  SPD_OK &&
              steps_run(NULL, &classifier_rsr, &method, &both, &test.samples, twice) == SPD_OK,
          "failed");
    CHECK(memcmp(once, twice, sizeof once) == 0, "labels differ");
}

/* An empty code leaves all residuals equal: the first class that has samples. A class without
 * samples is never predicted. */
TEST(empty_codes_and_classes)
{
    labelled_set train = labelled_random(1, N, P, 2, 0.3), test = labelled_random(2, N, Q, 2, 0.3);
    int label[Q];
    for (size_t i = 0; i < P; i++)
        train.label[i] = train.label[i] ? 4 : 2;
    train.samples.classes = 6;
    spd_method method = rsr_method(NAN, 1.0, 1e-2);
    CHECK(steps_run(NULL, &classifier_rsr, &method, &train.samples, &test.samples, label) >= 0, "");
    for (size_t i = 0; i < Q; i++)
        CHECK(label[i] == 2 || label[i] == 4, "query %zu: %d", i, label[i]);
    method = rsr_method(NAN, 1.0, 1e6);
    CHECK(steps_run(NULL, &classifier_rsr, &method, &train.samples, &test.samples, label) >= 0, "");
    for (size_t i = 0; i < Q; i++)
        CHECK(label[i] == 2, "query %zu: %d", i, label[i]);
}

TEST(bad_parameters)
{
    labelled_set train = labelled_random(1, N, P, C, 0.5);
    const struct {
        double beta, scale, lambda;
        const char *message;
    } cases[] = {{NAN, 1.0, 0.0, "lambda is 0"},
                 {NAN, 1.0, -1.0, "lambda is -1"},
                 {NAN, 0.0, 0.1, "beta-scale is 0"},
                 {-2.0, 1.0, 0.1, "beta is -2"},
                 {INFINITY, 1.0, 0.1, "beta is inf"}};
    spd_context *ctx = context_on(0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        spd_method method = rsr_method(cases[i].beta, cases[i].scale, cases[i].lambda);
        int label[P] = {-7};
        spd_status status =
            steps_run(ctx, &classifier_rsr, &method, &train.samples, &train.samples, label);
        CHECK(status == SPD_EINVAL && label[0] == -7, "case %zu: %d", i, (int)status);
        CHECK(strstr(said(ctx), cases[i].message), "case %zu: %s", i, said(ctx));
    }
}

TEST(defaults_and_grids)
{
    labelled_set train = labelled_random(1, N, P, C, 0.1), test = labelled_random(2, N, Q, C, 0.1);
    spd_method method = steps_method(&classifier_rsr, SPD_METRIC_STEIN, &train.samples);
    double values[16];
    int label[Q];
    CHECK(steps_grid(&classifier_rsr, &train.samples, SPD_PARAMETER_BETA_SCALE, values) == 6,
          "scales");
    CHECK(steps_grid(&classifier_rsr, &train.samples, SPD_PARAMETER_LAMBDA, values) == 4,
          "lambdas");
    CHECK(steps_grid(&classifier_rsr, &train.samples, SPD_PARAMETER_BETA, values) == 0,
          "beta is tuned");
    CHECK(steps_run(NULL, &classifier_rsr, &method, &train.samples, &test.samples, label) >= 0, "");
    CHECK(steps_correct(&test.samples, label) >= Q - 2, "%zu", steps_correct(&test.samples, label));
}
