/* pair_sums.h - cost and weights Z_i over the whole graph, from the small matrices S_i alone.
 *
 * The pairs are worked on in stages: first every batch of a stage computes its distances and
 * weight matrices into a buffer, then every sample adds up what belongs to it, in the order of
 * the pairs. No two threads write to one place and no order depends on their number. Where all
 * pairs of a set have weights under Stein, tiles of them take the place of stages (pair_tiles.h). */
#ifndef SPD_FIT_PAIR_SUMS_H
#define SPD_FIT_PAIR_SUMS_H

#include "base/arena.h"
#include "run/split.h"
#include "geometry/pairs.h"

typedef struct pair_sums pair_sums;

/* Do tiles take the place of stages? */
int pair_sums_tiled(spd_metric metric, spd_objective wanted, size_t m, size_t samples, size_t count,
                    const spd_pair *pairs);

/* For the samples of a split, of size m; with ranks every one calls with the same graph. */
spd_status pair_sums_new(spd_context *ctx, spd_metric metric, spd_objective wanted, size_t m,
                         const split *cut, size_t count, const spd_pair *pairs, arena *keep,
                         pair_sums **sums);

/* Samples that S must have room for: those of this rank, and ghosts. */
size_t pair_sums_room(const pair_sums *sums);

/* *f <- the objective at S (room x TRI(m), the rank's own samples first, the others are fetched),
 * NaN when some S_i or pair has none; Z (own x TRI(m)) <- weights, so that df = sum_i tr(Z_i
 * dS_i)/2. Only SPD_ECANCELLED and the like are errors. */
spd_status pair_sums_value(pair_sums *sums, double *S, double *f, double *Z);

#endif
