/* factored.c - prepared samples [X | ln det X | L] and the eigenvalues between them. */
#include "geometry/factored.h"

#include <string.h>

#include "linalg/definite.h"

size_t factored_size(size_t n)
{
    return 2 * TRI(n) + 1;
}

/* L spread over the lanes, transformed matrices of all octets, full scratch, eigenvalues,
 * eigenvalue scratch. */
size_t factored_work(size_t n)
{
    return (TRI(n) + METRIC_OCTETS * TRI(n) + n * n + METRIC_OCTETS * n) * LANES +
           kernels_eigh_work(n);
}

unsigned factored_prepare(const kernels *k, size_t n, const double *octet, double *F, double *work)
{
    size_t entries = TRI(n) * LANES;
    double *logdet = F + entries, *L = logdet + LANES;
    memcpy(F, octet, entries * sizeof *F);
    return definite_chol(k, n, octet, L, logdet, work);
}

double *factored_spectrum(const kernels *k, factored_congruence congruence, size_t n, size_t octets,
                          const double *f, const double *G, double *work)
{
    size_t entries = TRI(n) * LANES;
    double *L = work, *C = L + entries, *full = C + METRIC_OCTETS * entries;
    double *lambda = full + n * n * LANES, *scratch = lambda + METRIC_OCTETS * n * LANES;
    unsigned bad[METRIC_OCTETS];
    k->spread(TRI(n), f + TRI(n) + 1, L);
    for (size_t g = 0; g < octets; g++)
        congruence(n, L, G + g * factored_size(n) * LANES, C + g * entries, full);
    k->eigvals(n, octets, C, lambda, bad, scratch);
    return lambda;
}
