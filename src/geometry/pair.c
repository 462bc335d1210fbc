/* pair.c - distances of single pairs, by the formulas of airm.c, stein.c, flat.c and
 * bures_wasserstein.c. */
#include "geometry/pair.h"

#include <math.h>
#include <string.h>

#include "geometry/spdfun.h"
#include "linalg/dense.h"

/* Beyond these the general way is careful: sums of squares that may have lost digits, eigenvalues
 * that spread wide. */
#define LEAST_SUM   0x1p-900
#define WIDE_SPREAD 0x1p-30

size_t pair_work(spd_metric id, size_t n)
{
    if (id == SPD_EUCLIDEAN)
        return 0;
    return 3 * n * n + n + (id == SPD_LOG_EUCLIDEAN ? spdfun_dense_work(n) : dense_eigh_work(n));
}

/* A <- both triangles from the lower one of X. */
static void load(size_t n, const double *X, double *A)
{
    for (size_t r = 0; r < n; r++)
        for (size_t c = 0; c <= r; c++)
            A[r * n + c] = A[c * n + r] = X[r * n + c];
}

/* L <- factor of X. */
static int factor(size_t n, const double *X, double *L)
{
    memcpy(L, X, n * n * sizeof *L);
    return dense_chol(n, L);
}

/* |A - B|^2 of symmetric matrices, by their lower triangles. */
static double flat(size_t n, const double *A, const double *B)
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
    return diagonal + 2.0 * below;
}

static int log_euclidean(size_t n, const double *X, const double *Y, double *d2, double *work)
{
    double *A = work, *B = A + n * n, *rest = B + n * n;
    load(n, X, A);
    load(n, Y, B);
    if (spdfun_dense(SPD_LOG, 0.0, n, A, rest) || spdfun_dense(SPD_LOG, 0.0, n, B, rest))
        return 1;
    *d2 = flat(n, A, B);
    return 0;
}

static int log_cholesky(size_t n, const double *X, const double *Y, double *d2, double *work)
{
    double *L = work, *K = L + n * n, sum = 0.0;
    if (factor(n, X, L) || factor(n, Y, K))
        return 1;
    for (size_t r = 0; r < n; r++) {
        for (size_t c = 0; c < r; c++)
            sum += (L[r * n + c] - K[r * n + c]) * (L[r * n + c] - K[r * n + c]);
        double gap = log(L[r * n + r]) - log(K[r * n + r]);
        sum += gap * gap;
    }
    *d2 = sum;
    return 0;
}

static int stein(size_t n, const double *X, const double *Y, double *d2, double *work)
{
    double *L = work, *K = L + n * n, *M = K + n * n;
    for (size_t r = 0; r < n; r++)
        for (size_t c = 0; c <= r; c++)
            M[r * n + c] = 0.5 * (X[r * n + c] + Y[r * n + c]);
    if (factor(n, X, L) || factor(n, Y, K) || dense_chol(n, M))
        return 1;
    double value = dense_logdet(n, M) - 0.5 * (dense_logdet(n, L) + dense_logdet(n, K));
    *d2 = value < 0.0 ? 0.0 : value;
    return 0;
}

/* lambda (n) <- eigenvalues of L^-1 Y L^-T, or of L' Y L when expand. */
static int between(size_t n, const double *X, const double *Y, int expand, double **lambda,
                   double *work)
{
    double *L = work, *C = L + n * n, *B = C + n * n, *rest = B + n * n + n;
    *lambda = B + n * n;
    if (factor(n, X, L))
        return 1;
    load(n, Y, C);
    if (expand)
        dense_congruence(n, L, C, C, B);
    else
        dense_reduce(n, L, C);
    return dense_eigh(n, 0, C, *lambda, rest) || !((*lambda)[0] >= WIDE_SPREAD * (*lambda)[n - 1]);
}

static int airm(size_t n, const double *X, const double *Y, double *d2, double *work)
{
    double *lambda, sum = 0.0;
    if (between(n, X, Y, 0, &lambda, work))
        return 1;
    for (size_t i = 0; i < n; i++) {
        double x = lambda[i] > 0.0 ? log(lambda[i]) : NAN;
        sum += x * x;
    }
    *d2 = sum;
    return 0;
}

/* Where X and Y are close the difference of traces has no digits; the general way sees equal ones.
 */
static int bures(size_t n, const double *X, const double *Y, double *d2, double *work)
{
    double *lambda, traces = 0.0, sum = 0.0;
    if (between(n, X, Y, 1, &lambda, work))
        return 1;
    for (size_t i = 0; i < n; i++) {
        traces += X[i * (n + 1)] + Y[i * (n + 1)];
        sum += lambda[i] > 0.0 ? sqrt(lambda[i]) : NAN;
    }
    *d2 = traces - 2.0 * sum;
    return !(*d2 > 1e-6 * traces);
}

int pair_dist2(spd_metric id, size_t n, const double *X, const double *Y, double *d2, double *work)
{
    int lost = 1;
    if (id == SPD_AIRM)
        lost = airm(n, X, Y, d2, work);
    else if (id == SPD_STEIN)
        lost = stein(n, X, Y, d2, work);
    else if (id == SPD_LOG_EUCLIDEAN)
        lost = log_euclidean(n, X, Y, d2, work);
    else if (id == SPD_BURES_WASSERSTEIN)
        lost = bures(n, X, Y, d2, work);
    else if (id == SPD_LOG_CHOLESKY)
        lost = log_cholesky(n, X, Y, d2, work);
    else if (id == SPD_EUCLIDEAN)
        lost = (*d2 = flat(n, X, Y)) < LEAST_SUM;
    return lost || !isfinite(*d2);
}
