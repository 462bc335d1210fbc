/* nearest_tiles.c - a tile of queries in memory, and all samples streaming by. */
#include "engine/nearest_tiles.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/sized.h"
#include "engine/blocks.h"
#include "engine/fault.h"
#include "engine/octets.h"
#include "engine/pairwise.h"
#include "engine/parallel.h"

#define BLOCK             (METRIC_OCTETS * LANES)
#define QUERIES_PER_CHUNK 16
#define SHARE_OF_TILE     0.5 /* of the memory limit */
#define LEAST_TILE        64  /* queries */

typedef struct tiles {
    const tile_search *of;
    spd_context *ctx;
    const kernels *k;
    const metric *m;
    size_t n, size;         /* size: doubles of a prepared sample */
    size_t query, queries;  /* the tile: number of its first, how many */
    size_t tile;            /* at most */
    size_t sample, samples; /* the block that is measured now */
    double *F, *G;          /* tile x size, block x size */
    double *work;           /* threads x block_work */
    atomic_size_t lowest;   /* query without a distance to a sample of the block */
    arena room;
    size_t block;     /* samples that G has room for */
    double done, all; /* pairs */
    spd_progress_fn tell;
    void *tell_user;
} tiles;

/* ---- one block against the tile ----------------------------------------------------------------
 */

/* Offers the distances of one query to `count` samples from `first` on. */
static void offer_block(const tiles *t, size_t query, size_t first, size_t count, const double *d2)
{
    const tile_search *s = t->of;
    int within = s->samples == s->queries;
    for (size_t list = 0; list < s->lists; list++) {
        size_t k = s->k[list], wanted = s->wanted ? s->wanted(s->user, list, query) : k;
        hit *best = s->best[list] + query * k;
        for (size_t c = 0; c < count; c++) {
            hit h = {d2[c], first + c, 0};
            if ((within && h.index == query) ||
                (s->admits && !s->admits(s->user, list, query, h.index)))
                continue;
            hits_offer(best, &s->found[list][query], wanted, h);
        }
    }
}

static spd_status tile_chunk(void *user, size_t chunk, int thread)
{
    tiles *t = user;
    size_t from = chunk * QUERIES_PER_CHUNK;
    size_t to = from + QUERIES_PER_CHUNK < t->queries ? from + QUERIES_PER_CHUNK : t->queries;
    block_store b = block_split(t->m, t->n, t->work + (size_t)thread * block_work(t->m, t->n));
    for (size_t first = 0; first < t->samples; first += BLOCK) {
        size_t count = t->samples - first < BLOCK ? t->samples - first : BLOCK;
        size_t octets =
            block_gather(t->k, t->size, count, t->G + first * t->size, t->size, NULL, b.octets);
        for (size_t a = from; a < to; a++) {
            t->m->dist2(t->k, t->n, octets, t->F + a * t->size, b.octets, b.d2, b.rest);
            for (size_t c = 0; c < count; c++)
                if (!isfinite(b.d2[c])) {
                    octets_fault(&t->lowest, t->query + a, 1u);
                    return SPD_ENUMERIC;
                }
            offer_block(t, t->query + a, t->sample + first, count, b.d2);
        }
    }
    return SPD_OK;
}

/* Names the pair that has no distance: the lowest query, and its first such sample in the block. */
static spd_status explain(tiles *t)
{
    const tile_search *s = t->of;
    size_t query = atomic_load(&t->lowest), n2 = t->n * t->n, at = 0;
    double d2 = 0.0, *room = mem_alloc(2 * n2, sizeof *room);
    if (!room)
        return ctx_nomem(t->ctx, "neighbours");
    for (at = 0; at < t->samples; at++) {
        block_dist2(t->k, t->m, t->n, t->F + (query - t->query) * t->size, 1, t->G + at * t->size,
                    t->size, NULL, &d2, t->work);
        if (!isfinite(d2))
            break;
    }
    const double *Q = store_sample(s->queries, query, room);
    const double *X = store_sample(s->samples, t->sample + at, room + n2);
    spd_status status = SPD_EIO;
    if (Q && X)
        status = fault_pair(t->ctx, t->n, s->queries == s->samples ? "X" : "Q", query, Q, "X",
                            t->sample + at, X);
    mem_free(room);
    return store_fail(t->ctx, s->samples, status);
}

