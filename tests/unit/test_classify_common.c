/* test_classify_common.c - what holds for every classifier on neighbours, means, tangent vectors
 * and support vectors: classes without samples, one sample per class, the order of the samples,
 * congruences, threads, memory, bad matrices. */
#include "classify_steps.h"

#define N 5
#define P 36
#define Q 20
#define C 4

typedef struct method_case {
    const classifier *c;
    spd_metric metric;
    int invariant; /* under congruence by any invertible matrix */
} method_case;

static const method_case cases[] = {
    {&classifier_nn, SPD_METRIC_AIRM, 1},
    {&classifier_nn, SPD_METRIC_LOG_EUCLIDEAN, 0},
    {&classifier_knn, SPD_METRIC_STEIN, 1},
    {&classifier_mdm, SPD_METRIC_AIRM, 1},
    {&classifier_mdm, SPD_METRIC_STEIN, 1},
    {&classifier_mdm, SPD_METRIC_BURES_WASSERSTEIN, 0},
    {&classifier_pga, SPD_METRIC_AIRM, 1},
    {&classifier_pga, SPD_METRIC_LOG_EUCLIDEAN, 0},
    {&classifier_ts_lda, SPD_METRIC_AIRM, 1},
    {&classifier_ts_lda, SPD_METRIC_STEIN, 1},
    {&classifier_ts_lda, SPD_METRIC_LOG_CHOLESKY, 0},
    {&classifier_ts_lda, SPD_METRIC_EUCLIDEAN, 0},
    {&classifier_ts_lr, SPD_METRIC_AIRM, 1},
    {&classifier_ts_lr, SPD_METRIC_LOG_EUCLIDEAN, 0},
    {&classifier_krr, SPD_METRIC_STEIN, 1},
    {&classifier_krr_tangent, SPD_METRIC_AIRM, 1},
    {&classifier_krr_tangent, SPD_METRIC_LOG_CHOLESKY, 0},
    {&classifier_krr_both, SPD_METRIC_STEIN, 1},
    {&classifier_ksvm, SPD_METRIC_STEIN, 1},
    {&classifier_ksvm, SPD_METRIC_LOG_EUCLIDEAN, 0},
    {&classifier_rsr, SPD_METRIC_STEIN, 1},
    {&classifier_cdl, SPD_METRIC_LOG_EUCLIDEAN, 0},
    {&classifier_cdl_lda, SPD_METRIC_LOG_EUCLIDEAN, 0},
};
#define CASES (sizeof cases / sizeof *cases)

/* Defaults; of the two that set the Stein kernel the one in units of the data. */
static spd_method method_for(const method_case *m, const spd_samples *train)
{
    spd_method method = steps_method(m->c, m->metric, train);
    method.value[SPD_PARAMETER_BETA] = NAN;
    return method;
}

static void run_case(const method_case *m, spd_context *ctx, const spd_samples *train,
                     const spd_samples *queries, int *label)
{
    spd_method method = method_for(m, train);
    spd_status status = steps_run(ctx, m->c, &method, train, queries, label);
    CHECK(status == SPD_OK, "%s %s", CLASSIFIER_NAME(m->c->kind), METRIC_NAME(m->metric));
}

TEST(easy_problem)
{
    labelled_set train = labelled_random(1, N, P, C, 0.1), test = labelled_random(2, N, Q, C, 0.1);
    int label[Q];
    for (size_t i = 0; i < CASES; i++) {
        run_case(&cases[i], NULL, &train.samples, &test.samples, label);
        size_t correct = steps_correct(&test.samples, label);
        CHECK(correct >= Q - 2, "%s %s: %zu of %d right", CLASSIFIER_NAME(cases[i].c->kind),
              METRIC_NAME(cases[i].metric), correct, Q);
    }
}

/* Numbers of classes with gaps: the same decisions, under the new numbers. */
TEST(classes_without_samples)
{
    labelled_set train = labelled_random(3, N, P, C, 0.5), test = labelled_random(4, N, Q, C, 0.5);
    int dense[Q], gaps[Q], *spread = take(P * sizeof *spread);
    spd_samples sparse = train.samples;
    for (size_t i = 0; i < P; i++)
        spread[i] = 2 * train.label[i] + 1;
    sparse.label = spread;
    sparse.classes = 2 * C + 1;
    for (size_t i = 0; i < CASES; i++) {
        run_case(&cases[i], NULL, &train.samples, &test.samples, dense);
        run_case(&cases[i], NULL, &sparse, &test.samples, gaps);
        for (size_t j = 0; j < Q; j++)
            CHECK(gaps[j] == 2 * dense[j] + 1, "%s %s, query %zu: %d",
                  CLASSIFIER_NAME(cases[i].c->kind), METRIC_NAME(cases[i].metric), j, gaps[j]);
    }
}

/* Training samples are recognised when they are alone in their class. */
TEST(one_sample_per_class)
{
    labelled_set train = labelled_random(5, N, C, C, 0.5);
    int label[C];
    for (size_t i = 0; i < CASES; i++) {
        spd_method method = method_for(&cases[i], &train.samples);
        method.value[SPD_PARAMETER_K] = 1.0;
        spd_status status =
            steps_run(NULL, cases[i].c, &method, &train.samples, &train.samples, label);
        CHECK(status == SPD_OK, "%s: %d", CLASSIFIER_NAME(cases[i].c->kind), (int)status);
        CHECK(memcmp(label, train.label, sizeof label) == 0, "%s %s",
              CLASSIFIER_NAME(cases[i].c->kind), METRIC_NAME(cases[i].metric));
    }
}

