/* pair_order.h - in which order the pairs of a graph are worked on, and by which rank.
 *
 * Samples are cut into chunks (run/split.h), and each rank has a range of them. A pair is assigned
 * to one of its two samples, alternately, and is measured once, by the rank of that sample. Pairs
 * are then put in order: a stripe of pairs of the first chunk, a stripe of the second, and so on;
 * then the next stripe of each. All first stripes are layer 0, all second ones layer 1:
 *
 *             chunk 0    chunk 1    chunk 2    chunk 3
 *   layer 0   a b c      d e f      g h i      j k l      order: a b c d e f g h i j k l
 *   layer 1   m n o      p q        r s t      u                 m n o p q r s t u
 *             '---- rank 0 ----'    '---- rank 1 ----'
 *
 * This order depends on the graph alone. Every sample adds up its pairs in it, so sums have the
 * same bits for any number of ranks. A stage is as many layers as there are ranks: its matrices are
 * computed and exchanged before the next stage begins, so that memory is bounded, and every rank
 * has work in every stage.
 *
 * What a rank knows: its own samples, numbered from 0, then ghosts, which are copies of samples of
 * other ranks that its pairs need; and all pairs that touch its samples, numbered by slots: first
 * those that it measures, in order, then those that others measure, by rank and in order.
 *
 *   samples   | own 0 .. own-1            | ghosts: of rank 0 | of rank 1 | ..  |
 *   slots     | measured 0 .. measured-1  | received: of rank 0 | of rank 1 | .. |
 */
#ifndef SPD_FIT_PAIR_ORDER_H
#define SPD_FIT_PAIR_ORDER_H

#include "base/arena.h"
#include "run/split.h"
#include "geometry/pairs.h"

#define PAIR_ELSEWHERE UINT32_MAX /* a sample of another rank that is no ghost here */

typedef struct pair_order {
    split cut;
    size_t own, ghosts;     /* samples */
    size_t measured, count; /* slots that are measured here; all */
    pair *pairs;            /* count; c: weight 2 A_ij, negative between classes */
    uint32_t *chunk; /* measured: the chunk a pair is assigned to, from the rank's first on */
    size_t stages;
    size_t *stage_at; /* stages + 1: where in `slot` each begins */
    uint32_t *slot;   /* count: the slots in order */

    /* For exchanges with each rank; the lists of places have ranks + 1 entries. */
    uint32_t *send;                   /* measured slots of which another rank has one sample, */
    size_t *send_at;                  /* by rank */
    size_t *receive_at;               /* slots from `measured` on, by the rank that measures them */
    uint32_t *ghost_send;             /* own samples that are ghosts elsewhere, */
    size_t *ghost_send_at, *ghost_at; /* by rank; ghosts here, by rank */
} pair_order;

/* The order of these pairs; with `both`, a pair that is within and between counts as two, else as
 * one that is within. all: every rank is to know all samples, and not only those that its pairs
 * need. buffer: pairs that a stage of a single process may have. */
spd_status pair_order_make(spd_context *ctx, const split *cut, size_t count, const spd_pair *given,
                           int both, int all, size_t buffer, arena *keep, pair_order *order);

/* The most slots of a stage that are measured here, and by others. */
void pair_order_largest(const pair_order *o, size_t *measured, size_t *received);

#endif
