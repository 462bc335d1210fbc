/* affinity.h - which pairs of samples the cost is summed over (math.md, eq. 3). The public
 * function is spd_affinity. */
#ifndef SPD_LEARN_AFFINITY_H
#define SPD_LEARN_AFFINITY_H

#include "base/context.h"

/* Weights are no larger, and the largest of a fit is not
 * smaller than the other: squares of gradients stay within the range of numbers. */
#define AFFINITY_LARGEST 1e50
#define AFFINITY_LEAST   1e-50

/* Checks own pairs: i != j, both < p, each unordered pair once, values >= 0 and not too large. */
spd_status affinity_check(spd_context *ctx, size_t p, size_t count, const spd_pair *pairs);

/* What spd_affinity gives, supervised or not, from known squared distances D (p x p) in place
 * of the matrices; neighbours that only rounding tells apart may be others. */
spd_status affinity_of_distances(spd_context *ctx, size_t p, const double *D, const int *label,
                                 spd_fit_options *options, spd_pair **pairs, size_t *count);

/* How many pairs have a within or a between weight. */
void affinity_count(size_t count, const spd_pair *pairs, size_t *within, size_t *between);

#endif
