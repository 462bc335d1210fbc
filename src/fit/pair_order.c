/* pair_order.c - stripes and layers of pairs, slots, ghosts and lists for exchange. */
#include "fit/pair_order.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"

#define SHORTEST_STRIPE 8 /* pairs of one chunk in a row have samples in common, in the cache */

/* A pair that touches a sample of this rank. */
typedef struct entry {
    uint32_t i, j;  /* as the graph numbers them */
    uint32_t chunk; /* it is assigned to */
    uint32_t layer;
    double c;
} entry;

/* What the steps of the making share. */
typedef struct maker {
    const split *cut;
    const spd_pair *given;
    size_t count;
    int both, all;
    size_t stripe;
    size_t entries, layers;
    entry *list, *sorted;
    size_t *place; /* scratch of the sort */
    pair_order *o;
} maker;

static int is_own(const split *s, size_t sample)
{
    return sample >= s->first && sample < s->last;
}

/* The sample that a pair is assigned to: alternately the lower and the higher one, but never the
 * last of all, which may be joined to every other. */
static uint32_t assigned_to(const split *s, uint32_t i, uint32_t j)
{
    uint32_t low = i < j ? i : j, high = i < j ? j : i;
    return (i + j) % 2 && high + 1 < s->all ? high : low;
}

/* Weights of pair k as one or two entries; returns how many. */
static int weights_of(const maker *k, const spd_pair *g, double *c)
{
    int count = 0;
    if (g->within > 0.0)
        c[count++] = 2.0 * g->within;
    if (g->between > 0.0 && (k->both || count == 0))
        c[count++] = -2.0 * g->between;
    if (!count && !k->both)
        c[count++] = -0.0;
    return count;
}

/* list <- the entries of this rank, with their layers; NULL counts them only. `place`: a counter
 * for every chunk. */
static void list_entries(maker *k, entry *list)
{
    size_t made = 0;
    memset(k->place, 0, k->cut->chunks * sizeof *k->place);
    k->layers = 0;
    for (size_t e = 0; e < k->count; e++) {
        const spd_pair *g = &k->given[e];
        double c[2];
        size_t chunk = assigned_to(k->cut, g->i, g->j) / k->cut->each;
        int weights = weights_of(k, g, c);
        for (int w = 0; w < weights; w++) {
            size_t layer = k->place[chunk]++ / k->stripe;
            k->layers = layer + 1 > k->layers ? layer + 1 : k->layers;
            if (!is_own(k->cut, g->i) && !is_own(k->cut, g->j))
                continue;
            if (list)
                list[made] = (entry){g->i, g->j, (uint32_t)chunk, (uint32_t)layer, c[w]};
            made++;
        }
    }
    k->entries = made;
}

/* sorted <- list, stably by chunk or by layer. */
static void sort_by(maker *k, int by_layer, size_t keys, const entry *list, entry *sorted)
{
    memset(k->place, 0, (keys + 1) * sizeof *k->place);
    for (size_t e = 0; e < k->entries; e++)
        k->place[(by_layer ? list[e].layer : list[e].chunk) + 1]++;
    for (size_t key = 0; key < keys; key++)
        k->place[key + 1] += k->place[key];
    for (size_t e = 0; e < k->entries; e++)
        sorted[k->place[by_layer ? list[e].layer : list[e].chunk]++] = list[e];
}

static int is_measured(const maker *k, const entry *e)
{
    size_t first = k->cut->chunk_first;
    return e->chunk >= first && e->chunk < first + k->cut->owned;
}

/* The rank of the sample that is not of this rank; this rank if both are. */
static int peer_of(const maker *k, const entry *e)
{
    return split_owner(k->cut, is_own(k->cut, e->i) ? e->j : e->i);
}

/* Slots of the entries, and where stages begin. */
static void make_slots(maker *k, int peers, size_t *next)
{
    pair_order *o = k->o;
    size_t measured = 0, stage = 0;
    for (int r = 0; r < peers; r++)
        next[r] = o->receive_at[r];
    for (size_t e = 0; e < k->entries; e++) {
        const entry *at = &k->list[e];
        size_t slot = is_measured(k, at) ? measured++ : o->measured + next[peer_of(k, at)]++;
        o->pairs[slot] = (pair){at->i, at->j, at->c};
        if (slot < o->measured)
            o->chunk[slot] = (uint32_t)(at->chunk - k->cut->chunk_first);
        o->slot[e] = (uint32_t)slot;
        for (; stage <= at->layer / (size_t)peers; stage++)
            o->stage_at[stage] = e;
    }
    for (; stage <= o->stages; stage++)
        o->stage_at[stage] = k->entries;
}

