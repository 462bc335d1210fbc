/* log_euclidean.c - the log-Euclidean metric:  d2(X,Y) = |log X - log Y|_F^2.
 *
 * Prepared: the lower triangle of log X, off-diagonals times sqrt 2 (flat.h). */
#include <string.h>

#include "geometry/flat.h"
#include "geometry/spdfun.h"

static unsigned log_euclidean_prepare(const kernels *k, size_t n, const double *octet, double *F,
                                      double *work)
{
    unsigned bad;
    memcpy(F, octet, TRI(n) * LANES * sizeof *F);
    spdfun_apply(k, SPD_LOG, 0.0, n, 1, F, &bad, work);
    flat_weigh(n, F);
    return bad;
}

const metric metric_log_euclidean = {
    .size = flat_size,
    .work = spdfun_work,
    .prepare = log_euclidean_prepare,
    .dist2 = flat_dist2,
};
