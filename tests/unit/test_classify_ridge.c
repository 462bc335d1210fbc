/* test_classify_ridge.c - kernel ridge regression against equations solved one by one: the
 * coefficients, and what is predicted for each sample when it is left out. */
#include "classify_steps.h"

#include "classify/ridge.h"
#include "classify/samples.h"

#define N 4
#define P 24
#define Q 15
#define C 3

/* ---- twins ----------------------------------------------------------------------------------- */

/* x (size x columns) <- A^-1 x by elimination with pivots; A (size x size) is destroyed. */
static void twin_solve(size_t size, size_t columns, double *A, double *x)
{
    for (size_t k = 0; k < size; k++) {
        size_t pivot = k;
        for (size_t i = k + 1; i < size; i++)
            if (fabs(A[i * size + k]) > fabs(A[pivot * size + k]))
                pivot = i;
        for (size_t j = 0; j < size; j++) {
            double swap = A[k * size + j];
            A[k * size + j] = A[pivot * size + j];
            A[pivot * size + j] = swap;
        }
        for (size_t j = 0; j < columns; j++) {
            double swap = x[k * columns + j];
            x[k * columns + j] = x[pivot * columns + j];
            x[pivot * columns + j] = swap;
        }
        for (size_t i = 0; i < size; i++) {
            double factor = i == k ? 0.0 : A[i * size + k] / A[k * size + k];
            for (size_t j = k; j < size; j++)
                A[i * size + j] -= factor * A[k * size + j];
            for (size_t j = 0; j < columns; j++)
                x[i * columns + j] -= factor * x[k * columns + j];
        }
    }
    for (size_t k = 0; k < size; k++)
        for (size_t j = 0; j < columns; j++)
            x[k * columns + j] /= A[k * size + k];
}

/* x ((p + 1) x C) <- coefficients, then the intercepts: K + lambda I bordered by ones. out: a sample
 * that is left out, whose coefficients are 0; p: none. */
static void twin_ridge(size_t p, const double *K, const int *label, double lambda, size_t out,
                       double *x)
{
    size_t size = p + 1;
    double *A = take_zeros(size * size, sizeof *A);
    memset(x, 0, size * C * sizeof *x);
    for (size_t i = 0; i < p; i++) {
        for (size_t j = 0; j < p; j++)
            A[i * size + j] = i == out || j == out ? 0.0 : K[i * p + j];
        A[i * size + i] += lambda;
        if (i == out)
            continue;
        A[i * size + p] = A[p * size + i] = 1.0;
        x[i * C + (size_t)label[i]] = 1.0;
    }
    twin_solve(size, C, A, x);
}

/* score (C) <- of a sample whose kernel with all p is k. */
static void twin_scores(size_t p, const double *k, const double *x, double *score)
{
    for (size_t c = 0; c < C; c++) {
        score[c] = x[p * C + c];
        for (size_t i = 0; i < p; i++)
            score[c] += k[i] * x[i * C + c];
    }
}

static void twin_stein(double beta, size_t rows, const double *X, size_t columns, const double *Y,
                       double *K)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            K[i * columns + j] =
                exp(-beta * twin_dist2(SPD_METRIC_STEIN, N, X + i * N * N, Y + j * N * N));
}

/* ---- the equations --------------------------------------------------------------------------- */

TEST(coefficients_and_samples_left_out)
{
    labelled_set train = labelled_random(1, N, P, C, 0.6);
    double *K = block(P * P), *V = block(P * P), *left = block(P * C), *A = block(P * C), b[C];
    double *x = block((P + 1) * C), score[C];
    const double lambdas[] = {1e-3, 0.1, 10.0};
    FREED_BY(arena_free) arena room = {0};
    classes of;
    ridge r;
    twin_stein(1.5, P, train.X, P, train.X, K); /* beta = (n - 1)/2: definite */
    memcpy(V, K, P * P * sizeof *V);
    CHECK(classes_sort(NULL, P, train.label, &room, &of) == SPD_OK, "classes");
    CHECK(ridge_open(NULL, P, &of, V, &room, &r) == SPD_OK, "ridge");
    for (size_t l = 0; l < 3; l++) {
        size_t right = 0;
        double error = 0.0;
        ridge_quality q = ridge_leave_one_out(&r, lambdas[l], left);
        for (size_t i = 0; i < P; i++) {
            size_t best = 0, own = (size_t)train.label[i];
            twin_ridge(P, K, train.label, lambdas[l], i, x);
            twin_scores(P, K + i * P, x, score);
            for (size_t c = 0; c < C; c++) {
                CHECK_CLOSE(left[i * C + c], score[c], 1e-9, "sample %zu, class %zu", i, c);
                error += (score[c] - (c == own)) * (score[c] - (c == own));
                best = score[c] > score[best] ? c : best;
            }
            right += best == own;
        }
        CHECK(q.right == right, "%zu right, not %zu", q.right, right);
        CHECK_CLOSE(q.error, error, 1e-9 * error, "squared error");
        ridge_solve(&r, lambdas[l], A, b);
        twin_ridge(P, K, train.label, lambdas[l], P, x);
        CHECK(gap_between(P * C, A, x) < 1e-9 * norm(P * C, x), "coefficients");
        CHECK(gap_between(C, b, x + P * C) < 1e-9, "intercepts");
    }
}