/* send_at, receive_at <- how many distances go to and come from each rank, as places. */
static void count_crossing(maker *k, int peers)
{
    pair_order *o = k->o;
    memset(o->send_at, 0, ((size_t)peers + 1) * sizeof *o->send_at);
    memset(o->receive_at, 0, ((size_t)peers + 1) * sizeof *o->receive_at);
    o->measured = 0;
    for (size_t e = 0; e < k->entries; e++) {
        const entry *at = &k->list[e];
        int both_own = is_own(k->cut, at->i) && is_own(k->cut, at->j);
        if (is_measured(k, at))
            o->measured++;
        if (!both_own && is_measured(k, at))
            o->send_at[peer_of(k, at) + 1]++;
        else if (!both_own)
            o->receive_at[peer_of(k, at) + 1]++;
    }
    for (int r = 0; r < peers; r++) {
        o->send_at[r + 1] += o->send_at[r];
        o->receive_at[r + 1] += o->receive_at[r];
    }
}

/* send <- the slots, by rank and in order. */
static void list_send(const maker *k, int peers, size_t *next)
{
    const pair_order *o = k->o;
    for (int r = 0; r < peers; r++)
        next[r] = o->send_at[r];
    for (size_t slot = 0; slot < o->measured; slot++) {
        const pair *t = &o->pairs[slot];
        if (!is_own(k->cut, t->i) || !is_own(k->cut, t->j))
            o->send[next[split_owner(k->cut, is_own(k->cut, t->i) ? t->j : t->i)]++] =
                (uint32_t)slot;
    }
}