/* One class, of one sample or several: every query is of it. */
TEST(one_class)
{
    labelled_set train = labelled_random(5, N, 6, 1, 0.4), test = labelled_random(6, N, 4, 1, 1.0);
    for (size_t i = 0; i < CASES; i++)
        for (train.samples.p = 1; train.samples.p <= 6; train.samples.p += 5) {
            int label[4] = {9, 9, 9, 9};
            run_case(&cases[i], NULL, &train.samples, &test.samples, label);
            CHECK(!label[0] && !label[1] && !label[2] && !label[3], "%zu", i);
        }
}

/* All matrices equal: no spread, no directions; still an answer. */
TEST(no_spread_at_all)
{
    labelled_set train = labelled_random(6, N, 6, 2, 0.0), test = labelled_random(7, N, 2, 1, 0.0);
    int label[2];
    for (size_t i = 0; i < 6; i++)
        memcpy(train.X + i * N * N, train.X, N * N * sizeof *train.X);
    for (size_t i = 0; i < CASES; i++) {
        run_case(&cases[i], NULL, &train.samples, &test.samples, label);
        CHECK(label[0] >= 0 && label[0] < 2 && label[1] == label[0], "%s",
              CLASSIFIER_NAME(cases[i].c->kind));
    }
}

TEST(order_of_samples)
{
    labelled_set train = labelled_random(8, N, P, C, 0.5), test = labelled_random(9, N, Q, C, 0.5);
    labelled_set mixed = labelled_random(8, N, P, C, 0.5);
    int straight[Q], crooked[Q];
    for (size_t i = 0; i < P; i++) {
        size_t from = (i * 7 + 3) % P; /* 7 and 36 have no common divisor */
        memcpy(mixed.X + i * N * N, train.X + from * N * N, N * N * sizeof *mixed.X);
        mixed.label[i] = train.label[from];
    }
    for (size_t i = 0; i < CASES; i++) {
        run_case(&cases[i], NULL, &train.samples, &test.samples, straight);
        run_case(&cases[i], NULL, &mixed.samples, &test.samples, crooked);
        CHECK(memcmp(straight, crooked, sizeof straight) == 0, "%s %s",
              CLASSIFIER_NAME(cases[i].c->kind), METRIC_NAME(cases[i].metric));
    }
}

TEST(congruence)
{
    labelled_set train = labelled_random(10, N, P, C, 0.5),
                 test = labelled_random(11, N, Q, C, 0.5);
    labelled_set moved = labelled_random(10, N, P, C, 0.5),
                 tests = labelled_random(11, N, Q, C, 0.5);
    double M[N * N];
    int before[Q], after[Q];
    rng r = seeded(12);
    random_gl(&r, N, 30.0, M);
    for (size_t i = 0; i < P; i++)
        congruent(N, N, M, train.X + i * N * N, moved.X + i * N * N);
    for (size_t i = 0; i < Q; i++)
        congruent(N, N, M, test.X + i * N * N, tests.X + i * N * N);
    for (size_t i = 0; i < CASES; i++) {
        if (!cases[i].invariant)
            continue;
        run_case(&cases[i], NULL, &train.samples, &test.samples, before);
        run_case(&cases[i], NULL, &moved.samples, &tests.samples, after);
        CHECK(memcmp(before, after, sizeof before) == 0, "%s %s", CLASSIFIER_NAME(cases[i].c->kind),
              METRIC_NAME(cases[i].metric));
    }
}

TEST(any_number_of_threads)
{
    labelled_set train = labelled_random(13, N, P, C, 0.8),
                 test = labelled_random(14, N, Q, C, 0.8);
    int one[Q], several[Q];
    for (size_t i = 0; i < CASES; i++)
        for (int threads = 1; threads <= 3; threads++) {
            spd_context *ctx = context_on(threads);
            run_case(&cases[i], ctx, &train.samples, &test.samples, threads == 1 ? one : several);
            CHECK(threads == 1 || memcmp(one, several, sizeof one) == 0, "%s, %d threads",
                  CLASSIFIER_NAME(cases[i].c->kind), threads);
        }
}

TEST(memory)
{
    labelled_set train = labelled_random(15, 3, 12, 3, 0.4),
                 test = labelled_random(16, 3, 5, 3, 0.4);
    for (size_t i = 0; i < CASES; i++) {
        spd_method method = method_for(&cases[i], &train.samples);
        steps_sweep(cases[i].c, &method, &train.samples, &test.samples);
    }
    /* more neighbours than are kept: searched anew */
    labelled_set many = labelled_random(17, 3, 40, 3, 0.4);
    spd_method method = steps_method(&classifier_knn, SPD_METRIC_AIRM, &many.samples);
    method.value[SPD_PARAMETER_K] = 15.0;
    steps_sweep(&classifier_knn, &method, &many.samples, &test.samples);
}

TEST(bad_matrices)
{
    labelled_set train = labelled_random(18, N, P, C, 0.4),
                 test = labelled_random(19, N, Q, C, 0.4);
    int label[Q];
    test.X[3 * N * N] = -1.0;
    for (size_t i = 0; i < CASES; i++) {
        spd_context *ctx = context_on(0);
        spd_method method = method_for(&cases[i], &train.samples);
        if (cases[i].metric == SPD_METRIC_EUCLIDEAN) /* which asks for finite numbers alone */
            continue;
        memset(label, 0x55, sizeof label);
        spd_status status =
            steps_run(ctx, cases[i].c, &method, &train.samples, &test.samples, label);
        const spd_error *error = spd_context_error(ctx);
        CHECK(status == SPD_ENOTSPD, "%s %s: %d", CLASSIFIER_NAME(cases[i].c->kind),
              METRIC_NAME(cases[i].metric), (int)status);
        CHECK(error->index == 3 && strstr(error->message, "[3]"), "%s", error->message);
        CHECK(label[0] == 0x55555555, "labels are touched");
    }
}
