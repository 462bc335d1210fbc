/* tiles.c - lists by all distances: some queries against some samples.
 *
 * In memory every rank answers a share of the queries. Of sets that are read piece by piece as many
 * queries as there is room for are prepared and held, a tile; all samples stream by, are prepared
 * block by block and measured against them; then come the next queries. Ranks have a share of the
 * queries and a share of the samples each: every rank reads and prepares blocks of its own samples,
 * and blocks go round in a ring, so that each sample is prepared once for all tiles that are held
 * at the time. A process alone is a ring of one. */
#include <math.h>

#include "base/order.h"
#include "base/arena.h"
#include "base/ranks.h"
#include "base/relay.h"
#include "ops/fault.h"
#include "ops/pairwise.h"
#include "run/blas.h"
#include "run/parallel.h"
#include "search/job.h"
#include "sets/blocks.h"

#define QUERIES_PER_CHUNK 16
#define TILE_SHARE        0.5 /* of the memory limit */
#define LEAST_TILE        64  /* queries */

/* ---- a tile ---------------------------------------------------------------------------------- */

/* Items first .. first+count-1 of a subset, prepared. */
typedef struct part {
    size_t first, count;
    const size_t *number; /* of the subset */
    const double *F;
    int whole; /* F has the whole set, not these items alone */
} part;

typedef struct tile {
    const search *s;
    part queries, samples;
    neighbour *list; /* rows x each: of all queries of the subset */
    size_t *count;   /* rows x 2 */
    double *work;    /* threads x block_work */
} tile;

static size_t number_of(const part *x, size_t i)
{
    return x->number ? x->number[x->first + i] : x->first + i;
}

static const double *prepared(const tile *t, const part *x, size_t i)
{
    return x->F + (x->whole ? number_of(x, i) : i) * t->s->size;
}

/* Interleaves `count` samples of the part from `first` on; returns the number of octets. */
static size_t gather(const tile *t, size_t first, size_t count, double *octets)
{
    const part *x = &t->samples;
    const search *s = t->s;
    if (x->whole && x->number)
        return block_gather(s->kernels, s->size, count, x->F, s->size, x->number + x->first + first,
                            octets);
    return block_gather(s->kernels, s->size, count, prepared(t, x, first), s->size, NULL, octets);
}

/* Offers the distances of one query to `count` samples of the part from `first` on. */
static void offer_block(const tile *t, size_t at, size_t first, size_t count, const double *d2)
{
    const search *s = t->s;
    const search_job *job = s->job;
    size_t query = number_of(&t->queries, at), row = t->queries.first + at;
    size_t *there = t->count + MAX_LISTS * row;
    neighbour *list[MAX_LISTS] = {t->list + row * s->each, t->list + row * s->each + job->k[0]};
    size_t wanted[MAX_LISTS];
    double limit[MAX_LISTS]; /* most are farther */
    for (int which = 0; which < MAX_LISTS; which++) {
        wanted[which] = search_wanted(job, query, which);
        limit[which] = list_limit(list[which], there[which], wanted[which]);
    }
    for (size_t c = 0; c < count; c++) {
        size_t sample = number_of(&t->samples, first + c);
        int which = list_for(job->label, query, sample);
        if (which < 0 || d2[c] > limit[which] || (s->within && sample == query))
            continue;
        list_offer(list[which], &there[which], wanted[which], (neighbour){d2[c], sample, 0});
        limit[which] = list_limit(list[which], there[which], wanted[which]);
    }
}

static int all_finite(size_t count, const double *d2)
{
    for (size_t c = 0; c < count; c++)
        if (!isfinite(d2[c]))
            return 0;
    return 1;
}

