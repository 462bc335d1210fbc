/* airm.c - the affine-invariant Riemannian metric.
 *
 *   d2(X,Y) = sum_k ln^2 lambda_k,  Y v = lambda X v                  (math.md, eq. 1)
 *
 * Prepared as factored.h says. A distance costs the reduction L^-1 Y L^-T and its
 * eigenvalues. */
#include <math.h>
#include <string.h>

#include "geometry/factored.h"

/* d2 (8) <- sum of squared logarithms of lambda (n x 8), which are overwritten. An eigenvalue
 * that rounding made zero or negative gives NaN. */
static void sum_log2(const kernels *k, size_t n, double *lambda, double *d2)
{
    double sum[LANES] = {0};
    for (size_t e = 0; e < n * LANES; e++)
        if (!(lambda[e] > 0x1p-1022))
            sum[e % LANES] = NAN;
    k->log(n, lambda, lambda);
    for (size_t i = 0; i < n; i++)
        for (size_t l = 0; l < LANES; l++)
            sum[l] += lambda[i * LANES + l] * lambda[i * LANES + l];
    memcpy(d2, sum, sizeof sum);
}

static void airm_dist2(const kernels *k, size_t n, size_t octets, const double *f, const double *G,
                       double *d2, double *work)
{
    double *lambda = factored_spectrum(k, k->reduce, n, octets, f, G, work);
    for (size_t g = 0; g < octets; g++)
        sum_log2(k, n, lambda + g * n * LANES, d2 + g * LANES);
}

const metric metric_airm = {
    .size = factored_size,
    .work = factored_work,
    .prepare = factored_prepare,
    .dist2 = airm_dist2,
};
