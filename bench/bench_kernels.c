/* bench_kernels.c - small-matrix kernels against a loop of LAPACKE calls, one thread, one run.
 *
 * Reference: column-major LAPACKE calls (no hidden transposition) on a copy of each matrix.
 * Ours, twice: on matrices already interleaved (how the library keeps them), and from row-major
 * matrices one by one to results one by one, packing included. */
#include <lapacke.h>
#include <cblas.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "bench.h"
#include "linalg/kernels.h"
#include "random_spd.h"

#define OCTETS 32 /* 256 matrices */
#define COUNT  (OCTETS * LANES)

typedef struct set {
    size_t m;
    double *X;      /* COUNT x m x m */
    double *octets; /* OCTETS x TRI x 8 */
    double *A, *B;  /* scratch of the same kinds */
    double *out;    /* COUNT x m x m */
    double *lambda; /* COUNT x m */
    double *Z, *work;
    size_t *rank;
    const kernels *k;
} set;

typedef void (*job)(set *s);

static size_t octet_size(const set *s)
{
    return TRI(s->m) * LANES;
}

static void pack_octet(set *s, size_t g, double *octet)
{
    const double *X[LANES];
    for (size_t l = 0; l < LANES; l++)
        X[l] = s->X + (g * LANES + l) * s->m * s->m;
    s->k->pack(s->m, LANES, X, octet);
}

static void copy_octet(set *s, size_t g, double *octet)
{
    memcpy(octet, s->octets + g * octet_size(s), octet_size(s) * sizeof(double));
}

/* ---- Cholesky + log-determinant ---- */

static void logdet_lapack(set *s)
{
    size_t m = s->m;
    for (size_t i = 0; i < COUNT; i++) {
        memcpy(s->A, s->X + i * m * m, m * m * sizeof(double));
        LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', (int)m, s->A, (int)m);
        double sum = 0.0;
        for (size_t r = 0; r < m; r++)
            sum += log(s->A[r * m + r]);
        s->lambda[i] = 2.0 * sum;
    }
}

static void logdet_interleaved(set *s)
{
    for (size_t g = 0; g < OCTETS; g++) {
        copy_octet(s, g, s->A);
        s->k->chol(s->m, s->A, s->lambda + g * LANES);
    }
}

static void logdet_packed(set *s)
{
    for (size_t g = 0; g < OCTETS; g++) {
        pack_octet(s, g, s->A);
        s->k->chol(s->m, s->A, s->lambda + g * LANES);
    }
}

/* ---- Cholesky + inverse ---- */

static void inverse_lapack(set *s)
{
    size_t m = s->m;
    for (size_t i = 0; i < COUNT; i++) {
        double *A = s->out + i * m * m;
        memcpy(A, s->X + i * m * m, m * m * sizeof(double));
        LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', (int)m, A, (int)m);
        LAPACKE_dpotri(LAPACK_COL_MAJOR, 'L', (int)m, A, (int)m);
    }
}

static void inverse_of(set *s, double *octet)
{
    s->k->chol(s->m, octet, NULL);
    s->k->tri_inverse(s->m, octet, s->B);
    s->k->tri_gram(s->m, s->B, octet);
}

static void inverse_interleaved(set *s)
{
    for (size_t g = 0; g < OCTETS; g++) {
        copy_octet(s, g, s->A);
        inverse_of(s, s->A);
    }
}

static void inverse_packed(set *s)
{
    for (size_t g = 0; g < OCTETS; g++) {
        double *out[LANES];
        for (size_t l = 0; l < LANES; l++)
            out[l] = s->out + (g * LANES + l) * s->m * s->m;
        pack_octet(s, g, s->A);
        inverse_of(s, s->A);
        s->k->unpack_sym(s->m, LANES, s->A, out);
    }
}

/* ---- eigenvalues ---- */

static void eigen_lapack(set *s, char jobz)
{
    size_t m = s->m;
    for (size_t i = 0; i < COUNT; i++) {
        double *A = s->out + i * m * m;
        memcpy(A, s->X + i * m * m, m * m * sizeof(double));
        LAPACKE_dsyevd(LAPACK_COL_MAJOR, jobz, 'L', (int)m, A, (int)m, s->lambda + i * m);
    }
}

static void vectors_lapack(set *s)
{
    eigen_lapack(s, 'V');
}

static void values_lapack(set *s)
{
    eigen_lapack(s, 'N');
}

static void values_interleaved(set *s)
{
    unsigned bad[2];
    for (size_t g = 0; g < OCTETS; g += 2) {
        copy_octet(s, g, s->A);
        copy_octet(s, g + 1, s->A + octet_size(s));
        s->k->eigvals(s->m, 2, s->A, s->lambda + g * s->m * LANES, bad, s->work);
    }
}

