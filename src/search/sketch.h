/* sketch.h - short vectors in place of matrices, whose distances are about in the order of the true
 * ones: good enough to find candidates by, at a fraction of the cost.
 *
 * Of a metric that is Euclidean on prepared matrices these are taken, of the others the logarithms
 * seen from a mean; in either case their leading principal components. */
#ifndef SPD_SEARCH_SKETCH_H
#define SPD_SEARCH_SKETCH_H

#include "search/job.h"

typedef struct sketches {
    size_t d; /* a multiple of 8; what is unused is zero */
    float *V; /* p x d */
} sketches;

/* v <- those of all samples (s->X, s->F). */
spd_status sketches_make(spd_context *ctx, const search *s, arena *keep, sketches *v);

/* Squared distance between two of them, or, if that is more than limit, something more than
 * limit. */
double sketch_dist2(size_t d, const float *a, const float *b, double limit);

#endif
