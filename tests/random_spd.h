/* random_spd.h - random matrices for tests, and slow, obvious twins of what the library computes.
 *
 * Matrices are row-major. Blocks are the case's (owned.h). Twins call LAPACKE's drivers one matrix
 * at a time and follow the definition, not the library's way. */
#ifndef SPD_RANDOM_SPD_H
#define SPD_RANDOM_SPD_H

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "owned.h"
#include "spdml.h"

HELPER double *block(size_t count)
{
    return take(count * sizeof(double));
}

HELPER double *copy_of(size_t count, const double *x)
{
    return take_copy(x, count * sizeof *x);
}

/* ---- small algebra ------------------------------------------------------------------------ */

/* C (a x c) <- A (a x b) B (b x c) */
HELPER void times(size_t a, size_t b, size_t c, const double *A, const double *B, double *C)
{
    memset(C, 0, a * c * sizeof *C);
    for (size_t i = 0; i < a; i++)
        for (size_t k = 0; k < b; k++)
            for (size_t j = 0; j < c; j++)
                C[i * c + j] += A[i * b + k] * B[k * c + j];
}

/* T (c x r) <- A' */
HELPER void flip(size_t r, size_t c, const double *A, double *T)
{
    for (size_t i = 0; i < r; i++)
        for (size_t j = 0; j < c; j++)
            T[j * r + i] = A[i * c + j];
}

/* C (m x m) <- M X M' for M (m x n), made exactly symmetric. */
HELPER void congruent(size_t m, size_t n, const double *M, const double *X, double *C)
{
    SCOPE;
    double *P = block(m * n), *T = block(n * m);
    times(m, n, n, M, X, P);
    flip(m, n, M, T);
    times(m, n, m, P, T, C);
    spd_symmetrize(m, 1, C);
}

HELPER double norm(size_t count, const double *x)
{
    double sum = 0.0;
    for (size_t e = 0; e < count; e++)
        sum += x[e] * x[e];
    return sqrt(sum);
}

/* |x - y| */
HELPER double gap_between(size_t count, const double *x, const double *y)
{
    double sum = 0.0;
    for (size_t e = 0; e < count; e++)
        sum += (x[e] - y[e]) * (x[e] - y[e]);
    return sqrt(sum);
}

/* |x - y| / |y| */
HELPER double relative_gap(size_t count, const double *x, const double *y)
{
    return gap_between(count, x, y) / norm(count, y);
}

HELPER double trace_of(size_t n, const double *A)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += A[i * n + i];
    return sum;
}

/* Largest |a_ij - a_ji|. */
HELPER double skewness(size_t n, const double *A)
{
    double worst = 0.0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            worst = fmax(worst, fabs(A[i * n + j] - A[j * n + i]));
    return worst;
}

/* ---- random matrices ------------------------------------------------------------------------ */

/* Q (n x n) <- orthogonal, from the QR factors of a normal matrix. */
HELPER void random_orthogonal(rng *r, size_t n, double *Q)
{
    SCOPE;
    lapack_int size = (lapack_int)n;
    double *tau = block(n);
    for (size_t e = 0; e < n * n; e++)
        Q[e] = rng_normal(r);
    LAPACKE_dgeqrf(LAPACK_ROW_MAJOR, size, size, Q, size, tau);
    LAPACKE_dorgqr(LAPACK_ROW_MAJOR, size, size, size, Q, size, tau);
}

/* i-th of n values spaced evenly in the logarithm, around 1, first over last = condition. */
HELPER double spaced(size_t i, size_t n, double condition)
{
    double u = n > 1 ? 0.5 - (double)i / (double)(n - 1) : 0.0;
    return pow(condition, u);
}

/* X (n x n) <- random directions with eigenvalues lambda (n), exactly symmetric. */
HELPER void random_with_spectrum(rng *r, size_t n, const double *lambda, double *X)
{
    SCOPE;
    double *Q = block(n * n), *D = block(n * n);
    random_orthogonal(r, n, Q);
    memset(D, 0, n * n * sizeof *D);
    for (size_t i = 0; i < n; i++)
        D[i * n + i] = lambda[i];
    congruent(n, n, Q, D, X);
}

