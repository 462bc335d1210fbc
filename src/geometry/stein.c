/* stein.c - the Stein divergence.
 *
 *   d2(X,Y) = ln det((X + Y)/2) - (ln det X + ln det Y)/2          (math.md, eq. 2)
 *
 * Prepared: [lower triangle of X | ln det X]. A distance costs one Cholesky factorisation. */
#include <string.h>

#include "geometry/metric.h"
#include "linalg/definite.h"

static size_t stein_size(size_t n)
{
    return TRI(n) + 1;
}

static size_t stein_work(size_t n)
{
    return 2 * TRI(n) * LANES;
}

static unsigned stein_prepare(const kernels *k, size_t n, const double *octet, double *F,
                              double *work)
{
    size_t entries = TRI(n) * LANES;
    memcpy(F, octet, entries * sizeof *F);
    return definite_chol(k, n, octet, work, F + entries, work + entries);
}

static void stein_dist2(const kernels *k, size_t n, size_t octets, const double *f, const double *G,
                        double *d2, double *work)
{
    size_t entries = TRI(n);
    for (size_t g = 0; g < octets; g++, G += stein_size(n) * LANES, d2 += LANES) {
        const double *logdet = G + entries * LANES;
        k->average(entries, f, G, work);
        k->chol(n, work, d2);
        for (size_t l = 0; l < LANES; l++) {
            double value = d2[l] - 0.5 * (f[entries] + logdet[l]);
            d2[l] = value < 0.0 ? 0.0 : value;
        }
    }
}

const metric metric_stein = {
    .size = stein_size,
    .work = stein_work,
    .prepare = stein_prepare,
    .dist2 = stein_dist2,
};
