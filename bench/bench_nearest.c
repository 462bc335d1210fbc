/* bench_nearest.c - pruned neighbour search against brute force, two threads, with the same
 * results checked. Structured data: 40 classes, class signal in a 12-dimensional subspace under
 * nuisance variation; unstructured: independent random spectra and directions. */
#include <cblas.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "bench.h"
#include "random_spd.h"
#include "spdml.h"

#define P 2000
#define N 93
#define K 5

/* X <- A (I + noise) A' with A = exp of a few directions shared by the class. */
static void structured(rng *r, size_t p, double *X)
{
    enum { CLASSES = 40, RANK = 12, OBSERVATIONS = 400 };
    double *basis = mem_alloc(N * N, sizeof *basis),
           *class = mem_alloc(CLASSES * RANK, sizeof *class);
    double *O = mem_alloc(OBSERVATIONS * N, sizeof *O);
    random_orthogonal(r, N, basis);
    for (size_t e = 0; e < CLASSES * RANK; e++)
        class[e] = exp(1.5 * rng_normal(r));
    for (size_t i = 0; i < p; i++) {
        const double *c = class + i % CLASSES * RANK;
        double scale[N];
        for (size_t d = 0; d < N; d++)
            scale[d] =
                (d < RANK ? c[d] * exp(0.2 * rng_normal(r)) : 0.3) * exp(0.1 * rng_normal(r));
        for (size_t o = 0; o < OBSERVATIONS; o++)
            for (size_t d = 0; d < N; d++)
                O[o * N + d] = scale[d] * rng_normal(r);
        double *x = X + i * N * N, *t = mem_alloc(N * N, sizeof *t);
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, N, N, OBSERVATIONS, 1.0 / OBSERVATIONS,
                    O, N, O, N, 0.0, x, N);
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, N, N, N, 1.0, basis, N, x, N, 0.0, t,
                    N);
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, N, N, N, 1.0, t, N, basis, N, 0.0, x,
                    N);
        mem_free(t);
    }
    spd_symmetrize(N, p, X);
    mem_free(basis);
    mem_free(class);
    mem_free(O);
}

static void unstructured(rng *r, size_t p, double *X)
{
    for (size_t i = 0; i < p; i++)
        random_spd(r, N, 100.0, X + i * N * N);
}

static void row(const char *name, spd_metric metric, const double *X, size_t queries, double goal)
{
    spd_context *ctx = spd_context_new();
    int64_t *a = mem_alloc(queries * K, sizeof *a), *b = mem_alloc(queries * K, sizeof *b);
    double *da = mem_alloc(queries * K, sizeof *da), *db = mem_alloc(queries * K, sizeof *db);
    const double *Q = X + P * N * N;
    double pruned = 0.0;
    double best[2] = {INFINITY, INFINITY};
    spd_context_set_threads(ctx, 2);
    for (int round = 0; round < 2; round++)
        for (int brute = 0; brute < 2; brute++) {
            double start = bench_now();
            const spd_nearest_options how = {.size = sizeof how, .brute = brute};
            spd_nearest_info near = SPD_STRUCT(spd_nearest_info);
            spd_nearest(ctx, metric, SPD_SET(N, P, X), Q ? SPD_SET(N, queries, Q) : NULL, K, &how,
                        brute ? b : a, brute ? db : da, &near);
            best[brute] = fmin(best[brute], bench_now() - start);
            pruned = brute ? pruned : near.pruned;
        }
    int same =
        memcmp(a, b, queries * K * sizeof *a) == 0 && memcmp(da, db, queries * K * sizeof *da) == 0;
    printf("%-13s %-6s %8zu %10.3f %10.3f %7.1fx %6.2fx %8.1f %%  %s\n", name,
           spd_name(SPD_ENUM_METRIC, metric), queries, best[1], best[0], best[1] / best[0], goal,
           100.0 * pruned, same ? "identical" : "DIFFERENT");
    spd_context_free(ctx);
    mem_free(a);
    mem_free(b);
    mem_free(da);
    mem_free(db);
}

int main(void)
{
    enum { STEIN_QUERIES = 500, AIRM_QUERIES = 100 };
    double *X = mem_alloc((P + STEIN_QUERIES) * N * N, sizeof *X);
    rng r;
    rng_seed(&r, 93);
    printf("\n%d nearest of %d matrices %d x %d, two threads, seconds\n", K, P, N, N);
    printf("%-13s %-6s %8s %10s %10s %8s %7s %10s\n", "data", "metric", "queries", "brute",
           "pruned", "ratio", "goal", "pruned");
    structured(&r, P + STEIN_QUERIES, X);
    row("structured", SPD_METRIC_STEIN, X, STEIN_QUERIES, 3.0);
    row("structured", SPD_METRIC_AIRM, X, AIRM_QUERIES, 5.0);
    unstructured(&r, P + STEIN_QUERIES, X);
    row("unstructured", SPD_METRIC_STEIN, X, STEIN_QUERIES, 1.0 / 1.15);
    row("unstructured", SPD_METRIC_AIRM, X, AIRM_QUERIES, 1.0 / 1.15);
    mem_free(X);
    return 0;
}