static int by_number(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* list (count) <- sorted, each number once; returns how many. */
static size_t sort_numbers(uint32_t *list, size_t count)
{
    size_t kept = 0;
    qsort(list, count, sizeof *list, by_number);
    for (size_t e = 0; e < count; e++)
        if (kept == 0 || list[e] != list[kept - 1])
            list[kept++] = list[e];
    return kept;
}

/* The sample of a slot that is of this rank (own), or the other one. */
static uint32_t end_of(const maker *k, size_t slot, int own)
{
    const pair *t = &k->o->pairs[slot];
    return is_own(k->cut, t->i) == own ? t->i : t->j;
}

/* list <- the samples of a rank; returns how many. */
static size_t list_samples(const split *s, int rank, uint32_t *list)
{
    size_t first = split_begin(s, rank), last = split_begin(s, rank + 1);
    for (size_t sample = first; sample < last; sample++)
        list[sample - first] = (uint32_t)sample;
    return last - first;
}

/* ghost_send, ghost <- the samples that each rank needs of this one, and this one of it, ascending;
 * both ends of a list make it from the same pairs. */
static void make_ghosts(maker *k, int peers, uint32_t *ghost)
{
    pair_order *o = k->o;
    int own = ranks_rank(k->cut->ranks);
    o->ghost_send_at[0] = o->ghost_at[0] = 0;
    for (int r = 0; r < peers; r++) {
        uint32_t *send = o->ghost_send + o->ghost_send_at[r], *receive = ghost + o->ghost_at[r];
        size_t sent = 0, received = 0;
        for (size_t e = o->receive_at[r]; e < o->receive_at[r + 1]; e++)
            send[sent++] = end_of(k, o->measured + e, 1);
        for (size_t e = o->send_at[r]; e < o->send_at[r + 1]; e++)
            receive[received++] = end_of(k, o->send[e], 0);
        if (k->all && r != own) {
            sent = list_samples(k->cut, own, send);
            received = list_samples(k->cut, r, receive);
        }
        o->ghost_send_at[r + 1] = o->ghost_send_at[r] + sort_numbers(send, sent);
        o->ghost_at[r + 1] = o->ghost_at[r] + sort_numbers(receive, received);
    }
    o->ghosts = o->ghost_at[peers];
}

static uint32_t renumber(const maker *k, uint32_t sample, const uint32_t *ghost)
{
    if (is_own(k->cut, sample))
        return (uint32_t)(sample - k->cut->first);
    const uint32_t *at = bsearch(&sample, ghost, k->o->ghosts, sizeof sample, by_number);
    return at ? (uint32_t)(k->o->own + (size_t)(at - ghost)) : PAIR_ELSEWHERE;
}

/* Samples <- their numbers here. Samples of received slots that happen to be ghosts have one too,
 * which nobody uses. */
static void renumber_all(maker *k, const uint32_t *ghost)
{
    pair_order *o = k->o;
    for (size_t slot = 0; slot < o->count; slot++) {
        o->pairs[slot].i = renumber(k, o->pairs[slot].i, ghost);
        o->pairs[slot].j = renumber(k, o->pairs[slot].j, ghost);
    }
    for (size_t e = 0; e < o->ghost_send_at[ranks_count(k->cut->ranks)]; e++)
        o->ghost_send[e] -= (uint32_t)k->cut->first;
}

/* Samples that lists of ghosts may have. */
static size_t ghost_room(const maker *k, size_t peers)
{
    size_t own = k->cut->last - k->cut->first;
    return peers == 1 ? 1 : k->entries + (k->all ? k->cut->all + own * peers : 0);
}

static void allocate(maker *k, size_t peers, arena *keep)
{
    pair_order *o = k->o;
    o->count = k->entries;
    o->stages = (k->layers + peers - 1) / peers;
    o->pairs = arena_alloc(keep, o->count, sizeof *o->pairs);
    o->chunk = arena_alloc(keep, o->count, sizeof *o->chunk);
    o->slot = arena_alloc(keep, o->count, sizeof *o->slot);
    o->stage_at = arena_alloc(keep, o->stages + 1, sizeof *o->stage_at);
    o->send_at = arena_alloc(keep, peers + 1, sizeof *o->send_at);
    o->receive_at = arena_alloc(keep, peers + 1, sizeof *o->receive_at);
    o->ghost_send_at = arena_alloc(keep, peers + 1, sizeof *o->ghost_send_at);
    o->ghost_at = arena_alloc(keep, peers + 1, sizeof *o->ghost_at);
    o->send = arena_alloc(keep, peers > 1 ? o->count : 1, sizeof *o->send);
    o->ghost_send = arena_alloc(keep, ghost_room(k, peers), sizeof *o->ghost_send);
}

spd_status pair_order_make(spd_context *ctx, const split *cut, size_t count, const spd_pair *given,
                           int both, int all, size_t buffer, arena *keep, pair_order *order)
{
    arena room = {0};
    size_t peers = (size_t)ranks_count(cut->ranks), stripe = buffer / cut->chunks;
    *order = (pair_order){.cut = *cut, .own = cut->last - cut->first};
    maker k = {.cut = cut, .given = given, .count = count, .both = both, .all = all, .o = order};
    k.stripe = stripe > SHORTEST_STRIPE ? stripe : SHORTEST_STRIPE;
    size_t most = 2 * count / k.stripe + 2; /* layers, if all pairs were of one chunk */
    k.place = arena_alloc(&room, cut->chunks + most + peers + 1, sizeof *k.place);
    spd_status status = arena_status(&room, ctx, "pairs");
    if (status == SPD_OK)
        list_entries(&k, NULL);
    k.list = arena_alloc(&room, k.entries, sizeof *k.list);
    k.sorted = arena_alloc(&room, k.entries, sizeof *k.sorted);
    uint32_t *ghost = arena_alloc(&room, ghost_room(&k, peers), sizeof *ghost);
    if (status == SPD_OK)
        allocate(&k, peers, keep);
    if (status == SPD_OK)
        status = arena_status(&room, ctx, "pairs");
    if (status == SPD_OK)
        status = arena_status(keep, ctx, "pairs");
    if (status == SPD_OK) {
        list_entries(&k, k.list);
        sort_by(&k, 0, cut->chunks, k.list, k.sorted);
        sort_by(&k, 1, k.layers, k.sorted, k.list);
        count_crossing(&k, (int)peers);
        make_slots(&k, (int)peers, k.place);
        list_send(&k, (int)peers, k.place);
        make_ghosts(&k, (int)peers, ghost);
        renumber_all(&k, ghost);
    }
    arena_free(&room);
    return status;
}

void pair_order_largest(const pair_order *o, size_t *measured, size_t *received)
{
    *measured = *received = 0;
    for (size_t b = 0; b < o->stages; b++) {
        size_t here = 0, all = o->stage_at[b + 1] - o->stage_at[b];
        for (size_t e = o->stage_at[b]; e < o->stage_at[b + 1]; e++)
            if (o->slot[e] < o->measured)
                here++;
        *measured = larger(here, *measured);
        *received = larger(all - here, *received);
    }
}
