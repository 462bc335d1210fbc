/* bench_cuda.c - the CUDA engine's calls, and whole iterations as the optimiser runs them.
 *
 *   bench_cuda [P [M METRIC [GB]]]   largest set, 100000 unless told; with M and METRIC that one
 *                                alone, and only its calls, for a profiler; with GB in so much
 *                                memory of the device
 *   bench_cuda small             the small fit alone
 *   bench_cuda distances [P]     distances and neighbours alone
 *   bench_cuda plot [P]          seconds of a fit of 30 iterations for growing sets on both
 * engines, as .csv for bench/plot_engines.py */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "fit/engine.h"
#include "linalg/tall.h"
#include "optim/minimise.h"

/* Uniform in (-1,1) from a counter. */
static double noise(uint64_t k)
{
    k += 0x9e3779b97f4a7c15u;
    k = (k ^ (k >> 30)) * 0xbf58476d1ce4e5b9u;
    k = (k ^ (k >> 27)) * 0x94d049bb133111ebu;
    return (double)(int64_t)(k ^ (k >> 31)) * 0x1p-63;
}

/* p x n x n, eigenvalues within (0.05, 0.55). */
static double *make_samples(size_t n, size_t p)
{
    double *X = malloc(p * n * n * sizeof *X);
    for (size_t i = 0; X && i < p; i++)
        for (size_t a = 0; a < n; a++)
            for (size_t b = 0; b <= a; b++) {
                double h = noise(i << 20 ^ b << 10 ^ a);
                X[(i * n + a) * n + b] = X[(i * n + b) * n + a] =
                    a == b ? 0.3 + 0.1 * h : 0.008 * h;
            }
    return X;
}

/* Ten pairs per sample. */
static spd_pair *make_pairs(size_t p)
{
    spd_pair *list = malloc(10 * p * sizeof *list);
    for (size_t k = 0; k < 10 * p; k++) {
        size_t i = k / 10, j = (size_t)((noise(k ^ 0x5555) + 1.0) / 2.0 * (double)(p - 1));
        j += j >= i;
        list[k] = (spd_pair){(uint32_t)i, (uint32_t)j, 0.0, 0.0};
        *(noise(k) > -0.3 ? &list[k].within : &list[k].between) = 1.0;
    }
    return list;
}

static void orthonormal(size_t n, size_t m, uint64_t seed, double *W)
{
    double *work = malloc(tall_orthonormalise_work(n, m) * sizeof *work);
    for (size_t k = 0; k < n * m; k++)
        W[k] = noise(seed << 32 ^ k);
    tall_orthonormalise(n, m, W, work);
    free(work);
}

/* Operations of a probe, in m^3. For each pair a symmetric sweep of the mean (Stein), or eight
 * Jacobi sweeps and both matrices put together again (AIRM); for each sample a sweep and two
 * products (Jeffrey), or Jacobi sweeps and five products. */
static double probe_flops(const engine_input *in)
{
    double pairs = (double)in->pairs, p = (double)in->p,
           each = in->metric == SPD_METRIC_STEIN     ? 2.0 * pairs
                  : in->metric == SPD_METRIC_AIRM    ? 28.0 * pairs
                  : in->metric == SPD_METRIC_JEFFREY ? 6.0 * p
                                                     : 34.0 * p;
    return pow((double)in->m, 3.0) * each;
}

/* Milliseconds of each call, the best of a few. */
static void time_calls(problem *e, size_t n, size_t m, double flops)
{
    double *W = malloc(n * m * sizeof *W), *U = malloc(n * m * sizeof *U);
    double *V = malloc(m * m * sizeof *V), *G = malloc(n * m * sizeof *G),
           *sigma = malloc(m * sizeof *sigma);
    double f, df, best[4] = {1e9, 1e9, 1e9, 1e9};
    orthonormal(n, m, 1, W);
    orthonormal(n, m, 2, U);
    orthonormal(m, m, 3, V);
    for (size_t c = 0; c < m; c++)
        sigma[c] = 1e-3 * (double)(c + 1);
    for (int round = 0; round < 6; round++) {
        double t[5];
        t[0] = bench_now();
        e->start(e, W);
        t[1] = bench_now();
        e->aim(e, U, sigma, V);
        e->probe(e, 0.1, &f, &df);
        t[2] = bench_now();
        e->probe(e, 0.2, &f, &df);
        t[3] = bench_now();
        e->step(e, 0.2);
        e->cost_grad(e, &f, G);
        t[4] = bench_now();
        for (int k = 0; k < 4; k++)
            best[k] = fmin(best[k], t[k + 1] - t[k]);
    }
    printf("  start %.3f  aim %.3f  probe %.3f  step and gradient %.3f  iteration of two probes "
           "%.3f ms; probe %.3g TFLOP/s\n",
           1e3 * best[0], 1e3 * (best[1] - best[2]), 1e3 * best[2], 1e3 * best[3],
           1e3 * (best[1] + best[2] + best[3]), 1e-12 * flops / best[2]);
    free(W);
    free(U);
    free(V);
    free(G);
    free(sigma);
}

