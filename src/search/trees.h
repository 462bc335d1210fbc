/* trees.h - a set cut into leaves of near vectors: halves at the median along a random direction,
 * and so on (Dasgupta and Freund 2008). */
#ifndef SPD_SEARCH_TREES_H
#define SPD_SEARCH_TREES_H

#include "base/arena.h"
#include "base/rng.h"
#include "search/sketch.h"

typedef struct leaves {
    size_t count;
    size_t *order; /* the vectors, leaf by leaf */
    size_t *first; /* count + 1: where a leaf begins */
} leaves;

/* Room for the leaves of `count` vectors in groups, of no more than `most` >= 2 samples each. */
spd_status leaves_new(spd_context *ctx, size_t count, size_t groups, size_t most, arena *keep,
                      leaves *l);

/* l += the leaves of the `count` vectors in l->order from `from` on, which are put in order. work: a
 * double for every vector there is. */
void leaves_cut(leaves *l, const sketches *s, size_t from, size_t count, size_t most, rng *r,
                double *work);

#endif
