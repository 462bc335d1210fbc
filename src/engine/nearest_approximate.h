/* nearest_approximate.h - spd_nearest in almost linear time. */
#ifndef SPD_ENGINE_NEAREST_APPROXIMATE_H
#define SPD_ENGINE_NEAREST_APPROXIMATE_H

#include "geometry/metric.h"

/* A search that was checked: near->index, d2 and what is found. Q NULL: within X. */
spd_status nearest_approximate(spd_context *ctx, const metric *m, size_t n, size_t p,
                               const double *X, size_t q, const double *Q, spd_neighbours *near);

#endif
