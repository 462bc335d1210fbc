/* invariant.h - subspaces that no sample mixes, and starts that no descent leaves (math.md, eq.
 * 23).
 *
 * If V'X_iV is block-diagonal for all samples i, a map whose span is the sum of its parts in the
 * blocks has a gradient of the same kind: descent never leaves such maps, and ends at the best of
 * them, mostly a saddle point. */
#ifndef SPD_LEARN_INVARIANT_H
#define SPD_LEARN_INVARIANT_H

#include "base/arena.h"
#include "base/rng.h"
#include "sets/set.h"

typedef struct invariant {
    size_t n, count; /* of subspaces; 1: no structure, and nothing below is there */
    size_t *block;   /* n: the subspace of each column of V, from 0, by their first rows */
    double *V;       /* n x n */
    double *inverse; /* n x n: V^-1 transposed */
} invariant;

/* Finds the finest subspaces of the set, in `room`. */
spd_status invariant_find(spd_context *ctx, const spd_set *set, arena *room, invariant *found);

/* *kept <- is the span of W (n x m) a sum of parts that lie in different subspaces or groups of
 * them, so that descent from W never mixes these? */
spd_status invariant_keeps(spd_context *ctx, const invariant *of, size_t m, const double *W,
                           int *kept);

/* W <- orthonormal, turned by a small random angle out of the subspaces. */
spd_status invariant_turn(spd_context *ctx, const invariant *of, size_t m, rng *r, double *W);

#endif
