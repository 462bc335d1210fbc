/* geodesic.c - points on geodesics; the formulas stand in geodesic.h. */
#include "geometry/geodesic.h"

#include <math.h>
#include <string.h>

#include "geometry/spdfun.h"
#include "linalg/definite.h"
#include "linalg/dense.h"

/* Smallest over largest eigenvalue. */
#define WIDE_SPREAD 0x1p-30

size_t geodesic_work(size_t n)
{
    return 6 * n * n + n + spdfun_dense_work(n) + dense_svd_work(n);
}

/* C <- (1-t) A + t B */
static void blend(size_t n, const double *A, const double *B, double t, double *C)
{
    for (size_t e = 0; e < n * n; e++)
        C[e] = (1.0 - t) * A[e] + t * B[e];
}

static int outside(double t)
{
    return t < 0.0 || t > 1.0;
}

/* L <- Cholesky factor of X. */
static spd_status factor(size_t n, const double *X, double *L)
{
    memcpy(L, X, n * n * sizeof *L);
    return dense_chol(n, L) ? SPD_ENOTSPD : SPD_OK;
}

/* Do eigenvalues (n, ascending) spread so wide that rounding, eps of the largest, has spoilt the
 * smallest? The singular values of a factor are their roots, and spread half as wide. */
static int is_wide(size_t n, const double *lambda)
{
    return !(lambda[0] >= WIDE_SPREAD * lambda[n - 1]);
}

/* The same without squares: L^-1 K = U' S V for Y = K K', and the point is B B', B = L U' S^t. */
static spd_status airm_wide_point(size_t n, const double *Y, double t, const double *L, double *G,
                                  double *work)
{
    double *Z = work, *U = Z + n * n, *sigma = U + n * n, *rest = sigma + n;
    if (factor(n, Y, Z))
        return SPD_ENOTSPD;
    dense_solve(n, L, Z);
    if (dense_svd(n, Z, sigma, U, rest))
        return SPD_ENUMERIC;
    spdfun_values(SPD_FUNCTION_POWER, t, n, sigma, sigma);
    dense_product_other(n, L, U, Z);
    dense_scale_columns(n, Z, sigma, Z);
    dense_gram(n, Z, G);
    return SPD_OK;
}

static spd_status airm_point(size_t n, const double *X, const double *Y, double t, double *G,
                             double *work)
{
    double *L = work, *V = L + n * n, *B = V + n * n, *lambda = B + n * n, *rest = lambda + n;
    if (factor(n, X, L))
        return SPD_ENOTSPD;
    memcpy(V, Y, n * n * sizeof *V);
    dense_reduce(n, L, V);
    if (dense_eigh(n, 1, V, lambda, rest))
        return SPD_ENUMERIC;
    if (is_wide(n, lambda))
        return airm_wide_point(n, Y, t, L, G, V);
    spdfun_values(SPD_FUNCTION_POWER, 0.5 * t, n, lambda, lambda);
    dense_product(n, L, V, B);
    dense_scale_columns(n, B, lambda, B);
    dense_gram(n, B, G);
    return SPD_OK;
}

static spd_status log_euclidean_point(size_t n, const double *X, const double *Y, double t,
                                      double *G, double *work)
{
    double *A = work, *B = A + n * n, *rest = B + n * n;
    memcpy(A, X, n * n * sizeof *A);
    memcpy(B, Y, n * n * sizeof *B);
    if (spdfun_dense(SPD_FUNCTION_LOG, 0.0, n, A, rest) ||
        spdfun_dense(SPD_FUNCTION_LOG, 0.0, n, B, rest))
        return SPD_ENUMERIC;
    blend(n, A, B, t, G);
    return spdfun_dense(SPD_FUNCTION_EXP, 0.0, n, G, rest) ? SPD_ENUMERIC : SPD_OK;
}

/* With R = (L' Y L)^1/2, the map from X to the point is positive definite, and t has not passed
 * the end of the geodesic, as long as (1-t) L'L + t R is. C: n n doubles. */
