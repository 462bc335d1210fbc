/* stand_ins.h - short vectors in place of matrices, whose distances are about in the order of the
 * true ones: good enough to find candidates by, at a fraction of the cost.
 *
 * Of a metric that is Euclidean on prepared samples these are taken, of the others the logarithms
 * seen from a mean; in either case their leading principal components. */
#ifndef SPD_ENGINE_STAND_INS_H
#define SPD_ENGINE_STAND_INS_H

#include "base/arena.h"
#include "geometry/metric.h"

#define STAND_IN_MOST 512 /* numbers of a vector; a multiple of 8 */

typedef struct stand_ins {
    size_t d; /* a multiple of 8; what is unused is zero */
    float *V; /* p x d */
} stand_ins;

/* s <- those of the p matrices X, F (p x size) prepared for m. */
spd_status stand_ins_make(spd_context *ctx, const metric *m, size_t n, size_t p, const double *X,
                          const double *F, arena *keep, stand_ins *s);

/* Squared distance between two of them, or, if that is more than limit, something more than
 * limit. */
double stand_ins_dist2(size_t d, const float *a, const float *b, double limit);

#endif
