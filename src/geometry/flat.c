/* flat.c - symmetric matrices as vectors. */
#include "geometry/flat.h"

#define ROOT2 1.4142135623730951

size_t flat_size(size_t n)
{
    return TRI(n);
}

void flat_weigh(size_t n, double *F)
{
    for (size_t r = 0; r < n; r++, F += LANES)
        for (size_t e = 0; e < r * LANES; e++)
            *F++ *= ROOT2;
}

void flat_matrix(size_t n, const double *f, double *A)
{
    for (size_t r = 0; r < n; r++) {
        for (size_t c = 0; c < r; c++, f++)
            A[r * n + c] = A[c * n + r] = *f / ROOT2;
        A[r * n + r] = *f++;
    }
}

void flat_dist2(const kernels *k, size_t n, size_t octets, const double *f, const double *G,
                double *d2, double *work)
{
    (void)work;
    for (size_t g = 0; g < octets; g++)
        k->distance2(TRI(n), f, G + g * TRI(n) * LANES, d2 + g * LANES);
}
