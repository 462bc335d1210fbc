/* bures_wasserstein.c - the Bures-Wasserstein distance:
 *
 *   d2(X,Y) = tr X + tr Y - 2 tr (X^1/2 Y X^1/2)^1/2
 *
 * With X = L L', L' Y L has the eigenvalues of X^1/2 Y X^1/2: no square root of a matrix is
 * needed. The difference of traces loses digits when X and Y are close (an error of eps tr X in
 * d2); equal matrices are seen by their entries and get an exact zero. */
#include <math.h>

#include "geometry/factored.h"

/* tr X from entry `step` apart triangles: step 1 for one sample, 8 for a lane. */
static double trace(size_t n, const double *X, size_t step)
{
    double sum = 0.0;
    for (size_t r = 0; r < n; r++)
        sum += X[(TRI(r) + r) * step];
    return sum;
}

static double lane_dist2(size_t n, const double *lambda, double traces)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        double x = lambda[i * LANES];
        sum += x < 0.0 ? 0.0 : sqrt(x); /* a NaN passes */
    }
    double d2 = traces - 2.0 * sum;
    return d2 < 0.0 ? 0.0 : d2;
}

static void bures_dist2(const kernels *k, size_t n, size_t octets, const double *f, const double *G,
                        double *d2, double *work)
{
    const double *lambda = factored_spectrum(k, k->expand, n, octets, f, G, work);
    double own = trace(n, f, 1);
    for (size_t g = 0; g < octets; g++, lambda += n * LANES, d2 += LANES) {
        const double *X = G + g * factored_size(n) * LANES;
        k->distance2(TRI(n), f, X, d2);
        for (size_t l = 0; l < LANES; l++)
            if (d2[l] != 0.0)
                d2[l] = lane_dist2(n, lambda + l, own + trace(n, X + l, LANES));
    }
}

const metric metric_bures_wasserstein = {
    .size = factored_size,
    .work = factored_work,
    .prepare = factored_prepare,
    .dist2 = bures_dist2,
};
