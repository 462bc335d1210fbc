/* bench_pairs.c - the pair loop (gather, cost, gradient weights, scatter) against LAPACKE one
 * pair at a time; 1000 random pairs of 500 matrices, m = 20, one thread. Costs and weights of
 * both are compared before they are timed.
 *
 * Then what the default fit does with a small set: softmax over all pairs, by tiles, against the
 * same graph without its last pair, which goes pair by pair. */
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bench.h"
#include "fit/pair_sums.h"
#include "geometry/pairs.h"
#include "random_spd.h"

#define M     20
#define P     500
#define PAIRS 1000

typedef struct data {
    const kernels *k;
    pair pairs[PAIRS];
    double *X;         /* P x M x M */
    double *S, *L;     /* P x TRI */
    double *logdet;    /* P */
    double *Zfull, *Z; /* P x M x M, P x TRI */
    double *rows;      /* 2 x PAIR_BATCH x TRI */
    double *work;
} data;

static double full_stein(data *d)
{
    double A[M * M], f = 0.0;
    for (size_t q = 0; q < PAIRS; q++) {
        const pair *r = &d->pairs[q];
        const double *x = d->X + r->i * M * M, *y = d->X + r->j * M * M;
        for (size_t e = 0; e < M * M; e++)
            A[e] = 0.5 * (x[e] + y[e]);
        LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', M, A, M);
        double logdet = 0.0;
        for (size_t i = 0; i < M; i++)
            logdet += 2.0 * log(A[i * M + i]);
        f += r->c * (logdet - 0.5 * (d->logdet[r->i] + d->logdet[r->j]));
        LAPACKE_dpotri(LAPACK_COL_MAJOR, 'L', M, A, M);
        double *zi = d->Zfull + r->i * M * M, *zj = d->Zfull + r->j * M * M;
        for (size_t e = 0; e < M * M; e++) {
            zi[e] += r->c * A[e];
            zj[e] += r->c * A[e];
        }
    }
    return f;
}

static double full_airm(data *d)
{
    double V[M * M], B[M * M], U[M * M], lambda[M], f = 0.0;
    for (size_t q = 0; q < PAIRS; q++) {
        const pair *r = &d->pairs[q];
        memcpy(V, d->X + r->i * M * M, sizeof V);
        memcpy(B, d->X + r->j * M * M, sizeof B);
        LAPACKE_dsygvd(LAPACK_COL_MAJOR, 1, 'V', 'L', M, V, M, B, M, lambda);
        for (size_t c = 0; c < M; c++)
            f += r->c * log(lambda[c]) * log(lambda[c]);
        for (int side = 0; side < 2; side++) {
            double sign = side ? -4.0 : 4.0;
            for (size_t e = 0; e < M * M; e++) /* column c of V is V[c * M ...] */
                U[e] = V[e] * log(lambda[e / M]) / (side ? 1.0 : lambda[e / M]);
            cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, M, M, M, sign * r->c, U, M, V, M,
                        1.0, d->Zfull + (side ? r->j : r->i) * M * M, M);
        }
    }
    return f;
}

/* What the engine does: a batch of pairs into a buffer, then rows added to the samples. */
static double ours(data *d, spd_metric metric)
{
    const pair_rule *rule = pair_rule_get(metric);
    pair_samples s = {d->S, d->L, d->logdet};
    double f = 0.0, d2[PAIR_BATCH];
    for (size_t first = 0; first < PAIRS; first += PAIR_BATCH) {
        size_t count = PAIRS - first < PAIR_BATCH ? PAIRS - first : PAIR_BATCH;
        rule->batch(d->k, M, count, d->pairs + first, &s, d2, d->rows, d->work);
        for (size_t c = 0; c < count; c++) {
            const pair *t = &d->pairs[first + c];
            const double *second = d->rows + (rule->sides == 2 ? count + c : c) * TRI(M);
            f += t->c * d2[c];
            d->k->axpy(TRI(M), t->c, d->rows + c * TRI(M), d->Z + t->i * TRI(M));
            d->k->axpy(TRI(M), t->c, second, d->Z + t->j * TRI(M));
        }
    }
    return f;
}

static double ours_stein(data *d)
{
    return ours(d, SPD_METRIC_STEIN);
}

static double ours_airm(data *d)
{
    return ours(d, SPD_METRIC_AIRM);
}

static data data_new(void)
{
    data d = {.k = kernels_get()};
    rng r;
    rng_seed(&r, 20);
    d.X = mem_alloc(P * M * M, sizeof(double));
    d.S = mem_alloc(P * TRI(M), sizeof(double));
    d.L = mem_alloc(P * TRI(M), sizeof(double));
    d.logdet = mem_alloc(P, sizeof(double));
    d.Zfull = mem_alloc(P * M * M, sizeof(double));
    d.Z = mem_alloc(P * TRI(M), sizeof(double));
    d.rows = mem_alloc(2 * PAIR_BATCH * TRI(M), sizeof(double));
    d.work = mem_alloc(pairs_work(M), sizeof(double));
    for (size_t i = 0; i < P; i++) {
        double *x = d.X + i * M * M, A[M * M];
        random_spd(&r, M, 1e3, x);
        memcpy(A, x, sizeof A);
        LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', M, A, M);
        d.logdet[i] = 0.0;
        for (size_t a = 0; a < M; a++) {
            d.logdet[i] += 2.0 * log(A[a * M + a]);
            for (size_t b = 0; b <= a; b++) {
                d.S[i * TRI(M) + TRI(a) + b] = x[a * M + b];
                d.L[i * TRI(M) + TRI(a) + b] = A[a * M + b];
            }
        }
    }
    for (size_t q = 0; q < PAIRS; q++) {
        d.pairs[q].i = (uint32_t)rng_below(&r, P);
        d.pairs[q].j = (uint32_t)rng_below(&r, P);
        d.pairs[q].c = rng_normal(&r);
    }
    return d;
}

