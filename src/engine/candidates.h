/* candidates.h - the pairs that an objective of samples chooses from (objective.h), and what it
 * makes of their distances: a value, and a weight for every pair, which is zero for most.
 *
 * A pair is a candidate of both its samples. Each sample takes the nearest of its candidates, near
 * pairs and far pairs apart, ties by their order; the objective weighs these, and the weights of
 * the two samples of a pair are added. */
#ifndef SPD_ENGINE_CANDIDATES_H
#define SPD_ENGINE_CANDIDATES_H

#include "base/arena.h"
#include "geometry/pairs.h"
#include "objective/objective.h"

typedef struct candidates candidates;

/* SPD_EINVAL if no sample has candidates of both kinds. */
spd_status candidates_new(spd_context *ctx, const objective *o, size_t p, size_t count,
                          const spd_pair *pairs, arena *keep, candidates **made);

/* The pairs, and where their squared distances are to be written, NaN where there is none. */
size_t candidates_count(const candidates *c);
const pair *candidates_pairs(const candidates *c);
double *candidates_d2(const candidates *c);

/* *f <- the objective, NaN if a distance is; *weight (count) <- its derivatives by the
 * distances, rubbish where f is not finite.
 * A sample whose distances are all at most `zero` has no weights. */
spd_status candidates_weigh(candidates *c, double zero, double *f, const double **weight);

#endif
