/* candidates.c - each sample's candidates, weighed; samples in parallel, sums in order. */
#include "fit/candidates.h"

#include <math.h>
#include <string.h>

#include "run/parallel.h"

#define EACH 16 /* samples of a chunk */

struct candidates {
    spd_context *ctx;
    const pair_order *order;
    size_t own;             /* samples */
    double samples;         /* how many, of all ranks, have candidates of both kinds */
    double *d2, *weight;    /* order->count */
    size_t *first, *listed; /* lists of candidates: number 2 i has the near ones of sample i, 2 i
                             * + 1 the far ones. 2 own + 1: where they begin; 2 order->count */
    double *listed_d2, *listed_weight; /* of the entries of lists */
    double *value;                     /* own */
    double zero;
};

double *candidates_d2(const candidates *c)
{
    return c->d2;
}

/* ---- set-up --------------------------------------------------------------------------------- */

/* first and listed from the pairs, in their order, by a counting sort. */
static void make_lists(candidates *c)
{
    const pair_order *o = c->order;
    memset(c->first, 0, (2 * c->own + 2) * sizeof *c->first);
    for (int filling = 0; filling < 2; filling++) {
        for (size_t e = 0; e < o->count; e++) {
            const pair *t = &o->pairs[o->slot[e]];
            size_t far = t->c > 0.0 ? 0 : 1;
            const uint32_t end[2] = {t->i, t->j};
            for (int k = 0; k < 2; k++) {
                if (end[k] >= c->own)
                    continue;
                if (filling)
                    c->listed[c->first[2 * end[k] + far + 1]++] = o->slot[e];
                else
                    c->first[2 * end[k] + far + 2]++;
            }
        }
        for (size_t list = 2; list < 2 * c->own + 2 && !filling; list++)
            c->first[list] += c->first[list - 1];
    }
}

/* Does a sample have candidates of both kinds? One that has not has nothing to compare. */
static int has_both(const candidates *c, size_t i)
{
    return c->first[2 * i + 1] > c->first[2 * i] && c->first[2 * i + 2] > c->first[2 * i + 1];
}

/* samples <- those of all ranks. Whole numbers: the order of the sum does not matter. */
static void count_samples(candidates *c)
{
    ranks *r = c->order->cut.ranks;
    for (size_t i = 0; i < c->own; i++)
        c->samples += has_both(c, i);
    double part = c->samples;
    if (r)
        ranks_sum(r, (size_t)r->count, 1, &part, &c->samples);
}

spd_status candidates_none(spd_context *ctx)
{
    return ctx_fail(ctx, SPD_EINVAL,
                    "no sample has both a pair within and a pair between classes: there is "
                    "nothing to compare");
}

spd_status candidates_new(spd_context *ctx, const pair_order *order, arena *keep, candidates **made)
{
    candidates *c = arena_zero(keep, 1, sizeof *c);
    if (!c)
        return ctx_nomem(ctx, "candidates");
    size_t own = order->own, count = order->count;
    *c = (candidates){.ctx = ctx, .order = order, .own = own};
    c->d2 = arena_alloc(keep, count, sizeof *c->d2);
    c->weight = arena_alloc(keep, count, sizeof *c->weight);
    c->first = arena_alloc(keep, 2 * own + 2, sizeof *c->first);
    c->listed = arena_alloc(keep, 2 * count, sizeof *c->listed);
    c->listed_d2 = arena_alloc(keep, 2 * count, sizeof *c->listed_d2);
    c->listed_weight = arena_alloc(keep, 2 * count, sizeof *c->listed_weight);
    c->value = arena_alloc(keep, own, sizeof *c->value);
    spd_status status = arena_status(keep, ctx, "candidates");
    if (status < 0)
        return status;
    make_lists(c);
    count_samples(c);
    if (c->samples == 0.0)
        status = candidates_none(ctx);
    *made = c;
    return status;
}

/* ---- one sample ----------------------------------------------------------------------------- */

/* Gathers the distances of a sample's lists; returns whether all are numbers. */
static int take_distances(const candidates *c, size_t i)
{
    for (size_t l = c->first[2 * i]; l < c->first[2 * i + 2]; l++) {
        double d = c->d2[c->listed[l]];
        if (isnan(d))
            return 0;
        c->listed_d2[l] = d > 0.0 ? d : 0.0; /* rounding may give less */
    }
    return 1;
}

static objective_list list_of(const candidates *c, size_t list)
{
    size_t at = c->first[list], count = c->first[list + 1] - at;
    return (objective_list){count, c->listed_d2 + at, c->listed_weight + at};
}

/* Equal matrices: what is left is rounding, and its derivative would lead nowhere. */
static int without_spread(const candidates *c, const objective_list *a)
{
    for (size_t i = 0; i < a->count; i++)
        if (a->d2[i] > c->zero)
            return 0;
    return 1;
}

static double weigh_sample(const candidates *c, size_t i)
{
    objective_list same = list_of(c, 2 * i), other = list_of(c, 2 * i + 1);
    size_t at = c->first[2 * i], count = same.count + other.count;
    memset(c->listed_weight + at, 0, count * sizeof *c->listed_weight);
    if (!has_both(c, i))
        return 0.0;
    if (!take_distances(c, i))
        return NAN;
    int flat = without_spread(c, &same) && without_spread(c, &other);
    for (size_t k = at; flat && k < at + count; k++)
        c->listed_d2[k] = 1.0;
    double value = objective_softmax(&same, &other);
    if (flat)
        memset(c->listed_weight + at, 0, count * sizeof *c->listed_weight);
    return value;
}

static spd_status weigh_chunk(void *user, size_t chunk, int thread)
{
    candidates *c = user;
    size_t last = (chunk + 1) * EACH < c->own ? (chunk + 1) * EACH : c->own;
    (void)thread;
    for (size_t i = chunk * EACH; i < last; i++)
        c->value[i] = weigh_sample(c, i) / c->samples;
    return SPD_OK;
}

/* ---- all of them ---------------------------------------------------------------------------- */

spd_status candidates_weigh(candidates *c, double zero, const double **value, double **weight)
{
    size_t chunks = (c->own + EACH - 1) / EACH;
    spd_status status = SPD_OK;
    c->zero = zero;
    if (2 * c->order->count + 50 * c->first[2 * c->own] > 100000)
        status = parallel_for(c->ctx, chunks, weigh_chunk, c, NULL, NULL, 0.0, NULL);
    else
        for (size_t chunk = 0; chunk < chunks; chunk++)
            weigh_chunk(c, chunk, 0);
    if (status < 0)
        return status;
    memset(c->weight, 0, c->order->count * sizeof *c->weight);
    for (size_t k = 0; k < c->first[2 * c->own]; k++) /* two for each at most: any order will do */
        c->weight[c->listed[k]] += c->listed_weight[k] / c->samples;
    *value = c->value;
    *weight = c->weight;
    return SPD_OK;
}
