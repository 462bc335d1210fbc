/* pair_order.h - in which order the pairs of a graph are worked on, and by whom.
 *
 * Every pair belongs to one of its samples, by turns, and is measured where that sample is: once,
 * on whichever rank. Pairs are ordered so that a stretch of them is spread over all chunks of
 * samples: `turn` pairs of the first chunk, as many of the second, and so on, then the next of the
 * first. That order depends on the graph alone; each sample adds up its pairs in it, so sums have
 * the same bits for any number of ranks. A block is a stretch of rounds, the same in every rank:
 * what is measured in it is exchanged before the next begins, so that memory is bounded.
 *
 * A rank sees the pairs that touch its samples. They have slots: first those that it measures
 * itself, in order, then those of others, by rank and in order. Samples have numbers of their own
 * here: the rank's own from 0 on, then those that it borrows (the halo). */
#ifndef SPD_ENGINE_PAIR_ORDER_H
#define SPD_ENGINE_PAIR_ORDER_H

#include "base/arena.h"
#include "engine/split.h"
#include "geometry/pairs.h"

#define PAIR_ELSEWHERE UINT32_MAX /* a sample of another rank that is not borrowed */

typedef struct pair_order {
    split cut;
    size_t own, halo;   /* samples of this rank; those it borrows */
    size_t mine, count; /* slots that are measured here; all */
    pair *pairs;        /* count; c: weight 2 A_ij, negative between classes */
    uint32_t *home;     /* mine: the chunk it belongs to, counted from the rank's first */
    size_t blocks;
    size_t *block;  /* blocks + 1: where in `slot` each begins */
    uint32_t *slot; /* count: the slots in order */
    /* What goes between ranks; each list of places has ranks + 1 entries. */
    size_t *out_at, *in_at;      /* in `out`; in the slots from `mine` on */
    uint32_t *out;               /* slots measured here of which another rank has one sample */
    size_t *lend_at, *borrow_at; /* in `lend`; in the numbers from `own` on */
    uint32_t *lend;              /* own samples that others borrow */
} pair_order;

/* The order of these pairs; with `both`, a pair that is within and between counts as two, else as
 * one that is within. buffer: pairs that a block of a process alone may have. */
spd_status pair_order_make(spd_context *ctx, const split *cut, size_t count, const spd_pair *given,
                           int both, size_t buffer, arena *keep, pair_order *order);

/* The most slots of a block that are measured here, and elsewhere. */
void pair_order_largest(const pair_order *o, size_t *mine, size_t *others);

#endif
