/* affinity_approximate.c - neighbours by class in almost linear time: most of the true ones. */
#include "engine/approximate.h"
#include "engine/pairwise.h"
#include "learn/affinity_search.h"

/* Lists of more than this are no neighbourhoods: finding them takes as long as the exact search. */
#define MOST_WANTED 256

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t wanted_near(const graph_job *g)
{
    return g->nu_w > g->near_unknown ? g->nu_w : g->near_unknown;
}

int graph_approximates(const graph_job *g)
{
    if (g->D || !g->X)
        return 0;
    if (g->candidates > 0)
        return g->candidates < g->p;
    int sensible = wanted_near(g) + g->nu_b <= MOST_WANTED && g->p > 2 * MOST_WANTED;
    if (g->search == SPD_SEARCH_AUTO)
        return sensible && approximate_pays(metric_get(g->metric), g->n, g->p, g->p);
    return sensible && g->search == SPD_SEARCH_APPROXIMATE;
}

static void add(links *l, size_t from, const hit *list, size_t count, size_t most, link_kind kind)
{
    for (size_t e = 0; e < smaller(count, most); e++)
        links_add(l, from, list[e].index, kind);
}

static void link_lists(const graph_job *g, const approximate_lists *found, links *l)
{
    for (size_t i = 0; i < g->p; i++) {
        const hit *list = found->hit + i * (wanted_near(g) + g->nu_b);
        size_t near = g->label[i] < 0 ? g->near_unknown : g->nu_w;
        add(l, i, list, found->count[2 * i], near, LINK_WITHIN);
        add(l, i, list + wanted_near(g), found->count[2 * i + 1], g->nu_b, LINK_BETWEEN);
    }
}

spd_status graph_by_approximation(spd_context *ctx, graph_job *g, links *l)
{
    arena room = {0};
    approximate_lists found;
    approximate_job job = {.m = metric_get(g->metric),
                           .n = g->n,
                           .p = g->p,
                           .X = g->X,
                           .label = g->label,
                           .k = {wanted_near(g), g->nu_b},
                           .seed = g->seed};
    double *F = arena_alloc(&room, g->p, job.m->size(g->n) * sizeof *F);
    spd_status status =
        F ? prepare_set(ctx, job.m, g->n, g->p, g->X, "X", F) : ctx_nomem(ctx, "neighbour graph");
    job.F = F;
    size_t *drawn = NULL;
    if (status == SPD_OK && g->candidates > 0)
        status = graph_draw(ctx, g, &room, &drawn, &job.candidates);
    job.candidate = drawn;
    if (status == SPD_OK)
        status = approximate_run(ctx, &job, &room, &found);
    if (status == SPD_OK) {
        link_lists(g, &found, l);
        g->recall = found.recall;
    }
    arena_free(&room);
    return status;
}
