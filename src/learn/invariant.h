/* invariant.h - subspaces that no sample mixes, and starts that no descent leaves (math.md, eq.
 * 23).
 *
 * If V'X_iV is block-diagonal for all samples i, a map whose span is the sum of its parts in the
 * blocks has a gradient of the same kind: descent never leaves such maps, and ends at the best of
 * them, mostly a saddle point. */
#ifndef SPD_LEARN_INVARIANT_H
#define SPD_LEARN_INVARIANT_H

#include "sets/set.h"

/* W (n x m, orthonormal) <- turned by a small random angle if descent from it would never leave the
 * subspaces that it lies in. */
spd_status invariant_leave(spd_context *ctx, const spd_set *set, size_t m, uint64_t seed,
                           double *W);

#endif