/* X (n x n) <- random orthogonal times a log-spaced spectrum, times a random scale. */
HELPER void random_spd(rng *r, size_t n, double condition, double *X)
{
    SCOPE;
    double *lambda = block(n), scale = exp(0.5 * rng_normal(r));
    for (size_t i = 0; i < n; i++)
        lambda[i] = scale * spaced(i, n, condition);
    random_with_spectrum(r, n, lambda, X);
}

/* p of them. */
HELPER double *random_set(rng *r, size_t n, size_t p, double condition)
{
    double *X = block(p * n * n);
    for (size_t i = 0; i < p; i++)
        random_spd(r, n, condition, X + i * n * n);
    return X;
}

/* X (n x n) <- covariance of n signals, of any units, whose sum is zero: singular up to rounding,
 * of either sign. kind 1: of which the last is the first; 2: of rank 1. */
HELPER void random_singular(rng *r, size_t n, int kind, double *X)
{
    SCOPE;
    size_t times = 2 * n + 5;
    double *A = block(n * times);
    for (size_t t = 0; t < times; t++) {
        double sum = 0.0, first = rng_normal(r);
        for (size_t i = 0; i < n; i++) {
            A[i * times + t] = kind == 2 ? (1.0 + (double)i) * first : rng_normal(r);
            sum += A[i * times + t] / (double)n;
        }
        for (size_t i = 0; i < n && kind == 0; i++)
            A[i * times + t] -= sum;
        if (kind == 1)
            A[(n - 1) * times + t] = A[t];
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double dot = 0.0;
            for (size_t t = 0; t < times; t++)
                dot += A[i * times + t] * A[j * times + t];
            X[i * n + j] = X[j * n + i] = dot / (double)times;
        }
    for (size_t i = 0; i < n; i++) { /* units, which nothing depends on */
        double unit = pow(10.0, 6.0 * rng_uniform(r) - 3.0);
        for (size_t j = 0; j < n; j++) {
            X[i * n + j] *= unit;
            X[j * n + i] *= unit;
        }
    }
}

/* M (n x n) <- an invertible matrix of that condition: orthogonal, diagonal, orthogonal. */
HELPER void random_gl(rng *r, size_t n, double condition, double *M)
{
    SCOPE;
    double *Q = block(n * n), *P = block(n * n);
    random_orthogonal(r, n, Q);
    random_orthogonal(r, n, P);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            Q[i * n + j] *= spaced(j, n, condition);
    times(n, n, n, Q, P, M);
}

/* ---- twins ---------------------------------------------------------------------------------- */

/* lambda (n) <- eigenvalues of symmetric X, V (n x n or NULL) <- eigenvectors as columns. */
HELPER void twin_eigh(size_t n, const double *X, double *lambda, double *V)
{
    SCOPE;
    lapack_int size = (lapack_int)n;
    double *A = copy_of(n * n, X);
    if (LAPACKE_dsyev(LAPACK_ROW_MAJOR, V ? 'V' : 'N', 'L', size, A, size, lambda))
        abort();
    if (V)
        memcpy(V, A, n * n * sizeof *V);
}

/* lambda (n) <- eigenvalues of X v = lambda Y v. */
HELPER void twin_general(size_t n, const double *X, const double *Y, double *lambda)
{
    SCOPE;
    lapack_int size = (lapack_int)n;
    double *A = copy_of(n * n, X), *B = copy_of(n * n, Y);
    if (LAPACKE_dsygv(LAPACK_ROW_MAJOR, 1, 'N', 'L', size, A, size, B, size, lambda))
        abort();
}

/* F (n x n) <- V diag(f(lambda)) V'. */
HELPER void twin_function(size_t n, double (*f)(double), const double *X, double *F)
{
    SCOPE;
    double *lambda = block(n), *V = block(n * n), *D = block(n * n);
    twin_eigh(n, X, lambda, V);
    memset(D, 0, n * n * sizeof *D);
    for (size_t i = 0; i < n; i++)
        D[i * n + i] = f(lambda[i]);
    congruent(n, n, V, D, F);
}

/* sum of f over the eigenvalues of (X, Y); Y NULL: of X alone. */
HELPER double twin_sum(size_t n, double (*f)(double), const double *X, const double *Y)
{
    SCOPE;
    double *lambda = block(n), sum = 0.0;
    if (Y)
        twin_general(n, X, Y, lambda);
    else
        twin_eigh(n, X, lambda, NULL);
    for (size_t i = 0; i < n; i++)
        sum += f(lambda[i]);
    return sum;
}

