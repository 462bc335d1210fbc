/* sketch.h - short vectors in place of matrices, whose distances are about in the order of the true
 * ones: good enough to find candidates by, at a fraction of the cost.
 *
 * Of a metric that is Euclidean on prepared matrices these are taken, of the others the logarithms
 * seen from a mean; in either case their leading principal components. */
#ifndef SPD_SEARCH_SKETCH_H
#define SPD_SEARCH_SKETCH_H

#include "search/job.h"

#define SKETCH_MOST 512 /* numbers of a vector; a multiple of 8 */

/* How matrices become long vectors (`length` doubles), and these short ones. */
typedef struct unfolding {
    size_t n, length, d;
    double *W;    /* n x n: seen from the mean, X is W'XW; NULL: prepared matrices as they are */
    float *basis; /* d x length, the leading one first; NULL: as they are */
    double scale; /* a power of two, so that floats hold the numbers */
} unfolding;

typedef struct sketches {
    size_t p; /* samples */
    size_t d; /* a multiple of 8; what is unused is zero */
    float *V; /* p x d */
} sketches;

/* u <- the way for these samples (s->X and s->F). */
spd_status unfolding_make(spd_context *ctx, const search *s, arena *keep, unfolding *u);

/* Doubles of a sketch, padded. */
size_t unfolding_room(const unfolding *u);

/* V (p x unfolding_room) <- the sketches of p matrices X, prepared F. */
spd_status sketches_make(spd_context *ctx, const unfolding *u, size_t p, const double *X,
                         const double *F, float *V);

/* link (p x degree) <- for each sample those that are near by their sketches v: within one set
 * without labels, the nearest job->k[0] of which matter most. descent.c */
spd_status descent_links(spd_context *ctx, const search *s, const sketches *v, size_t degree,
                         int64_t *link);

/* Squared distance between two of them, or, if that is more than limit, something more than
 * limit. */
double sketch_dist2(size_t d, const float *a, const float *b, double limit);

#endif
