/* flat.c - symmetric matrices as vectors, and the metrics that are Euclidean after a change of
 * coordinates. Prepared, a matrix is a lower triangle, off-diagonals times sqrt 2:
 *
 *   Euclidean       d2(X,Y) = |X - Y|_F^2             of X, which need only be finite
 *   log-Euclidean   d2(X,Y) = |log X - log Y|_F^2     of log X
 *   log-Cholesky    d2(X,Y) = |low(Lx) - low(Ly)|_F^2 + |log diag Lx - log diag Ly|^2
 *                   of L with the logarithms of its diagonal in place, X = L L', low the strictly
 *                   lower triangle, off-diagonals as they are (Lin 2019) */
#include "geometry/flat.h"

#include <math.h>
#include <string.h>

#include "geometry/spdfun.h"
#include "linalg/definite.h"

#define ROOT2 1.4142135623730951

size_t flat_size(size_t n)
{
    return TRI(n);
}

void flat_weigh(size_t n, double *F)
{
    for (size_t r = 0; r < n; r++, F += LANES)
        for (size_t e = 0; e < r * LANES; e++)
            *F++ *= ROOT2;
}

void flat_vector(size_t n, const double *A, double *f)
{
    for (size_t r = 0; r < n; r++) {
        for (size_t c = 0; c < r; c++)
            *f++ = A[r * n + c] * ROOT2;
        *f++ = A[r * n + r];
    }
}

void flat_dist2(const kernels *k, size_t n, size_t octets, const double *f, const double *G,
                double *d2, double *work)
{
    (void)work;
    k->apart(TRI(n), 1, f, 0, octets, G, d2);
}

static size_t no_work(size_t n)
{
    (void)n;
    return 0;
}

static unsigned euclidean_prepare(const kernels *k, size_t n, const double *octet, double *F,
                                  double *work)
{
    double zero[LANES] = {0}; /* stays zero while entries are finite */
    unsigned bad = 0;
    (void)k;
    (void)work;
    memcpy(F, octet, TRI(n) * LANES * sizeof *F);
    for (size_t e = 0; e < TRI(n); e++)
        for (size_t l = 0; l < LANES; l++)
            zero[l] += 0.0 * F[e * LANES + l];
    for (unsigned l = 0; l < LANES; l++)
        bad |= (unsigned)(zero[l] != 0.0) << l;
    flat_weigh(n, F);
    return bad;
}

/* Beside larger entries a difference of 2^-500 is rounding. */
#define SMALL_ENTRY 0x1p-400

/* Has |f - g|^2 fallen below the range of numbers? Equal matrices have distance 0. Entries of g are
 * `step` apart. */
static int is_lost(size_t n, const double *f, const double *g, size_t step)
{
    int equal = 1;
    for (size_t e = 0; e < TRI(n); e++) {
        if (fabs(f[e]) >= SMALL_ENTRY || fabs(g[e * step]) >= SMALL_ENTRY)
            return 0;
        equal = equal && f[e] == g[e * step];
    }
    return !equal;
}

static int euclidean_lost(size_t n, const double *f, const double *g)
{
    return is_lost(n, f, g, 1);
}

static void euclidean_dist2(const kernels *k, size_t n, size_t octets, const double *f,
                            const double *G, double *d2, double *work)
{
    flat_dist2(k, n, octets, f, G, d2, work);
    for (size_t i = 0; i < octets * LANES; i++) {
        const double *lane = G + i / LANES * TRI(n) * LANES + i % LANES;
        if (d2[i] < FLAT_LEAST_SQUARE && is_lost(n, f, lane, LANES))
            d2[i] = NAN;
    }
}

/* As euclidean_prepare, straight from where the matrix lies. */
static int euclidean_single(size_t n, const double *X, double *f)
{
    double zero = 0.0;
    for (size_t r = 0; r < n; r++, X += n) {
        for (size_t c = 0; c < r; c++)
            f[c] = ROOT2 * X[c];
        f[r] = X[r];
        for (size_t c = 0; c <= r; c++)
            zero += 0.0 * X[c];
        f += r + 1;
    }
    return zero != 0.0;
}

const metric metric_euclidean = {
    .size = flat_size,
    .work = no_work,
    .prepare = euclidean_prepare,
    .dist2 = euclidean_dist2,
    .flat = 1,
    .single = euclidean_single,
    .lost = euclidean_lost,
};

static unsigned log_euclidean_prepare(const kernels *k, size_t n, const double *octet, double *F,
                                      double *work)
{
    unsigned bad;
    memcpy(F, octet, TRI(n) * LANES * sizeof *F);
    spdfun_judged(k, SPD_FUNCTION_LOG, 0.0, n, 1, F, &bad, work);
    flat_weigh(n, F);
    return bad;
}

const metric metric_log_euclidean = {
    .size = flat_size,
    .work = spdfun_judged_work,
    .prepare = log_euclidean_prepare,
    .dist2 = flat_dist2,
    .flat = 1,
};

static size_t log_cholesky_work(size_t n)
{
    return TRI(n) * LANES;
}

static unsigned log_cholesky_prepare(const kernels *k, size_t n, const double *octet, double *F,
                                     double *work)
{
    unsigned bad = definite_chol(k, n, octet, F, NULL, work);
    for (size_t r = 0; r < n; r++) {
        double *diagonal = F + (TRI(r) + r) * LANES;
        k->log(1, diagonal, diagonal);
    }
    return bad;
}

const metric metric_log_cholesky = {
    .size = flat_size,
    .work = log_cholesky_work,
    .prepare = log_cholesky_prepare,
    .dist2 = flat_dist2,
    .flat = 1,
};
