/* bench_cuda_sets.c - functions, eigenvalues, means, distances and kernels of sets on the GPU, and on the processor in the same run, from fewer matrices; and AIRM neighbours on the GPU
 * by bounds and by all distances.
 *
 *   bench_cuda_sets [SHARE]         of the usual number of matrices; 1 unless told
 *   bench_cuda_sets nearest [SHARE] only those neighbours */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "spdml.h"

enum { ROUNDS = 3 };

/* What is timed of p matrices n x n. */
typedef struct task {
    const char *name;
    spd_status (*run)(spd_context *ctx, int kind, size_t n, size_t p, const double *X, double *out);
    int kind;
    double power; /* of p that it grows with */
} task;

static spd_status run_apply(spd_context *ctx, int f, size_t n, size_t p, const double *X,
                            double *out)
{
    return spd_apply(ctx, (spd_function)f, 0.5, SPD_SET(n, p, X), out);
}

static spd_status run_eigh(spd_context *ctx, int vectors, size_t n, size_t p, const double *X,
                           double *out)
{
    return spd_eigh(ctx, SPD_SET(n, p, X), out, vectors ? out + n * p : NULL);
}

static spd_status run_pairwise(spd_context *ctx, int metric, size_t n, size_t p, const double *X,
                               double *out)
{
    return spd_pairwise2(ctx, (spd_metric)metric, SPD_SET(n, p, X), NULL, out);
}

static spd_status run_kernel(spd_context *ctx, int kind, size_t n, size_t p, const double *X,
                             double *out)
{
    return spd_kernel(ctx, (spd_kernel_kind)kind, 0.5, SPD_SET(n, p, X), NULL, out);
}

static spd_status run_nearest(spd_context *ctx, int metric, size_t n, size_t p, const double *X,
                              double *out)
{
    return spd_nearest(ctx, (spd_metric)metric, SPD_SET(n, p, X), NULL, 10, NULL,
                       (int64_t *)(void *)(out + 10 * p), out, NULL);
}

static spd_status run_mean(spd_context *ctx, int metric, size_t n, size_t p, const double *X,
                           double *out)
{
    return spd_mean(ctx, (spd_metric)metric, SPD_SET(n, p, X), NULL, out, NULL);
}

/* How many of its results are compared. */
static size_t results_of(const task *t, size_t n, size_t p)
{
    if (t->run == run_mean)
        return n * n;
    return t->run == run_eigh || t->power < 2.0 ? p * n : p * p;
}

/* p x n x n: sums of n + 5 random squares and a little of the identity. */
static double *make_samples(size_t n, size_t p)
{
    double *X = malloc(p * n * n * sizeof *X), *g = malloc(n * sizeof *g);
    rng r;
    rng_seed(&r, n);
    for (size_t i = 0; i < p; i++) {
        double *A = X + i * n * n;
        if (i >= 64) { /* enough of them; then these, scaled */
            double by = 0.5 + rng_uniform(&r);
            const double *from = X + (i % 64) * n * n;
            for (size_t e = 0; e < n * n; e++)
                A[e] = by * from[e];
            A[0] *= 1.0 + rng_uniform(&r);
            continue;
        }
        memset(A, 0, n * n * sizeof *A);
        for (size_t k = 0; k < n + 5; k++) {
            for (size_t a = 0; a < n; a++)
                g[a] = rng_normal(&r);
            for (size_t a = 0; a < n; a++)
                for (size_t b = 0; b < n; b++)
                    A[a * n + b] += g[a] * g[b];
        }
        for (size_t a = 0; a < n; a++)
            A[a * (n + 1)] += 0.1;
    }
    free(g);
    return X;
}

static double seconds(const task *t, spd_engine engine, size_t n, size_t p, const double *X,
                      double *out)
{
    spd_context *ctx = spd_context_new();
    double best = 1e9;
    spd_context_set_engine(ctx, engine);
    for (int round = 0; round < (engine == SPD_ENGINE_CPU ? 1 : ROUNDS); round++) {
        double began = bench_now();
        if (t->run(ctx, t->kind, n, p, X, out) < 0) {
            printf("%s: %s\n", t->name, spd_context_error(ctx)->message);
            best = NAN;
            break;
        }
        best = fmin(best, bench_now() - began);
    }
    spd_context_free(ctx);
    return best;
}

/* Largest difference of the first of both results, beside the largest number. */
static double gap(size_t count, const double *a, const double *b)
{
    double most = 0.0, size = 0.0;
    for (size_t e = 0; e < count; e++) {
        most = fabs(a[e] - b[e]) <= most ? most : fabs(a[e] - b[e]);
        size = fmax(size, fabs(b[e]));
    }
    return most / size;
}