/* Largest difference of the weights, relative to the largest weight. */
static double disagreement(const data *d)
{
    double worst = 0.0, largest = 0.0;
    for (size_t i = 0; i < P; i++)
        for (size_t a = 0; a < M; a++)
            for (size_t b = 0; b <= a; b++) {
                double z = d->Z[i * TRI(M) + TRI(a) + b];
                worst = fmax(worst, fabs(z - d->Zfull[i * M * M + b * M + a]));
                largest = fmax(largest, fabs(z));
            }
    return worst / largest;
}

static void compare(const char *name, double (*lapack)(data *), double (*mine)(data *), data *d)
{
    memset(d->Zfull, 0, P * M * M * sizeof(double));
    memset(d->Z, 0, P * TRI(M) * sizeof(double));
    double f = lapack(d), g = mine(d), off = disagreement(d);
    bench a = bench_start(0.5), b = bench_start(0.5);
    while (bench_more(&a))
        lapack(d);
    while (bench_more(&b))
        mine(d);
    printf("%-6s %12.0f %10.0f %7.1fx %5.0fx %9.1e %9.1e %6.0f %%\n", name, a.best * 1e9 / PAIRS,
           b.best * 1e9 / PAIRS, a.best / b.best, 8.0, fabs(f - g) / fabs(f), off,
           fmax(bench_spread(&a), bench_spread(&b)));
}

/* Best seconds of a value with its weights; S: p triangles. */
static double time_softmax(spd_context *ctx, size_t m, size_t p, size_t count,
                           const spd_pair *pairs, double *S, double *f)
{
    arena room = {0};
    pair_sums *sums = NULL;
    split cut = split_make(ctx, p);
    double *Z = arena_alloc(&room, p * TRI(m), sizeof *Z);
    bench t = bench_start(0.5);
    if (!Z || pair_sums_new(ctx, SPD_METRIC_STEIN, SPD_OBJECTIVE_SOFTMAX, m, &cut, count, pairs,
                            &room, &sums) != SPD_OK)
        abort();
    while (bench_more(&t))
        pair_sums_value(sums, S, f, Z);
    arena_free(&room);
    return t.best;
}

static void compare_tiles(size_t m, size_t p)
{
    size_t all = p * (p - 1) / 2, count = 0;
    spd_context *ctx = spd_context_new();
    double *X = mem_alloc(m * m, sizeof *X), *S = mem_alloc(p * TRI(m), sizeof *S), f, g;
    spd_pair *pairs = mem_alloc(all, sizeof *pairs);
    rng r;
    rng_seed(&r, 21);
    spd_context_set_threads(ctx, 1);
    for (size_t i = 0; i < p; i++) {
        random_spd(&r, m, 1e3, X);
        for (size_t a = 0; a < m; a++)
            memcpy(S + i * TRI(m) + TRI(a), X + a * m, (a + 1) * sizeof *S);
        for (size_t j = i + 1; j < p; j++, count++)
            pairs[count] = (spd_pair){(uint32_t)i, (uint32_t)j, i % 10 == j % 10, i % 10 != j % 10};
    }
    double single = time_softmax(ctx, m, p, all - 1, pairs, S, &f);
    double tiled = time_softmax(ctx, m, p, all, pairs, S, &g);
    printf("%4zu %4zu %14.0f %10.0f %7.2fx %9.1e\n", m, p, single * 1e9 / (double)all,
           tiled * 1e9 / (double)all, single / tiled, fabs(f - g) / fabs(g));
    mem_free(X);
    mem_free(S);
    mem_free(pairs);
    spd_context_free(ctx);
}

int main(void)
{
    static const size_t sizes[][2] = {{8, 118},  {8, 500},  {20, 118},
                                      {20, 287}, {20, 500}, {30, 287}};
    data d = data_new();
    printf("\nPair loop (%s), m = %d, %d random pairs of %d, one thread, ns per pair\n", d.k->name,
           M, PAIRS, P);
    printf("%-6s %12s %10s %8s %6s %9s %9s %8s\n", "metric", "LAPACKE", "ours", "ratio", "goal",
           "df/f", "dZ/Z", "spread");
    compare("stein", full_stein, ours_stein, &d);
    compare("airm", full_airm, ours_airm, &d);
    printf("\nsoftmax over all pairs, Stein, one thread, ns per pair\n");
    printf("%4s %4s %14s %10s %8s %9s\n", "m", "p", "pair by pair", "by tiles", "ratio", "df/f");
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        compare_tiles(sizes[k][0], sizes[k][1]);
    mem_free(d.X);
    mem_free(d.S);
    mem_free(d.L);
    mem_free(d.logdet);
    mem_free(d.Zfull);
    mem_free(d.Z);
    mem_free(d.rows);
    mem_free(d.work);
    return 0;
}
