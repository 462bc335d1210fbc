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

static void distances(void)
{
    const struct {
        spd_metric metric;
        const double *values;
    } cases[] = {{SPD_STEIN, golden_stein}, {SPD_AIRM, golden_airm}};
    double X[P * EACH], D2[P * P];
    load(X);
    for (size_t k = 0; k < 2; k++) {
        const double *expected = cases[k].values;
        CHECK(spd_pairwise2(NULL, cases[k].metric, N, P, X, 0, NULL, D2) == SPD_OK, " ");
        for (size_t i = 0; i < P; i++)
            for (size_t j = 0; j < i; j++, expected++)
                CHECK_CLOSE(D2[i * P + j], *expected, 1e-9 * *expected, "(%zu,%zu)", i, j);
    }
}

static void other_distances(void)
{
    const struct {
        spd_metric metric;
        double value;
    } cases[] = {{SPD_LOG_EUCLIDEAN, golden_log_euclidean_01},
                 {SPD_LOG_CHOLESKY, golden_log_cholesky_01},
                 {SPD_BURES_WASSERSTEIN, golden_bures_01},
                 {SPD_JEFFREY, golden_jeffrey_01}};
    double X[P * EACH];
    load(X);
    for (size_t k = 0; k < 4; k++)
        CHECK_CLOSE(dist2(cases[k].metric, N, X, X + EACH), cases[k].value, 1e-9 * cases[k].value,
                    "%s", spd_metric_name(cases[k].metric));
}

static void means(void)
{
    const struct {
        spd_metric metric;
        const double *values;
    } cases[] = {{SPD_AIRM, golden_mean_airm},
                 {SPD_STEIN, golden_mean_stein},
                 {SPD_LOG_EUCLIDEAN, golden_mean_logeuclid}};
    double X[P * EACH], M[EACH], expected[EACH];
    load(X);
    for (size_t k = 0; k < 3; k++) {
        unfold(cases[k].values, expected);
        CHECK(spd_mean(NULL, cases[k].metric, N, P, X, NULL, M, NULL) == SPD_OK, " ");
        CHECK_CLOSE(relative_gap(EACH, M, expected), 0.0, 1e-9, "%s",
                    spd_metric_name(cases[k].metric));
    }
}

static void logarithm(void)
{
    double X[P * EACH], F[EACH], expected[EACH];
    load(X);
    unfold(golden_log_X0, expected);
    CHECK(spd_apply(NULL, SPD_LOG, 0.0, N, 1, X, F) == SPD_OK, " ");
    CHECK_CLOSE(relative_gap(EACH, F, expected), 0.0, 1e-9, "log");
}

int main(void)
{
    RUN(distances);
    RUN(other_distances);
    RUN(means);
    RUN(logarithm);
    return test_summary();
}
