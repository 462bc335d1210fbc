/* bench_codes.c - sparse codes over large dictionaries with the Stein kernel, on one thread: seconds
 * of the processor, atoms that are used, and the gap that is left, by beta-scale and lambda.
 *
 *   bench_codes                three generated sets, 800, 1600 and 3200 atoms
 *   bench_codes ATOMS          with so many
 *   bench_codes FILE [ATOMS]   a data set: the samples beyond that number, at most QUERIES, are coded
 *                              over the others
 *   ... -w OUT                 writes all codes there, to be compared: float64, in the order of the
 *                              table, queries x atoms each
 *
 * The sets: "wide" samples vary in every direction, and their kernels are well conditioned; samples of
 * "curved" vary in six directions, those of "flat" in two, and a little in all others: kernels that
 * are singular up to rounding where beta is small. Classes overlap. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/order.h"
#include "bench.h"
#include "classify/gram.h"
#include "random_spd.h"
#include "run/blas.h"
#include "spdml-data.h"

#define QUERIES 96
#define CLASSES 10
#define N       20

typedef struct workload {
    const char *name;
    size_t directions; /* in which samples of a class vary; 0: in all */
    double between, within, noise;
} workload;

static const workload workloads[] = {
    {"wide", 0, 0.05, 0.1, 0.0}, {"curved", 6, 0.03, 0.3, 0.01}, {"flat", 2, 0.1, 0.2, 0.001}};
static const double scales[] = {0.25, 1, 4};
static const double lambdas[] = {1e-4, 1e-3, 1e-2, 1e-1};

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* ---- data ------------------------------------------------------------------------------------ */

/* M (N x N) <- M + size times random numbers */
static void shake(rng *r, double size, double *M)
{
    for (size_t e = 0; e < (size_t)N * N; e++)
        M[e] += size * rng_normal(r);
}

/* M <- what varies from sample to sample: I, directions (of them, N x N) weighed by chance, noise. */
static void vary(rng *r, const workload *w, const double *direction, double *M)
{
    for (size_t e = 0; e < (size_t)N * N; e++)
        M[e] = e % (N + 1) == 0;
    shake(r, w->directions ? w->noise : w->within, M);
    for (size_t d = 0; d < w->directions; d++) {
        double weight = w->within * rng_normal(r);
        for (size_t e = 0; e < (size_t)N * N; e++)
            M[e] += weight * direction[d * N * N + e];
    }
}

/* p samples N x N, classes in turns. */
static double *make_samples(const workload *w, size_t p)
{
    rng r;
    size_t n2 = (size_t)N * N;
    double *X = mem_alloc(p, n2 * sizeof *X), *M = mem_alloc(n2, sizeof *M);
    double *centre = mem_alloc(CLASSES * n2, sizeof *centre), *base = mem_alloc(n2, sizeof *base);
    double *direction = mem_zero((w->directions + 1) * n2, sizeof *direction);
    rng_seed(&r, 12);
    random_spd(&r, N, 100.0, base);
    for (size_t d = 0; d < w->directions; d++)
        shake(&r, 1.0 / sqrt(N), direction + d * n2);
    for (size_t c = 0; c < CLASSES; c++) {
        vary(&r, &(workload){.within = w->between}, NULL, M);
        congruent(N, N, M, base, centre + c * n2);
    }
    for (size_t i = 0; i < p; i++) {
        vary(&r, w, direction, M);
        congruent(N, N, M, centre + i % CLASSES * n2, X + i * n2);
    }
    mem_free(M);
    mem_free(centre);
    mem_free(base);
    mem_free(direction);
    return X;
}

/* ---- codes ----------------------------------------------------------------------------------- */

typedef struct problem {
    size_t p, q;
    double *D, *d; /* squared distances: p x p, q x p */
    double median;
    FILE *out;
} problem;

static problem make_problem(const double *X, size_t n, size_t p, size_t q)
{
    problem m = {
        .p = p, .q = q, .D = mem_alloc(p, p * sizeof *m.D), .d = mem_alloc(q, p * sizeof *m.d)};
    double *sorted = mem_alloc(p, p * sizeof *sorted);
    size_t count = 0;
    spd_pairwise2(NULL, SPD_METRIC_STEIN, SPD_SET(n, p, X), NULL, m.D);
    spd_pairwise2(NULL, SPD_METRIC_STEIN, SPD_SET(n, q, X + p * n * n), SPD_SET(n, p, X), m.d);
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j < i; j++)
            sorted[count++] = m.D[i * p + j];
    m.median = order_largest(count, sorted, count / 2);
    mem_free(sorted);
    return m;
}

static double *kernel(size_t count, double beta, const double *D)
{
    double *K = mem_alloc(count, sizeof *K);
    for (size_t e = 0; e < count; e++)
        K[e] = exp(-beta * D[e]);
    return K;
}

typedef struct outcome {
    double seconds, atoms, excess; /* a code; the largest gap, by what it may be */
} outcome;

static void write_code(FILE *out, size_t p, const lasso_code *code)
{
    for (size_t j = 0, a = 0; j < p; j++) {
        double v = a < code->count && code->atom[a] == j ? code->value[a++] : 0.0;
        if (fwrite(&v, sizeof v, 1, out) != 1)
            printf("cannot write\n");
    }
}

