/* affinity_tiles.c - neighbours by class in searches over a store (nearest_tiles.h): the two
 * lists of a sample are those of its own class and of others; of one without a label, all. Among
 * candidates only these are held in memory, and the share of true neighbours is estimated by an
 * exact search for some samples. */
#include <string.h>

#include "base/arena.h"
#include "engine/approximate.h"
#include "engine/nearest_tiles.h"
#include "learn/affinity_search.h"

enum { WITHIN, BETWEEN };

/* Queries and samples are parts of the set: which ones; NULL: all. */
typedef struct tile_graph {
    const graph_job *g;
    const size_t *query, *sample;
    tile_search s;
    spd_store part; /* that is held in memory */
} tile_graph;

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t number(const size_t *which, size_t i)
{
    return which ? which[i] : i;
}

static size_t wanted(const void *user, size_t list, size_t query)
{
    const tile_graph *t = user;
    const graph_job *g = t->g;
    if (g->label[number(t->query, query)] < 0)
        return list == WITHIN ? smaller(g->near_unknown, g->p - 1) : 0;
    return list == WITHIN ? g->nu_w : g->nu_b;
}

static int admits(const void *user, size_t list, size_t query, size_t sample)
{
    const tile_graph *t = user;
    const int *label = t->g->label;
    size_t i = number(t->query, query), j = number(t->sample, sample);
    if (i == j || label[i] < 0)
        return i != j && list == WITHIN;
    return label[j] >= 0 && (label[j] == label[i]) == (list == WITHIN);
}

static void link_found(const tile_graph *t, links *l)
{
    const tile_search *s = &t->s;
    for (size_t i = 0; i < s->queries->p; i++)
        for (size_t list = 0; list < s->lists; list++)
            for (size_t e = 0; e < s->found[list][i]; e++)
                links_add(l, i, number(t->sample, s->best[list][i * s->k[list] + e].index),
                          list == WITHIN ? LINK_WITHIN : LINK_BETWEEN);
}

/* The lists of all queries among all samples. */
static spd_status search(spd_context *ctx, tile_graph *t, arena *keep)
{
    tile_search *s = &t->s;
    const graph_job *g = t->g;
    s->metric = g->metric;
    s->lists = 2;
    s->k[WITHIN] = g->nu_w > g->near_unknown ? g->nu_w : g->near_unknown;
    s->k[BETWEEN] = g->nu_b;
    s->wanted = wanted;
    s->admits = admits;
    s->user = t;
    for (size_t list = 0; list < s->lists; list++) {
        s->best[list] = arena_alloc(keep, s->queries->p, s->k[list] * sizeof(hit));
        s->found[list] = arena_zero(keep, s->queries->p, sizeof(size_t));
    }
    spd_status status = arena_status(keep, ctx, "neighbour graph");
    return status == SPD_OK ? tiles_run(ctx, s) : status;
}

/* t->part <- these samples of the set, read into memory. */
static spd_status hold(spd_context *ctx, tile_graph *t, size_t count, const size_t *which,
                       arena *keep)
{
    const spd_store *set = t->g->set;
    size_t n2 = set->n * set->n;
    double *X = arena_alloc(keep, count, n2 * sizeof *X);
    if (!X)
        return ctx_nomem(ctx, "candidates");
    for (size_t i = 0; i < count; i++) {
        const double *from = store_sample(set, which[i], X + i * n2);
        if (!from)
            return store_fail(ctx, set, SPD_EIO);
        if (from != X + i * n2)
            memcpy(X + i * n2, from, n2 * sizeof *X);
    }
    store_lend(&t->part, set->n, count, X);
    return SPD_OK;
}

/* Entries of `found` that are no farther than the last of the true ones. */
static size_t agreeing(const tile_search *found, const tile_search *exact, size_t list, size_t i,
                       size_t row)
{
    size_t k = found->k[list], there = exact->found[list][row], same = 0;
    const hit *best = found->best[list] + i * k, *true_best = exact->best[list] + row * k;
    while (same < found->found[list][i] && same < there && best[same].d2 <= true_best[there - 1].d2)
        same++;
    return same;
}

/* g->recall <- the share of the true neighbours that t has found, of samples drawn at random. */
static spd_status estimate(spd_context *ctx, graph_job *g, const tile_graph *t)
{
    arena room = {0};
    size_t rows = smaller(APPROXIMATE_ESTIMATE, g->p), same = 0, all = 0;
    size_t *row = arena_alloc(&room, g->p, sizeof *row);
    tile_graph exact = {.g = g, .query = row};
    spd_status status = row ? SPD_OK : ctx_nomem(ctx, "neighbour graph");
    if (status == SPD_OK) {
        approximate_draw(g->seed, g->p, rows, row);
        status = hold(ctx, &exact, rows, row, &room);
    }
    exact.s.queries = &exact.part;
    exact.s.samples = g->set;
    if (status == SPD_OK)
        status = search(ctx, &exact, &room);
    for (size_t i = 0; status == SPD_OK && i < rows; i++)
        for (size_t list = 0; list < 2; list++) {
            all += exact.s.found[list][i];
            same += agreeing(&t->s, &exact.s, list, row[i], i);
        }
    g->recall = all ? (double)same / (double)all : 1.0;
    arena_free(&room);
    return status;
}

spd_status graph_by_tiles(spd_context *ctx, graph_job *g, links *l)
{
    arena room = {0};
    tile_graph t = {.g = g, .s = {.samples = g->set, .queries = g->set}};
    spd_status status = SPD_OK;
    size_t *which = NULL, count;
    if (g->candidates > 0 && g->candidates < g->p) {
        status = graph_draw(ctx, g, &room, &which, &count);
        if (status == SPD_OK)
            status = hold(ctx, &t, count, which, &room);
        t.sample = which;
        t.s.samples = &t.part;
        g->search = SPD_SEARCH_APPROXIMATE;
    }
    if (status == SPD_OK)
        status = search(ctx, &t, &room);
    if (status == SPD_OK && which)
        status = estimate(ctx, g, &t);
    if (status == SPD_OK)
        link_found(&t, l);
    arena_free(&room);
    return status;
}