/* Milliseconds per iteration of a minimisation. */
static void time_minimise(problem *e, size_t n, size_t m, int iterations)
{
    minimise_options o = {.solver = SPD_SOLVER_LBFGS, .max_iter = iterations, .refresh = 50};
    minimise_state s = {0};
    for (int round = 0; round < 2; round++) {
        memset(&s, 0, sizeof s);
        minimise_open(&s, SPD_SOLVER_LBFGS, n, m);
        orthonormal(n, m, 1, s.W);
        double began = bench_now();
        spd_status status = minimise(e, &o, 0, &s, NULL, NULL);
        double seconds = bench_now() - began;
        if (round)
            printf("  minimised: %d iterations, %.3f ms each, f %.12g (%d)\n", s.iteration,
                   1e3 * seconds / s.iteration, s.f, (int)status);
        minimise_close(&s);
    }
}

static void run(const char *name,
                spd_status (*make)(spd_context *, const engine_input *, problem **),
                engine_input *in, int iterations)
{
    spd_context *ctx = spd_context_new();
    problem *e = NULL;
    double began = bench_now();
    spd_status status = make(ctx, in, &e);
    printf("%s %s %s n %zu m %zu p %zu, %zu pairs: ", name, spd_name(SPD_ENUM_METRIC, in->metric),
           spd_name(SPD_ENUM_OBJECTIVE, in->objective), in->n, in->m, in->p, in->pairs);
    if (status < 0)
        printf("%s\n", spd_context_error(ctx)->message);
    else
        printf("opened in %.3f s\n", bench_now() - began);
    if (status == SPD_OK) {
        time_calls(e, in->n, in->m, probe_flops(in));
        if (e->about) {
            char text[256];
            e->about(e, sizeof text, text);
            printf("  %s\n", text);
        }
        if (iterations)
            time_minimise(e, in->n, in->m, iterations);
    }
    fflush(stdout);
    engine_free(e);
    spd_context_free(ctx);
}

static engine_room room;

static spd_status cuda_new(spd_context *ctx, const engine_input *in, problem **e)
{
    return engine_cuda_new(ctx, in, &room, e);
}

/* Seconds of distances within p matrices, the best of two; of so many on the processor in the same
 * run, and what p would take there. */
static void time_distances(size_t n, size_t p, size_t few)
{
    double *X = make_samples(n, p), *D2 = X ? malloc(p * p * sizeof *D2) : NULL;
    spd_context *ctx = spd_context_new();
    for (int k = 0; D2 && k < 4; k++) {
        spd_metric metric = k / 2 ? SPD_METRIC_AIRM : SPD_METRIC_STEIN;
        size_t count = k % 2 ? few : p;
        double best = 1e9, scale = (double)p / (double)count;
        spd_context_set_engine(ctx, k % 2 ? SPD_ENGINE_CPU : SPD_ENGINE_CUDA);
        for (int round = 0; round < 2; round++) {
            double began = bench_now();
            if (spd_pairwise2(ctx, metric, SPD_SET(n, count, X), NULL, D2) < 0)
                printf("%s\n", spd_context_error(ctx)->message);
            best = fmin(best, bench_now() - began);
        }
        printf("pairwise %s n %zu, %s p %zu: %.3f s", spd_name(SPD_ENUM_METRIC, metric), n,
               k % 2 ? "cpu" : "cuda", count, best);
        printf(k % 2 ? ", for %zu %.1f s\n" : "\n", p, best * scale * scale);
        fflush(stdout);
    }
    spd_context_free(ctx);
    free(D2);
    free(X);
}

static void time_neighbours(size_t n, size_t p, spd_metric metric)
{
    enum { K = 10 };
    double *X = make_samples(n, p), *d2 = malloc(K * p * sizeof *d2);
    int64_t *index = malloc(K * p * sizeof *index);
    spd_context *ctx = spd_context_new();
    spd_context_set_engine(ctx, SPD_ENGINE_CUDA);
    double began = bench_now();
    if (spd_nearest(ctx, metric, SPD_SET(n, p, X), NULL, K, NULL, index, d2, NULL) < 0)
        printf("%s\n", spd_context_error(ctx)->message);
    printf("%d nearest, %s n %zu, cuda p %zu: %.1f s\n", K, spd_name(SPD_ENUM_METRIC, metric), n, p,
           bench_now() - began);
    fflush(stdout);
    spd_context_free(ctx);
    free(X);
    free(d2);
    free(index);
}

