/* pair_order.c - rounds of pairs, spread over the chunks; slots, halo and lists for exchange. */
#include "engine/pair_order.h"

#include <stdlib.h>
#include <string.h>

#define TURN_AT_LEAST 8 /* pairs of one chunk in a row: they share samples in the cache */

/* A pair that touches a sample of this rank. */
typedef struct entry {
    uint32_t i, j;  /* as the graph numbers them */
    uint32_t chunk; /* it belongs to */
    uint32_t round;
    double c;
} entry;

/* What the steps of the making share. */
typedef struct maker {
    const split *cut;
    const spd_pair *given;
    size_t count;
    int both;
    size_t turn;
    size_t entries, rounds;
    entry *list, *sorted;
    size_t *place; /* scratch of the sort */
    pair_order *o;
} maker;

static int is_own(const split *s, size_t sample)
{
    return sample >= s->first && sample < s->last;
}

/* The sample that a pair belongs to: by turns, except that the last one, which may be joined to
 * all, has none. */
static uint32_t home_of(const split *s, uint32_t i, uint32_t j)
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

/* list <- the entries of this rank, with their rounds; NULL counts them only. `place`: a counter
 * for every chunk. */
static void list_entries(maker *k, entry *list)
{
    size_t made = 0;
    memset(k->place, 0, k->cut->chunks * sizeof *k->place);
    k->rounds = 0;
    for (size_t e = 0; e < k->count; e++) {
        const spd_pair *g = &k->given[e];
        double c[2];
        size_t chunk = home_of(k->cut, g->i, g->j) / k->cut->each;
        int weights = weights_of(k, g, c);
        for (int w = 0; w < weights; w++) {
            size_t round = k->place[chunk]++ / k->turn;
            k->rounds = round + 1 > k->rounds ? round + 1 : k->rounds;
            if (!is_own(k->cut, g->i) && !is_own(k->cut, g->j))
                continue;
            if (list)
                list[made] = (entry){g->i, g->j, (uint32_t)chunk, (uint32_t)round, c[w]};
            made++;
        }
    }
    k->entries = made;
}

/* sorted <- list, stably by chunk or by round. */
static void sort_by(maker *k, int by_round, size_t keys, const entry *list, entry *sorted)
{
    memset(k->place, 0, (keys + 1) * sizeof *k->place);
    for (size_t e = 0; e < k->entries; e++)
        k->place[(by_round ? list[e].round : list[e].chunk) + 1]++;
    for (size_t key = 0; key < keys; key++)
        k->place[key + 1] += k->place[key];
    for (size_t e = 0; e < k->entries; e++)
        sorted[k->place[by_round ? list[e].round : list[e].chunk]++] = list[e];
}

static int is_mine(const maker *k, const entry *e)
{
    size_t first = k->cut->chunk_first;
    return e->chunk >= first && e->chunk < first + k->cut->owned;
}

/* The rank of the sample that is not ours; our own where both are. */
static int peer_of(const maker *k, const entry *e)
{
    return split_owner(k->cut, is_own(k->cut, e->i) ? e->j : e->i);
}

/* Slots, blocks and what each rank measures of ours. */
static void make_slots(maker *k, int peers, size_t *next)
{
    pair_order *o = k->o;
    size_t mine = 0, block = 0;
    for (int r = 0; r < peers; r++)
        next[r] = o->in_at[r];
    for (size_t e = 0; e < k->entries; e++) {
        const entry *at = &k->list[e];
        size_t slot = is_mine(k, at) ? mine++ : o->mine + next[peer_of(k, at)]++;
        o->pairs[slot] = (pair){at->i, at->j, at->c};
        if (slot < o->mine)
            o->home[slot] = (uint32_t)(at->chunk - k->cut->chunk_first);
        o->slot[e] = (uint32_t)slot;
        for (; block <= at->round / (size_t)peers; block++)
            o->block[block] = e;
    }
    for (; block <= o->blocks; block++)
        o->block[block] = k->entries;
}

/* out_at, in_at <- how many pairs go between us and each rank, as places. */
static void count_crossing(maker *k, int peers)
{
    pair_order *o = k->o;
    memset(o->out_at, 0, ((size_t)peers + 1) * sizeof *o->out_at);
    memset(o->in_at, 0, ((size_t)peers + 1) * sizeof *o->in_at);
    o->mine = 0;
    for (size_t e = 0; e < k->entries; e++) {
        const entry *at = &k->list[e];
        int both_own = is_own(k->cut, at->i) && is_own(k->cut, at->j);
        o->mine += is_mine(k, at) ? 1 : 0;
        if (!both_own)
            (is_mine(k, at) ? o->out_at : o->in_at)[peer_of(k, at) + 1]++;
    }
    for (int r = 0; r < peers; r++) {
        o->out_at[r + 1] += o->out_at[r];
        o->in_at[r + 1] += o->in_at[r];
    }
}

