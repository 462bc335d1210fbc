/* pair_plan.c - blocks of pairs, their ends by sample, chunks of these. */
#include "engine/pair_plan.h"

#include <string.h>

#define BUFFER_BYTES     ((size_t)4 << 20)
#define SHARES_PER_CHUNK 64

/* Pairs of a block fill the buffer. */
static size_t block_pairs(size_t m, size_t sides)
{
    size_t fit = BUFFER_BYTES / (TRI(m) * sizeof(double) * sides);
    fit = fit / PAIR_BATCH * PAIR_BATCH;
    return fit < PAIR_BATCH ? PAIR_BATCH : fit;
}

void pair_plan_open(pair_plan *plan, size_t p, size_t m, int sides, size_t most, arena *keep)
{
    *plan = (pair_plan){.p = p, .sides = (size_t)sides, .each = block_pairs(m, (size_t)sides)};
    size_t blocks = most / plan->each + 2; /* within and between pairs never share a block */
    plan->pairs = arena_alloc(keep, most, sizeof *plan->pairs);
    plan->degree = arena_alloc(keep, p, 2 * sizeof *plan->degree);
    plan->block = arena_alloc(keep, blocks + 1, sizeof *plan->block);
    plan->shares = arena_alloc(keep, most, 2 * sizeof *plan->shares);
    plan->chunk = arena_alloc(keep, 2 * most / SHARES_PER_CHUNK + blocks + 1, sizeof *plan->chunk);
    plan->place = arena_alloc(keep, p + 1, sizeof *plan->place);
}

static void sum_degrees(pair_plan *plan)
{
    memset(plan->degree, 0, 2 * plan->p * sizeof *plan->degree);
    plan->total = 0.0;
    for (size_t i = 0; i < plan->count; i++) {
        double *degree = plan->degree + (i < plan->within ? 0 : plan->p);
        plan->total += plan->pairs[i].c;
        degree[plan->pairs[i].i] += plan->pairs[i].c;
        degree[plan->pairs[i].j] += plan->pairs[i].c;
    }
}

/* Shares of the block's pairs, sorted by sample, pairs in order (counting sort). */
static void sort_shares(pair_plan *plan, const block *b)
{
    size_t *place = plan->place;
    memset(place, 0, (plan->p + 1) * sizeof *place);
    for (size_t i = 0; i < b->count; i++) {
        place[plan->pairs[b->first + i].i + 1]++;
        place[plan->pairs[b->first + i].j + 1]++;
    }
    for (size_t i = 0; i < plan->p; i++)
        place[i + 1] += place[i];
    for (size_t i = 0; i < b->count; i++) {
        const pair *t = &plan->pairs[b->first + i];
        size_t batch = i / PAIR_BATCH * PAIR_BATCH, in_batch = i - batch;
        size_t size = b->count - batch < PAIR_BATCH ? b->count - batch : PAIR_BATCH;
        size_t row = batch * plan->sides + in_batch;
        size_t second = plan->sides == 2 ? row + size : row;
        plan->shares[b->share + place[t->i]++] = (share){t->i, (uint32_t)row, t->c};
        plan->shares[b->share + place[t->j]++] = (share){t->j, (uint32_t)second, t->c};
    }
}

/* Chunks end where the sample changes, so that one chunk owns a sample. */
static size_t cut_chunks(pair_plan *plan, const block *b, size_t chunk)
{
    size_t end = b->share + 2 * b->count, last = b->share;
    plan->chunk[chunk++] = last;
    for (size_t i = b->share + 1; i < end; i++)
        if (i - last >= SHARES_PER_CHUNK && plan->shares[i].sample != plan->shares[i - 1].sample) {
            plan->chunk[chunk++] = i;
            last = i;
        }
    return chunk;
}

void pair_plan_make(pair_plan *plan)
{
    size_t at = 0, chunk = 0;
    sum_degrees(plan);
    for (plan->blocks = 0; at < plan->count; plan->blocks++) {
        size_t end = at < plan->within ? plan->within : plan->count;
        size_t count = end - at < plan->each ? end - at : plan->each;
        block *b = &plan->block[plan->blocks];
        *b = (block){at, count, 2 * at, chunk};
        sort_shares(plan, b);
        chunk = cut_chunks(plan, b, chunk);
        at += count;
    }
    plan->block[plan->blocks] = (block){at, 0, 2 * at, chunk};
    plan->chunk[chunk] = 2 * at;
}
