/* nearest_tiles.c - a tile of queries in memory, and all samples streaming by.
 *
 * Ranks have a share of the queries and a share of the samples each. Every rank reads and prepares
 * blocks of its own samples, and blocks go round in a ring: each sample is prepared once for all
 * tiles that are held at the time. A process alone is a ring of one. */
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
    ranks *ranks;           /* of the ring; NULL: alone */
    size_t query, queries;  /* the tile: number of its first, how many */
    size_t tile;            /* at most */
    size_t sample, samples; /* the block that is measured now */
    double *F, *G, *H;      /* tile x size, block x size, and the next block of a ring */
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

/* ---- blocks ------------------------------------------------------------------------------------
 */

/* Samples of a set, as they come. */
typedef struct feed {
    const spd_store *set;
    store_walk *walk;
    const char *name;    /* in messages */
    size_t next;         /* the number of the next */
    const double *piece; /* what is left of those that were read */
    size_t left;
} feed;

static spd_status feed_open(spd_context *ctx, const spd_store *set, const char *name, feed *f)
{
    *f = (feed){.set = set, .name = name};
    return store_walks_new(ctx, set, 1, BLOCK_GRANULE, BLOCK_BYTES, &f->walk);
}

static void feed_begin(feed *f, size_t first, size_t last)
{
    f->next = first;
    f->left = 0;
    store_walk_begin(f->walk, first, last, NULL);
}

/* F (count x size) <- the next samples, prepared. */
static spd_status take(tiles *t, feed *f, size_t count, double *F)
{
    spd_status status = SPD_OK;
    for (size_t got = 0, now; got < count && status == SPD_OK; got += now) {
        if (f->left == 0 && !(f->piece = store_walk_next(f->walk, &f->left)))
            return store_fail(t->ctx, f->set, SPD_EIO);
        now = f->left < count - got ? f->left : count - got;
        now = now < t->block ? now : t->block;
        status =
            prepare_part(t->ctx, t->m, t->n, now, f->piece, f->name, f->next, F + got * t->size);
        f->piece += now * t->n * t->n;
        f->next += now;
        f->left -= now;
    }
    return status;
}

static int relay(void *user, const spd_progress *progress)
{
    tiles *t = user;
    double share = progress->total > 0.0 ? progress->done / progress->total : 0.0;
    double here = (double)t->queries * (double)t->samples;
    const spd_progress told = {"neighbours", "pairs", t->done + share * here, t->all};
    return t->tell ? t->tell(t->tell_user, &told) : 0;
}

/* The block in G against the tile. */
static spd_status measure(tiles *t)
{
    atomic_store(&t->lowest, SIZE_MAX);
    spd_context_set_progress(t->ctx, relay, t);
    spd_status status = parallel_for(
        t->ctx, t->samples ? (t->queries + QUERIES_PER_CHUNK - 1) / QUERIES_PER_CHUNK : 0,
        tile_chunk, t, "neighbours", "pairs", 1.0, NULL);
    spd_context_set_progress(t->ctx, t->tell, t->tell_user);
    t->done += (double)t->queries * (double)t->samples;
    return status == SPD_ENUMERIC ? explain(t) : status;
}

/* ---- the ring ----------------------------------------------------------------------------------
 */

/* *first, *count <- part number `number`, of `most` or fewer, of a rank's share of `items`. */
static void part_of(const tiles *t, int rank, size_t items, size_t number, size_t most,
                    size_t *first, size_t *count)
{
    size_t end = ranks_first(t->ranks, rank + 1, items);
    *first = ranks_first(t->ranks, rank, items) + number * most;
    *count = *first >= end ? 0 : end - *first < most ? end - *first : most;
}

/* Parts of the largest share. */
static size_t parts_in(const tiles *t, size_t items, size_t most)
{
    size_t peers = (size_t)ranks_count(t->ranks), share = (items + peers - 1) / peers;
    return (share + most - 1) / most;
}

/* G <- the block of the rank before; the own one goes to the rank after. */
static void pass_on(tiles *t, size_t *at, size_t next_count)
{
    ranks *r = t->ranks;
    int to = (r->rank + 1) % r->count, from = (r->rank + r->count - 1) % r->count;
    size_t *out_at = at, *in_at = at + r->count + 1, each = t->size * sizeof *t->G;
    for (int k = 0; k <= r->count; k++) {
        out_at[k] = k > to ? t->samples * each : 0;
        in_at[k] = k > from ? next_count * each : 0;
    }
    r->trade(r, out_at, t->G, in_at, t->H);
    double *passed = t->G;
    t->G = t->H;
    t->H = passed;
}

