/* sketch.h - short vectors in place of matrices, whose distances are about in the order of the true
 * ones: good enough to find candidates by, at a fraction of the cost.
 *
 * Of a metric that is Euclidean on prepared matrices these are taken, of the others the logarithms
 * seen from a mean; in either case their leading principal components. */
#ifndef SPD_SEARCH_SKETCH_H
#define SPD_SEARCH_SKETCH_H

#include "base/rng.h"
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

/* A set cut into leaves of near vectors: halves at the median along a random direction, and so on
 * (Dasgupta and Freund 2008). */
typedef struct leaves {
    size_t count;
    size_t *order; /* the vectors, leaf by leaf */
    size_t *first; /* count + 1: where a leaf begins */
} leaves;

/* Room for the leaves of `count` vectors in groups, of no more than `most` >= 2 samples each. */
spd_status leaves_new(spd_context *ctx, size_t count, size_t groups, size_t most, arena *keep,
                      leaves *l);

/* l += the leaves of the `count` vectors in l->order from `from` on, which are put in order. work: a
 * double for every vector there is. */
void leaves_cut(leaves *l, const sketches *s, size_t from, size_t count, size_t most, rng *r,
                double *work);

#endif