/* A handful of queries against all samples, a block of samples interleaved once for all. */
static spd_status tile_chunk(void *user, size_t chunk, int thread)
{
    const tile *t = user;
    const search *s = t->s;
    size_t from = chunk * QUERIES_PER_CHUNK;
    size_t to = smaller(from + QUERIES_PER_CHUNK, t->queries.count);
    size_t stride = block_work(s->metric, s->n);
    block_store b = block_split(s->metric, s->n, t->work + (size_t)thread * stride);
    for (size_t first = 0; first < t->samples.count; first += SEARCH_BLOCK) {
        size_t count = smaller(SEARCH_BLOCK, t->samples.count - first);
        size_t octets = gather(t, first, count, b.octets);
        for (size_t a = from; a < to; a++) {
            s->metric->dist2(s->kernels, s->n, octets, prepared(t, &t->queries, a), b.octets, b.d2,
                             b.rest);
            if (!all_finite(count, b.d2))
                return SPD_ENUMERIC;
            offer_block(t, a, first, count, b.d2);
        }
    }
    return SPD_OK;
}

/* The first sample of the tile that has no distance to a query; their number when all have. */
static size_t first_bad(const tile *t, size_t query)
{
    const search *s = t->s;
    const double *f = prepared(t, &t->queries, query);
    for (size_t sample = 0; sample < t->samples.count; sample++) {
        double d2;
        block_dist2(s->kernels, s->metric, s->n, f, 1, prepared(t, &t->samples, sample), s->size,
                    NULL, &d2, t->work);
        if (!isfinite(d2))
            return sample;
    }
    return t->samples.count;
}

/* Names a pair of the chunk without a distance: looks at its pairs once more, with BLAS held to one
 * thread as before, so that one of them fails again. */
static spd_status explain(spd_context *ctx, const tile *t, size_t chunk)
{
    size_t query = chunk * QUERIES_PER_CHUNK;
    size_t last = smaller(query + QUERIES_PER_CHUNK, t->queries.count) - 1;
    spd_private_blas_hold();
    size_t sample = first_bad(t, query);
    while (sample == t->samples.count && query < last)
        sample = first_bad(t, ++query);
    spd_private_blas_release();
    return search_fault(ctx, t->s, number_of(&t->queries, query), number_of(&t->samples, sample));
}

static size_t chunks_of(const tile *t)
{
    return t->samples.count ? (t->queries.count + QUERIES_PER_CHUNK - 1) / QUERIES_PER_CHUNK : 0;
}

/* The lists of all ranks' rows, in every rank: they were dealt out in chunks of `per`. */
static void collect(spd_context *ctx, const tile *t, size_t rows, size_t per)
{
    ranks *r = ranks_of(ctx);
    ranks_collect(r, rows, per, t->s->each * sizeof *t->list, t->list);
    ranks_collect(r, rows, per, MAX_LISTS * sizeof *t->count, t->count);
}

static spd_status run_in_memory(spd_context *ctx, tile *t)
{
    size_t failed = 0, rows = t->queries.count;
    spd_status status = parallel_split(ctx, chunks_of(t), tile_chunk, t, "neighbours", "queries",
                                       (double)rows, &failed);
    if (status == SPD_ENUMERIC)
        status = explain(ctx, t, failed);
    status = ranks_settle(ctx, status);
    if (status == SPD_OK)
        collect(ctx, t, rows, QUERIES_PER_CHUNK);
    return status;
}

/* ---- pieces ---------------------------------------------------------------------------------- */

/* Items of a subset, as they are read. */
typedef struct feed {
    const spd_set *set;
    subset of;
    set_walk *walk;
    const char *name;    /* in messages */
    size_t next;         /* item */
    const double *piece; /* what is left of those that were read */
    size_t left;
} feed;

typedef struct stream {
    spd_context *ctx;
    tile t;
    feed queries, samples;
    ranks *ranks;        /* of the ring; NULL: alone */
    size_t most_queries; /* of a tile */
    size_t most_samples; /* of a block */
    double *F, *G, *H;   /* of the queries, the block, and the next block of a ring */
    size_t *at;          /* offsets of what is passed on */
    double done, all;    /* pairs */
} stream;

static spd_status feed_open(spd_context *ctx, const spd_set *set, subset of, const char *name,
                            feed *f)
{
    *f = (feed){.set = set, .of = of, .name = name};
    return set_walks_new(ctx, set, 1, BLOCK_GRANULE, BLOCK_BYTES, &f->walk);
}

static void feed_begin(feed *f, size_t first, size_t last)
{
    f->next = first;
    f->left = 0;
    set_walk_begin(f->walk, first, last, f->of.number);
}

