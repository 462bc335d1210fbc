/* search.c - which method finds the neighbours, and how many of the true ones an approximate search
 * has found. */
#include "search/search.h"

#include <math.h>
#include <string.h>

#include "base/order.h"
#include "base/memory.h"
#include "base/rng.h"
#include "ops/fault.h"
#include "ops/pairwise.h"
#include "run/engine.h"
#include "search/bounds.h"
#include "search/job.h"

#define OPERATIONS 4e11 /* of the exact search: about a minute */

enum { PURPOSE_RECALL = 3 };

/* ---- what the methods share ------------------------------------------------------------------ */

size_t search_wanted(const search_job *job, size_t query, int list)
{
    if (job->label && job->label[query] < 0)
        return list ? 0 : job->k_unlabelled;
    return job->k[list];
}

spd_status search_lists(spd_context *ctx, const search *s, size_t rows, arena *keep,
                        neighbour **list, size_t **count)
{
    *list = arena_alloc(keep, rows, s->each * sizeof **list);
    *count = arena_zero(keep, rows, MAX_LISTS * sizeof **count);
    return *list && *count ? SPD_OK : ctx_nomem(ctx, "neighbours");
}

spd_status search_fault(spd_context *ctx, const search *s, size_t query, size_t sample)
{
    const search_job *job = s->job;
    size_t n2 = s->n * s->n;
    double *room = mem_alloc(2 * n2, sizeof *room);
    if (!room)
        return ctx_nomem(ctx, "neighbours");
    const double *Q = set_sample(job->queries, query, room);
    const double *X = set_sample(job->samples, sample, room + n2);
    spd_status status = SPD_EIO;
    if (Q && X)
        status = fault_pair(ctx, s->n, s->within ? "X" : "Q", query, Q, "X", sample, X);
    mem_free(room);
    return set_fail(ctx, job->samples, status);
}

/* ---- the share of true neighbours ------------------------------------------------------------ */

void search_draw(uint64_t seed, size_t q, size_t count, size_t *queries)
{
    rng r;
    rng_seed(&r, rng_key(seed, PURPOSE_RECALL, 0));
    for (size_t i = 0; i < q; i++)
        queries[i] = i;
    rng_draw(&r, count, q, queries);
}

/* Queries drawn at random, with their exact lists. */
typedef struct truth {
    size_t rows, *row;
    neighbour *list; /* rows x each */
    size_t *count;   /* rows x 2 */
} truth;

/* t <- queries drawn at random, whose exact lists are found. */
static spd_status draw_truth(spd_context *ctx, const search *s, arena *keep, truth *t,
                             search_result *found)
{
    *t = (truth){.rows = smaller(RECALL_QUERIES, s->q),
                 .row = arena_alloc(keep, s->q, sizeof *t->row)};
    spd_status status = t->row ? search_lists(ctx, s, t->rows, keep, &t->list, &t->count)
                               : ctx_nomem(ctx, "neighbours");
    if (status < 0)
        return status;
    search_draw(s->job->seed, s->q, t->rows, t->row);
    found->exact += (double)t->rows * (double)(s->p - (s->within ? 1 : 0));
    return tiles_run(ctx, s, (subset){t->rows, t->row}, t->list, t->count);
}

/* The share of these that was found. */
static double share_found(const search *s, const truth *t, const search_result *found)
{
    size_t same = 0, all = 0;
    for (size_t a = 0; a < t->rows; a++)
        for (size_t which = 0; which < MAX_LISTS; which++) {
            size_t wanted = t->count[MAX_LISTS * a + which], skip = which ? s->job->k[0] : 0;
            all += wanted;
            size_t here = found->count[MAX_LISTS * t->row[a] + which];
            const neighbour *list = found->list + t->row[a] * s->each + skip;
            const neighbour *exact = t->list + a * s->each + skip;
            for (size_t e = 0; e < here && e < wanted; e++)
                same += list[e].d2 <= exact[wanted - 1].d2; /* a tie counts */
        }
    return all ? (double)same / (double)all : 1.0;
}

/* ---- one search ------------------------------------------------------------------------------ */

int search_is_long(spd_metric id, size_t n, size_t p, size_t q)
{
    const metric *m = metric_get(id);
    double one = m->flat ? (double)m->size(n) : bounds_exact_cost(m, n);
    return (double)p * (double)q * one > OPERATIONS;
}

static int in_memory(const search_job *job)
{
    return set_doubles(job->samples) && set_doubles(job->queries);
}

