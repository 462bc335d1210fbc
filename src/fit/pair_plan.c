/* pair_plan.c - stages of pairs, their ends by sample, chunks of these. */
#include "fit/pair_plan.h"

#include <math.h>
#include <string.h>

#define TERMS_PER_CHUNK 64
#define NO_ROW          UINT32_MAX

static size_t ranks_in(const pair_plan *plan)
{
    return (size_t)ranks_count(plan->order->cut.ranks);
}

void pair_plan_open(pair_plan *plan, const pair_order *order, int sides, arena *keep)
{
    size_t measured, received, stages = order->stages, ends = 2 * order->count;
    pair_order_largest(order, &measured, &received);
    *plan = (pair_plan){
        .order = order, .sides = (size_t)sides, .receive_row = measured * (size_t)sides};
    plan->rows = plan->receive_row + received;
    size_t peers = ranks_in(plan);
    plan->pairs = arena_alloc(keep, order->measured, sizeof *plan->pairs);
    plan->degree = arena_alloc(keep, order->own, 2 * sizeof *plan->degree);
    plan->stage = arena_alloc(keep, stages + 1, sizeof *plan->stage);
    plan->terms = arena_alloc(keep, ends, sizeof *plan->terms);
    plan->chunk = arena_alloc(keep, ends / TERMS_PER_CHUNK + stages + 1, sizeof *plan->chunk);
    plan->send_row = arena_alloc(keep, peers > 1 ? order->measured : 1, sizeof *plan->send_row);
    plan->send_at = arena_alloc(keep, stages * (peers + 1), sizeof *plan->send_at);
    plan->receive_at = arena_alloc(keep, stages * (peers + 1), sizeof *plan->receive_at);
    plan->send_begin = arena_alloc(keep, (stages + 1) * peers, sizeof *plan->send_begin);
    plan->receive_begin = arena_alloc(keep, (stages + 1) * peers, sizeof *plan->receive_begin);
    plan->row = arena_alloc(keep, order->count, sizeof *plan->row);
    plan->place = arena_alloc(keep, order->own + 1, sizeof *plan->place);
}

