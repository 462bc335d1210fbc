/* log_cholesky.c - the log-Cholesky metric (Lin 2019), X = L L':
 *
 *   d2(X,Y) = |low(Lx) - low(Ly)|_F^2 + |log diag Lx - log diag Ly|^2
 *
 * low: strictly lower triangle. Prepared: L with the logarithms of its diagonal in place. */
#include <string.h>

#include "geometry/flat.h"

static size_t log_cholesky_work(size_t n)
{
    (void)n;
    return 0;
}

static unsigned log_cholesky_prepare(const kernels *k, size_t n, const double *octet, double *F,
                                     double *work)
{
    (void)work;
    memcpy(F, octet, TRI(n) * LANES * sizeof *F);
    unsigned bad = k->chol(n, F, NULL);
    for (size_t r = 0; r < n; r++) {
        double *diagonal = F + (TRI(r) + r) * LANES;
        k->log(1, diagonal, diagonal);
    }
    return bad;
}

const metric metric_log_cholesky = {
    .size = flat_size,
    .work = log_cholesky_work,
    .prepare = log_cholesky_prepare,
    .dist2 = flat_dist2,
};
