/* test_krr_many.c - kernel ridge regression with more samples than settings are tried on: through the
 * inverse of the kernel, and on landmarks where there is no memory for all, both against equations that
 * LAPACK solves. */
#include "classify_steps.h"

#include "evaluate/trained.h"

#include <lapacke.h>

#define N      2
#define P      3100
#define Q      20
#define C      3
#define LAMBDA 0.01
#define BETA   0.5 /* definite for matrices of this size */

/* B (rows x columns) <- kernel values. */
static void stein(size_t rows, const double *X, size_t columns, const double *Y, double *B)
{
    const spd_set a = *SPD_SET(N, rows, X), b = *SPD_SET(N, columns, Y);
    CHECK(spd_kernel(NULL, SPD_KERNEL_STEIN, BETA, &a, &b, B) == SPD_OK, "kernel");
}

/* The numbers of one class against the others, after the factor of probabilities: whichever. */
static void check_scores(size_t count, const double *found, const double *expected)
{
    double top = 0.0, bottom = 0.0;
    for (size_t e = 0; e < count; e++) {
        top += found[e] * expected[e];
        bottom += expected[e] * expected[e];
    }
    double factor = top / bottom;
    CHECK(factor > 0.0, "factor %g", factor);
    for (size_t e = 0; e < count; e++)
        CHECK_CLOSE(found[e], factor * expected[e], 1e-5 * factor, "%zu", e);
}

static spd_classifier *fitted(const spd_samples *train, const char *name, double memory,
                              double lambda)
{
    spd_context *ctx = context_on(2);
    spd_method method = SPD_STRUCT(spd_method);
    spd_classifier *c = NULL;
    spd_context_set_memory(ctx, memory);
    CHECK(spd_method_parse(ctx, name, &method) == SPD_OK, "name");
    if (strcmp(name, "krr-tangent") != 0)
        method.value[SPD_PARAMETER_BETA] = BETA;
    method.value[SPD_PARAMETER_LAMBDA] = lambda;
    spd_status status = spd_classifier_fit(ctx, &method, train, NULL, &c);
    CHECK(status == SPD_OK, "%s", said(ctx));
    return c;
}

