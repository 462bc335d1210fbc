/* pair_exchange.h - what the sums over a graph exchange between ranks; nothing for a process alone.
 *
 *   samples   the small matrices that pairs of other ranks need: ghosts
 *   distances of pairs that were measured elsewhere, for objectives that look at them
 *   weights   of pairs across two ranks, the other sample's part
 *   rows      weight matrices of a stage, for the samples of other ranks */
#ifndef SPD_FIT_PAIR_EXCHANGE_H
#define SPD_FIT_PAIR_EXCHANGE_H

#include "fit/pair_plan.h"

typedef struct pair_exchange {
    const pair_order *order;
    size_t size; /* doubles of a small matrix */
    double *send, *receive;
    size_t *send_at, *receive_at; /* ranks + 1, in bytes */
} pair_exchange;

/* Room; the caller looks at keep. */
void pair_exchange_open(pair_exchange *t, const pair_plan *plan, size_t size, arena *keep);

/* S ((own + ghosts) x size): the ghosts <- the samples of others. */
void pair_exchange_samples(pair_exchange *t, double *S);

/* d2 (one for each slot): those of others <- as they measured. */
void pair_exchange_distances(pair_exchange *t, double *d2);

/* weight (one for each slot) += the other sample's part, if that one is of another rank. */
void pair_exchange_weights(pair_exchange *t, double *weight);

/* buffer (plan->rows x size): the rows from plan->receive_row on <- those of a stage. */
void pair_exchange_rows(pair_exchange *t, const pair_plan *plan, size_t which, double *buffer);

#endif
