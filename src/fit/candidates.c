/* candidates.c - each sample's nearest candidates, weighed; samples in parallel, sums in order. */
#include "fit/candidates.h"

#include <math.h>
#include <string.h>

#include "run/parallel.h"

#define EACH 16 /* samples of a chunk */

/* Candidates that are taken: which, their distances and weights. */
typedef struct taken {
    size_t *which;
    double *d2, *weight;
} taken;

struct candidates {
    spd_context *ctx;
    const objective *o;
    const pair_order *order;
    size_t own;             /* samples */
    double samples;         /* how many, of all ranks, have candidates of both kinds */
    double *d2, *weight;    /* order->count */
    size_t *first, *listed; /* lists of candidates: number 2 i has the near ones of sample i, 2 i
                             * + 1 the far ones. 2 own + 1: where they begin; 2 order->count */
    size_t *begin;          /* 2 own + 1: where those taken of each list begin */
    taken taken;
    double *value; /* own */
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
    memset(c->first, 0, (2 * c->own + 1) * sizeof *c->first);
    for (int filling = 0; filling < 2; filling++) {
        for (size_t e = 0; e < o->count; e++) {
            const pair *t = &o->pairs[o->slot[e]];
            size_t far = t->c > 0.0 ? 0 : 1;
            const uint32_t end[2] = {t->i, t->j};
            for (int k = 0; k < 2; k++) {
                if (end[k] >= c->own)
                    continue;
                if (filling)
                    c->listed[c->begin[2 * end[k] + far]++] = o->slot[e];
                else
                    c->first[2 * end[k] + far + 1]++;
            }
        }
        for (size_t list = 0; list < 2 * c->own && !filling; list++)
            c->first[list + 1] += c->first[list];
        memcpy(c->begin, c->first, 2 * c->own * sizeof *c->first);
    }
}

/* How many a list gives if at most `most` are wanted, 0 for all. */
static size_t wanted(const candidates *c, size_t list, size_t most)
{
    size_t there = c->first[list + 1] - c->first[list];
    return most && most < there ? most : there;
}

/* Where those taken begin. A sample with candidates of one kind takes none: it has nothing to
 * compare. */
static void count_taken(candidates *c)
{
    c->begin[0] = 0;
    for (size_t i = 0; i < c->own; i++) {
        size_t same = wanted(c, 2 * i, c->o->nearest_same);
        size_t other = wanted(c, 2 * i + 1, c->o->nearest_other);
        int both = same > 0 && other > 0;
        c->samples += both;
        c->begin[2 * i + 1] = c->begin[2 * i] + (both ? same : 0);
        c->begin[2 * i + 2] = c->begin[2 * i + 1] + (both ? other : 0);
    }
}

/* samples <- those of all ranks. Whole numbers: the order of the sum does not matter. */
static void count_everywhere(candidates *c)
{
    ranks *r = c->order->cut.ranks;
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

spd_status candidates_new(spd_context *ctx, const objective *o, const pair_order *order,
                          arena *keep, candidates **made)
{
    candidates *c = arena_zero(keep, 1, sizeof *c);
    if (!c)
        return ctx_nomem(ctx, "candidates");
    size_t own = order->own, count = order->count;
    *c = (candidates){.ctx = ctx, .o = o, .order = order, .own = own};
    c->d2 = arena_alloc(keep, count, sizeof *c->d2);
    c->weight = arena_alloc(keep, count, sizeof *c->weight);
    c->first = arena_alloc(keep, 2 * own + 1, sizeof *c->first);
    c->begin = arena_alloc(keep, 2 * own + 1, sizeof *c->begin);
    c->listed = arena_alloc(keep, 2 * count, sizeof *c->listed);
    c->value = arena_alloc(keep, own, sizeof *c->value);
    spd_status status = arena_status(keep, ctx, "candidates");
    if (status < 0)
        return status;
    make_lists(c);
    count_taken(c);
    size_t all = c->begin[2 * own];
    c->taken.which = arena_zero(keep, all, sizeof *c->taken.which);
    c->taken.d2 = arena_alloc(keep, all, sizeof *c->taken.d2);
    c->taken.weight = arena_alloc(keep, all, sizeof *c->taken.weight);
    status = arena_status(keep, ctx, "candidates");
    if (status < 0)
        return status;
    count_everywhere(c);
    if (c->samples == 0.0)
        status = candidates_none(ctx);
    *made = c;
    return status;
}

/* ---- one sample ----------------------------------------------------------------------------- */

/* Takes the nearest of a list, nearest first, or all of it as it is; returns whether all distances
 * are numbers. */
static int take_nearest(const candidates *c, size_t list)
{
    size_t at = c->begin[list], most = c->begin[list + 1] - at, count = 0;
    int all = most == c->first[list + 1] - c->first[list];
    size_t *which = c->taken.which + at;
    double *d2 = c->taken.d2 + at;
    for (size_t l = c->first[list]; l < c->first[list + 1]; l++) {
        size_t e = c->listed[l], k;
        double d = c->d2[e] > 0.0 ? c->d2[e] : 0.0; /* rounding may give less */
        if (isnan(c->d2[e]))
            return 0;
        if (count == most && !(d < d2[count - 1]))
            continue;
        for (k = count < most ? count++ : count - 1; !all && k > 0 && d2[k - 1] > d; k--) {
            d2[k] = d2[k - 1];
            which[k] = which[k - 1];
        }
        d2[k] = d;
        which[k] = e;
    }
    return 1;
}

static objective_list list_taken(const candidates *c, size_t list)
{
    size_t at = c->begin[list], count = c->begin[list + 1] - at;
    return (objective_list){count, c->taken.d2 + at, c->taken.weight + at};
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
    objective_list same = list_taken(c, 2 * i), other = list_taken(c, 2 * i + 1);
    size_t at = c->begin[2 * i], count = same.count + other.count;
    memset(c->taken.weight + at, 0, count * sizeof *c->taken.weight);
    if (count == 0)
        return 0.0;
    if (!take_nearest(c, 2 * i) || !take_nearest(c, 2 * i + 1))
        return NAN;
    int flat = without_spread(c, &same) && without_spread(c, &other);
    for (size_t k = at; flat && k < at + count; k++)
        c->taken.d2[k] = 1.0;
    double value = c->o->of_sample(&same, &other);
    if (flat)
        memset(c->taken.weight + at, 0, count * sizeof *c->taken.weight);
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

/* weight <- what the samples say; two at most for each, so that their order does not matter. */
static void gather_weights(candidates *c)
{
    memset(c->weight, 0, c->order->count * sizeof *c->weight);
    for (size_t k = 0; k < c->begin[2 * c->own]; k++)
        c->weight[c->taken.which[k]] += c->taken.weight[k] / c->samples;
}

spd_status candidates_weigh(candidates *c, double zero, const double **value, double **weight)
{
    size_t chunks = (c->own + EACH - 1) / EACH;
    spd_status status = SPD_OK;
    c->zero = zero;
    if (2 * c->order->count + 50 * c->begin[2 * c->own] > 100000)
        status = parallel_for(c->ctx, chunks, weigh_chunk, c, NULL, NULL, 0.0, NULL);
    else
        for (size_t chunk = 0; chunk < chunks; chunk++)
            weigh_chunk(c, chunk, 0);
    if (status < 0)
        return status;
    gather_weights(c);
    *value = c->value;
    *weight = c->weight;
    return SPD_OK;
}