/* score (Q x C) <- of the equations of all samples: (H K H + lambda) A = H Y. */
static void twin_of_all(const labelled_set *train, const double *queries, double *score)
{
    double *K = block((size_t)P * P), *A = block(P * C), *k = block(Q * P);
    double *mean = take_zeros(P, sizeof *mean);
    double all = 0.0, b[C] = {0};
    stein(P, train->X, P, train->X, K);
    stein(Q, queries, P, train->X, k);
    for (size_t i = 0; i < P; i++) {
        for (size_t j = 0; j < P; j++)
            mean[i] += K[i * P + j] / P;
        all += mean[i] / P;
    }
    for (size_t i = 0; i < P; i++)
        for (size_t j = 0; j < P; j++)
            K[i * P + j] += all - mean[i] - mean[j] + (i == j ? LAMBDA : 0.0);
    for (size_t e = 0; e < P * C; e++)
        b[e % C] += ((size_t)train->label[e / C] == e % C) / (double)P;
    for (size_t e = 0; e < P * C; e++)
        A[e] = ((size_t)train->label[e / C] == e % C) - b[e % C];
    CHECK(LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', P, C, K, P, A, C) == 0, "equations");
    for (size_t e = 0; e < P * C; e++)
        b[e % C] -= mean[e / C] * A[e];
    times(Q, P, C, k, A, score);
    for (size_t e = 0; e < Q * C; e++)
        score[e] += b[e % C];
}

TEST(through_the_inverse)
{
    labelled_set train = labelled_random(1, N, P, C, 0.5), test = labelled_random(2, N, Q, C, 0.5);
    OWN(spd_classifier) c = fitted(&train.samples, "krr", 0.0, LAMBDA);
    OWN(spd_classifier) chosen = fitted(&train.samples, "krr", 0.0, (double)NAN);
    spd_classifier_facts facts = SPD_STRUCT(spd_classifier_facts);
    double found[Q * C], expected[Q * C];
    twin_of_all(&train, test.X, expected);
    CHECK(spd_classifier_scores(NULL, c, &test.samples, NULL, found) == SPD_OK, "scores");
    check_scores(Q * C, found, expected);
    CHECK(spd_classifier_info(NULL, c, &facts) == SPD_OK, "facts");
    CHECK(facts.held == P && facts.missed == 0.0, "%zu samples are held", facts.held);
    double lambda = spd_classifier_method(chosen)->value[SPD_PARAMETER_LAMBDA];
    CHECK(lambda >= 1e-5 && lambda <= 100.0, "lambda %g", lambda);
}

/* What landmarks span: minimise |Y - B a - 1 b'|^2 + lambda a'M a, B (P x m) the kernel with them, M
 * (m x m) that between them. */
static void twin_of_landmarks(const labelled_set *train, const spd_samples *held,
                              const double *queries, double *score)
{
    size_t m = held->p;
    double *B = block(P * m), *M = block(m * m), *k = block(Q * m);
    double *A = take_zeros(m * C, sizeof *A), *mean = take_zeros(m, sizeof *mean), b[C] = {0};
    stein(P, train->X, m, held->X, B);
    stein(m, held->X, m, held->X, M);
    stein(Q, queries, m, held->X, k);
    for (size_t e = 0; e < P * m; e++)
        mean[e % m] += B[e] / P;
    for (size_t e = 0; e < P * C; e++)
        b[e % C] += ((size_t)train->label[e / C] == e % C) / (double)P;
    for (size_t e = 0; e < m * m; e++)
        M[e] *= LAMBDA;
    for (size_t i = 0; i < P; i++)
        for (size_t a = 0; a < m; a++) {
            double own = B[i * m + a] - mean[a];
            for (size_t j = 0; j < m; j++)
                M[a * m + j] += own * (B[i * m + j] - mean[j]);
            for (size_t c = 0; c < C; c++)
                A[a * C + c] += own * (((size_t)train->label[i] == c) - b[c]);
        }
    CHECK(LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', (int)m, C, M, (int)m, A, C) == 0, "equations");
    for (size_t e = 0; e < m * C; e++)
        b[e % C] -= mean[e / C] * A[e];
    times(Q, m, C, k, A, score);
    for (size_t e = 0; e < Q * C; e++)
        score[e] += b[e % C];
}

TEST(landmarks)
{
    labelled_set train = labelled_random(1, N, P, C, 0.5), test = labelled_random(2, N, Q, C, 0.5);
    double memory = 3.0 * 8.0 * P * 40.5, found[Q * C], again[Q * C], expected[Q * C];
    OWN(spd_classifier) c = fitted(&train.samples, "krr", memory, LAMBDA);
    OWN(spd_classifier) more = fitted(&train.samples, "krr", 2.0 * memory, LAMBDA);
    OWN(spd_classifier) read = NULL;
    spd_classifier_facts facts = SPD_STRUCT(spd_classifier_facts), less = facts;
    unsigned char *bytes = NULL;
    size_t size = 0, seen[C] = {0};
    CHECK(spd_classifier_info(NULL, c, &facts) == SPD_OK, "facts");
    CHECK(facts.held == 40 && facts.trained == P, "%zu of %zu", facts.held, facts.trained);
    CHECK(spd_classifier_info(NULL, more, &less) == SPD_OK && less.held == 81, "%zu", less.held);
    CHECK(facts.missed > less.missed && less.missed > 0.0 && facts.missed < 0.2, "missed %g, %g",
          facts.missed, less.missed);
    for (size_t i = 0; i < 40; i++)
        seen[c->state.train.label[i]]++;
    CHECK(seen[0] >= 13 && seen[1] >= 13 && seen[2] >= 13, "landmarks of all classes");
    CHECK(spd_classifier_scores(NULL, c, &test.samples, NULL, found) == SPD_OK, "scores");
    twin_of_landmarks(&train, &c->state.train, test.X, expected);
    check_scores(Q * C, found, expected);
    CHECK(spd_classifier_pack(NULL, c, &bytes, &size) == SPD_OK, "pack");
    CHECK(spd_classifier_unpack(NULL, bytes, size, &read) == SPD_OK, "unpack");
    spd_bytes_free(bytes);
    CHECK(spd_classifier_scores(NULL, read, &test.samples, NULL, again) == SPD_OK, "scores");
    CHECK(memcmp(found, again, sizeof found) == 0, "from a file");
    CHECK(spd_classifier_info(NULL, read, &less) == SPD_OK && less.missed == facts.missed,
          "missed");
}

/* What is told of a regression is told of all samples, not of the landmarks. */
TEST(regression_on_landmarks)
{
    labelled_set train = labelled_random(1, N, P, C, 0.5);
    double *target = block(P), *left = block(P), mean = 0.0, error = 0.0, all = 0.0;
    spd_classifier_facts facts = SPD_STRUCT(spd_classifier_facts);
    for (size_t i = 0; i < P; i++) {
        target[i] = log(train.X[i * N * N]) + (double)train.label[i];
        mean += target[i] / P;
    }
    train.samples.target = target;
    OWN(spd_classifier) c = fitted(&train.samples, "krr", 3.0 * 8.0 * P * 40.5, LAMBDA);
    CHECK(spd_classifier_info(NULL, c, &facts) == SPD_OK, "facts");
    CHECK(facts.held == 40 && facts.trained == P, "%zu of %zu", facts.held, facts.trained);
    CHECK(spd_classifier_left_out(NULL, c, left) == SPD_OK, "left out");
    for (size_t i = 0; i < P; i++) {
        error += pow(target[i] - left[i], 2);
        all += pow(target[i] - mean, 2);
    }
    CHECK_CLOSE(facts.error, sqrt(error / P), 1e-10, "error");
    CHECK_CLOSE(facts.r2, 1.0 - error / all, 1e-10, "R2");
    CHECK(facts.r2 > 0.5, "R2 %g", facts.r2);
}

/* The sum of the kernels on landmarks, groups left out, and vectors alone, which need no p x p. */
TEST(other_kernels)
{
    labelled_set train = labelled_random(1, N, P, C, 0.2), test = labelled_random(2, N, Q, C, 0.2);
    int *group = take(P * sizeof *group), label[Q];
    double memory = 3.0 * 8.0 * P * 83.5;
    for (size_t i = 0; i < P; i++)
        group[i] = (int)(i / 500);
    train.samples.fold_group = group;
    static const char *const names[] = {"krr-both", "krr-tangent"};
    for (size_t k = 0; k < 2; k++) {
        OWN(spd_classifier) c = fitted(&train.samples, names[k], memory, (double)NAN);
        double *left = block(P * C);
        size_t right = 0;
        CHECK(spd_classifier_predict(NULL, c, &test.samples, label) == SPD_OK, "labels");
        CHECK(steps_correct(&test.samples, label) > Q / 2, "%s", names[k]);
        CHECK(spd_classifier_left_out(NULL, c, left) == SPD_OK, "left out");
        for (size_t i = 0; i < P; i++) {
            size_t best = 0;
            for (size_t j = 1; j < C; j++)
                best = left[i * C + j] > left[i * C + best] ? j : best;
            right += best == (size_t)train.label[i];
        }
        CHECK(right > P / 2, "%s: %zu of the samples left out are right", names[k], right);
    }
}
