/* bench_pass.c - the data pass Y_i = X_i W, S_i = W' Y_i over 1 GB of matrices, one thread.
 *
 * Reference: cblas_dgemm per matrix, for both products, Y in cache too. Beside it the measured
 * limits: streaming read of the same memory, and the dgemm peak (512 x 512 x 512, in cache). The
 * limit for a shape is the larger of bytes / bandwidth and flops / peak. */
#include <cblas.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "bench.h"
#include "linalg/kernels.h"
#include "random_spd.h"

#define BYTES  ((size_t)1 << 30)
#define PEAK_N 512

typedef struct pass {
    size_t n, m, p;
    const double *X; /* p x n x n */
    double *W;       /* n x PASS_LD(m) */
    double *Y, *S;   /* n x PASS_LD(m), m x PASS_LD(m) */
    double check;
} pass;

static void pass_dgemm(pass *q)
{
    int n = (int)q->n, m = (int)q->m, ld = (int)PASS_LD(q->m);
    for (size_t i = 0; i < q->p; i++) {
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, m, n, 1.0, q->X + i * q->n * q->n,
                    n, q->W, ld, 0.0, q->Y, ld);
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, m, m, n, 1.0, q->W, ld, q->Y, ld, 0.0,
                    q->S, ld);
        q->check += q->S[0];
    }
}

static void pass_ours(pass *q)
{
    const kernels *k = kernels_get();
    size_t n = q->n, ld = PASS_LD(q->m);
    for (size_t i = 0; i < q->p; i++) {
        const double *X = q->X + i * n * n;
        k->product(n, n, q->m, X, n, 1, q->W, q->Y, i + 1 < q->p ? X + n * n : X);
        k->product(q->m, n, q->m, q->W, 1, ld, q->Y, q->S, q->W);
        q->check += q->S[0];
    }
}

static double stream_bandwidth(const double *X)
{
    const kernels *k = kernels_get();
    enum { ENTRIES = 4096 };
    double *zero = mem_zero(ENTRIES, sizeof *zero), sink = 0.0;
    _Alignas(64) double d2[LANES];
    bench b = bench_start(1.0);
    while (bench_more(&b))
        for (size_t at = 0; at + ENTRIES * LANES * 8 <= BYTES; at += ENTRIES * LANES * 8) {
            k->apart(ENTRIES, 1, zero, 0, 1, X + at / 8, d2);
            sink += d2[0];
        }
    mem_free(zero);
    return sink >= 0.0 ? (double)BYTES / b.best : 0.0;
}

static double dgemm_peak(void)
{
    size_t count = (size_t)PEAK_N * PEAK_N;
    double *A = mem_alloc(3 * count, sizeof *A);
    for (size_t e = 0; e < 3 * count; e++)
        A[e] = 1e-3 * (double)(e % 97);
    bench b = bench_start(1.0);
    while (bench_more(&b))
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, PEAK_N, PEAK_N, PEAK_N, 1.0, A,
                    PEAK_N, A + count, PEAK_N, 0.0, A + 2 * count, PEAK_N);
    mem_free(A);
    return 2.0 * (double)count * PEAK_N / b.best;
}

static double time_pass(void (*f)(pass *), pass *q, double *spread)
{
    bench b = bench_start(2.0);
    while (bench_more(&b))
        f(q);
    *spread = fmax(*spread, bench_spread(&b));
    return b.best;
}

static void row(const double *X, size_t n, size_t m, double bandwidth, double peak)
{
    size_t ld = PASS_LD(m);
    pass q = {.n = n, .m = m, .p = BYTES / (n * n * 8), .X = X};
    q.W = mem_zero(n * ld, sizeof(double));
    q.Y = mem_zero(n * ld, sizeof(double));
    q.S = mem_zero(m * ld, sizeof(double));
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < m; b++)
            q.W[a * ld + b] = cos((double)(a * m + b));
    double spread = 0.0;
    double theirs = time_pass(pass_dgemm, &q, &spread), ours = time_pass(pass_ours, &q, &spread);
    double bytes = (double)q.p * (double)(n * n) * 8.0;
    double flops = (double)q.p * 2.0 * (double)(n * m) * (double)(n + m);
    double limit = fmax(bytes / bandwidth, flops / peak);
    printf("%5zu %4zu %10.2f %10.2f %10.1f %7.2fx %5.1fx %8.0f %% %5.0f %% %6.0f %%\n", n, m,
           bytes / theirs * 1e-9, bytes / ours * 1e-9, flops / ours * 1e-9, theirs / ours, 1.4,
           100.0 * limit / ours, 60.0, spread);
    mem_free(q.W);
    mem_free(q.Y);
    mem_free(q.S);
}

int main(void)
{
    static const size_t ns[] = {93, 129, 155}, ms[] = {10, 20, 30};
    double *X = mem_alloc(BYTES + 64, 1);
    if (!X)
        return 1;
    for (size_t e = 0; e < BYTES / 8; e++)
        X[e] = 1e-3 * (double)(e % 1013);
    double bandwidth = stream_bandwidth(X), peak = dgemm_peak();
    printf("\nData pass S_i = W'(X_i W) over 1 GB (%s), one thread; stream %.1f GB/s, dgemm peak "
           "%.0f GFLOP/s\n",
           kernels_get()->name, bandwidth * 1e-9, peak * 1e-9);
    printf("%5s %4s %10s %10s %10s %8s %6s %10s %7s %8s\n", "n", "m", "dgemm GB/s", "ours GB/s",
           "GFLOP/s", "ratio", "goal", "of limit", "goal", "spread");
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++)
            row(X, ns[i], ms[j], bandwidth, peak);
    mem_free(X);
    return 0;
}