HELPER double log_squared(double x)
{
    return log(x) * log(x);
}

/* ln((1 + x)/2) - ln(x)/2 */
HELPER double stein_of(double x)
{
    return log(0.5 * (1.0 + x)) - 0.5 * log(x);
}

HELPER double jeffrey_of(double x)
{
    return 0.5 * (x + 1.0 / x) - 1.0;
}

HELPER double root_of(double x)
{
    return x > 0.0 ? sqrt(x) : 0.0;
}

HELPER double twin_bures(size_t n, const double *X, const double *Y)
{
    SCOPE;
    double *root = block(n * n), *C = block(n * n);
    twin_function(n, sqrt, X, root);
    congruent(n, n, root, Y, C);
    double d2 = trace_of(n, X) + trace_of(n, Y) - 2.0 * twin_sum(n, root_of, C, NULL);
    return d2;
}

HELPER double twin_log_cholesky(size_t n, const double *X, const double *Y)
{
    SCOPE;
    lapack_int size = (lapack_int)n;
    double *A = copy_of(n * n, X), *B = copy_of(n * n, Y), sum = 0.0;
    if (LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', size, A, size) ||
        LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', size, B, size))
        abort();
    for (size_t r = 0; r < n; r++)
        for (size_t c = 0; c <= r; c++) {
            double a = A[r * n + c], b = B[r * n + c], gap = r == c ? log(a / b) : a - b;
            sum += gap * gap;
        }
    return sum;
}

HELPER double twin_log_euclidean(size_t n, const double *X, const double *Y)
{
    SCOPE;
    double *A = block(n * n), *B = block(n * n);
    twin_function(n, log, X, A);
    twin_function(n, log, Y, B);
    double gap = gap_between(n * n, A, B);
    return gap * gap;
}

/* D <- D log(A)[H], the integral over u of R H R exp(u), R = (A + exp(u) I)^-1, by the trapezoidal
 * rule; the integrand falls off exponentially outside the eigenvalues of A. */
HELPER void twin_log_derivative(size_t n, const double *A, const double *H, double *D)
{
    SCOPE;
    lapack_int size = (lapack_int)n;
    const double step = 0.5;
    double *R = block(n * n), *T = block(n * n), top = log(trace_of(n, A));
    memset(D, 0, n * n * sizeof *D);
    for (int k = -120; k < 76; k++) {
        double u = top + step * k;
        memcpy(R, A, n * n * sizeof *R);
        for (size_t i = 0; i < n; i++)
            R[i * n + i] += exp(u);
        if (LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', size, R, size) ||
            LAPACKE_dpotri(LAPACK_ROW_MAJOR, 'L', size, R, size))
            abort();
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < i; j++)
                R[j * n + i] = R[i * n + j];
        congruent(n, n, R, H, T);
        for (size_t e = 0; e < n * n; e++)
            D[e] += step * exp(u) * T[e];
    }
}

/* Squared distance by the definition. */
HELPER double twin_dist2(spd_metric metric, size_t n, const double *X, const double *Y)
{
    switch (metric) {
    case SPD_METRIC_AIRM:
        return twin_sum(n, log_squared, X, Y);
    case SPD_METRIC_STEIN:
        return twin_sum(n, stein_of, X, Y);
    case SPD_METRIC_LOG_EUCLIDEAN:
        return twin_log_euclidean(n, X, Y);
    case SPD_METRIC_JEFFREY:
        return twin_sum(n, jeffrey_of, X, Y);
    case SPD_METRIC_BURES_WASSERSTEIN:
        return twin_bures(n, X, Y);
    case SPD_METRIC_LOG_CHOLESKY:
        return twin_log_cholesky(n, X, Y);
    default:
        return pow(gap_between(n * n, X, Y), 2.0);
    }
}

/* The library's distance; NaN when it refuses. */
HELPER double dist2(spd_metric metric, size_t n, const double *X, const double *Y)
{
    double d2 = NAN;
    spd_distance2(NULL, metric, n, X, Y, &d2);
    return d2;
}

#endif
