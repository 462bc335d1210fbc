/* pair_plan.h - in which order the pairs of a sum are worked on, so that it does not depend on
 * threads.
 *
 * Pairs are cut into blocks whose weight matrices fill a buffer. Each pair has two ends, its
 * shares; those of a block are sorted by sample, pairs in order, and cut into chunks where the
 * sample changes, so that one chunk owns a sample. */
#ifndef SPD_ENGINE_PAIR_PLAN_H
#define SPD_ENGINE_PAIR_PLAN_H

#include "base/arena.h"
#include "geometry/pairs.h"

/* One end of a pair: sample += c * row of the buffer. */
typedef struct share {
    uint32_t sample, row;
    double c;
} share;

/* Pairs first .. first+count-1, and their ends sorted by sample. */
typedef struct block {
    size_t first, count;
    size_t share, chunk; /* where its shares and its chunks of shares begin */
} block;

typedef struct pair_plan {
    size_t p, sides, each; /* samples; matrices of a pair; pairs of a block */
    size_t within, count;  /* pairs 0 .. within-1 are within pairs, the rest between */
    pair *pairs;           /* c > 0 */
    double *degree;        /* 2 x p: sums of c over within and over between pairs */
    double total;          /* sum of all c */
    size_t blocks;
    block *block; /* blocks + 1 */
    share *shares;
    size_t *chunk; /* first share of each chunk, and the end */
    size_t *place; /* p + 1: scratch */
} pair_plan;

/* Room for up to `most` pairs of p samples of size m. The caller looks at keep. */
void pair_plan_open(pair_plan *plan, size_t p, size_t m, int sides, size_t most, arena *keep);

/* Everything from pairs, within and count, which the caller has filled in. */
void pair_plan_make(pair_plan *plan);

#endif
