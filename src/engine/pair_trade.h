/* pair_trade.h - what the sums over a graph exchange between ranks; nothing for a process alone.
 *
 *   samples   the small matrices that others' pairs need: the halo
 *   distances of pairs that were measured elsewhere, for objectives that look at them
 *   weights   of pairs that two ranks share, the other sample's part
 *   rows      weight matrices of a block, for the samples of other ranks */
#ifndef SPD_ENGINE_PAIR_TRADE_H
#define SPD_ENGINE_PAIR_TRADE_H

#include "engine/pair_plan.h"

typedef struct pair_trade {
    const pair_order *order;
    size_t size;            /* doubles of a small matrix */
    double *out, *in;       /* what goes and comes */
    size_t *out_at, *in_at; /* ranks + 1, in bytes */
} pair_trade;

/* Room; the caller looks at keep. */
void pair_trade_open(pair_trade *t, const pair_plan *plan, size_t size, arena *keep);

/* S ((own + halo) x size): the halo <- the samples of others. */
void pair_trade_samples(pair_trade *t, double *S);

/* d2 (one for each slot): those of others <- as they measured. */
void pair_trade_distances(pair_trade *t, double *d2);

/* weight (one for each slot) += what the other sample says, where that one is elsewhere. */
void pair_trade_weights(pair_trade *t, double *weight);

/* buffer (plan->rows x size): the rows from plan->received on <- those of a block. */
void pair_trade_rows(pair_trade *t, const pair_plan *plan, size_t which, double *buffer);

#endif