/* Block number `block` of every rank goes round once. */
static spd_status go_round(tiles *t, feed *samples, size_t block, size_t *at)
{
    int peers = ranks_count(t->ranks), me = ranks_rank(t->ranks);
    size_t p = t->of->samples->p;
    part_of(t, me, p, block, t->block, &t->sample, &t->samples);
    spd_status status = ranks_settle(t->ctx, take(t, samples, t->samples, t->G));
    for (int step = 0; step < peers && status == SPD_OK; step++) {
        size_t first, count;
        status = ranks_settle(t->ctx, measure(t));
        if (step + 1 == peers || status < 0)
            continue;
        part_of(t, (me + peers - step - 1) % peers, p, block, t->block, &first, &count);
        pass_on(t, at, count);
        t->sample = first;
        t->samples = count;
    }
    return status;
}

static spd_status search_tiles(tiles *t)
{
    const tile_search *s = t->of;
    feed samples = {0}, queries = {0};
    int me = ranks_rank(t->ranks);
    size_t p = s->samples->p, q = s->queries->p, peers = (size_t)ranks_count(t->ranks);
    size_t *at = arena_alloc(&t->room, 2 * (peers + 1), sizeof *at);
    spd_status status = arena_status(&t->room, t->ctx, "neighbours");
    if (status == SPD_OK)
        status = feed_open(t->ctx, s->samples, "X", &samples);
    if (status == SPD_OK)
        status = feed_open(t->ctx, s->queries, s->queries == s->samples ? "X" : "Q", &queries);
    status = ranks_settle(t->ctx, status);
    if (status == SPD_OK)
        feed_begin(&queries, ranks_first(t->ranks, me, q), ranks_first(t->ranks, me + 1, q));
    for (size_t tile = 0; tile < parts_in(t, q, t->tile) && status == SPD_OK; tile++) {
        part_of(t, me, q, tile, t->tile, &t->query, &t->queries);
        status = ranks_settle(t->ctx, take(t, &queries, t->queries, t->F));
        feed_begin(&samples, ranks_first(t->ranks, me, p), ranks_first(t->ranks, me + 1, p));
        for (size_t b = 0; b < parts_in(t, p, t->block) && status == SPD_OK; b++)
            status = go_round(t, &samples, b, at);
    }
    store_walks_end(samples.walk);
    store_walks_end(queries.walk);
    return status;
}

/* The lists of all ranks' queries, in every rank. */
static void collect(const tiles *t)
{
    const tile_search *s = t->of;
    for (size_t list = 0; list < s->lists && t->ranks; list++) {
        ranks_collect(t->ranks, s->queries->p, 1, s->k[list] * sizeof(hit), s->best[list]);
        ranks_collect(t->ranks, s->queries->p, 1, sizeof(size_t), s->found[list]);
    }
}

spd_status tiles_run(spd_context *ctx, const tile_search *search)
{
    size_t n = search->samples->n, q = search->queries->p;
    tiles t = {.of = search, .ctx = ctx, .k = kernels_get(), .m = metric_get(search->metric)};
    t.n = n;
    t.size = t.m->size(n);
    t.ranks = ranks_of(ctx);
    size_t share = parts_in(&t, q, 1);
    double room = SHARE_OF_TILE * spd_context_memory(ctx) / (8.0 * (double)t.size);
    t.tile = room >= (double)share ? share : (size_t)room < LEAST_TILE ? LEAST_TILE : (size_t)room;
    t.block = store_piece(ctx, 1, BLOCK_BYTES) / (8 * n * n) / BLOCK_GRANULE * BLOCK_GRANULE +
              BLOCK_GRANULE;
    t.all = (double)share * (double)search->samples->p;
    t.tell = ctx ? ctx->progress : NULL;
    t.tell_user = ctx ? ctx->user : NULL;
    t.F = arena_alloc(&t.room, t.tile, t.size * sizeof *t.F);
    t.G = arena_alloc(&t.room, t.block, t.size * sizeof *t.G);
    t.H = t.ranks ? arena_alloc(&t.room, t.block, t.size * sizeof *t.H) : NULL;
    t.work =
        arena_alloc(&t.room, (size_t)parallel_threads(ctx), block_work(t.m, n) * sizeof(double));
    spd_status status = ranks_settle(ctx, arena_status(&t.room, ctx, "neighbours"));
    if (status == SPD_OK)
        status = search_tiles(&t);
    if (status == SPD_OK)
        collect(&t);
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
