/* test_golden.c - values of an independent program, to 1e-9 relative. */
#include "golden_values.h"
#include "random_spd.h"
#include "test.h"

#define N        GOLDEN_N
#define P        GOLDEN_P
#define EACH     (N * N)
#define TRIANGLE (N * (N + 1) / 2)

/* A (N x N) <- both triangles of a packed lower one. */
static void unfold(const double *packed, double *A)
{
    for (size_t r = 0; r < N; r++)
        for (size_t c = 0; c <= r; c++)
            A[r * N + c] = A[c * N + r] = *packed++;
}

static void load(double *X)
{
    for (size_t i = 0; i < P; i++)
        unfold(golden_X + i * TRIANGLE, X + i * EACH);
}

TEST(distances)
{
    const struct {
        spd_metric metric;
        const double *values;
    } cases[] = {{SPD_METRIC_STEIN, golden_stein}, {SPD_METRIC_AIRM, golden_airm}};
    double X[P * EACH], D2[P * P];
    load(X);
    for (size_t k = 0; k < 2; k++) {
        const double *expected = cases[k].values;
        CHECK(spd_pairwise2(NULL, cases[k].metric, SPD_SET(N, P, X), NULL, D2) == SPD_OK, " ");
        for (size_t i = 0; i < P; i++)
            for (size_t j = 0; j < i; j++, expected++)
                CHECK_CLOSE(D2[i * P + j], *expected, 1e-9 * *expected, "(%zu,%zu)", i, j);
    }
}

TEST(other_distances)
{
    const struct {
        spd_metric metric;
        double value;
    } cases[] = {{SPD_METRIC_LOG_EUCLIDEAN, golden_log_euclidean_01},
                 {SPD_METRIC_LOG_CHOLESKY, golden_log_cholesky_01},
                 {SPD_METRIC_BURES_WASSERSTEIN, golden_bures_01},
                 {SPD_METRIC_JEFFREY, golden_jeffrey_01}};
    double X[P * EACH];
    load(X);
    for (size_t k = 0; k < 4; k++)
        CHECK_CLOSE(dist2(cases[k].metric, N, X, X + EACH), cases[k].value, 1e-9 * cases[k].value,
                    "%s", METRIC_NAME(cases[k].metric));
}

TEST(means)
{
    const struct {
        spd_metric metric;
        const double *values;
    } cases[] = {{SPD_METRIC_AIRM, golden_mean_airm},
                 {SPD_METRIC_STEIN, golden_mean_stein},
                 {SPD_METRIC_LOG_EUCLIDEAN, golden_mean_logeuclid}};
    double X[P * EACH], M[EACH], expected[EACH];
    load(X);
    for (size_t k = 0; k < 3; k++) {
        unfold(cases[k].values, expected);
        CHECK(spd_mean(NULL, cases[k].metric, SPD_SET(N, P, X), NULL, M, NULL) == SPD_OK, " ");
        CHECK_CLOSE(relative_gap(EACH, M, expected), 0.0, 1e-9, "%s", METRIC_NAME(cases[k].metric));
    }
}

TEST(logarithm)
{
    double X[P * EACH], F[EACH], expected[EACH];
    load(X);
    unfold(golden_log_X0, expected);
    CHECK(spd_apply(NULL, SPD_FUNCTION_LOG, 0.0, SPD_SET(N, 1, X), F) == SPD_OK, " ");
    CHECK_CLOSE(relative_gap(EACH, F, expected), 0.0, 1e-9, "log");
}