/* F <- `count` matrices at hand, prepared; a bad one is named by its number in the set. */
static spd_status prepare(const stream *st, const feed *f, size_t count, double *F)
{
    const search *s = st->t.s;
    const size_t *number = f->of.number;
    spd_status status =
        prepare_part(st->ctx, s->metric, s->n, count, f->piece, f->name, number ? 0 : f->next, F);
    if (status < 0 && number && st->ctx && st->ctx->error.index < count) {
        size_t bad = st->ctx->error.index;
        fault_renumber(st->ctx, number[f->next + bad] - bad);
    }
    return status;
}

/* F (count x size) <- the next items, prepared. */
static spd_status take(const stream *st, feed *f, size_t count, double *F)
{
    const search *s = st->t.s;
    spd_status status = SPD_OK;
    for (size_t got = 0, now; got < count && status == SPD_OK; got += now) {
        if (f->left == 0 && !(f->piece = set_walk_next(f->walk, &f->left)))
            return set_fail(st->ctx, f->set, SPD_EIO);
        now = smaller(smaller(f->left, count - got), st->most_samples);
        status = prepare(st, f, now, F + got * s->size);
        f->piece += now * s->n * s->n;
        f->next += now;
        f->left -= now;
    }
    return status;
}

static double pairs_of(const stream *st)
{
    return (double)st->t.queries.count * (double)st->t.samples.count;
}

static spd_progress in_tile(const void *user, const spd_progress *piece)
{
    const stream *st = user;
    return (spd_progress){"neighbours", "pairs", st->done + relay_share(piece) * pairs_of(st),
                          st->all};
}

/* The block at hand against the tile. */
static spd_status measure(stream *st)
{
    size_t failed = 0;
    relay whole;
    st->t.samples.F = st->G;
    relay_open(&whole, st->ctx, in_tile, st);
    spd_status status = parallel_for(st->ctx, chunks_of(&st->t), tile_chunk, &st->t, "neighbours",
                                     "pairs", 1.0, &failed);
    relay_close(&whole);
    st->done += pairs_of(st);
    return status == SPD_ENUMERIC ? explain(st->ctx, &st->t, failed) : status;
}

/* ---- the ring -------------------------------------------------------------------------------- */

/* x <- part number `number`, of `most` or fewer, of a rank's share of the items. */
static void part_of(const stream *st, int rank, subset of, size_t number, size_t most, part *x)
{
    size_t end = ranks_first(st->ranks, rank + 1, of.count);
    x->first = ranks_first(st->ranks, rank, of.count) + number * most;
    x->count = x->first >= end ? 0 : smaller(end - x->first, most);
    x->number = of.number;
}

/* Parts of the largest share. */
static size_t parts_in(const stream *st, size_t items, size_t most)
{
    size_t peers = (size_t)ranks_count(st->ranks), share = (items + peers - 1) / peers;
    return (share + most - 1) / most;
}

/* G <- the block of the rank before; the own one goes to the rank after. */
static void pass_on(stream *st, size_t next_count)
{
    ranks *r = st->ranks;
    int to = (r->rank + 1) % r->count, from = (r->rank + r->count - 1) % r->count;
    size_t *out_at = st->at, *in_at = st->at + r->count + 1;
    size_t each = st->t.s->size * sizeof *st->G;
    for (int k = 0; k <= r->count; k++) {
        out_at[k] = k > to ? st->t.samples.count * each : 0;
        in_at[k] = k > from ? next_count * each : 0;
    }
    r->exchange(r, out_at, st->G, in_at, st->H);
    double *passed = st->G;
    st->G = st->H;
    st->H = passed;
}

/* Block number `block` of every rank goes round once. */
static spd_status go_round(stream *st, size_t block)
{
    int peers = ranks_count(st->ranks), me = ranks_rank(st->ranks);
    const subset of = st->samples.of;
    part *here = &st->t.samples, next = {0};
    part_of(st, me, of, block, st->most_samples, here);
    spd_status status = ranks_settle(st->ctx, take(st, &st->samples, here->count, st->G));
    for (int step = 0; step < peers && status == SPD_OK; step++) {
        status = ranks_settle(st->ctx, measure(st));
        if (step + 1 == peers || status < 0)
            continue;
        part_of(st, (me + peers - step - 1) % peers, of, block, st->most_samples, &next);
        pass_on(st, next.count);
        *here = next;
    }
    return status;
}

