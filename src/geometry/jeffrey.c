/* jeffrey.c - the Jeffrey divergence, the symmetric form of Kullback and Leibler's:
 *
 *   d2(X,Y) = tr(X^-1 Y + Y^-1 X)/2 - n = tr((X - Y)(Y^-1 - X^-1))/2
 *
 * The second form loses nothing when X and Y are close, and is zero when they are equal.
 * Prepared: [X | X^-1], lower triangles with off-diagonals times sqrt 2 (flat.h). */
#include <string.h>

#include "geometry/flat.h"
#include "linalg/definite.h"

static size_t jeffrey_size(size_t n)
{
    return 2 * TRI(n);
}

static size_t jeffrey_work(size_t n)
{
    return 2 * TRI(n) * LANES;
}

static unsigned jeffrey_prepare(const kernels *k, size_t n, const double *octet, double *F,
                                double *work)
{
    size_t entries = TRI(n) * LANES;
    double *L = work, *Linv = work + entries;
    memcpy(F, octet, entries * sizeof *F);
    unsigned bad = definite_chol(k, n, octet, L, NULL, Linv);
    k->tri_inverse(n, L, Linv);
    k->tri_gram(n, Linv, F + entries);
    flat_weigh(n, F);
    flat_weigh(n, F + entries);
    return bad;
}

static void jeffrey_dist2(const kernels *k, size_t n, size_t octets, const double *f,
                          const double *G, double *d2, double *work)
{
    (void)work;
    for (size_t g = 0; g < octets; g++, G += jeffrey_size(n) * LANES, d2 += LANES) {
        k->cross(TRI(n), f, G, d2);
        for (size_t l = 0; l < LANES; l++)
            d2[l] = d2[l] < 0.0 ? 0.0 : 0.5 * d2[l];
    }
}

const metric metric_jeffrey = {
    .size = jeffrey_size,
    .work = jeffrey_work,
    .prepare = jeffrey_prepare,
    .dist2 = jeffrey_dist2,
};
