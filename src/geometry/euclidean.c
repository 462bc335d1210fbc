/* euclidean.c - the Euclidean (Frobenius) distance:  d2(X,Y) = |X - Y|_F^2.
 *
 * Prepared: the lower triangle, off-diagonals times sqrt 2 (flat.h). The metric does not need
 * positive definite matrices, only finite ones. */
#include <math.h>
#include <string.h>

#include "geometry/flat.h"

static size_t euclidean_work(size_t n)
{
    (void)n;
    return 0;
}

static unsigned euclidean_prepare(const kernels *k, size_t n, const double *octet, double *F,
                                  double *work)
{
    double zero[LANES] = {0}; /* stays zero while entries are finite */
    unsigned bad = 0;
    (void)k;
    (void)work;
    memcpy(F, octet, TRI(n) * LANES * sizeof *F);
    for (size_t e = 0; e < TRI(n); e++)
        for (size_t l = 0; l < LANES; l++)
            zero[l] += 0.0 * F[e * LANES + l];
    for (unsigned l = 0; l < LANES; l++)
        bad |= (unsigned)(zero[l] != 0.0) << l;
    flat_weigh(n, F);
    return bad;
}

const metric metric_euclidean = {
    .size = flat_size,
    .work = euclidean_work,
    .prepare = euclidean_prepare,
    .dist2 = flat_dist2,
};
