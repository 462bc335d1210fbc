/* pair_plan.c - blocks of pairs, their ends by sample, chunks of these. */
#include "engine/pair_plan.h"

#include <math.h>
#include <string.h>

#define SHARES_PER_CHUNK 64
#define NO_ROW           UINT32_MAX

static size_t ranks_in(const pair_plan *plan)
{
    return (size_t)ranks_count(plan->order->cut.ranks);
}

void pair_plan_open(pair_plan *plan, const pair_order *order, int sides, arena *keep)
{
    size_t mine, others, blocks = order->blocks, ends = 2 * order->count;
    pair_order_largest(order, &mine, &others);
    *plan = (pair_plan){.order = order, .sides = (size_t)sides, .received = mine * (size_t)sides};
    plan->rows = plan->received + others;
    size_t peers = ranks_in(plan);
    plan->pairs = arena_alloc(keep, order->mine, sizeof *plan->pairs);
    plan->degree = arena_alloc(keep, order->own, 2 * sizeof *plan->degree);
    plan->block = arena_alloc(keep, blocks + 1, sizeof *plan->block);
    plan->shares = arena_alloc(keep, ends, sizeof *plan->shares);
    plan->chunk = arena_alloc(keep, ends / SHARES_PER_CHUNK + blocks + 1, sizeof *plan->chunk);
    plan->sent = arena_alloc(keep, peers > 1 ? order->mine : 1, sizeof *plan->sent);
    plan->out_at = arena_alloc(keep, blocks * (peers + 1), sizeof *plan->out_at);
    plan->in_at = arena_alloc(keep, blocks * (peers + 1), sizeof *plan->in_at);
    plan->out_cut = arena_alloc(keep, (blocks + 1) * peers, sizeof *plan->out_cut);
    plan->in_cut = arena_alloc(keep, (blocks + 1) * peers, sizeof *plan->in_cut);
    plan->row = arena_alloc(keep, order->count, sizeof *plan->row);
    plan->place = arena_alloc(keep, order->own + 1, sizeof *plan->place);
}

/* The rank whose list of foreign slots holds this one. */
static size_t lender(const pair_order *o, size_t slot)
{
    size_t low = 0, high = (size_t)ranks_count(o->cut.ranks);
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        *(o->mine + o->in_at[middle] <= slot ? &low : &high) = middle;
    }
    return low;
}

void pair_plan_begin(pair_plan *plan)
{
    const pair_order *o = plan->order;
    size_t peers = ranks_in(plan), mine = 0;
    memcpy(plan->out_cut, o->out_at, peers * sizeof *plan->out_cut);
    memcpy(plan->in_cut, o->in_at, peers * sizeof *plan->in_cut);
    for (size_t b = 0; b < o->blocks; b++) {
        size_t *out = plan->out_cut + (b + 1) * peers, *in = plan->in_cut + (b + 1) * peers;
        memcpy(out, out - peers, peers * sizeof *out);
        memcpy(in, in - peers, peers * sizeof *in);
        for (size_t e = o->block[b]; e < o->block[b + 1]; e++) {
            if (o->slot[e] < o->mine)
                mine++;
            else
                in[lender(o, o->slot[e])]++;
        }
        for (size_t r = 0; r < peers; r++)
            while (out[r] < o->out_at[r + 1] && o->out[out[r]] < mine)
                out[r]++;
    }
}

static double weight_of(const pair_order *o, const double *c, size_t slot)
{
    return c ? c[slot] : o->pairs[slot].c;
}

/* degree += c at the ends that are here. */
static void add_degrees(pair_plan *plan, const pair *ends, double c)
{
    size_t own = plan->order->own;
    double *degree = plan->degree + (c > 0.0 ? 0 : own);
    if (ends->i < own)
        degree[ends->i] += fabs(c);
    if (ends->j < own)
        degree[ends->j] += fabs(c);
}

