/* index.c - neighbours of queries among samples that have an index.
 *
 * A query is made a sketch and walks over the links: of a pool of the nearest samples seen so far,
 * the nearest that has not been asked for its links is asked next, until all of the pool have been.
 * It begins with samples evenly spread over the set, about four times its square root, so that no
 * group of samples is out of reach. The pool is then measured truly. Of n samples a walk sees a few
 * thousand, however many there are. */
#include "search/index.h"

#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/order.h"
#include "geometry/metric.h"
#include "ops/pairwise.h"
#include "run/parallel.h"
#include "sets/job.h"

#define ENTRIES       4.0 /* times the square root of the samples */
#define LEAST_ENTRIES 64
#define POOL          64 /* besides four times as many as wanted */
#define NEAREST       8  /* that the links are made for */
#define EACH          8  /* queries of a chunk */

/* What one thread works with. */
typedef struct workspace {
    unsigned *mark; /* p: == stamp: seen for the query at hand */
    unsigned stamp;
    neighbour *pool; /* walk.room */
    double *scratch;
} workspace;

typedef struct walk {
    const search *s;
    const spd_index *index;
    const float *Q; /* q sketches */
    subset queries;
    size_t room; /* of a pool */
    size_t entries;
    search_result *found;
    workspace *work;
    double *measured; /* chunks */
    size_t (*bad)[2]; /* chunks: a query and a sample without a distance */
} walk;

/* ---- a walk ---------------------------------------------------------------------------------- */

static void see(const walk *a, workspace *w, const float *x, size_t sample, size_t *count)
{
    const sketches *v = &a->index->v;
    if (w->mark[sample] == w->stamp)
        return;
    w->mark[sample] = w->stamp;
    double limit = list_limit(w->pool, *count, a->room);
    double d2 = sketch_dist2(v->d, x, v->V + sample * v->d, limit);
    list_offer(w->pool, count, a->room, (neighbour){d2, sample, 1});
}

/* The nearest of the pool that has not been asked; count: there is none. */
static size_t next_to_ask(const workspace *w, size_t count)
{
    size_t e = 0;
    while (e < count && !w->pool[e].fresh)
        e++;
    return e;
}

/* w->pool <- the nearest by sketches; returns how many. Where fewer can be reached than are wanted,
 * since links need not connect all samples, every sample is seen. */
static size_t walk_query(const walk *a, workspace *w, size_t query)
{
    const spd_index *index = a->index;
    const float *x = a->Q + query * index->v.d;
    size_t count = 0, at;
    w->stamp++;
    if (a->s->within)
        w->mark[query] = w->stamp; /* no neighbour of its own */
    for (size_t e = 0; e < a->entries; e++)
        see(a, w, x, e * index->p / a->entries, &count);
    while ((at = next_to_ask(w, count)) < count) {
        const int64_t *link = index->link + w->pool[at].index * INDEX_DEGREE;
        w->pool[at].fresh = 0;
        for (size_t e = 0; e < INDEX_DEGREE; e++)
            see(a, w, x, (size_t)link[e], &count);
    }
    if (count < a->s->each)
        for (size_t sample = 0; sample < index->p; sample++)
            see(a, w, x, sample, &count);
    return count;
}

/* The list of a query <- the best of the pool by true distances; a sample without one, or p. */
static size_t measure_pool(const walk *a, workspace *w, size_t query, size_t count)
{
    const search *s = a->s;
    neighbour *list = a->found->list + query * s->each;
    for (size_t done = 0; done < count; done += SEARCH_BLOCK) {
        size_t sample[SEARCH_BLOCK], now = smaller(count - done, SEARCH_BLOCK);
        double d2[SEARCH_BLOCK];
        for (size_t c = 0; c < now; c++)
            sample[c] = w->pool[done + c].index;
        block_dist2(s->kernels, s->metric, s->n, s->G + query * s->size, now, s->F, s->size, sample,
                    d2, w->scratch);
        for (size_t c = 0; c < now; c++) {
            if (!isfinite(d2[c]))
                return sample[c];
            list_offer(list, &a->found->count[MAX_LISTS * query], s->each,
                       (neighbour){d2[c], sample[c], 0});
        }
    }
    return s->p;
}

