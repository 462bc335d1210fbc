/* definite.c - which matrices count as positive definite. */
#include "linalg/definite.h"

#include <string.h>

#include "linalg/dense.h"
#include "linalg/margin.h"

/* Pivots below this share of the diagonal are looked at. Where X is singular, v its null vector in
 * units of the diagonal up to its last entry, 1, the pivot there is an error of about eps |v|_1^2.
 * If that is not below the limit, the rows before are dependent nearly as 1/|v|^2, and one of their
 * pivots is. */
#define LITTLE 0x1p-16

/* Smallest over largest eigenvalue: above it, far above (n + 16) eps, nothing is in doubt. */
#define NARROW 0x1p-34

static double remainder_of(size_t n)
{
    return 1.0 - DEFINITE_MARGIN(n);
}

unsigned definite_lanes(const kernels *k, size_t n, const double *octet, double *scratch)
{
    double part = remainder_of(n);
    memcpy(scratch, octet, TRI(n) * LANES * sizeof *scratch);
    for (size_t r = 0; r < n; r++)
        for (size_t l = 0; l < LANES; l++)
            scratch[(TRI(r) + r) * LANES + l] *= part;
    return k->chol(n, scratch, NULL);
}

int definite_doubt_pivot(double x, double l)
{
    return !(l * l >= LITTLE * x);
}

int definite_doubt_spread(double smallest, double largest)
{
    return !(smallest >= NARROW * largest);
}

unsigned definite_chol(const kernels *k, size_t n, const double *octet, double *L, double *logdet,
                       double *scratch)
{
    int doubt = 0;
    memcpy(L, octet, TRI(n) * LANES * sizeof *L);
    unsigned bad = k->chol(n, L, logdet);
    for (size_t r = 0; r < n; r++) {
        const double *x = octet + (TRI(r) + r) * LANES, *l = L + (TRI(r) + r) * LANES;
        for (size_t i = 0; i < LANES; i++)
            doubt |= definite_doubt_pivot(x[i], l[i]);
    }
    return doubt ? bad | definite_lanes(k, n, octet, scratch) : bad;
}

int definite_matrix(size_t n, const double *X, double *scratch)
{
    memcpy(scratch, X, n * n * sizeof *scratch);
    for (size_t r = 0; r < n; r++)
        scratch[r * (n + 1)] *= remainder_of(n);
    return !dense_chol(n, scratch);
}