static void compare(const task *t, size_t n, size_t p, size_t few)
{
    double *X = make_samples(n, p);
    for (size_t e = 0; e < p * n * n && t->run == run_apply && t->kind == SPD_FUNCTION_EXP; e++)
        X[e] /= (double)n; /* exponentials in range */
    size_t room = t->power > 1.0 ? p * p : p * n * (n + 1) + 20 * p;
    double *out = malloc(room * sizeof *out), *other = malloc(room * sizeof *other);
    memset(out, 0, room * sizeof *out); /* not the kernel's pages are timed */
    double gpu = seconds(t, SPD_ENGINE_CUDA, n, p, X, out);
    seconds(t, SPD_ENGINE_CUDA, n, few, X, out);
    double cpu = seconds(t, SPD_ENGINE_CPU, n, few, X, other);
    double all = cpu * pow((double)p / (double)few, t->power);
    printf("%-24s n %3zu p %6zu: cuda %8.4f s, processor %8.3f s (from %zu), ratio %6.1f", t->name,
           n, p, gpu, all, few, all / gpu);
    printf(", apart by %.1e\n", gap(results_of(t, n, few), out, other));
    fflush(stdout);
    free(X);
    free(out);
    free(other);
}

/* ---- AIRM neighbours ------------------------------------------------------------------------- */

/* How the matrices are spread: a little about one matrix; covariances of 2 n observations each, in
 * 20 classes; of n + 5, all of one. */
enum spread { NEAR, CLASSES, ONE_CLASS };

/* X <- A sum (g g') A / count, A being diagonal, of `count` random vectors g. */
static void covariance(rng *r, size_t n, size_t count, const double *A, double *X)
{
    double g[512], scale = 1.0 / sqrt((double)count);
    memset(X, 0, n * n * sizeof *X);
    for (size_t k = 0; k < count; k++) {
        for (size_t a = 0; a < n; a++)
            g[a] = scale * A[a] * rng_normal(r);
        for (size_t a = 0; a < n; a++)
            for (size_t b = 0; b <= a; b++)
                X[a * n + b] += g[a] * g[b];
    }
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < a; b++)
            X[b * n + a] = X[a * n + b];
}

static double *make_spread(enum spread kind, size_t n, size_t p)
{
    enum { CLASSES_OF = 20 };
    double *X = malloc(p * n * n * sizeof *X), *A = malloc(CLASSES_OF * n * sizeof *A);
    rng r;
    rng_seed(&r, n + kind);
    for (size_t e = 0; e < CLASSES_OF * n; e++)
        A[e] = kind == CLASSES ? exp(rng_normal(&r)) : 1.0;
    for (size_t i = 0; i < p; i++) {
        double *at = X + i * n * n;
        if (kind != NEAR)
            covariance(&r, n, kind == CLASSES ? 2 * n : n + 5, A + i % CLASSES_OF * n, at);
        else
            for (size_t a = 0; a < n; a++)
                for (size_t b = 0; b <= a; b++) {
                    double x = (a == b ? 0.3 : 0.0) + 0.016 * (rng_uniform(&r) - 0.5);
                    at[a * n + b] = at[b * n + a] = x;
                }
    }
    free(A);
    return X;
}

/* Ten nearest of all, without and with bounds; the second time, of bounds, counts. */
static void nearest_both_ways(const char *what, enum spread kind, size_t n, size_t p)
{
    enum { K = 10 };
    double *X = make_spread(kind, n, p), took[2] = {0.0}, *d2[2];
    int64_t *index[2];
    spd_context *ctx = spd_context_new();
    spd_nearest_info info = {.size = sizeof info};
    spd_status status = SPD_OK;
    spd_context_set_engine(ctx, SPD_ENGINE_CUDA);
    for (int brute = 0; brute < 2; brute++) {
        spd_nearest_options o = {.size = sizeof o, .search = SPD_SEARCH_EXACT, .brute = brute};
        spd_nearest_info *tell = brute ? NULL : &info;
        d2[brute] = malloc(p * K * sizeof *d2[0]);
        index[brute] = malloc(p * K * sizeof *index[0]);
        for (int round = brute; round < 2 && status >= 0; round++) {
            double began = bench_now();
            status = spd_nearest(ctx, SPD_METRIC_AIRM, SPD_SET(n, p, X), NULL, K, &o, index[brute],
                                 d2[brute], tell);
            took[brute] = bench_now() - began;
        }
    }
    if (status < 0)
        printf("nearest airm: %s\n", spd_context_error(ctx)->message);
    else
        printf(
            "nearest airm, %-18s n %3zu p %6zu: bounds %8.3f s (%5.1f %% measured), all %8.3f s, "
            "ratio %5.2f, %s\n",
            what, n, p, took[0], 100.0 * info.exact / info.pairs, took[1], took[1] / took[0],
            memcmp(index[0], index[1], p * K * sizeof *index[0]) != 0 ||
                    memcmp(d2[0], d2[1], p * K * sizeof *d2[0]) != 0
                ? "OTHER BITS"
                : "same bits");
    fflush(stdout);
    spd_context_free(ctx);
    for (int brute = 0; brute < 2; brute++) {
        free(d2[brute]);
        free(index[brute]);
    }
    free(X);
}

