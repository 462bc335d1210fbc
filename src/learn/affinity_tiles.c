/* affinity_tiles.c - neighbours by class in one search over a store (nearest_tiles.h): the two
 * lists of a sample are those of its own class and of others; of one without a label, all. */
#include "base/arena.h"
#include "engine/nearest_tiles.h"
#include "learn/affinity_search.h"

enum { WITHIN, BETWEEN };

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t wanted(const void *user, size_t list, size_t query)
{
    const graph_job *g = user;
    if (g->label[query] < 0)
        return list == WITHIN ? smaller(g->near_unknown, g->p - 1) : 0;
    return list == WITHIN ? g->nu_w : g->nu_b;
}

static int admits(const void *user, size_t list, size_t query, size_t sample)
{
    const graph_job *g = user;
    if (g->label[query] < 0)
        return list == WITHIN;
    return g->label[sample] >= 0 && (g->label[sample] == g->label[query]) == (list == WITHIN);
}

static void link_found(const tile_search *s, links *l)
{
    for (size_t i = 0; i < s->queries->p; i++)
        for (size_t list = 0; list < s->lists; list++)
            for (size_t e = 0; e < s->found[list][i]; e++)
                links_add(l, i, s->best[list][i * s->k[list] + e].index,
                          list == WITHIN ? LINK_WITHIN : LINK_BETWEEN);
}

spd_status graph_by_tiles(spd_context *ctx, const graph_job *g, links *l)
{
    arena room = {0};
    tile_search s = {.metric = g->metric, .samples = g->set, .queries = g->set, .lists = 2};
    s.k[WITHIN] = g->nu_w > g->near_unknown ? g->nu_w : g->near_unknown;
    s.k[BETWEEN] = g->nu_b;
    s.wanted = wanted;
    s.admits = admits;
    s.user = g;
    for (size_t list = 0; list < s.lists; list++) {
        s.best[list] = arena_alloc(&room, g->p, s.k[list] * sizeof(hit));
        s.found[list] = arena_zero(&room, g->p, sizeof(size_t));
    }
    spd_status status = arena_status(&room, ctx, "neighbour graph");
    if (status == SPD_OK)
        status = tiles_run(ctx, &s);
    if (status == SPD_OK)
        link_found(&s, l);
    arena_free(&room);
    return status;
}