static spd_status walk_chunk(void *user, size_t chunk, int thread)
{
    const walk *a = user;
    workspace *w = &a->work[thread];
    size_t last = smaller((chunk + 1) * EACH, a->queries.count);
    a->measured[chunk] = 0.0;
    for (size_t at = chunk * EACH; at < last; at++) {
        size_t i = a->queries.number ? a->queries.number[at] : at;
        size_t count = walk_query(a, w, i), bad = measure_pool(a, w, i, count);
        a->measured[chunk] += (double)count;
        if (bad < a->s->p) {
            a->bad[chunk][0] = i;
            a->bad[chunk][1] = bad;
            return SPD_ENUMERIC;
        }
    }
    return SPD_OK;
}

/* ---- all queries ----------------------------------------------------------------------------- */

static size_t chunks_of(const walk *a)
{
    return (a->queries.count + EACH - 1) / EACH;
}

static spd_status make_room(spd_context *ctx, walk *a, arena *room)
{
    const search *s = a->s;
    size_t threads = (size_t)parallel_threads(ctx), chunks = chunks_of(a);
    a->measured = arena_alloc(room, chunks, sizeof *a->measured);
    a->bad = arena_alloc(room, chunks, sizeof *a->bad);
    a->work = arena_zero(room, threads, sizeof *a->work);
    for (size_t t = 0; a->work && t < threads; t++)
        a->work[t] =
            (workspace){.mark = arena_zero(room, s->p, sizeof(unsigned)),
                        .pool = arena_alloc(room, a->room, sizeof(neighbour)),
                        .scratch = arena_alloc(room, block_work(s->metric, s->n), sizeof(double))};
    return arena_status(room, ctx, "neighbours");
}

/* Ranks deal out the chunks, and each gets the lists of all; of a part of the queries every rank
 * does all. */
static spd_status run_walks(spd_context *ctx, walk *a)
{
    size_t chunks = chunks_of(a), failed = 0;
    ranks *r = a->queries.number ? NULL : ranks_of(ctx);
    double all = (double)a->queries.count;
    spd_status status =
        a->queries.number
            ? parallel_for(ctx, chunks, walk_chunk, a, NULL, NULL, 0.0, &failed)
            : parallel_split(ctx, chunks, walk_chunk, a, "neighbours", "queries", all, &failed);
    if (status == SPD_ENUMERIC)
        status = search_fault(ctx, a->s, a->bad[failed][0], a->bad[failed][1]);
    status = ranks_settle(ctx, status);
    if (status < 0)
        return status;
    ranks_collect(r, a->s->q, EACH, a->s->each * sizeof *a->found->list, a->found->list);
    ranks_collect(r, a->s->q, EACH, MAX_LISTS * sizeof *a->found->count, a->found->count);
    ranks_collect(r, chunks, 1, sizeof *a->measured, a->measured);
    for (size_t chunk = 0; chunk < chunks; chunk++)
        a->found->exact += a->measured[chunk];
    return SPD_OK;
}

size_t index_pool(const search *s)
{
    return smaller((4 * s->each + POOL) * s->effort, s->p);
}

spd_status index_run(spd_context *ctx, const search *s, const spd_index *index, subset queries,
                     search_result *found)
{
    arena room = {0};
    size_t entries = (size_t)(ENTRIES * sqrt((double)s->p));
    walk a = {.s = s,
              .index = index,
              .Q = index->v.V,
              .queries = queries,
              .room = index_pool(s),
              .entries = smaller(larger(entries, LEAST_ENTRIES), s->p),
              .found = found};
    spd_status status = make_room(ctx, &a, &room);
    if (status == SPD_OK && !s->within) {
        float *Q = arena_alloc(&room, s->q, index->v.d * sizeof *Q);
        a.Q = Q;
        status =
            Q ? sketches_make(ctx, &index->u, s->q, s->Q, s->G, Q) : ctx_nomem(ctx, "neighbours");
    }
    if (status == SPD_OK)
        status = run_walks(ctx, &a);
    arena_free(&room);
    return status;
}

