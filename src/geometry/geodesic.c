/* geodesic.c - points on geodesics; the formulas stand in geodesic.h. */
#include "geometry/geodesic.h"

#include <math.h>
#include <string.h>

#include "geometry/flat.h"
#include "geometry/spdfun.h"
#include "linalg/dense.h"

size_t geodesic_work(size_t n)
{
    return 4 * n * n + n + spdfun_dense_work(n);
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
    spdfun_values(SPD_POWER, 0.5 * t, n, lambda, lambda);
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
    if (spdfun_dense(SPD_LOG, 0.0, n, A, rest) || spdfun_dense(SPD_LOG, 0.0, n, B, rest))
        return SPD_ENUMERIC;
    blend(n, A, B, t, G);
    return spdfun_dense(SPD_EXP, 0.0, n, G, rest) ? SPD_ENUMERIC : SPD_OK;
}

/* With R = (L' Y L)^1/2, the map from X to the point is positive definite, and t has not passed
 * the end of the geodesic, as long as (1-t) L'L + t R is. */
static spd_status bures_point(size_t n, const double *X, const double *Y, double t, double *G,
                              double *work)
{
    double *L = work, *R = L + n * n, *B = R + n * n, *C = B + n * n, *rest = C + n * n;
    if (factor(n, X, L))
        return SPD_ENOTSPD;
    dense_congruence(n, L, Y, R, B);
    if (spdfun_dense(SPD_SQRT, 0.0, n, R, rest))
        return SPD_ENUMERIC;
    if (outside(t)) {
        dense_gram_trans(n, L, C);
        blend(n, C, R, t, C);
        if (dense_chol(n, C))
            return SPD_ENOTSPD;
    }
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
    return flat_is_lost(n, G, L) ? SPD_ENUMERIC : SPD_OK;
}

static spd_status euclidean_point(size_t n, const double *X, const double *Y, double t, double *G,
                                  double *work)
{
    blend(n, X, Y, t, G);
    return outside(t) ? factor(n, G, work) : SPD_OK;
}

static spd_status point(spd_metric id, size_t n, const double *X, const double *Y, double t,
                        double *G, double *work)
{
    switch (id) {
    case SPD_LOG_EUCLIDEAN:
        return log_euclidean_point(n, X, Y, t, G, work);
    case SPD_BURES_WASSERSTEIN:
        return bures_point(n, X, Y, t, G, work);
    case SPD_LOG_CHOLESKY:
        return log_cholesky_point(n, X, Y, t, G, work);
    case SPD_EUCLIDEAN:
        return euclidean_point(n, X, Y, t, G, work);
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
