/* bures_wasserstein.c - the Bures-Wasserstein distance:
 *
 *   d2(X,Y) = tr X + tr Y - 2 tr (X^1/2 Y X^1/2)^1/2
 *
 * With X = L L', L' Y L has the eigenvalues of X^1/2 Y X^1/2: no square root of a matrix is
 * needed. The difference of traces loses digits when X and Y are close (an error of eps tr X in
 * d2); equal matrices are seen by their entries and get an exact zero.
 *
 * L' Y L is of the size of squares. So that it does not leave the range of numbers, X is prepared
 * as r^2 X' with a power of two r, which is 1 for matrices of a usual size: [X' | r | L'], as
 * factored.h has it but for r in place of the determinant. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/factored.h"
#include "linalg/definite.h"

/* Exponents of two up to which a matrix is left as it is. */
#define USUAL_EXPONENT 200

/* r for the lane X (TRI(n), 8 apart): X/r^2 has its largest entry, which is on the diagonal,
 * between 1 and 8. */
static double root_scale(size_t n, const double *X)
{
    double largest = 0.0;
    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, X[(TRI(i) + i) * LANES]);
    int exponent = largest > 0.0 && isfinite(largest) ? ilogb(largest) : 0;
    return abs(exponent) <= USUAL_EXPONENT ? 1.0 : ldexp(1.0, exponent / 2);
}

static unsigned bures_prepare(const kernels *k, size_t n, const double *octet, double *F,
                              double *work)
{
    size_t entries = TRI(n) * LANES;
    double *root = F + entries, *L = root + LANES;
    memcpy(F, octet, entries * sizeof *F);
    for (size_t l = 0; l < LANES; l++) {
        root[l] = root_scale(n, octet + l);
        for (size_t e = l; root[l] != 1.0 && e < entries; e += LANES)
            F[e] = F[e] / root[l] / root[l];
    }
    return definite_chol(k, n, F, L, NULL, work);
}

/* tr X from entry `step` apart triangles: step 1 for one sample, 8 for a lane. */
static double trace(size_t n, const double *X, size_t step)
{
    double sum = 0.0;
    for (size_t r = 0; r < n; r++)
        sum += X[(TRI(r) + r) * step];
    return sum;
}

/* roots: the product of both r. */
static double lane_dist2(size_t n, const double *lambda, double traces, double roots)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        double x = lambda[i * LANES];
        sum += x < 0.0 ? 0.0 : sqrt(x); /* a NaN passes */
    }
    double d2 = traces - 2.0 * (sum * roots);
    return d2 < 0.0 ? 0.0 : d2;
}

static void bures_dist2(const kernels *k, size_t n, size_t octets, const double *f, const double *G,
                        double *d2, double *work)
{
    const double *lambda = factored_spectrum(k, k->expand, n, octets, f, G, work);
    double r = f[TRI(n)], own = trace(n, f, 1) * r * r;
    for (size_t g = 0; g < octets; g++, lambda += n * LANES, d2 += LANES) {
        const double *X = G + g * factored_size(n) * LANES, *root = X + TRI(n) * LANES;
        k->apart(TRI(n), 1, f, 0, 1, X, d2);
        for (size_t l = 0; l < LANES; l++) {
            double other = trace(n, X + l, LANES) * root[l] * root[l];
            if (d2[l] != 0.0 || root[l] != r)
                d2[l] = lane_dist2(n, lambda + l, own + other, r * root[l]);
        }
    }
}

const metric metric_bures_wasserstein = {
    .size = factored_size,
    .work = factored_work,
    .prepare = bures_prepare,
    .dist2 = bures_dist2,
};
