/* trees.h - a set cut into leaves of near vectors: halves at the median along a random direction,
 * and so on (Dasgupta and Freund 2008). */
#ifndef SPD_ENGINE_TREES_H
#define SPD_ENGINE_TREES_H

#include "base/arena.h"
#include "base/rng.h"
#include "engine/stand_ins.h"

typedef struct leaves {
    size_t count;
    size_t *order; /* the samples, leaf by leaf */
    size_t *first; /* count + 1: where a leaf begins */
} leaves;

/* Room for the leaves of p samples, of no more than `most` >= 2 each. */
spd_status leaves_new(spd_context *ctx, size_t p, size_t groups, size_t most, arena *keep,
                      leaves *l);

/* l += the leaves of the `count` samples in l->order from `from` on, which are put in order. work:
 * count doubles. */
void leaves_cut(leaves *l, const stand_ins *s, size_t from, size_t count, size_t most, rng *r,
                double *work);

#endif