/* out <- the slots, by rank and in order. */
static void list_out(const maker *k, int peers, size_t *next)
{
    const pair_order *o = k->o;
    for (int r = 0; r < peers; r++)
        next[r] = o->out_at[r];
    for (size_t slot = 0; slot < o->mine; slot++) {
        const pair *t = &o->pairs[slot];
        if (!is_own(k->cut, t->i) || !is_own(k->cut, t->j))
            o->out[next[split_owner(k->cut, is_own(k->cut, t->i) ? t->j : t->i)]++] =
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

/* The sample of a slot that is ours, or that is not. */
static uint32_t side(const maker *k, size_t slot, int ours)
{
    const pair *t = &k->o->pairs[slot];
    return is_own(k->cut, t->i) == ours ? t->i : t->j;
}

/* lend, borrow <- the samples that each rank needs of us, and that we need of it, ascending; both
 * ends of a list make it from the same pairs. */
static void make_halo(maker *k, int peers, uint32_t *borrowed)
{
    pair_order *o = k->o;
    o->lend_at[0] = o->borrow_at[0] = 0;
    for (int r = 0; r < peers; r++) {
        uint32_t *lend = o->lend + o->lend_at[r], *borrow = borrowed + o->borrow_at[r];
        size_t lent = 0, taken = 0;
        for (size_t e = o->in_at[r]; e < o->in_at[r + 1]; e++)
            lend[lent++] = side(k, o->mine + e, 1);
        for (size_t e = o->out_at[r]; e < o->out_at[r + 1]; e++)
            borrow[taken++] = side(k, o->out[e], 0);
        o->lend_at[r + 1] = o->lend_at[r] + sort_numbers(lend, lent);
        o->borrow_at[r + 1] = o->borrow_at[r] + sort_numbers(borrow, taken);
    }
    o->halo = o->borrow_at[peers];
}

static uint32_t renumber(const maker *k, uint32_t sample, const uint32_t *borrowed)
{
    if (is_own(k->cut, sample))
        return (uint32_t)(sample - k->cut->first);
    const uint32_t *at = bsearch(&sample, borrowed, k->o->halo, sizeof sample, by_number);
    return at ? (uint32_t)(k->o->own + (size_t)(at - borrowed)) : PAIR_ELSEWHERE;
}

/* Samples <- their numbers here. Those of foreign slots that happen to be borrowed have one too,
 * which nobody asks for. */
static void renumber_all(maker *k, const uint32_t *borrowed)
{
    pair_order *o = k->o;
    for (size_t slot = 0; slot < o->count; slot++) {
        o->pairs[slot].i = renumber(k, o->pairs[slot].i, borrowed);
        o->pairs[slot].j = renumber(k, o->pairs[slot].j, borrowed);
    }
    for (size_t e = 0; e < o->lend_at[ranks_count(k->cut->ranks)]; e++)
        o->lend[e] -= (uint32_t)k->cut->first;
}

static void allocate(maker *k, size_t peers, arena *keep)
{
    pair_order *o = k->o;
    o->count = k->entries;
    o->blocks = (k->rounds + peers - 1) / peers;
    o->pairs = arena_alloc(keep, o->count, sizeof *o->pairs);
    o->home = arena_alloc(keep, o->count, sizeof *o->home);
    o->slot = arena_alloc(keep, o->count, sizeof *o->slot);
    o->block = arena_alloc(keep, o->blocks + 1, sizeof *o->block);
    o->out_at = arena_alloc(keep, peers + 1, sizeof *o->out_at);
    o->in_at = arena_alloc(keep, peers + 1, sizeof *o->in_at);
    o->lend_at = arena_alloc(keep, peers + 1, sizeof *o->lend_at);
    o->borrow_at = arena_alloc(keep, peers + 1, sizeof *o->borrow_at);
    o->out = arena_alloc(keep, peers > 1 ? o->count : 1, sizeof *o->out);
    o->lend = arena_alloc(keep, peers > 1 ? o->count : 1, sizeof *o->lend);
}

spd_status pair_order_make(spd_context *ctx, const split *cut, size_t count, const spd_pair *given,
                           int both, size_t buffer, arena *keep, pair_order *order)
{
    arena room = {0};
    size_t peers = (size_t)ranks_count(cut->ranks), turn = buffer / cut->chunks;
    *order = (pair_order){.cut = *cut, .own = cut->last - cut->first};
    maker k = {.cut = cut, .given = given, .count = count, .both = both, .o = order};
    k.turn = turn > TURN_AT_LEAST ? turn : TURN_AT_LEAST;
    size_t most = 2 * count / k.turn + 2; /* rounds, if all pairs were of one chunk */
    k.place = arena_alloc(&room, cut->chunks + most + peers + 1, sizeof *k.place);
    spd_status status = arena_status(&room, ctx, "pairs");
    if (status == SPD_OK)
        list_entries(&k, NULL);
    k.list = arena_alloc(&room, k.entries, sizeof *k.list);
    k.sorted = arena_alloc(&room, k.entries, sizeof *k.sorted);
    uint32_t *borrowed = arena_alloc(&room, peers > 1 ? k.entries : 1, sizeof *borrowed);
    if (status == SPD_OK)
        allocate(&k, peers, keep);
    if (status == SPD_OK)
        status = arena_status(&room, ctx, "pairs");
    if (status == SPD_OK)
        status = arena_status(keep, ctx, "pairs");
    if (status == SPD_OK) {
        list_entries(&k, k.list);
        sort_by(&k, 0, cut->chunks, k.list, k.sorted);
        sort_by(&k, 1, k.rounds, k.sorted, k.list);
        count_crossing(&k, (int)peers);
        make_slots(&k, (int)peers, k.place);
        list_out(&k, (int)peers, k.place);
        make_halo(&k, (int)peers, borrowed);
        renumber_all(&k, borrowed);
    }
    arena_free(&room);
    return status;
}

void pair_order_largest(const pair_order *o, size_t *mine, size_t *others)
{
    *mine = *others = 0;
    for (size_t b = 0; b < o->blocks; b++) {
        size_t here = 0, there = 0;
        for (size_t e = o->block[b]; e < o->block[b + 1]; e++)
            *(o->slot[e] < o->mine ? &here : &there) += 1;
        *mine = here > *mine ? here : *mine;
        *others = there > *others ? there : *others;
    }
}