/* A kernel with a negative eigenvalue acts as its positive part. */
TEST(indefinite_kernel)
{
    rng r = seeded(5);
    double *lambda = block(P), *K = block(P * P), *V = block(P * P), *Y = block(P * P);
    double *A = block(P * C), *f = block(P * C), *kept = block(P * C), b[C];
    int label[P];
    FREED_BY(arena_free) arena room = {0};
    classes of;
    ridge bad, good;
    for (size_t i = 0; i < P; i++) {
        lambda[i] = i < 4 ? -0.5 : 1.0 + (double)i;
        label[i] = (int)(i % C);
    }
    random_with_spectrum(&r, P, lambda, K);
    for (size_t i = 0; i < P; i++) /* centred already: rows and columns sum to zero */
        for (size_t j = 0; j < P; j++)
            Y[i * P + j] = (i == j ? 1.0 : 0.0) - 1.0 / P;
    congruent(P, P, Y, K, V);
    twin_eigh(P, V, lambda, K);
    for (size_t i = 0; i < P; i++)
        for (size_t j = 0; j < P; j++) {
            double sum = 0.0;
            for (size_t k = 0; k < P; k++)
                sum += K[i * P + k] * fmax(lambda[k], 0.0) * K[j * P + k];
            Y[i * P + j] = sum;
        }
    CHECK(lambda[0] < -0.1, "%g is not negative", lambda[0]);
    memcpy(K, V, P * P * sizeof *K);
    CHECK(classes_sort(NULL, P, label, &room, &of) == SPD_OK, "classes");
    CHECK(ridge_open(NULL, P, &of, V, &room, &bad) == SPD_OK, "ridge");
    ridge_solve(&bad, 0.1, A, b);
    times(P, P, C, K, A, f); /* what is fitted to training samples, by the kernel as it is */
    CHECK(ridge_open(NULL, P, &of, Y, &room, &good) == SPD_OK, "ridge");
    ridge_solve(&good, 0.1, A, b);
    times(P, P, C, K, A, kept);
    CHECK(gap_between(P * C, f, kept) < 1e-9 * norm(P * C, f), "the positive part");
}

/* ---- probabilities --------------------------------------------------------------------------- */

static double likelihood(const double *left, const int *label, double factor)
{
    double sum = 0.0, miss = 1.0 / (P + 2.0);
    for (size_t i = 0; i < P; i++) {
        double total = 0.0;
        for (size_t c = 0; c < C; c++)
            total += exp(factor * left[i * C + c]);
        for (size_t c = 0; c < C; c++)
            sum += ((size_t)label[i] == c ? 1.0 - miss : miss / (C - 1)) *
                   (factor * left[i * C + c] - log(total));
    }
    return sum;
}

TEST(factor_of_probabilities)
{
    labelled_set train = labelled_random(3, N, P, C, 0.3);
    double *K = block(P * P), *left = block(P * C);
    FREED_BY(arena_free) arena room = {0};
    classes of;
    ridge r;
    twin_stein(1.5, P, train.X, P, train.X, K);
    CHECK(classes_sort(NULL, P, train.label, &room, &of) == SPD_OK, "classes");
    CHECK(ridge_open(NULL, P, &of, K, &room, &r) == SPD_OK, "ridge");
    ridge_leave_one_out(&r, 0.1, left);
    double best = ridge_sharpness(&r, left), most = likelihood(left, train.label, best);
    CHECK(best > 0.1 && best < 100.0, "factor %g", best);
    CHECK(most > likelihood(left, train.label, best * 1.01), "larger is better");
    CHECK(most > likelihood(left, train.label, best / 1.01), "smaller is better");
    for (size_t i = 0; i < P; i++) /* all right, without a doubt: still finite */
        for (size_t c = 0; c < C; c++)
            left[i * C + c] = (size_t)train.label[i] == c;
    best = ridge_sharpness(&r, left);
    double share = exp(best) / (exp(best) + C - 1);
    CHECK_CLOSE(share, (P + 1.0) / (P + 2.0), 1e-9, "the rule of succession");
}

/* ---- the classifiers ------------------------------------------------------------------------- */

TEST(classes_of_krr)
{
    labelled_set train = labelled_random(1, N, P, C, 0.6), test = labelled_random(2, N, Q, C, 0.6);
    spd_method method = steps_method(&classifier_krr, SPD_METRIC_STEIN, &train.samples);
    double *K = block(P * P), *k = block(Q * P), *x = block((P + 1) * C), score[C];
    int label[Q];
    method.value[SPD_PARAMETER_BETA] = 1.5;
    method.value[SPD_PARAMETER_LAMBDA] = 0.05;
    spd_status status =
        steps_run(NULL, &classifier_krr, &method, &train.samples, &test.samples, label);
    CHECK(status == SPD_OK, "status %d", (int)status);
    twin_stein(1.5, P, train.X, P, train.X, K);
    twin_stein(1.5, Q, test.X, P, train.X, k);
    twin_ridge(P, K, train.label, 0.05, P, x);
    for (size_t i = 0; i < Q; i++) {
        int best = 0;
        twin_scores(P, k + i * P, x, score);
        for (int c = 1; c < C; c++)
            best = score[c] > score[best] ? c : best;
        CHECK(label[i] == best, "query %zu: %d, not %d", i, label[i], best);
    }
}