static outcome code_all(const problem *m, const lasso_dictionary *d, lasso *solver, double lambda,
                        const double *k, const double *y2)
{
    outcome o = {0};
    clock_t began = clock();
    for (size_t first = 0; first < m->q; first += LASSO_BATCH) {
        size_t count = m->q - first < LASSO_BATCH ? m->q - first : LASSO_BATCH;
        lasso_begin(solver, d, lambda, count, k + first * m->p);
        for (size_t i = 0; i < count; i++) {
            lasso_code code;
            if (lasso_solve(solver, i, y2[first + i], &code) != SPD_OK)
                printf("no memory\n");
            o.atoms += (double)code.count / (double)m->q;
            o.excess = fmax(o.excess, code.gap / (-LASSO_TOLERANCE * code.objective));
            if (m->out)
                write_code(m->out, m->p, &code);
        }
    }
    o.seconds = (double)(clock() - began) / CLOCKS_PER_SEC / (double)m->q;
    return o;
}

static void run_scale(const problem *m, const char *name, double scale)
{
    double beta = scale / m->median, grid = 0.0;
    double *K = kernel(m->p * m->p, beta, m->D), *k = kernel(m->q * m->p, beta, m->d);
    double *y2 = mem_alloc(m->q, sizeof *y2);
    arena keep = {0};
    gram g;
    gram_make(NULL, m->p, K, 0, lambdas[0], &keep, &g);
    double *work = mem_alloc(gram_fit_work(&g, m->q) + 1, sizeof *work);
    gram_fit(&g, m->q, k, y2, work);
    lasso *solver = lasso_new(m->p);
    for (size_t l = COUNT(lambdas); l-- > 0;) {
        lasso_dictionary suited = g.dictionary;
        arena room = {0};
        lasso_dictionary_suit(NULL, lambdas[l], &room, &suited);
        outcome o = code_all(m, &suited, solver, lambdas[l], k, y2);
        arena_free(&room);
        grid += o.seconds;
        printf("%-8s %6zu %6g %5zu %7g %10.3f %8.1f %9.2g\n", name, m->p, scale,
               g.rank ? g.rank : m->p, lambdas[l], 1e3 * o.seconds, o.atoms, o.excess);
        fflush(stdout);
    }
    printf("%-8s %6zu %6g %5s %7s %10.3f\n", name, m->p, scale, "", "all", 1e3 * grid);
    lasso_free(solver);
    arena_free(&keep);
    mem_free(K);
    mem_free(k);
    mem_free(y2);
    mem_free(work);
}

static void run(const char *name, const double *X, size_t n, size_t p, size_t q, FILE *out)
{
    problem m = make_problem(X, n, p, q);
    m.out = out;
    for (size_t s = 0; s < COUNT(scales); s++)
        run_scale(&m, name, scales[s]);
    mem_free(m.D);
    mem_free(m.d);
}

/* Every third sample after the other, since neighbours in a file are alike. */
static void run_file(const char *path, size_t p, FILE *out)
{
    spd_data *data;
    if (spd_data_load(NULL, path, NULL, &data) < 0) {
        printf("cannot read %s\n", path);
        return;
    }
    size_t n2 = data->n * data->n, step = data->p % 3 ? 3 : data->p % 7 ? 7 : 11;
    double *X = mem_alloc(data->p, n2 * sizeof *X);
    for (size_t i = 0; i < data->p; i++)
        memcpy(X + i * n2, data->X + i * step % data->p * n2, n2 * sizeof *X);
    p = p > 0 && p < data->p ? p : data->p * 3 / 4;
    run("file", X, data->n, p, data->p - p < QUERIES ? data->p - p : QUERIES, out);
    mem_free(X);
    spd_data_free(data);
}

static void run_generated(size_t p, FILE *out)
{
    for (size_t w = 0; w < COUNT(workloads); w++) {
        double *X = make_samples(&workloads[w], p + QUERIES);
        run(workloads[w].name, X, N, p, QUERIES, out);
        mem_free(X);
    }
}

int main(int count, char **arguments)
{
    FILE *out = NULL;
    if (count > 2 && strcmp(arguments[count - 2], "-w") == 0) {
        out = fopen(arguments[count - 1], "wb");
        count -= 2;
    }
    size_t p = count > 1 ? strtoul(arguments[count - 1], NULL, 10) : 0;
    spd_private_blas_hold();
    printf("\nsparse codes on one thread: rank of the kernel, ms and atoms of a code, largest gap "
           "by its "
           "tolerance\n%-8s %6s %6s %5s %7s %10s %8s %9s\n",
           "data", "atoms", "scale", "rank", "lambda", "ms", "used", "gap");
    if (count > 1 && (count > 2 || p == 0))
        run_file(arguments[1], p, out);
    else if (count > 1)
        run_generated(p, out);
    else
        for (p = 800; p <= 3200; p *= 2)
            run_generated(p, out);
    spd_private_blas_release();
    return out ? fclose(out) : 0;
}