/* Pairs of the block that are measured here, and the rows of all its slots. */
static void take_pairs(pair_plan *plan, size_t b, const double *c)
{
    const pair_order *o = plan->order;
    size_t peers = ranks_in(plan);
    block *at = &plan->block[b];
    at->first = plan->count;
    for (size_t e = o->block[b]; e < o->block[b + 1]; e++) {
        size_t slot = o->slot[e];
        double weight = weight_of(o, c, slot);
        plan->row[slot] = NO_ROW;
        if (weight == 0.0 || isnan(weight))
            continue;
        add_degrees(plan, &o->pairs[slot], weight);
        plan->row[slot] = 0;
        if (slot < o->mine)
            plan->pairs[plan->count++] = (pair){o->pairs[slot].i, o->pairs[slot].j, weight};
    }
    at->count = plan->count - at->first;
    size_t k = 0, row = plan->received, *in_at = plan->in_at + b * (peers + 1);
    for (size_t e = o->block[b]; e < o->block[b + 1]; e++) {
        size_t slot = o->slot[e], batch = k / PAIR_BATCH * PAIR_BATCH;
        if (slot < o->mine && plan->row[slot] != NO_ROW)
            plan->row[slot] = (uint32_t)(batch * plan->sides + k++ - batch);
    }
    for (size_t r = 0; r < peers; r++) {
        in_at[r] = row - plan->received;
        for (size_t f = plan->in_cut[b * peers + r]; f < plan->in_cut[(b + 1) * peers + r]; f++)
            if (plan->row[o->mine + f] != NO_ROW)
                plan->row[o->mine + f] = (uint32_t)row++;
    }
    in_at[peers] = row - plan->received;
}

/* Where the second matrix of a pair measured here lies, given the first. */
static uint32_t second_row(const pair_plan *plan, const block *b, uint32_t row)
{
    if (plan->sides == 1)
        return row;
    size_t batch = row / (2 * PAIR_BATCH) * PAIR_BATCH, left = b->count - batch;
    return row + (uint32_t)(left < PAIR_BATCH ? left : PAIR_BATCH);
}

/* Rows that other ranks need: the matrices of their ends. */
static void list_sent(pair_plan *plan, size_t b)
{
    const pair_order *o = plan->order;
    size_t peers = ranks_in(plan), at = plan->block[b].sent,
           *out_at = plan->out_at + b * (peers + 1);
    for (size_t r = 0; r < peers; r++) {
        out_at[r] = at - plan->block[b].sent;
        for (size_t e = plan->out_cut[b * peers + r]; e < plan->out_cut[(b + 1) * peers + r]; e++) {
            uint32_t slot = o->out[e], row = plan->row[slot];
            if (row != NO_ROW)
                plan->sent[at++] =
                    o->pairs[slot].i < o->own ? second_row(plan, &plan->block[b], row) : row;
        }
    }
    out_at[peers] = at - plan->block[b].sent;
    plan->block[b + 1].sent = at;
}

/* Shares of the block's pairs, sorted by sample, pairs in order (counting sort). */
static void sort_shares(pair_plan *plan, size_t b, const double *c)
{
    const pair_order *o = plan->order;
    size_t *place = plan->place, begin = plan->block[b].share;
    memset(place, 0, (o->own + 1) * sizeof *place);
    for (int filling = 0; filling < 2; filling++) {
        for (size_t e = o->block[b]; e < o->block[b + 1]; e++) {
            size_t slot = o->slot[e];
            const pair *t = &o->pairs[slot];
            uint32_t row = plan->row[slot];
            if (row == NO_ROW)
                continue;
            uint32_t second = slot < o->mine ? second_row(plan, &plan->block[b], row) : row;
            if (t->i < o->own && filling)
                plan->shares[begin + place[t->i]++] = (share){t->i, row, weight_of(o, c, slot)};
            else if (t->i < o->own)
                place[t->i + 1]++;
            if (t->j < o->own && filling)
                plan->shares[begin + place[t->j]++] = (share){t->j, second, weight_of(o, c, slot)};
            else if (t->j < o->own)
                place[t->j + 1]++;
        }
        for (size_t i = 0; i < o->own && !filling; i++)
            place[i + 1] += place[i];
    }
    plan->block[b + 1].share = begin + place[o->own];
}

/* Chunks end where the sample changes, so that one chunk owns a sample. */
static size_t cut_chunks(pair_plan *plan, const block *b, size_t chunk)
{
    size_t end = b[1].share, last = b->share;
    if (end == last)
        return chunk;
    plan->chunk[chunk++] = last;
    for (size_t i = b->share + 1; i < end; i++)
        if (i - last >= SHARES_PER_CHUNK && plan->shares[i].sample != plan->shares[i - 1].sample) {
            plan->chunk[chunk++] = i;
            last = i;
        }
    return chunk;
}

void pair_plan_make(pair_plan *plan, const double *c)
{
    const pair_order *o = plan->order;
    memset(plan->degree, 0, 2 * o->own * sizeof *plan->degree);
    plan->count = 0;
    plan->block[0] = (block){0};
    for (size_t b = 0; b < o->blocks; b++) {
        take_pairs(plan, b, c);
        list_sent(plan, b);
        sort_shares(plan, b, c);
        plan->block[b + 1].chunk = cut_chunks(plan, &plan->block[b], plan->block[b].chunk);
    }
    plan->chunk[plan->block[o->blocks].chunk] = plan->block[o->blocks].share;
}
