/* scale.c - how large the entries of matrices are, and powers of two. */
#include "ops/scale.h"

#include <math.h>
#include <stdlib.h>

#define FARTHEST 0x1p400

double scale_largest(size_t count, const double *x)
{
    double largest = 0.0;
    for (size_t e = 0; e < count; e++)
        if (!(fabs(x[e]) <= largest)) /* a NaN stays */
            largest = isnan(largest) ? largest : fabs(x[e]);
    return largest;
}

int scale_exponent(double largest, int usual)
{
    int e = largest > 0.0 && isfinite(largest) ? ilogb(largest) : 0;
    return abs(e) <= usual ? 0 : e / 2 * 2;
}

void scale_by(size_t count, const double *x, int e, double *y)
{
    for (size_t k = 0; k < count; k++)
        y[k] = ldexp(x[k], e);
}

int scale_is_usual(size_t n, size_t p, const double *X, double *low, double *high)
{
    *low = INFINITY;
    *high = 0.0;
    for (size_t i = 0; i < p; i++) {
        double largest = scale_largest(n * n, X + i * n * n);
        *high = fmax(*high, largest);
        if (largest > 0.0)
            *low = fmin(*low, largest);
    }
    return *low >= 1.0 / FARTHEST && *high <= FARTHEST;
}
