/* random_spd.h - random matrices with a known spectrum, for tests and benchmarks. Link with
 * LAPACKE and the project's rng. */
#ifndef SPD_TEST_RANDOM_SPD_H
#define SPD_TEST_RANDOM_SPD_H

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>

#include "base/rng.h"

/* Q (n x n) <- a random orthogonal matrix (QR of a Gaussian one). */
__attribute__((unused)) static void random_orthogonal(rng *r, size_t n, double *Q)
{
    double *tau = malloc(n * sizeof *tau);
    for (size_t e = 0; e < n * n; e++)
        Q[e] = rng_normal(r);
    LAPACKE_dgeqrf(LAPACK_ROW_MAJOR, (int)n, (int)n, Q, (int)n, tau);
    LAPACKE_dorgqr(LAPACK_ROW_MAJOR, (int)n, (int)n, (int)n, Q, (int)n, tau);
    free(tau);
}

/* X (n x n) <- Q diag(lambda) Q', exactly symmetric. */
__attribute__((unused)) static void random_with_spectrum(rng *r, size_t n, const double *lambda,
                                                         double *X)
{
    double *Q = malloc(n * n * sizeof *Q), *P = malloc(n * n * sizeof *P);
    random_orthogonal(r, n, Q);
    for (size_t e = 0; e < n * n; e++)
        P[e] = Q[e] * lambda[e % n];
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)n, (int)n, (int)n, 1.0, P, (int)n, Q,
                (int)n, 0.0, X, (int)n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            X[i * n + j] = X[j * n + i] = 0.5 * (X[i * n + j] + X[j * n + i]);
    free(Q);
    free(P);
}

/* X (n x n) <- random SPD, eigenvalues spaced evenly in the logarithm from 1 to 1/condition. */
__attribute__((unused)) static void random_spd(rng *r, size_t n, double condition, double *X)
{
    double *lambda = malloc(n * sizeof *lambda);
    for (size_t i = 0; i < n; i++)
        lambda[i] = pow(condition, n > 1 ? -(double)i / (double)(n - 1) : 0.0);
    random_with_spectrum(r, n, lambda, X);
    free(lambda);
}

/* M (n x n) <- random invertible matrix of the given condition number. */
__attribute__((unused)) static void random_gl(rng *r, size_t n, double condition, double *M)
{
    double *Q = malloc(n * n * sizeof *Q), *P = malloc(n * n * sizeof *P);
    random_orthogonal(r, n, Q);
    random_orthogonal(r, n, P);
    for (size_t e = 0; e < n * n; e++)
        P[e] *= pow(condition, n > 1 ? -(double)(e / n) / (double)(n - 1) : 0.0);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)n, (int)n, (int)n, 1.0, Q, (int)n,
                P, (int)n, 0.0, M, (int)n);
    free(Q);
    free(P);
}

#endif
