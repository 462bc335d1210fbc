/* pair_exchange.c - lists packed, exchanged and put where they belong. */
#include "fit/pair_exchange.h"

#include <string.h>

#include "base/order.h"

void pair_exchange_open(pair_exchange *t, const pair_plan *plan, size_t size, arena *keep)
{
    const pair_order *o = plan->order;
    size_t peers = (size_t)ranks_count(o->cut.ranks), measured, received;
    *t = (pair_exchange){.order = o, .size = size};
    if (peers == 1)
        return;
    pair_order_largest(o, &measured, &received);
    size_t crossing = o->send_at[peers] + o->receive_at[peers];
    t->send = arena_alloc(keep, larger(larger(o->ghost_send_at[peers], measured) * size, crossing),
                          sizeof *t->send);
    t->receive = arena_alloc(keep, crossing, sizeof *t->receive);
    t->send_at = arena_alloc(keep, peers + 1, sizeof *t->send_at);
    t->receive_at = arena_alloc(keep, peers + 1, sizeof *t->receive_at);
}

/* Places of lists of things of `each` doubles, in bytes. */
static void set_places(pair_exchange *t, const size_t *send_at, const size_t *receive_at,
                       size_t each)
{
    for (int r = 0; r <= t->order->cut.ranks->count; r++) {
        t->send_at[r] = send_at[r] * each * sizeof *t->send;
        t->receive_at[r] = receive_at[r] * each * sizeof *t->receive;
    }
}

static void exchange_lists(pair_exchange *t, double *to)
{
    ranks *r = t->order->cut.ranks;
    r->exchange(r, t->send_at, t->send, t->receive_at, to);
}

void pair_exchange_samples(pair_exchange *t, double *S)
{
    const pair_order *o = t->order;
    if (!o->cut.ranks)
        return;
    for (size_t e = 0; e < o->ghost_send_at[o->cut.ranks->count]; e++)
        memcpy(t->send + e * t->size, S + o->ghost_send[e] * t->size, t->size * sizeof *S);
    set_places(t, o->ghost_send_at, o->ghost_at, t->size);
    exchange_lists(t, S + o->own * t->size);
}

void pair_exchange_distances(pair_exchange *t, double *d2)
{
    const pair_order *o = t->order;
    if (!o->cut.ranks)
        return;
    for (size_t e = 0; e < o->send_at[o->cut.ranks->count]; e++)
        t->send[e] = d2[o->send[e]];
    set_places(t, o->send_at, o->receive_at, 1);
    exchange_lists(t, d2 + o->measured);
}

/* To each rank first the weights of pairs measured here, then of those measured there; from each
 * the other way round. */
void pair_exchange_weights(pair_exchange *t, double *weight)
{
    const pair_order *o = t->order;
    int count = ranks_count(o->cut.ranks);
    size_t sent = 0, received = 0;
    if (!o->cut.ranks)
        return;
    for (int r = 0; r < count; r++) {
        t->send_at[r] = t->receive_at[r] = sent * sizeof *t->send;
        for (size_t e = o->send_at[r]; e < o->send_at[r + 1]; e++)
            t->send[sent++] = weight[o->send[e]];
        for (size_t e = o->receive_at[r]; e < o->receive_at[r + 1]; e++)
            t->send[sent++] = weight[o->measured + e];
    }
    t->send_at[count] = t->receive_at[count] = sent * sizeof *t->send;
    exchange_lists(t, t->receive);
    for (int r = 0; r < count; r++) {
        for (size_t e = o->receive_at[r]; e < o->receive_at[r + 1]; e++)
            weight[o->measured + e] += t->receive[received++];
        for (size_t e = o->send_at[r]; e < o->send_at[r + 1]; e++)
            weight[o->send[e]] += t->receive[received++];
    }
}

void pair_exchange_rows(pair_exchange *t, const pair_plan *plan, size_t which, double *buffer)
{
    ranks *r = t->order->cut.ranks;
    if (!r)
        return;
    size_t lists = (size_t)r->count + 1, *send_at = plan->send_at + which * lists;
    const uint32_t *row = plan->send_row + plan->stage[which].send;
    for (size_t e = 0; e < send_at[r->count]; e++)
        memcpy(t->send + e * t->size, buffer + row[e] * t->size, t->size * sizeof *buffer);
    set_places(t, send_at, plan->receive_at + which * lists, t->size);
    exchange_lists(t, buffer + plan->receive_row * t->size);
}