/* ---- all blocks --------------------------------------------------------------------------------
 */

static spd_status prepare_queries(spd_context *ctx, tiles *t, size_t first, size_t count,
                                  const double *X)
{
    const tile_search *s = t->of;
    return prepare_part(ctx, t->m, t->n, count, X, s->queries == s->samples ? "X" : "Q", first,
                        t->F + (first - t->query) * t->size);
}

static int relay(void *user, const spd_progress *progress)
{
    tiles *t = user;
    double share = progress->total > 0.0 ? progress->done / progress->total : 0.0;
    double here = (double)t->queries * (double)t->samples;
    const spd_progress told = {"neighbours", "pairs", t->done + share * here, t->all};
    return t->tell ? t->tell(t->tell_user, &told) : 0;
}

static spd_status measure_block(tiles *t, size_t first, size_t count, const double *X)
{
    t->sample = first;
    t->samples = count;
    spd_status status = prepare_part(t->ctx, t->m, t->n, count, X, "X", first, t->G);
    if (status < 0)
        return status;
    atomic_store(&t->lowest, SIZE_MAX);
    spd_context_set_progress(t->ctx, relay, t);
    status = parallel_for(t->ctx, (t->queries + QUERIES_PER_CHUNK - 1) / QUERIES_PER_CHUNK,
                          tile_chunk, t, "neighbours", "pairs", 1.0, NULL);
    spd_context_set_progress(t->ctx, t->tell, t->tell_user);
    t->done += (double)t->queries * (double)count;
    return status == SPD_ENUMERIC ? explain(t) : status;
}

/* Goes through samples first .. last-1 of a set with one of the two steps above; blocks are cut to
 * the room that there is. */
static spd_status go_through(tiles *t, const spd_store *set, store_walk *walk, size_t first,
                             size_t last, int measure)
{
    spd_status status = SPD_OK;
    size_t count = 0;
    store_walk_begin(walk, first, last, NULL);
    while (first < last && status == SPD_OK) {
        const double *X = store_walk_next(walk, &count);
        if (!X)
            return store_fail(t->ctx, set, SPD_EIO);
        for (size_t i = 0, now; i < count && status == SPD_OK; i += now) {
            now = count - i < t->block ? count - i : t->block;
            const double *here = X + i * t->n * t->n;
            status = measure ? measure_block(t, first + i, now, here)
                             : prepare_queries(t->ctx, t, first + i, now, here);
        }
        first += count;
    }
    return status;
}

static spd_status search_tiles(tiles *t)
{
    const tile_search *s = t->of;
    store_walk *samples = NULL, *queries = NULL;
    spd_status status =
        store_walks_new(t->ctx, s->samples, 1, BLOCK_GRANULE, BLOCK_BYTES, &samples);
    if (status == SPD_OK)
        status = store_walks_new(t->ctx, s->queries, 1, BLOCK_GRANULE, BLOCK_BYTES, &queries);
    for (t->query = 0; t->query < s->queries->p && status == SPD_OK; t->query += t->queries) {
        size_t left = s->queries->p - t->query;
        t->queries = left < t->tile ? left : t->tile;
        status = go_through(t, s->queries, queries, t->query, t->query + t->queries, 0);
        if (status == SPD_OK)
            status = go_through(t, s->samples, samples, 0, s->samples->p, 1);
    }
    store_walks_end(samples);
    store_walks_end(queries);
    return status;
}

