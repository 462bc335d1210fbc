/* bound.c - learning the basis, compressing, and the rounding margin. */
#include "geometry/bound.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"

/* ---- basis ---------------------------------------------------------------------------------- */

typedef struct basis_work {
    const kernels *k;
    size_t n;
    double *mean;         /* TRI x 8: Cholesky factor of the mean, in every lane */
    double *octet, *full; /* TRI x 8, n n x 8 */
    double *Z, *lambda;   /* n n x 8, n x 8 */
    double *sum;          /* TRI */
    double *scratch;
} basis_work;

static double *basis_share(basis_work *w, size_t n)
{
    size_t tri = TRI(n) * LANES, square = n * n * LANES, total;
    total = 2 * tri + 2 * square + n * LANES + TRI(n) + LANES + kernels_eigh_work(n);
    double *block = mem_alloc(total, sizeof *block);
    w->mean = block;
    w->octet = w->mean + tri;
    w->full = w->octet + tri;
    w->Z = w->full + square;
    w->lambda = w->Z + square;
    w->scratch = w->lambda + n * LANES;
    w->sum = w->scratch + kernels_eigh_work(n);
    return block;
}

/* mean <- Cholesky factor of the arithmetic mean of the chosen samples. */
static spd_status factor_mean(basis_work *w, const double *X, size_t step, size_t count)
{
    size_t n = w->n;
    memset(w->sum, 0, TRI(n) * sizeof *w->sum);
    for (size_t s = 0; s < count; s++)
        for (size_t r = 0; r < n; r++)
            for (size_t c = 0; c <= r; c++)
                w->sum[TRI(r) + c] += X[s * step * n * n + r * n + c] / (double)count;
    w->k->spread(TRI(n), w->sum, w->mean);
    return w->k->chol(n, w->mean, NULL) ? SPD_ENOTSPD : SPD_OK;
}

/* sum <- sum of log^2 of the whitened samples. */
static spd_status sum_squared_logs(basis_work *w, const double *X, size_t step, size_t count)
{
    size_t n = w->n;
    memset(w->sum, 0, TRI(n) * sizeof *w->sum);
    for (size_t first = 0; first < count; first += LANES) {
        size_t lanes = count - first < LANES ? count - first : LANES;
        const double *in[LANES];
        unsigned bad;
        for (size_t l = 0; l < lanes; l++)
            in[l] = X + (first + l) * step * n * n;
        w->k->pack(n, lanes, in, w->octet);
        w->k->reduce(n, w->mean, w->octet, w->octet, w->full);
        w->k->eigh(n, 1, w->octet, w->lambda, w->Z, &bad, w->scratch);
        for (size_t e = 0; e < n * LANES; e++) {
            if (!(w->lambda[e] > 0.0))
                return SPD_ENOTSPD;
            w->lambda[e] = pow(log(w->lambda[e]), 2.0);
        }
        w->k->rebuild(n, w->Z, w->lambda, w->octet, w->full);
        for (size_t e = 0; e < TRI(n); e++)
            for (size_t l = 0; l < lanes; l++)
                w->sum[e] += w->octet[e * LANES + l];
    }
    return SPD_OK;
}

/* W <- L^-T times the m leading eigenvectors of sum. */
static spd_status leading_vectors(basis_work *w, size_t m, double *W)
{
    size_t n = w->n, ld = PASS_LD(m);
    size_t *rank = mem_alloc(n * LANES, sizeof *rank);
    unsigned bad;
    if (!rank)
        return SPD_ENOMEM;
    w->k->spread(TRI(n), w->sum, w->octet);
    w->k->eigh(n, 1, w->octet, w->lambda, w->Z, &bad, w->scratch);
    w->k->solve_trans(n, n, w->mean, w->Z);
    w->k->rank(n, w->lambda, rank);
    memset(W, 0, n * ld * sizeof *W);
    for (size_t c = 0; c < n; c++) {
        size_t column = n - 1 - rank[c * LANES];
        for (size_t r = 0; column < m && r < n; r++)
            W[r * ld + column] = w->Z[(r * n + c) * LANES];
    }
    mem_free(rank);
    return SPD_OK;
}

spd_status bound_basis(size_t n, size_t m, size_t p, const double *X, size_t subset, double *W)
{
    basis_work w = {.k = kernels_get(), .n = n};
    size_t step = p > subset ? p / subset : 1, count = p > subset ? subset : p;
    double *block = basis_share(&w, n);
    if (!block)
        return SPD_ENOMEM;
    spd_status status = factor_mean(&w, X, step, count);
    if (status == SPD_OK)
        status = sum_squared_logs(&w, X, step, count);
    if (status == SPD_OK)
        status = leading_vectors(&w, m, W);
    mem_free(block);
    return status;
}

/* ---- compression ---------------------------------------------------------------------------- */

size_t bound_work(size_t n, size_t m)
{
    return (n + m) * PASS_LD(m) + TRI(n) * LANES;
}

/* T (TRI(m)) <- lower triangle of W'XW. */
static void compress_one(const kernels *k, size_t n, size_t m, const double *W, const double *X,
                         double *T, double *Y)
{
    size_t ld = PASS_LD(m);
    double *S = Y + n * ld;
    k->product(n, n, m, X, n, 1, W, Y, X);
    k->product(m, n, m, W, 1, ld, Y, S, W);
    for (size_t r = 0; r < m; r++)
        for (size_t c = 0; c <= r; c++)
            T[TRI(r) + c] = 0.5 * (S[r * ld + c] + S[c * ld + r]);
}

/* 1 / smallest squared pivot of lane l of the factor L (TRI(n) x 8). */
static double inverse_pivot(size_t n, const double *L, size_t l)
{
    double smallest = INFINITY;
    for (size_t r = 0; r < n; r++)
        smallest = fmin(smallest, L[(TRI(r) + r) * LANES + l]);
    return 1.0 / (smallest * smallest);
}

/* The slack is 8 eps n (tr X / pivot(X) + tr X |W|^2 / pivot(S)): how well X determines its own
 * distances, and S its; a pivot stands in for the smallest eigenvalue. */
unsigned bound_compress(const kernels *k, size_t n, size_t m, const double *W, double w_norm2,
                        size_t count, const double *const *X, double *const *T, double *slack,
                        double *work)
{
    double *octet = work, *Y = octet + TRI(n) * LANES;
    double trace[LANES] = {0};
    k->pack(n, count, X, octet);
    unsigned bad = k->chol(n, octet, NULL);
    for (size_t l = 0; l < count; l++) {
        for (size_t r = 0; r < n; r++)
            trace[l] += X[l][r * n + r];
        slack[l] = trace[l] * inverse_pivot(n, octet, l);
        compress_one(k, n, m, W, X[l], T[l], Y);
    }
    k->gather(TRI(m), count, (const double *const *)T, octet);
    bad |= k->chol(m, octet, NULL);
    for (size_t l = 0; l < count; l++) {
        slack[l] += trace[l] * w_norm2 * inverse_pivot(m, octet, l);
        slack[l] *= 8.0 * DBL_EPSILON * (double)n;
    }
    return bad & ((1u << count) - 1u);
}

double bound_deflate(double d2, size_t n, double slack, int airm)
{
    if (isnan(d2))
        return -INFINITY;
    if (!airm)
        return d2 * (1.0 - 1e-9) - (double)n * slack;
    double d = sqrt(d2) * (1.0 - 1e-9) - sqrt((double)n) * slack;
    return d > 0.0 ? d * d : 0.0;
}
