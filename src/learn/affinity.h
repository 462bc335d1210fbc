/* affinity.h - which pairs of samples the cost is summed over (math.md, eq. 3). The public
 * function is spd_affinity. */
#ifndef SPD_LEARN_AFFINITY_H
#define SPD_LEARN_AFFINITY_H

#include "base/context.h"

/* Checks own pairs: i != j, both < p, each unordered pair once, values finite and >= 0. */
spd_status affinity_check(spd_context *ctx, size_t p, size_t count, const spd_pair *pairs);

/* What spd_affinity gives for supervised learning, from known squared distances D (p x p) in place
 * of the matrices; neighbours that only rounding tells apart may be others. */
spd_status affinity_of_distances(spd_context *ctx, size_t p, const double *D, const int *label,
                                 spd_fit_options *options, spd_pair **pairs, size_t *count);

/* How many pairs have a within or a between weight. */
void affinity_count(size_t count, const spd_pair *pairs, size_t *within, size_t *between);

#endif