/* What is chosen is the best by leaving out; fixed values stay. */
TEST(choice_by_leaving_out)
{
    labelled_set train = labelled_random(4, N, P, C, 0.9);
    spd_method method = steps_method(&classifier_krr_both, SPD_METRIC_STEIN, &train.samples);
    training_state run = {.kind = &classifier_krr_both, .method = method, .train = train.samples};
    CHECK(run.kind->prepare(NULL, &run) == SPD_OK && run.kind->train(NULL, &run) == SPD_OK,
          "steps");
    CHECK(run.method.value[SPD_PARAMETER_BETA_SCALE] >= 0.1 &&
              run.method.value[SPD_PARAMETER_LAMBDA] >= 1e-5,
          "values are noted");
    arena_free(&run.training);
    run.method = method;
    run.method.value[SPD_PARAMETER_LAMBDA] = 0.7;
    CHECK(run.kind->train(NULL, &run) == SPD_OK, "training");
    CHECK(run.method.value[SPD_PARAMETER_LAMBDA] == 0.7, "a fixed lambda");
    training_state_free(&run);
    CHECK(ridge_is_better((ridge_quality){3, 9.0}, (ridge_quality){2, 1.0}), "right");
    CHECK(ridge_is_better((ridge_quality){3, 0.5}, (ridge_quality){3, 1.0}), "error");
    CHECK(!ridge_is_better((ridge_quality){3, 1.0}, (ridge_quality){3, 1.0}), "equal");
}

/* One sample per class says nothing about either. */
TEST(safe_values)
{
    labelled_set train = labelled_random(1, N, C, C, 0.3);
    spd_method method = steps_method(&classifier_krr, SPD_METRIC_STEIN, &train.samples);
    training_state run = {.kind = &classifier_krr, .method = method, .train = train.samples};
    CHECK(run.kind->prepare(NULL, &run) == SPD_OK && run.kind->train(NULL, &run) == SPD_OK,
          "steps");
    CHECK(run.method.value[SPD_PARAMETER_BETA_SCALE] == 1.0 &&
              run.method.value[SPD_PARAMETER_LAMBDA] == 1e-2,
          "beta-scale %g, lambda %g", run.method.value[SPD_PARAMETER_BETA_SCALE],
          run.method.value[SPD_PARAMETER_LAMBDA]);
    training_state_free(&run);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* Distances of matrices with blocks are those of the whole; one entry outside, of one sample, joins
 * two blocks. */
TEST(distances_block_by_block)
{
    enum { WHOLE = 7, A = 9, B = 4 };
    const size_t first[] = {0, 3, 4, WHOLE};
    double *X = block((A + B) * WHOLE * WHOLE), D2[A * A], twin[A * A], to[A * B], twin_to[A * B];
    rng r = seeded(5);
    memset(X, 0, (A + B) * WHOLE * WHOLE * sizeof *X);
    for (size_t k = 0; k < A + B; k++)
        for (size_t b = 0; b < 3; b++)
            for (size_t i = first[b]; i < first[b + 1]; i++)
                for (size_t j = first[b]; j <= i; j++) {
                    double x = i == j ? 2.0 + rng_uniform(&r) : 0.3 * rng_normal(&r);
                    X[(k * WHOLE + i) * WHOLE + j] = X[(k * WHOLE + j) * WHOLE + i] = x;
                }
    for (int joined = 0; joined < 2; joined++) {
        spd_samples a = {.size = sizeof a, .p = A, .n = WHOLE, .X = X},
                    b = {.size = sizeof b, .p = B, .n = WHOLE, .X = X + A * WHOLE * WHOLE};
        const spd_set Y = *SPD_SET(WHOLE, A, a.X), Z = *SPD_SET(WHOLE, B, b.X);
        CHECK(samples_stein_to(NULL, &a, NULL, D2) == SPD_OK, " ");
        CHECK(samples_stein_to(NULL, &a, &b, to) == SPD_OK, " ");
        CHECK(spd_pairwise2(NULL, SPD_METRIC_STEIN, &Y, NULL, twin) == SPD_OK, " ");
        CHECK(spd_pairwise2(NULL, SPD_METRIC_STEIN, &Y, &Z, twin_to) == SPD_OK, " ");
        for (size_t e = 0; e < A * A; e++)
            CHECK_CLOSE(D2[e], twin[e], 1e-12, "%zu", e);
        for (size_t e = 0; e < A * B; e++)
            CHECK_CLOSE(to[e], twin_to[e], 1e-12, "%zu", e);
        double *far = X + (A + 1) * WHOLE * WHOLE; /* of the second set */
        far[0 * WHOLE + 6] = far[6 * WHOLE + 0] = 0.25;
    }
}
