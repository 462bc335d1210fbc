/* geometry_demo.c - a first look at SPD matrices: makes a small labelled set, and compares the
 * metrics on it.
 *
 *   geometry_demo demo.npz      writes the set there and prints what it found
 *
 * Three kinds of ellipsoids in 12 dimensions, seen through noisy covariances: within a kind the
 * matrices differ by noise and by a common scale, which AIRM and Stein bear better than the
 * Euclidean distance. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spdml-data.h>

enum { N = 12, KINDS = 3, PER_KIND = 40, P = KINDS * PER_KIND, OBSERVATIONS = 60 };

static uint64_t state = 20140905;

/* A small generator, enough for an example (splitmix64). */
static double uniform(void)
{
    uint64_t z = (state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return ((double)((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-53;
}

static double normal(void)
{
    return sqrt(-2.0 * log(uniform())) * cos(6.283185307179586 * uniform());
}

/* X <- covariance of noisy observations whose axes are stretched by `axes`, mixed by `mix`. */
static void one_matrix(const double *axes, const double *mix, double *X)
{
    double scale = exp(0.8 * normal());
    memset(X, 0, N * N * sizeof *X);
    for (int o = 0; o < OBSERVATIONS; o++) {
        double source[N], seen[N] = {0};
        for (int d = 0; d < N; d++)
            source[d] = scale * axes[d] * normal();
        for (int r = 0; r < N; r++)
            for (int c = 0; c < N; c++)
                seen[r] += mix[r * N + c] * source[c];
        for (int r = 0; r < N; r++)
            for (int c = 0; c < N; c++)
                X[r * N + c] += seen[r] * seen[c] / OBSERVATIONS;
    }
}

static void make_set(double *X, int64_t *y)
{
    double axes[KINDS][N], mix[N * N];
    for (int e = 0; e < N * N; e++)
        mix[e] = (e % (N + 1) ? 0.3 : 1.0) * normal();
    for (int kind = 0; kind < KINDS; kind++)
        for (int d = 0; d < N; d++)
            axes[kind][d] = exp(0.5 * normal());
    for (int i = 0; i < P; i++) {
        y[i] = i % KINDS;
        one_matrix(axes[y[i]], mix, X + (size_t)i * N * N);
    }
}

static int save(spd_context *ctx, const char *path, double *X, int64_t *y)
{
    char x_name[] = "X", y_name[] = "y";
    spd_array ax = {.name = x_name,
                    .type = SPD_TYPE_FLOAT64,
                    .ndim = 3,
                    .shape = {P, N, N},
                    .count = (size_t)P * N * N,
                    .f64 = X};
    spd_array ay = {
        .name = y_name, .type = SPD_TYPE_INT64, .ndim = 1, .shape = {P}, .count = P, .i64 = y};
    const spd_array *both[] = {&ax, &ay};
    return spd_arrays_write(ctx, path, 2, both);
}

/* Share of samples whose nearest other sample is of the same kind. */
static int leave_one_out(spd_context *ctx, spd_metric metric, const double *X, const int64_t *y,
                         double *share)
{
    int64_t nearest[P] = {0};
    double d2[P];
    int right = 0;
    if (spd_nearest(ctx, metric, SPD_SET(N, P, X), NULL, 1, NULL, nearest, d2, NULL) < 0)
        return -1;
    for (int i = 0; i < P; i++)
        right += y[nearest[i]] == y[i];
    *share = (double)right / P;
    return 0;
}

/* Determinant of the mean, as a power of e: the arithmetic mean swells, AIRM's does not. */
static int log_det_of_mean(spd_context *ctx, spd_metric metric, const double *X, double *value)
{
    double M[N * N];
    if (spd_mean(ctx, metric, SPD_SET(N, P, X), NULL, M, NULL) < 0)
        return -1;
    return spd_logdet(ctx, SPD_SET(N, 1, M), value) < 0 ? -1 : 0;
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "demo.npz";
    static double X[P * N * N];
    static int64_t y[P];
    spd_context *ctx = spd_context_new();
    int failed = ctx == NULL;
    make_set(X, y);
    failed = failed || save(ctx, path, X, y) < 0;
    if (!failed)
        printf("%d matrices, %d x %d, %d kinds -> %s\n\n%-18s %22s %18s\n", P, N, N, KINDS, path,
               "metric", "nearest of same kind", "log det of mean");
    for (int metric = 0; metric < SPD_METRICS && !failed; metric++) {
        double share = 0.0, logdet = 0.0;
        failed = leave_one_out(ctx, (spd_metric)metric, X, y, &share) ||
                 log_det_of_mean(ctx, (spd_metric)metric, X, &logdet);
        if (!failed)
            printf("%-18s %20.1f %% %18.3f\n", spd_name(SPD_ENUM_METRIC, (spd_metric)metric),
                   100.0 * share, logdet);
    }
    if (failed)
        fprintf(stderr, "geometry_demo: %s\n", spd_context_error(ctx)->message);
    spd_context_free(ctx);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