/* ---- making one ------------------------------------------------------------------------------ */

static uint64_t hash_of(const spd_set *samples)
{
    return hash_bytes(0, set_doubles(samples),
                      samples->p * samples->n * samples->n * sizeof(double));
}

spd_status index_make(spd_context *ctx, const search *s, spd_index **index)
{
    spd_index *x = mem_zero(1, sizeof *x);
    if (!x)
        return ctx_nomem(ctx, "an index");
    const search_job job = {.metric = s->job->metric,
                            .samples = s->job->samples,
                            .queries = s->job->samples,
                            .k = {smaller(NEAREST, s->p - 1)},
                            .seed = s->job->seed};
    search within = *s;
    within.job = &job;
    within.q = s->p;
    within.each = job.k[0];
    within.effort = 1;
    within.within = 1;
    *x = (spd_index){.metric = job.metric, .n = s->n, .p = s->p, .hash = hash_of(job.samples)};
    spd_status status = unfolding_make(ctx, s, &x->room, &x->u);
    if (status == SPD_OK) {
        x->v = (sketches){.p = s->p, .d = unfolding_room(&x->u)};
        x->v.V = arena_alloc(&x->room, s->p, x->v.d * sizeof *x->v.V);
        x->link = arena_alloc(&x->room, s->p, INDEX_DEGREE * sizeof *x->link);
        status = arena_status(&x->room, ctx, "an index");
    }
    if (status == SPD_OK)
        status = sketches_make(ctx, &x->u, s->p, s->X, s->F, x->v.V);
    if (status == SPD_OK)
        status = descent_links(ctx, &within, &x->v, INDEX_DEGREE, x->link);
    if (status < 0)
        spd_index_free(x);
    else
        *index = x;
    return status;
}

spd_status index_check(spd_context *ctx, const spd_index *index, spd_metric id,
                       const spd_set *samples)
{
    if (index->metric != id || index->n != samples->n || index->p != samples->p)
        return ctx_fail(ctx, SPD_EINVAL,
                        "the index is of %zu matrices %zu x %zu under %s, not of these %zu "
                        "matrices %zu x %zu under %s; make one for them",
                        index->p, index->n, index->n, spd_name(SPD_ENUM_METRIC, index->metric),
                        samples->p, samples->n, samples->n, spd_name(SPD_ENUM_METRIC, id));
    if (set_doubles(samples) && index->hash != hash_of(samples))
        return ctx_fail(ctx, SPD_EINVAL,
                        "the index is of other matrices of the same size and number; make one for "
                        "these");
    return SPD_OK;
}

/* ---- the public functions -------------------------------------------------------------------- */

void spd_index_free(spd_index *index)
{
    if (!index)
        return;
    arena_free(&index->room);
    mem_free(index);
}

spd_status spd_index_make(spd_context *ctx, spd_metric id, const spd_set *given, uint64_t seed,
                          spd_index **index)
{
    spd_set X;
    ctx_clear(ctx);
    if (!index || !metric_get(id))
        return ctx_fail(ctx, SPD_EINVAL, "no room for an index given, or an unknown metric");
    spd_status status = set_take(ctx, "X", given, &X);
    if (status == SPD_OK && (!set_doubles(&X) || X.p < 2))
        status = ctx_fail(ctx, SPD_EINVAL, "an index needs two matrices at least, in memory");
    if (status < 0)
        return status;
    arena room = {0};
    const search_job job = {.metric = id, .samples = &X, .queries = &X, .seed = seed};
    search s = {.job = &job,
                .kernels = kernels_get(),
                .metric = metric_get(id),
                .n = X.n,
                .p = X.p,
                .q = X.p,
                .within = 1,
                .effort = 1,
                .X = set_doubles(&X),
                .Q = set_doubles(&X)};
    s.size = s.metric->size(s.n);
    status = prepare_both(ctx, s.metric, s.n, s.p, s.X, s.q, NULL, "X", &room, &s.F, &s.G);
    if (status == SPD_OK)
        status = index_make(ctx, &s, index);
    arena_free(&room);
    return set_locate(ctx, &X, status);
}