int search_approximates(const search_job *job)
{
    const spd_set *X = job->samples;
    if (job->queries != X || !set_doubles(X))
        return 0;
    return job->search == SPD_SEARCH_APPROXIMATE ||
           (job->search == SPD_SEARCH_AUTO && !job->brute &&
            search_is_long(job->metric, X->n, X->p, X->p));
}

/* F and G <- the sets, prepared, if both are in memory. */
static spd_status prepare(spd_context *ctx, search *s, arena *room)
{
    const search_job *job = s->job;
    if (!in_memory(job))
        return SPD_OK;
    s->X = set_doubles(job->samples);
    s->Q = set_doubles(job->queries);
    return prepare_both(ctx, s->metric, s->n, s->p, s->X, s->q, s->within ? NULL : s->Q, "Q", room,
                        &s->F, &s->G);
}

/* found->list, count, exact <- by the method for the job. */
static spd_status find(spd_context *ctx, const search *s, search_result *found)
{
    if (s->F)
        return pruned_run(ctx, s, found);
    found->exact += (double)s->q * (double)(s->within ? s->p - 1 : s->p);
    return tiles_run(ctx, s, (subset){s->q, NULL}, found->list, found->count);
}

/* Most of the neighbours, and the share of them, estimated. */
static spd_status find_most(spd_context *ctx, const search *s, search_result *found)
{
    arena room = {0};
    truth t;
    spd_status status = draw_truth(ctx, s, &room, &t, found);
    if (status == SPD_OK)
        status = descent_run(ctx, s, found);
    if (status == SPD_OK)
        found->recall = share_found(s, &t, found);
    arena_free(&room);
    return status;
}

/* The same by the engine that is to do it; SPD_DECLINED: by the processor. */
static spd_status find_elsewhere(spd_context *ctx, const search *s, search_result *found)
{
    const search_job *job = s->job;
    arena room = {0};
    set_job j = {.of = OPERATION_NEAREST,
                 .task = "neighbours",
                 .unit = "pairs",
                 .X = job->samples,
                 .Y = s->within ? NULL : job->queries,
                 .metric = job->metric,
                 .k = {job->k[0], job->k[1]},
                 .label = job->label,
                 .brute = job->brute,
                 .exact = &found->exact};
    const engine_table *e = job->here ? NULL : engine_for(ctx, &j);
    if (!e || found->search == SPD_SEARCH_APPROXIMATE)
        return SPD_DECLINED;
    int64_t *index = j.out[0] = arena_alloc(&room, s->q, s->each * sizeof *index);
    double *d2 = j.out[1] = arena_alloc(&room, s->q, s->each * sizeof *d2);
    spd_status status = arena_status(&room, ctx, "neighbours");
    if (status == SPD_OK)
        status = e->run[j.of](ctx, &j);
    for (size_t at = 0; at < s->q * s->each && status == SPD_OK; at++) {
        size_t second = s->q * job->k[0], which = at >= second, k = job->k[which];
        size_t query = (which ? at - second : at) / k, *count = found->count + MAX_LISTS * query;
        if (isfinite(d2[at]))
            found->list[query * s->each + (which ? job->k[0] : 0) + count[which]++] =
                (neighbour){d2[at], (size_t)index[at], 0};
    }
    arena_free(&room);
    return status;
}

spd_status search_run(spd_context *ctx, const search_job *job, arena *keep, search_result *found)
{
    arena room = {0};
    search s = {.job = job,
                .kernels = kernels_get(),
                .metric = metric_get(job->metric),
                .n = job->samples->n,
                .p = job->samples->p,
                .q = job->queries->p,
                .each = job->k[0] + job->k[1],
                .within = job->queries == job->samples};
    s.size = s.metric->size(s.n);
    *found =
        (search_result){.pairs = (double)s.q * (double)(s.p - (s.within ? 1 : 0)), .recall = 1.0};
    found->search = search_approximates(job) ? SPD_SEARCH_APPROXIMATE : SPD_SEARCH_EXACT;
    spd_status status = search_lists(ctx, &s, s.q, keep, &found->list, &found->count);
    if (status == SPD_OK)
        status = find_elsewhere(ctx, &s, found);
    if (status == SPD_DECLINED) {
        status = prepare(ctx, &s, &room);
        if (status == SPD_OK)
            status = found->search == SPD_SEARCH_APPROXIMATE ? find_most(ctx, &s, found)
                                                             : find(ctx, &s, found);
    }
    arena_free(&room);
    return status;
}
