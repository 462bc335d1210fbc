/* pair.c - distances of single pairs, by the formulas of airm.c, stein.c, jeffrey.c, flat.c and
 * bures_wasserstein.c. */
#include "geometry/metric.h"

#include <math.h>
#include <string.h>

#include "linalg/definite.h"
#include "linalg/dense.h"
#include "linalg/poles.h"

/* Beyond these the general way is careful: sums of squares that may have lost digits, eigenvalues
 * that spread wide. */
#define LEAST_SUM   0x1p-900
#define WIDE_SPREAD 0x1p-30
#define CLOSE       100.0 /* squared */

/* ---- in the first lanes of an octet ---------------------------------------------------------- */

/* octet (TRI x 8), lanes 0 to 3 <- X, Y, their mean, the identity; lower triangles are read. */
static void load_few(size_t n, const double *X, const double *Y, double *octet)
{
    for (size_t r = 0; r < n; r++)
        for (size_t c = 0; c <= r; c++, octet += LANES) {
            double x = X[r * n + c], y = Y[r * n + c];
            octet[0] = x;
            octet[1] = y;
            octet[2] = 0.5 * (x + y);
            octet[3] = r == c ? 1.0 : 0.0;
        }
}

/* sum of (x - y)^2 over lanes 0 and 1 of an octet, entries off the diagonal times `twice`. */
static double flat_few(size_t n, const double *octet, double twice)
{
    double diagonal = 0.0, below = 0.0;
    for (size_t r = 0; r < n; r++, octet += LANES) {
        for (size_t c = 0; c < r; c++, octet += LANES)
            below += (octet[0] - octet[1]) * (octet[0] - octet[1]);
        diagonal += (octet[0] - octet[1]) * (octet[0] - octet[1]);
    }
    return diagonal + twice * below;
}

/* Is X or Y, whose factors are in lanes 0 and 1 of L, not positive definite? scratch, n n doubles,
 * may be L. */
static int unfit_few(size_t n, const double *X, const double *Y, const double *L, double *scratch)
{
    int doubt = 0;
    for (size_t r = 0; r < n; r++) {
        const double *l = L + (TRI(r) + r) * LANES;
        doubt |= definite_doubt_pivot(X[r * (n + 1)], l[0]);
        doubt |= definite_doubt_pivot(Y[r * (n + 1)], l[1]);
    }
    return doubt && !(definite_matrix(n, X, scratch) && definite_matrix(n, Y, scratch));
}

static int log_euclidean(size_t n, const double *X, const double *Y, double *d2, double *work)
{
    const kernels *k = kernels_few();
    double *edges = work, *A = edges + 2 * LANES, *rest = A + TRI(n) * LANES;
    load_few(n, X, Y, A);
    unsigned missed = k->few_by_poles(n, POLES_LOG, A, edges, rest);
    *d2 = flat_few(n, A, 2.0);
    return (missed & 3u) != 0;
}

static int log_cholesky(size_t n, const double *X, const double *Y, double *d2, double *work)
{
    load_few(n, X, Y, work);
    unsigned bad = kernels_few()->few_chol(n, work, NULL);
    if ((bad & 3u) || unfit_few(n, X, Y, work, work + TRI(n) * LANES))
        return 1;
    for (size_t r = 0; r < n; r++) {
        double *diagonal = work + (TRI(r) + r) * LANES;
        diagonal[0] = log(diagonal[0]);
        diagonal[1] = log(diagonal[1]);
    }
    *d2 = flat_few(n, work, 1.0);
    return 0;
}

static int stein(size_t n, const double *X, const double *Y, double *d2, double *work)
{
    double *logdet = work, *A = work + LANES;
    load_few(n, X, Y, A);
    unsigned bad = kernels_few()->few_chol(n, A, logdet);
    double value = logdet[2] - 0.5 * (logdet[0] + logdet[1]);
    *d2 = value < 0.0 ? 0.0 : value;
    return bad || unfit_few(n, X, Y, A, A);
}

/* tr((X - Y)(Y^-1 - X^-1))/2, as in jeffrey.c. */
static int jeffrey(size_t n, const double *X, const double *Y, double *d2, double *work)
{
    const kernels *k = kernels_few();
    double *L = work, *A = L + TRI(n) * LANES, *rest = A + TRI(n) * LANES;
    double diagonal = 0.0, below = 0.0;
    load_few(n, X, Y, L);
    unsigned bad = k->few_chol(n, L, NULL);
    k->few_inverse(n, L, rest, A);
    for (size_t r = 0; r < n; r++, A += LANES) {
        for (size_t c = 0; c < r; c++, A += LANES)
            below += (X[r * n + c] - Y[r * n + c]) * (A[1] - A[0]);
        diagonal += (X[r * n + r] - Y[r * n + r]) * (A[1] - A[0]);
    }
    double value = 0.5 * diagonal + below;
    *d2 = value < 0.0 ? 0.0 : value;
    return (bad & 3u) || unfit_few(n, X, Y, L, L);
}