spd_status tiles_run(spd_context *ctx, const tile_search *search)
{
    size_t n = search->samples->n, q = search->queries->p;
    tiles t = {.of = search, .ctx = ctx, .k = kernels_get(), .m = metric_get(search->metric)};
    t.n = n;
    t.size = t.m->size(n);
    double room = SHARE_OF_TILE * spd_context_memory(ctx) / (8.0 * (double)t.size);
    t.tile = room >= (double)q ? q : (size_t)room < LEAST_TILE ? LEAST_TILE : (size_t)room;
    t.block = store_piece(ctx, 1, BLOCK_BYTES) / (8 * n * n) / BLOCK_GRANULE * BLOCK_GRANULE +
              BLOCK_GRANULE;
    t.all = (double)q * (double)search->samples->p;
    t.tell = ctx ? ctx->progress : NULL;
    t.tell_user = ctx ? ctx->user : NULL;
    t.F = arena_alloc(&t.room, t.tile, t.size * sizeof *t.F);
    t.G = arena_alloc(&t.room, t.block, t.size * sizeof *t.G);
    t.work =
        arena_alloc(&t.room, (size_t)parallel_threads(ctx), block_work(t.m, n) * sizeof(double));
    spd_status status = arena_status(&t.room, ctx, "neighbours");
    if (status == SPD_OK)
        status = search_tiles(&t);
    arena_free(&t.room);
    return status;
}

/* ---- the public function -----------------------------------------------------------------------
 */

static spd_status check_search(spd_context *ctx, const tile_search *s, const spd_neighbours *near)
{
    if (!metric_get(s->metric))
        return ctx_fail(ctx, SPD_EINVAL, "unknown metric");
    if (!near->index || !near->d2)
        return ctx_fail(ctx, SPD_EINVAL, "an empty set of matrices has no neighbours");
    if (s->samples->n != s->queries->n)
        return ctx_fail(ctx, SPD_EINVAL, "matrices %zu x %zu have no neighbours among %zu x %zu",
                        s->queries->n, s->queries->n, s->samples->n, s->samples->n);
    size_t others = s->samples->p - (s->samples == s->queries ? 1 : 0);
    if (s->k[0] == 0 || s->k[0] > others)
        return ctx_fail(ctx, SPD_EINVAL,
                        "%zu neighbours requested, but there are only %zu other "
                        "matrices",
                        s->k[0], others);
    return SPD_OK;
}

/* Only now are the caller's arrays touched. */
static void deliver(const tile_search *s, spd_neighbours *near)
{
    for (size_t i = 0; i < s->queries->p * near->k; i++) {
        near->index[i] = (int64_t)s->best[0][i].index;
        near->d2[i] = s->best[0][i].d2;
    }
    near->exact = near->pairs =
        (double)s->queries->p * (double)(s->samples->p - (s->samples == s->queries ? 1 : 0));
    near->pruned = 0.0;
    near->recall = 1.0;
    near->search = SPD_SEARCH_EXACT;
}

spd_status spd_nearest_store(spd_context *ctx, spd_metric metric_id, const spd_store *store,
                             const spd_store *queries, spd_neighbours *neighbours)
{
    if (store && store->X && (!queries || queries->X) && (!queries || queries->n == store->n))
        return spd_nearest(ctx, metric_id, store->n, store->p, store->X, queries ? queries->p : 0,
                           queries ? queries->X : NULL, neighbours);
    if (!store)
        return ctx_fail(ctx, SPD_EINVAL, "an empty set of matrices has no neighbours");
    spd_neighbours near = SPD_INIT(spd_neighbours);
    arena room = {0};
    tile_search s = {.metric = metric_id, .samples = store, .queries = queries ? queries : store};
    ctx_clear(ctx);
    spd_status status = sized_take(ctx, "spd_neighbours", sizeof near, &near, neighbours);
    s.lists = 1;
    s.k[0] = near.k;
    if (status == SPD_OK)
        status = check_search(ctx, &s, &near);
    if (status == SPD_OK && near.search == SPD_SEARCH_APPROXIMATE)
        status = ctx_fail(ctx, SPD_EINVAL,
                          "an approximate search needs the matrices in memory, and they are read "
                          "piece by piece; allow more memory, or search exactly");
    if (status < 0)
        return status;
    s.best[0] = arena_alloc(&room, s.queries->p, near.k * sizeof(hit));
    s.found[0] = arena_zero(&room, s.queries->p, sizeof(size_t));
    status = arena_status(&room, ctx, "neighbours");
    if (status == SPD_OK)
        status = tiles_run(ctx, &s);
    if (status == SPD_OK) {
        deliver(&s, &near);
        sized_give(sizeof near, &near, neighbours);
    }
    arena_free(&room);
    return store_locate(ctx, store, status);
}