/* Seconds until an engine is open, and of an iteration, from a few of them. */
static void fit_seconds(spd_status (*make)(spd_context *, const engine_input *, problem **),
                        const engine_input *in, double *opened, double *iteration)
{
    spd_context *ctx = spd_context_new();
    problem *e = NULL;
    minimise_options o = {.solver = SPD_SOLVER_LBFGS, .max_iter = 4, .refresh = 50};
    minimise_state s = {0};
    double began = bench_now();
    *opened = *iteration = NAN;
    if (make(ctx, in, &e) == SPD_OK) {
        *opened = bench_now() - began;
        minimise_open(&s, SPD_SOLVER_LBFGS, in->n, in->m);
        orthonormal(in->n, in->m, 1, s.W);
        began = bench_now();
        if (minimise(e, &o, 0, &s, NULL, NULL) == SPD_OK)
            *iteration = (bench_now() - began) / s.iteration;
        minimise_close(&s);
    }
    engine_free(e);
    spd_context_free(ctx);
}

static void plot(size_t most)
{
    const size_t n = 93, m = 20;
    double *X = make_samples(n, most);
    puts("p,metric,engine,opened,iteration");
    for (size_t p = 100; X && p <= most; p *= 10) {
        spd_pair *graph = make_pairs(p);
        for (int k = 0; k < 4; k++) {
            engine_input in = {.n = n,
                               .m = m,
                               .p = p,
                               .X = X,
                               .metric = k / 2 ? SPD_METRIC_AIRM : SPD_METRIC_STEIN,
                               .objective = SPD_OBJECTIVE_SOFTMAX,
                               .pairs = 10 * p,
                               .pair = graph};
            double opened, iteration;
            fit_seconds(k % 2 ? engine_cpu_new : cuda_new, &in, &opened, &iteration);
            printf("%zu,%s,%s,%.5f,%.6f\n", p, spd_name(SPD_ENUM_METRIC, in.metric),
                   k % 2 ? "cpu" : "cuda", opened, iteration);
            fflush(stdout);
        }
        free(graph);
    }
    free(X);
}

static void distances(size_t most)
{
    time_distances(32, most / 10, 2000);
    time_neighbours(43, most, SPD_METRIC_STEIN);
    time_neighbours(32, most / 4, SPD_METRIC_AIRM);
}

int main(int count, char **word)
{
    if (count > 1 && strcmp(word[1], "distances") == 0)
        return distances(count > 2 ? strtoul(word[2], NULL, 10) : 100000), 0;
    if (count > 1 && strcmp(word[1], "plot") == 0)
        return plot(count > 2 ? strtoul(word[2], NULL, 10) : 100000), 0;
    size_t most = count > 1 ? strtoul(word[1], NULL, 10) : 100000;
    const size_t sizes[][2] = {{93, 118}, {155, 4000}, {155, most}};
    const size_t only = count > 3 ? strtoul(word[2], NULL, 10) : 0;
    room.memory_bytes = count > 4 ? (size_t)(1e9 * strtod(word[4], NULL)) : 0;
    const int small = count > 1 && strcmp(word[1], "small") == 0;
    static const struct {
        spd_metric metric;
        spd_objective objective;
    } kinds[] = {{SPD_METRIC_STEIN, SPD_OBJECTIVE_DIFFERENCE},
                 {SPD_METRIC_AIRM, SPD_OBJECTIVE_DIFFERENCE},
                 {SPD_METRIC_STEIN, SPD_OBJECTIVE_SOFTMAX},
                 {SPD_METRIC_AIRM, SPD_OBJECTIVE_SOFTMAX},
                 {SPD_METRIC_JEFFREY, SPD_OBJECTIVE_SOFTMAX},
                 {SPD_METRIC_LOG_EUCLIDEAN, SPD_OBJECTIVE_SOFTMAX}};
    for (int k = only ? 2 : 0; k < (small ? 1 : 3); k++) {
        size_t n = sizes[k][0], p = sizes[k][1];
        double *X = make_samples(n, p);
        if (!X)
            return printf("no memory for %zu matrices\n", p), 1;
        spd_pair *graph = make_pairs(p);
        for (size_t m = only ? only : 20; m <= (only ? only : 30); m += 10)
            for (int kind = 0; kind < 6; kind++) {
                if (only && strcmp(word[3], spd_name(SPD_ENUM_METRIC, kinds[kind].metric)) != 0)
                    continue;
                engine_input in = {
                    n,      m,     p,    X,    NULL, kinds[kind].metric, kinds[kind].objective,
                    10 * p, graph, NULL, NULL, 0};
                run("cuda", cuda_new, &in, only ? 0 : k < 2 ? 100 : 10);
                if (k == 0)
                    run("cpu ", engine_cpu_new, &in, 30);
            }
        free(X);
        free(graph);
    }
    if (!only && !small)
        distances(most);
    return 0;
}
