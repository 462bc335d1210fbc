/* bench_covariance.c - observations per second that spd_covariance turns into a 155 x 155 matrix.
 *
 * Reference: the mean, a centred copy of all rows, one cblas_dsyrk; two passes and r n doubles of
 * scratch. bench/covariance compares with numpy.cov. With --json ROWS VALUES THREADS one line for
 * that comparison: seconds of the best round and a checksum. */
#include <cblas.h>
#include <string.h>

#include "bench.h"
#include "random_spd.h"

/* C (n x n, lower triangle) <- covariance the plain way; copy: r x n. */
static void by_copy(size_t r, size_t n, const double *O, double *copy, double *C)
{
    double *mean = block(n);
    memset(mean, 0, n * sizeof *mean);
    for (size_t e = 0; e < r * n; e++)
        mean[e % n] += O[e];
    for (size_t k = 0; k < r; k++)
        for (size_t c = 0; c < n; c++)
            copy[k * n + c] = O[k * n + c] - mean[c] / (double)r;
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, (int)n, (int)r, 1.0 / (double)(r - 1), copy,
                (int)n, 0.0, C, (int)n);
    free(mean);
}

static double *observe(size_t r, size_t n)
{
    rng g;
    double *O = block(r * n);
    rng_seed(&g, 1);
    for (size_t e = 0; e < r * n; e++)
        O[e] = rng_uniform(&g);
    return O;
}

static bench time_ours(spd_context *ctx, size_t r, size_t n, const double *O,
                       const spd_covariance_options *options, double *C)
{
    bench b = bench_start(0.5);
    while (bench_more(&b))
        if (spd_covariance(ctx, r, n, O, options, C) < 0)
            abort();
    return b;
}

static void compare(size_t r, size_t n, size_t m)
{
    double *O = observe(r, n), *copy = block(r * n), *C = block(n * n), *W = observe(n, m);
    const spd_covariance_options project = {.m = m, .W = W}, plain = {0};
    spd_context *ctx = spd_context_new();
    spd_context_set_threads(ctx, 1);
    bench reference = bench_start(0.5), ours = time_ours(ctx, r, n, O, &plain, C);
    while (bench_more(&reference))
        by_copy(r, n, O, copy, C);
    bench small = time_ours(ctx, r, n, O, &project, C);
    printf("%8zu %5zu %14.3g %14.3g %8.2f %20.3g\n", r, n, (double)r / ours.best,
           (double)r / reference.best, reference.best / ours.best, (double)r / small.best);
    spd_context_free(ctx);
    free(O);
    free(copy);
    free(C);
    free(W);
}

static void one_line(size_t r, size_t n, int threads)
{
    double *O = observe(r, n), *C = block(n * n);
    const spd_covariance_options plain = {0};
    spd_context *ctx = spd_context_new();
    spd_context_set_threads(ctx, threads);
    bench b = time_ours(ctx, r, n, O, &plain, C);
    printf("{\"seconds\": %.9g, \"trace\": %.17g}\n", b.best, trace_of(n, C));
    spd_context_free(ctx);
    free(O);
    free(C);
}

int main(int argc, char **argv)
{
    if (argc == 5 && strcmp(argv[1], "--json") == 0) {
        one_line(strtoul(argv[2], NULL, 10), strtoul(argv[3], NULL, 10), atoi(argv[4]));
        return 0;
    }
    printf("%8s %5s %14s %14s %8s %20s\n", "rows", "n", "rows/s", "by a copy", "ratio",
           "rows/s, projected 20");
    compare(9604, 155, 20);
    compare(100000, 155, 20);
    compare(9604, 43, 20);
    compare(500, 93, 20);
    return 0;
}