static void all_nearest(double share)
{
    double side = sqrt(share);
    nearest_both_ways("about one matrix", NEAR, 32, (size_t)(25000 * side));
    nearest_both_ways("20 classes", CLASSES, 32, (size_t)(15000 * side));
    nearest_both_ways("one class", ONE_CLASS, 32, (size_t)(10000 * side));
    nearest_both_ways("20 classes", CLASSES, 16, (size_t)(15000 * side));
    nearest_both_ways("20 classes", CLASSES, 64, (size_t)(2500 * side));
    nearest_both_ways("one class", ONE_CLASS, 64, (size_t)(2500 * side));
    nearest_both_ways("20 classes", CLASSES, 128, (size_t)(1000 * side));
}

int main(int count, char **word)
{
    int nearest = count > 1 && !strcmp(word[1], "nearest");
    double share = count > 1 + nearest ? atof(word[1 + nearest]) : 1.0;
    static const size_t sizes[] = {8, 16, 22, 32, 43, 64, 93, 128, 155, 256, 512};
    static const task logs = {"log", run_apply, SPD_FUNCTION_LOG, 1.0};
    static const task exps = {"exp", run_apply, SPD_FUNCTION_EXP, 1.0};
    static const task values = {"eigenvalues", run_eigh, 0, 1.0};
    static const task vectors = {"eigenvectors", run_eigh, 1, 1.0};
    static const task means[] = {{"mean airm", run_mean, SPD_METRIC_AIRM, 1.0},
                                 {"mean log-euclidean", run_mean, SPD_METRIC_LOG_EUCLIDEAN, 1.0},
                                 {"mean stein", run_mean, SPD_METRIC_STEIN, 1.0},
                                 {"mean jeffrey", run_mean, SPD_METRIC_JEFFREY, 1.0}};
    static const task pairs[] = {
        {"pairwise stein", run_pairwise, SPD_METRIC_STEIN, 2.0},
        {"pairwise airm", run_pairwise, SPD_METRIC_AIRM, 2.0},
        {"pairwise log-euclidean", run_pairwise, SPD_METRIC_LOG_EUCLIDEAN, 2.0},
        {"pairwise euclidean", run_pairwise, SPD_METRIC_EUCLIDEAN, 2.0},
        {"kernel log-euclidean", run_kernel, SPD_KERNEL_LOG_EUCLIDEAN, 2.0},
        {"nearest log-euclidean", run_nearest, SPD_METRIC_LOG_EUCLIDEAN, 2.0}};
    all_nearest(share);
    if (nearest)
        return 0;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        size_t n = sizes[k], p = (size_t)(share * 1e8 / (double)(n * n)) + 8;
        compare(&logs, n, p, p / 20 + 8);
    }
    for (size_t k = 3; k < sizeof sizes / sizeof *sizes; k += 3) {
        size_t n = sizes[k], p = (size_t)(share * 1e8 / (double)(n * n)) + 8;
        compare(&exps, n, p, p / 20 + 8);
        compare(&values, n, p, p / 20 + 8);
        compare(&vectors, n, p, p / 20 + 8);
    }
    for (size_t k = 2; k < sizeof sizes / sizeof *sizes; k += 2)
        for (size_t which = 0; which < sizeof means / sizeof *means; which++) {
            size_t n = sizes[k], p = (size_t)(share * 5e7 / (double)(n * n)) + 8;
            compare(&means[which], n, p, p / 20 + 8);
        }
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        compare(&pairs[k], 32, (size_t)(10000 * sqrt(share)), 1500);
        compare(&pairs[k], 93, (size_t)((k == 1 ? 3000 : 10000) * sqrt(share)), k == 1 ? 100 : 500);
    }
    for (size_t n = 64; n <= 512; n *= 2)
        for (size_t k = 0; k < 2; k++)
            compare(&pairs[k], n, (size_t)(1e5 / (double)n * sqrt(share)) + 8, 4000 / n + 20);
    return 0;
}
