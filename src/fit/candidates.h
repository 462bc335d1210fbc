/* candidates.h - the pairs that softmax compares (objective.h), and what it makes of their
 * distances: a value, and a weight for every pair.
 *
 * A pair is a candidate of both its samples. Each sample weighs its candidates, near pairs and far
 * pairs apart, and the weights of the two samples of a pair are added. */
#ifndef SPD_FIT_CANDIDATES_H
#define SPD_FIT_CANDIDATES_H

#include "base/arena.h"
#include "fit/pair_order.h"
#include "objective/objective.h"

typedef struct candidates candidates;

/* The candidates of an order, which must outlive them. SPD_EINVAL if no sample has both kinds. */
spd_status candidates_new(spd_context *ctx, const pair_order *order, arena *keep,
                          candidates **made);

/* The message of that. */
spd_status candidates_none(spd_context *ctx);

/* Where the squared distances of the slots are to be written, NaN where there is none. */
double *candidates_d2(const candidates *c);

/* value (one for each sample of this rank) <- what the samples add to the objective, NaN if a
 * distance is; weight (one for each slot) <- what they add to its derivatives by the distances. A
 * pair whose other sample is elsewhere lacks that one's share. A sample whose distances are all at
 * most `zero` has no weights. */
spd_status candidates_weigh(candidates *c, double zero, const double **value, double **weight);

#endif