/* ---- one by one ------------------------------------------------------------------------------ */

/* A <- both triangles from the lower one of X. */
static void load(size_t n, const double *X, double *A)
{
    for (size_t r = 0; r < n; r++)
        for (size_t c = 0; c <= r; c++)
            A[r * n + c] = A[c * n + r] = X[r * n + c];
}

/* L <- factor of X; non-zero if it is not positive definite. scratch: n n doubles. */
static int factor(size_t n, const double *X, double *L, double *scratch)
{
    int doubt = 0;
    memcpy(L, X, n * n * sizeof *L);
    if (dense_chol(n, L))
        return 1;
    for (size_t e = 0; e < n * n; e += n + 1)
        doubt |= definite_doubt_pivot(X[e], L[e]);
    return doubt && !definite_matrix(n, X, scratch);
}

/* |A - B|^2 of symmetric matrices, by their lower triangles. */
static int euclidean(size_t n, const double *A, const double *B, double *d2, double *work)
{
    double diagonal = 0.0, below = 0.0;
    for (size_t r = 0; r < n; r++) {
        const double *a = A + r * n, *b = B + r * n;
        double sum = 0.0;
        for (size_t c = 0; c < r; c++)
            sum += (a[c] - b[c]) * (a[c] - b[c]);
        below += sum;
        diagonal += (a[r] - b[r]) * (a[r] - b[r]);
    }
    (void)work;
    *d2 = diagonal + 2.0 * below;
    return *d2 < LEAST_SUM;
}

/* The squared norm of the logarithm of C = L^-1 Y L^-T, which is that of a tridiagonal one. Where
 * that is small Y is as definite as X, whose pivots are not small, up to exp(-sqrt(2 d2)). */
static int airm(size_t n, const double *X, const double *Y, double *d2, double *work)
{
    double *rest = work, *L = rest + kernels_norm_work(n), *C = L + n * n;
    double *d = C + n * n, *e = d + n;
    if (factor(n, X, L, C))
        return 1;
    load(n, Y, C);
    dense_reduce(n, L, C);
    dense_tridiagonal(n, 0, C, d, e, e + n);
    *d2 = kernels_get()->log_norm2(n, d, e, rest);
    return !(*d2 <= CLOSE) && !definite_matrix(n, Y, L);
}

/* Where X and Y are close the difference of traces has no digits; the general way sees equal ones.
 * Y is not singular where C is not. */
static int bures(size_t n, const double *X, const double *Y, double *d2, double *work)
{
    double *L = work, *C = L + n * n, *B = C + n * n, *lambda = B + n * n, *rest = lambda + n;
    double traces = 0.0, sum = 0.0;
    if (factor(n, X, L, C))
        return 1;
    load(n, Y, C);
    dense_congruence(n, L, C, C, B);
    if (dense_eigh(n, 0, C, lambda, rest) || !(lambda[0] >= WIDE_SPREAD * lambda[n - 1]))
        return 1;
    for (size_t i = 0; i < n; i++) {
        traces += X[i * (n + 1)] + Y[i * (n + 1)];
        sum += lambda[i] > 0.0 ? sqrt(lambda[i]) : NAN;
    }
    *d2 = traces - 2.0 * sum;
    return !(*d2 > 1e-6 * traces);
}

size_t pair_work(spd_metric id, size_t n)
{
    size_t octet = TRI(n) * LANES;
    switch (id) {
    case SPD_METRIC_AIRM:
        return kernels_norm_work(n) + 2 * n * n + 2 * n + dense_tridiagonal_work(n);
    case SPD_METRIC_LOG_EUCLIDEAN:
        return 2 * LANES + octet + kernels_poles_work(n);
    case SPD_METRIC_BURES_WASSERSTEIN:
        return 3 * n * n + n + dense_eigh_work(n);
    case SPD_METRIC_EUCLIDEAN:
        return 0;
    default:
        return 3 * octet + LANES;
    }
}

/* *d2 <- the distance; non-zero where digits were lost. */
typedef int measure(size_t n, const double *X, const double *Y, double *d2, double *work);

int pair_dist2(spd_metric id, size_t n, const double *X, const double *Y, double *d2, double *work)
{
    static measure *const measures[] = {[SPD_METRIC_AIRM] = airm,
                                        [SPD_METRIC_STEIN] = stein,
                                        [SPD_METRIC_JEFFREY] = jeffrey,
                                        [SPD_METRIC_LOG_EUCLIDEAN] = log_euclidean,
                                        [SPD_METRIC_BURES_WASSERSTEIN] = bures,
                                        [SPD_METRIC_LOG_CHOLESKY] = log_cholesky,
                                        [SPD_METRIC_EUCLIDEAN] = euclidean};
    int known = (size_t)id < sizeof measures / sizeof *measures;
    return !known || measures[id](n, X, Y, d2, work) || !isfinite(*d2);
}