/* The rank that measures a received slot. */
static size_t measured_by(const pair_order *o, size_t slot)
{
    size_t low = 0, high = (size_t)ranks_count(o->cut.ranks);
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (o->measured + o->receive_at[middle] <= slot)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void pair_plan_begin(pair_plan *plan)
{
    const pair_order *o = plan->order;
    size_t peers = ranks_in(plan), measured = 0;
    memcpy(plan->send_begin, o->send_at, peers * sizeof *plan->send_begin);
    memcpy(plan->receive_begin, o->receive_at, peers * sizeof *plan->receive_begin);
    for (size_t b = 0; b < o->stages; b++) {
        size_t *send = plan->send_begin + (b + 1) * peers;
        size_t *receive = plan->receive_begin + (b + 1) * peers;
        memcpy(send, send - peers, peers * sizeof *send);
        memcpy(receive, receive - peers, peers * sizeof *receive);
        for (size_t e = o->stage_at[b]; e < o->stage_at[b + 1]; e++) {
            if (o->slot[e] < o->measured)
                measured++;
            else
                receive[measured_by(o, o->slot[e])]++;
        }
        for (size_t r = 0; r < peers; r++)
            while (send[r] < o->send_at[r + 1] && o->send[send[r]] < measured)
                send[r]++;
    }
}

static int has_weight(const pair_plan *plan, size_t slot)
{
    double weight = pair_plan_weight(plan, slot);
    return weight != 0.0 && !isnan(weight);
}

/* degree += the weight of a slot at the ends that are here. */
static void add_degrees(pair_plan *plan, size_t slot)
{
    size_t samples = plan->order->own;
    const pair *ends = &plan->order->pairs[slot];
    double weight = pair_plan_weight(plan, slot);
    double *degree = plan->degree + (weight > 0.0 ? 0 : samples);
    if (ends->i < samples)
        degree[ends->i] += fabs(weight);
    if (ends->j < samples)
        degree[ends->j] += fabs(weight);
}

/* degree, in the order of the pairs; returns whether the same pairs have a weight as before. */
static int refresh(pair_plan *plan)
{
    const pair_order *o = plan->order;
    int same = plan->made;
    memset(plan->degree, 0, 2 * o->own * sizeof *plan->degree);
    for (size_t e = 0; e < o->count; e++) {
        size_t slot = o->slot[e];
        int has = has_weight(plan, slot);
        if (has)
            add_degrees(plan, slot);
        same = same && has == (plan->row[slot] != NO_ROW);
    }
    return same;
}

/* Pairs of the stage that are measured here, and the rows of all its slots. */
static void take_pairs(pair_plan *plan, size_t b)
{
    const pair_order *o = plan->order;
    plan_stage *at = &plan->stage[b];
    at->first = plan->count;
    for (size_t e = o->stage_at[b]; e < o->stage_at[b + 1]; e++) {
        size_t slot = o->slot[e], k = plan->count - at->first, batch = k / PAIR_BATCH * PAIR_BATCH;
        plan->row[slot] = NO_ROW;
        if (slot >= o->measured || !has_weight(plan, slot))
            continue;
        plan->row[slot] = (uint32_t)(batch * plan->sides + k - batch);
        plan->pairs[plan->count++] = o->pairs[slot];
    }
    at->count = plan->count - at->first;
    size_t peers = ranks_in(plan), row = plan->receive_row;
    size_t *receive_at = plan->receive_at + b * (peers + 1);
    const size_t *begin = plan->receive_begin + b * peers, *end = begin + peers;
    for (size_t r = 0; r < peers; r++) {
        receive_at[r] = row - plan->receive_row;
        for (size_t slot = o->measured + begin[r]; slot < o->measured + end[r]; slot++)
            if (has_weight(plan, slot))
                plan->row[slot] = (uint32_t)row++;
    }
    receive_at[peers] = row - plan->receive_row;
}

/* Where the second matrix of a pair measured here lies, given the first. */
static uint32_t second_row(const pair_plan *plan, const plan_stage *b, uint32_t row)
{
    if (plan->sides == 1)
        return row;
    size_t batch = row / (2 * PAIR_BATCH) * PAIR_BATCH, left = b->count - batch;
    return row + (uint32_t)(left < PAIR_BATCH ? left : PAIR_BATCH);
}

/* Rows that other ranks need: the matrices of their ends. */
static void list_send_rows(pair_plan *plan, size_t b)
{
    const pair_order *o = plan->order;
    size_t peers = ranks_in(plan), first = plan->stage[b].send, at = first;
    size_t *send_at = plan->send_at + b * (peers + 1);
    const size_t *begin = plan->send_begin + b * peers, *end = begin + peers;
    for (size_t r = 0; r < peers; r++) {
        send_at[r] = at - first;
        for (size_t e = begin[r]; e < end[r]; e++) {
            uint32_t slot = o->send[e], row = plan->row[slot];
            if (row == NO_ROW)
                continue;
            if (o->pairs[slot].i < o->own)
                row = second_row(plan, &plan->stage[b], row);
            plan->send_row[at++] = row;
        }
    }
    send_at[peers] = at - first;
    plan->stage[b + 1].send = at;
}

/* Terms of the stage's pairs, sorted by sample, pairs in order (counting sort). */
static void sort_terms(pair_plan *plan, size_t b)
{
    const pair_order *o = plan->order;
    size_t *place = plan->place, begin = plan->stage[b].term;
    memset(place, 0, (o->own + 1) * sizeof *place);
    for (int filling = 0; filling < 2; filling++) {
        for (size_t e = o->stage_at[b]; e < o->stage_at[b + 1]; e++) {
            uint32_t slot = o->slot[e], row = plan->row[slot], second = row;
            const pair *t = &o->pairs[slot];
            if (row == NO_ROW)
                continue;
            if (slot < o->measured)
                second = second_row(plan, &plan->stage[b], row);
            if (t->i < o->own && filling)
                plan->terms[begin + place[t->i]++] = (pair_term){t->i, row, slot};
            else if (t->i < o->own)
                place[t->i + 1]++;
            if (t->j < o->own && filling)
                plan->terms[begin + place[t->j]++] = (pair_term){t->j, second, slot};
            else if (t->j < o->own)
                place[t->j + 1]++;
        }
        for (size_t i = 0; i < o->own && !filling; i++)
            place[i + 1] += place[i];
    }
    plan->stage[b + 1].term = begin + place[o->own];
}

/* Chunks end where the sample changes, so that one chunk owns a sample. */
static size_t cut_chunks(pair_plan *plan, const plan_stage *b, size_t chunk)
{
    size_t end = b[1].term, last = b->term;
    if (end == last)
        return chunk;
    plan->chunk[chunk++] = last;
    for (size_t i = b->term + 1; i < end; i++)
        if (i - last >= TERMS_PER_CHUNK && plan->terms[i].sample != plan->terms[i - 1].sample) {
            plan->chunk[chunk++] = i;
            last = i;
        }
    return chunk;
}

void pair_plan_make(pair_plan *plan, const double *weight)
{
    const pair_order *o = plan->order;
    plan->weight = weight;
    if (refresh(plan))
        return;
    plan->made = 1;
    plan->count = 0;
    plan->stage[0] = (plan_stage){0};
    for (size_t b = 0; b < o->stages; b++) {
        take_pairs(plan, b);
        list_send_rows(plan, b);
        sort_terms(plan, b);
        plan->stage[b + 1].chunk = cut_chunks(plan, &plan->stage[b], plan->stage[b].chunk);
    }
    plan->chunk[plan->stage[o->stages].chunk] = plan->stage[o->stages].term;
}