static int has_ended(size_t n, const double *L, const double *R, double t, double *C)
{
    if (!outside(t))
        return 0;
    dense_gram_trans(n, L, C);
    blend(n, C, R, t, C);
    return dense_chol(n, C);
}

/* For Y = K K' and L' K = U' S V, R is U' S U and L'^-1 R is K V'U: nothing is squared or divided.
 */
static spd_status bures_wide_point(size_t n, const double *Y, double t, const double *L, double *G,
                                   double *work)
{
    double *K = work, *Z = K + n * n, *U = Z + n * n, *C = U + n * n, *R = C + n * n;
    double *sigma = R + n * n, *rest = sigma + n;
    if (factor(n, Y, K))
        return SPD_ENOTSPD;
    dense_product_trans(n, L, K, Z);
    if (dense_svd(n, Z, sigma, U, rest))
        return SPD_ENUMERIC;
    dense_product_trans(n, Z, U, C);
    dense_transpose(n, U);
    dense_rebuild(n, U, sigma, R, Z);
    if (has_ended(n, L, R, t, Z))
        return SPD_ENOTSPD;
    dense_product(n, K, C, R);
    blend(n, L, R, t, C);
    dense_gram(n, C, G);
    return SPD_OK;
}

static spd_status bures_point(size_t n, const double *X, const double *Y, double t, double *G,
                              double *work)
{
    double *L = work, *V = L + n * n, *B = V + n * n, *R = B + n * n, *lambda = R + n * n;
    if (factor(n, X, L))
        return SPD_ENOTSPD;
    dense_congruence(n, L, Y, V, B);
    if (dense_eigh(n, 1, V, lambda, lambda + n))
        return SPD_ENUMERIC;
    if (is_wide(n, lambda))
        return bures_wide_point(n, Y, t, L, G, V);
    spdfun_values(SPD_FUNCTION_SQRT, 0.0, n, lambda, lambda);
    dense_rebuild(n, V, lambda, R, B);
    if (has_ended(n, L, R, t, B))
        return SPD_ENOTSPD;
    dense_solve_trans(n, L, R);
    blend(n, L, R, t, B);
    dense_gram(n, B, G);
    return SPD_OK;
}

static spd_status log_cholesky_point(size_t n, const double *X, const double *Y, double t,
                                     double *G, double *work)
{
    double *L = work, *K = L + n * n, *B = K + n * n;
    if (factor(n, X, L) || factor(n, Y, K))
        return SPD_ENOTSPD;
    blend(n, L, K, t, B);
    for (size_t r = 0; r < n; r++) {
        double x = log(L[r * n + r]), y = log(K[r * n + r]);
        B[r * n + r] = exp((1.0 - t) * x + t * y);
    }
    dense_gram(n, B, G);
    return definite_matrix(n, G, L) ? SPD_OK : SPD_ENUMERIC;
}

static spd_status point(spd_metric id, size_t n, const double *X, const double *Y, double t,
                        double *G, double *work)
{
    switch (id) {
    case SPD_METRIC_LOG_EUCLIDEAN:
        return log_euclidean_point(n, X, Y, t, G, work);
    case SPD_METRIC_BURES_WASSERSTEIN:
        return bures_point(n, X, Y, t, G, work);
    case SPD_METRIC_LOG_CHOLESKY:
        return log_cholesky_point(n, X, Y, t, G, work);
    case SPD_METRIC_EUCLIDEAN:
        blend(n, X, Y, t, G);
        return outside(t) ? factor(n, G, work) : SPD_OK;
    default:
        return airm_point(n, X, Y, t, G, work);
    }
}

spd_status geodesic_point(spd_metric id, size_t n, const double *X, const double *Y, double t,
                          double *G, double *work)
{
    spd_status status = point(id, n, X, Y, t, G, work);
    for (size_t e = 0; status == SPD_OK && e < n * n; e++)
        if (!isfinite(G[e]))
            status = SPD_ENUMERIC;
    return status;
}