static spd_status all_tiles(stream *st)
{
    int me = ranks_rank(st->ranks);
    size_t p = st->samples.of.count, q = st->queries.of.count;
    spd_status status = SPD_OK;
    feed_begin(&st->queries, ranks_first(st->ranks, me, q), ranks_first(st->ranks, me + 1, q));
    for (size_t i = 0; i < parts_in(st, q, st->most_queries) && status == SPD_OK; i++) {
        part_of(st, me, st->queries.of, i, st->most_queries, &st->t.queries);
        st->t.queries.F = st->F;
        status = ranks_settle(st->ctx, take(st, &st->queries, st->t.queries.count, st->F));
        feed_begin(&st->samples, ranks_first(st->ranks, me, p), ranks_first(st->ranks, me + 1, p));
        for (size_t b = 0; b < parts_in(st, p, st->most_samples) && status == SPD_OK; b++)
            status = go_round(st, b);
    }
    return status;
}

/* How many queries and samples are held, and room for them. */
static spd_status make_room(stream *st, size_t p, size_t q, arena *room)
{
    const search *s = st->t.s;
    size_t share = parts_in(st, q, 1), each = s->size * sizeof(double);
    double fit = TILE_SHARE * spd_context_memory(st->ctx) / (double)each;
    st->most_queries = share;
    if (fit < (double)share)
        st->most_queries = fit < LEAST_TILE ? LEAST_TILE : (size_t)fit;
    st->most_samples =
        set_piece(st->ctx, 1, BLOCK_BYTES) / (8 * s->n * s->n) / BLOCK_GRANULE * BLOCK_GRANULE +
        BLOCK_GRANULE;
    st->all = (double)share * (double)p;
    st->F = arena_alloc(room, st->most_queries, each);
    st->G = arena_alloc(room, st->most_samples, each);
    st->H = st->ranks ? arena_alloc(room, st->most_samples, each) : NULL;
    st->at = arena_alloc(room, 2 * ((size_t)ranks_count(st->ranks) + 1), sizeof *st->at);
    return arena_status(room, st->ctx, "neighbours");
}

static spd_status run_in_pieces(spd_context *ctx, const tile *t, subset queries)
{
    const search_job *job = t->s->job;
    arena room = {0};
    stream st = {.ctx = ctx, .t = *t, .ranks = ranks_of(ctx)};
    spd_status status = make_room(&st, t->s->p, queries.count, &room);
    if (status == SPD_OK)
        status = feed_open(ctx, job->samples, (subset){t->s->p, NULL}, "X", &st.samples);
    if (status == SPD_OK)
        status = feed_open(ctx, job->queries, queries, t->s->within ? "X" : "Q", &st.queries);
    status = ranks_settle(ctx, status);
    if (status == SPD_OK)
        status = all_tiles(&st);
    if (status == SPD_OK)
        collect(ctx, t, queries.count, 1);
    set_walks_end(st.samples.walk);
    set_walks_end(st.queries.walk);
    arena_free(&room);
    return status;
}

spd_status tiles_run(spd_context *ctx, const search *s, subset queries, neighbour *list,
                     size_t *count)
{
    arena room = {0};
    size_t stride = block_work(s->metric, s->n) * sizeof(double);
    tile t = {.s = s,
              .queries = {0, queries.count, queries.number, s->G, 1},
              .samples = {0, s->p, NULL, s->F, 1},
              .list = list,
              .count = count,
              .work = arena_alloc(&room, (size_t)parallel_threads(ctx), stride)};
    spd_status status = ranks_settle(ctx, arena_status(&room, ctx, "neighbours"));
    if (status == SPD_OK && s->F)
        status = run_in_memory(ctx, &t);
    else if (status == SPD_OK) {
        t.queries.whole = t.samples.whole = 0;
        status = run_in_pieces(ctx, &t, queries);
    }
    arena_free(&room);
    return status;
}
