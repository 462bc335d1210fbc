/* pair_trade.c - lists packed, exchanged and put where they belong. */
#include "engine/pair_trade.h"

#include <string.h>

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

void pair_trade_open(pair_trade *t, const pair_plan *plan, size_t size, arena *keep)
{
    const pair_order *o = plan->order;
    size_t peers = (size_t)ranks_count(o->cut.ranks), mine, others;
    *t = (pair_trade){.order = o, .size = size};
    if (peers == 1)
        return;
    pair_order_largest(o, &mine, &others);
    size_t crossing = o->out_at[peers] + o->in_at[peers];
    t->out =
        arena_alloc(keep, larger(larger(o->lend_at[peers], mine) * size, crossing), sizeof *t->out);
    t->in = arena_alloc(keep, crossing, sizeof *t->in);
    t->out_at = arena_alloc(keep, peers + 1, sizeof *t->out_at);
    t->in_at = arena_alloc(keep, peers + 1, sizeof *t->in_at);
}

/* Places of lists of things of `each` doubles, in bytes. */
static void set_places(pair_trade *t, const size_t *out_at, const size_t *in_at, size_t each)
{
    for (int r = 0; r <= t->order->cut.ranks->count; r++) {
        t->out_at[r] = out_at[r] * each * sizeof *t->out;
        t->in_at[r] = in_at[r] * each * sizeof *t->in;
    }
}

static void trade(pair_trade *t, double *in)
{
    ranks *r = t->order->cut.ranks;
    r->trade(r, t->out_at, t->out, t->in_at, in);
}

void pair_trade_samples(pair_trade *t, double *S)
{
    const pair_order *o = t->order;
    if (!o->cut.ranks)
        return;
    for (size_t e = 0; e < o->lend_at[o->cut.ranks->count]; e++)
        memcpy(t->out + e * t->size, S + o->lend[e] * t->size, t->size * sizeof *S);
    set_places(t, o->lend_at, o->borrow_at, t->size);
    trade(t, S + o->own * t->size);
}

void pair_trade_distances(pair_trade *t, double *d2)
{
    const pair_order *o = t->order;
    if (!o->cut.ranks)
        return;
    for (size_t e = 0; e < o->out_at[o->cut.ranks->count]; e++)
        t->out[e] = d2[o->out[e]];
    set_places(t, o->out_at, o->in_at, 1);
    trade(t, d2 + o->mine);
}

/* To each rank first the weights of pairs measured here, then of those measured there; from each
 * the other way round. */
void pair_trade_weights(pair_trade *t, double *weight)
{
    const pair_order *o = t->order;
    int count = ranks_count(o->cut.ranks);
    size_t sent = 0, taken = 0;
    if (!o->cut.ranks)
        return;
    for (int r = 0; r < count; r++) {
        t->out_at[r] = t->in_at[r] = sent * sizeof *t->out;
        for (size_t e = o->out_at[r]; e < o->out_at[r + 1]; e++)
            t->out[sent++] = weight[o->out[e]];
        for (size_t e = o->in_at[r]; e < o->in_at[r + 1]; e++)
            t->out[sent++] = weight[o->mine + e];
    }
    t->out_at[count] = t->in_at[count] = sent * sizeof *t->out;
    trade(t, t->in);
    for (int r = 0; r < count; r++) {
        for (size_t e = o->in_at[r]; e < o->in_at[r + 1]; e++)
            weight[o->mine + e] += t->in[taken++];
        for (size_t e = o->out_at[r]; e < o->out_at[r + 1]; e++)
            weight[o->out[e]] += t->in[taken++];
    }
}

void pair_trade_rows(pair_trade *t, const pair_plan *plan, size_t which, double *buffer)
{
    ranks *r = t->order->cut.ranks;
    if (!r)
        return;
    size_t lists = (size_t)r->count + 1, *out_at = plan->out_at + which * lists;
    const uint32_t *row = plan->sent + plan->block[which].sent;
    for (size_t e = 0; e < out_at[r->count]; e++)
        memcpy(t->out + e * t->size, buffer + row[e] * t->size, t->size * sizeof *buffer);
    set_places(t, out_at, plan->in_at + which * lists, t->size);
    trade(t, buffer + plan->received * t->size);
}
