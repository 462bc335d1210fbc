/* alignment.h - matrices made comparable before a map or a classifier sees them.
 *
 *   normalised   X / (tr X / n), or X / (det X)^(1/n)
 *   recentred    M^-1/2 X M^-1/2, with M the AIRM mean of the group of X: its mean becomes the
 *                identity (Zanini et al. 2018)
 *
 * The method says what is done, the samples say which group each belongs to. Training keeps the
 * M^-1/2 of its groups; queries of one of these are moved by it, those of another group by the mean
 * of the queries themselves. */
#ifndef SPD_EVALUATE_ALIGNMENT_H
#define SPD_EVALUATE_ALIGNMENT_H

#include "classify/classifier.h"

/* What training has found, for queries. */
typedef struct alignment {
    size_t n;     /* of the matrices */
    size_t known; /* groups of training that queries may belong to; 0: every group is new */
    int *group;   /* known: their numbers, ascending */
    double *P;    /* known x n x n: M^-1/2 */
} alignment;

/* Does the method align at all? */
int alignment_is_on(const spd_method *method);

/* SPD_EINVAL for numbers of normalisations or recentrings that are none, and for methods on
 * vectors. */
spd_status alignment_check(spd_context *ctx, const spd_method *method);

/* Matrices of s <- aligned copies in `room`; a <- what queries need, in `keep`. Samples without a
 * label (negative), which only count for the mean of their group, are dropped then. */
spd_status alignment_fit(spd_context *ctx, const spd_method *method, arena *room, arena *keep,
                         samples *s, alignment *a);

/* Matrices of the queries s <- aligned copies in `room`. */
spd_status alignment_apply(spd_context *ctx, const spd_method *method, const alignment *a,
                           arena *room, samples *s);

#endif
