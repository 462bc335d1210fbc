/* pair_plan.h - the pairs that have a weight, stage by stage, and what is added to which sample.
 *
 * The weight matrices of a stage (pair_order.h) fill a buffer: first those of the pairs measured
 * here, batch by batch, then those that other ranks have measured. A pair has up to two ends here,
 * its terms; those of a stage are sorted by sample, pairs in order, and cut into chunks where the
 * sample changes, so that one chunk owns a sample. */
#ifndef SPD_FIT_PAIR_PLAN_H
#define SPD_FIT_PAIR_PLAN_H

#include "base/arena.h"
#include "fit/pair_order.h"

/* One end of a pair: sample += weight of the slot * row of the buffer. */
typedef struct pair_term {
    uint32_t sample, row, slot;
} pair_term;

/* Pairs first .. first+count-1, measured here, and the ends of these and of others' by sample. */
typedef struct plan_stage {
    size_t first, count;
    size_t term, chunk; /* where its terms and its chunks of terms begin */
    size_t send;        /* where its rows begin in send_row */
} plan_stage;

typedef struct pair_plan {
    const pair_order *order;
    const double *weight; /* of the slots; NULL: those of the order */
    size_t sides;         /* matrices of a pair */
    size_t receive_row;   /* row of the buffer where those of other ranks begin */
    size_t rows;          /* of the buffer */
    pair *pairs;          /* order->measured at most */
    size_t count;
    double *degree;    /* 2 x own samples: sums of |weight| over within and over between pairs */
    plan_stage *stage; /* order->stages + 1 */
    pair_term *terms;
    size_t *chunk;                      /* first term of each chunk, and the end */
    uint32_t *send_row;                 /* rows that other ranks need, by stage and by rank */
    size_t *send_at, *receive_at;       /* stages x (ranks + 1): rows for and from each rank */
    size_t *send_begin, *receive_begin; /* (stages + 1) x ranks: where a stage begins in the
                                           order's lists */
    uint32_t *row;                      /* order->count: the row of a slot, if it has a weight */
    size_t *place;                      /* scratch: own samples + 1 */
    int made;
} pair_plan;

/* Room for the pairs of an order, which must outlive the plan. The caller looks at keep. */
void pair_plan_open(pair_plan *plan, const pair_order *order, int sides, arena *keep);

/* Makes it ready for pair_plan_make. */
void pair_plan_begin(pair_plan *plan);

/* Everything from the weights of the slots, which must stay there; NULL: those of the order. Pairs
 * with weight zero are left out. While the same pairs have a weight only degrees are new. */
void pair_plan_make(pair_plan *plan, const double *weight);

static inline double pair_plan_weight(const pair_plan *plan, size_t slot)
{
    return plan->weight ? plan->weight[slot] : plan->order->pairs[slot].c;
}

#endif