/* Row-major in, sorted eigenvalues out. */
static void values_packed(set *s)
{
    unsigned bad[2];
    size_t m = s->m;
    for (size_t g = 0; g < OCTETS; g += 2) {
        pack_octet(s, g, s->A);
        pack_octet(s, g + 1, s->A + octet_size(s));
        s->k->eigvals(m, 2, s->A, s->B, bad, s->work);
        for (size_t h = 0; h < 2; h++) {
            const double *lambda = s->B + h * m * LANES;
            s->k->rank(m, lambda, s->rank);
            for (size_t e = 0; e < m * LANES; e++)
                s->lambda[((g + h) * LANES + e % LANES) * m + s->rank[e]] = lambda[e];
        }
    }
}

static void vectors_interleaved(set *s)
{
    unsigned bad[2];
    for (size_t g = 0; g < OCTETS; g += 2) {
        copy_octet(s, g, s->A);
        copy_octet(s, g + 1, s->A + octet_size(s));
        s->k->eigh(s->m, 2, s->A, s->lambda + g * s->m * LANES, s->Z, bad, s->work);
    }
}

/* Row-major in, sorted eigenvalues and row-major vectors out. */
static void vectors_packed(set *s)
{
    unsigned bad[2];
    size_t m = s->m;
    for (size_t g = 0; g < OCTETS; g += 2) {
        pack_octet(s, g, s->A);
        pack_octet(s, g + 1, s->A + octet_size(s));
        s->k->eigh(m, 2, s->A, s->B, s->Z, bad, s->work);
        for (size_t h = 0; h < 2; h++) {
            const double *Z = s->Z + h * m * m * LANES;
            s->k->rank(m, s->B + h * m * LANES, s->rank);
            for (size_t l = 0; l < LANES; l++) {
                double *V = s->out + ((g + h) * LANES + l) * m * m;
                for (size_t r = 0; r < m; r++)
                    for (size_t c = 0; c < m; c++)
                        V[r * m + s->rank[c * LANES + l]] = Z[(r * m + c) * LANES + l];
            }
        }
    }
}

/* ---- table ---- */

static double time_job(job f, set *s, double *spread)
{
    bench b = bench_start(0.25);
    while (bench_more(&b))
        f(s);
    *spread = fmax(*spread, bench_spread(&b));
    return b.best * 1e9 / COUNT;
}

static set set_new(size_t m, const kernels *k)
{
    set s = {.m = m, .k = k};
    rng r;
    rng_seed(&r, m);
    s.X = mem_alloc(COUNT * m * m, sizeof(double));
    for (size_t i = 0; i < COUNT; i++)
        random_spd(&r, m, 1e3, s.X + i * m * m);
    s.octets = mem_alloc(OCTETS * octet_size(&s), sizeof(double));
    for (size_t g = 0; g < OCTETS; g++)
        pack_octet(&s, g, s.octets + g * octet_size(&s));
    s.A = mem_alloc(2 * m * m * LANES, sizeof(double));
    s.B = mem_alloc(2 * m * m * LANES, sizeof(double));
    s.Z = mem_alloc(2 * m * m * LANES, sizeof(double));
    s.out = mem_alloc(COUNT * m * m, sizeof(double));
    s.lambda = mem_alloc(COUNT * m, sizeof(double));
    s.work = mem_alloc(kernels_eigh_work(m), sizeof(double));
    s.rank = mem_alloc(m * LANES, sizeof(size_t));
    return s;
}

static void set_free(set *s)
{
    mem_free(s->X);
    mem_free(s->octets);
    mem_free(s->A);
    mem_free(s->B);
    mem_free(s->Z);
    mem_free(s->out);
    mem_free(s->lambda);
    mem_free(s->work);
    mem_free(s->rank);
}

typedef struct operation {
    const char *name;
    job lapack, interleaved, packed;
    double goal; /* ratio to reach on interleaved matrices */
} operation;

static const operation operations[] = {
    {"Cholesky + log-det", logdet_lapack, logdet_interleaved, logdet_packed, 5.0},
    {"Cholesky + inverse", inverse_lapack, inverse_interleaved, inverse_packed, 8.0},
    {"eigenvalues", values_lapack, values_interleaved, values_packed, 7.0},
    {"eigenvalues + vectors", vectors_lapack, vectors_interleaved, vectors_packed, 6.0},
};

int main(void)
{
    static const size_t sizes[] = {8, 16, 20, 32, 48};
    const kernels *k = kernels_get();
    printf("Small-matrix kernels (%s), one thread, ns per matrix\n", k->name);
    printf("%-22s %4s %9s %12s %7s %6s %11s %7s %8s\n", "operation", "m", "LAPACKE", "interleaved",
           "ratio", "goal", "row-major", "ratio", "spread");
    for (size_t o = 0; o < sizeof operations / sizeof *operations; o++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            set s = set_new(sizes[i], k);
            double spread = 0.0;
            double reference = time_job(operations[o].lapack, &s, &spread);
            double ours = time_job(operations[o].interleaved, &s, &spread);
            double packed = time_job(operations[o].packed, &s, &spread);
            printf("%-22s %4zu %9.0f %12.1f %6.1fx %5.0fx %11.1f %6.1fx %6.0f %%\n",
                   operations[o].name, sizes[i], reference, ours, reference / ours,
                   operations[o].goal, packed, reference / packed, spread);
            set_free(&s);
        }
    return 0;
}
