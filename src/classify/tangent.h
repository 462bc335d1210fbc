/* tangent.h - samples as vectors in the tangent space at their mean, on the axes that the training
 * samples span. */
#ifndef SPD_CLASSIFY_TANGENT_H
#define SPD_CLASSIFY_TANGENT_H

#include "base/classes.h"
#include "classify/classifier.h"

typedef struct tangent_space {
    spd_metric metric;
    size_t n, p;
    size_t dim;      /* of the tangent space: n(n+1)/2 */
    size_t degrees;  /* real numbers that a matrix is determined by: dim, fewer for real forms */
    size_t rank;     /* axes, rank <= min(p, dim) */
    double *origin;  /* dim: the mean's own vector, where the metric is flat; else NULL */
    double *whiten;  /* n x n: M^-1/2, where the metric is curved; else NULL */
    double *axes;    /* rank x dim, orthonormal, by falling share of the training vectors */
    double *vectors; /* p x rank: the training samples on these axes */
} tangent_space;

/* *space <- from the training samples. SPD_NOT_CONVERGED: the mean has not. */
spd_status tangent_learn(spd_context *ctx, spd_metric id, const samples *train, arena *keep,
                         tangent_space *space);

/* *vectors (queries->p x rank) <- the queries on the axes. */
spd_status tangent_map(spd_context *ctx, const tangent_space *space, const samples *queries,
                       arena *keep, double **vectors);

/* c->met <- the same of c->queries; c->prepared begins with the space. */
spd_status tangent_meet(spd_context *ctx, training_state *c);

/* label, and c's scores, of the queries c->met (on the axes) <- t'w_k + bias_k, the largest wins, ties
 * by lower class; w is of->count x rank. */
spd_status tangent_decide(spd_context *ctx, training_state *c, const tangent_space *space,
                          const classes *of, const double *w, const double *bias, int *label);

/* The space goes to the saved arrays or comes from them, without the training samples: keep's
 * (classifier.h) part of it. */
void tangent_keep(saved_arrays *s, const training_state *c, tangent_space *space);

#endif
