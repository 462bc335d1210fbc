/* pair_plan.h - the pairs that have a weight, block by block, and who adds up what.
 *
 * A block's weight matrices fill a buffer: first those of the pairs measured here, batch by batch,
 * then those that other ranks have measured. Each pair has up to two ends here, its shares; those
 * of a block are sorted by sample, pairs in order (pair_order.h), and cut into chunks where the
 * sample changes, so that one chunk owns a sample. */
#ifndef SPD_ENGINE_PAIR_PLAN_H
#define SPD_ENGINE_PAIR_PLAN_H

#include "base/arena.h"
#include "engine/pair_order.h"

/* One end of a pair: sample += c * row of the buffer. */
typedef struct share {
    uint32_t sample, row;
    double c; /* negative between classes */
} share;

/* Pairs first .. first+count-1, measured here, and the ends of these and of others' by sample. */
typedef struct block {
    size_t first, count;
    size_t share, chunk; /* where its shares and its chunks of shares begin */
    size_t sent;         /* where its rows begin in `sent` */
} block;

typedef struct pair_plan {
    const pair_order *order;
    size_t sides;    /* matrices of a pair */
    size_t received; /* row of the buffer where those of other ranks begin */
    size_t rows;     /* of the buffer */
    pair *pairs;     /* order->mine at most; c of either sign */
    size_t count;
    double *degree; /* 2 x own: sums of |c| over within and over between pairs */
    block *block;   /* order->blocks + 1 */
    share *shares;
    size_t *chunk;            /* first share of each chunk, and the end */
    uint32_t *sent;           /* rows that other ranks need, by block and by rank */
    size_t *out_at, *in_at;   /* blocks x (ranks + 1): rows for and from each rank */
    size_t *out_cut, *in_cut; /* (blocks + 1) x ranks: where a block begins in the order's lists */
    uint32_t *row;            /* scratch: order->count, the row of a slot */
    size_t *place;            /* scratch: own + 1 */
} pair_plan;

/* Room for the pairs of an order, which must outlive the plan. The caller looks at keep. */
void pair_plan_open(pair_plan *plan, const pair_order *order, int sides, arena *keep);

/* Makes it ready for pair_plan_make. */
void pair_plan_begin(pair_plan *plan);

/* Everything from the weights c of the slots, those of the order for NULL; pairs with weight zero
 * are left out. */
void pair_plan_make(pair_plan *plan, const double *c);

#endif
