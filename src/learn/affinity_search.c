/* affinity_search.c - neighbours by class: one search, and the links to those on its lists. */
#include "learn/affinity_search.h"

#include "base/order.h"
#include "base/arena.h"
#include "ops/check.h"
#include "search/search.h"

/* Lists of more than this are no neighbourhoods: finding them takes as long as the exact search. */
#define MOST_WANTED 256

size_t graph_room(const graph_job *g)
{
    size_t room = (g->p - g->c->labelled) * (smaller(g->near_unknown, g->p - 1) + g->far_unknown);
    for (size_t c = 0; c < g->c->count; c++) {
        size_t size = class_size(g->c, c);
        room += size * (smaller(g->nu_w, size - 1) + smaller(g->nu_b, g->c->labelled - size));
    }
    return room;
}

/* Is every sample a neighbour of every other? Then nothing needs to be measured. */
static int wants_all(const graph_job *g)
{
    return g->c->labelled == g->p && g->nu_w >= g->c->largest - 1 &&
           g->nu_b >= g->p - g->c->smallest;
}

static spd_status link_all(spd_context *ctx, const graph_job *g, links *l)
{
    spd_status status = SPD_OK;
    if (!g->D)
        status = set_doubles(g->set)
                     ? check_set(ctx, "X", g->set->n, g->p, set_doubles(g->set), 1.0)
                     : spd_check(ctx, g->set, 1.0);
    if (status < 0)
        return status;
    for (size_t i = 0; i < g->p; i++)
        for (size_t j = 0; j < g->p; j++)
            if (j != i)
                links_add(l, i, j, g->label[i] == g->label[j] ? LINK_WITHIN : LINK_BETWEEN);
    return SPD_OK;
}

static void link_lists(const graph_job *g, const search_job *job, const search_result *found,
                       links *l)
{
    for (size_t i = 0; i < g->p; i++)
        for (int list = 0; list < MAX_LISTS; list++) {
            const neighbour *from =
                found->list + i * (job->k[0] + job->k[1]) + (list ? job->k[0] : 0);
            size_t there = found->count[MAX_LISTS * i + (size_t)list];
            for (size_t e = 0; e < smaller(there, search_wanted(job, i, list)); e++)
                links_add(l, i, from[e].index, list ? LINK_BETWEEN : LINK_WITHIN);
        }
}

int graph_approximates(const graph_job *g)
{
    int sensible = g->nu_w + g->nu_b <= MOST_WANTED && g->p > 2 * MOST_WANTED;
    if (g->search == SPD_SEARCH_AUTO)
        return sensible && search_is_long(g->metric, g->set->n, g->p, g->p);
    return sensible && g->search == SPD_SEARCH_APPROXIMATE;
}

/* found <- the lists of all samples, by the way that suits the job. */
static spd_status find_lists(spd_context *ctx, const graph_job *g, size_t matrix_up_to,
                             search_job *job, arena *keep, search_result *found)
{
    if (g->D)
        return search_in_matrix(ctx, job, g->p, g->D, keep, found);
    if (graph_approximates(g) && set_doubles(g->set))
        job->search = SPD_SEARCH_APPROXIMATE;
    else if (set_doubles(g->set) && g->p <= matrix_up_to)
        return search_by_matrix(ctx, job, keep, found);
    else if (!set_doubles(g->set) && g->search == SPD_SEARCH_APPROXIMATE)
        return ctx_fail(ctx, SPD_EINVAL,
                        "an approximate search needs the matrices in memory, and they are read "
                        "piece by piece; allow more memory, or take the exact one");
    return search_run(ctx, job, keep, found);
}

spd_status graph_by_class(spd_context *ctx, graph_job *g, size_t matrix_up_to, links *l)
{
    arena room = {0};
    search_result found = {.search = SPD_SEARCH_EXACT, .recall = 1.0};
    search_job job = {.metric = g->metric,
                      .samples = g->set,
                      .queries = g->set,
                      .label = g->label,
                      .k = {g->nu_w, g->nu_b},
                      .k_unlabelled = g->near_unknown,
                      .search = SPD_SEARCH_EXACT,
                      .seed = g->seed};
    spd_status status;
    if (wants_all(g))
        status = link_all(ctx, g, l);
    else {
        status = find_lists(ctx, g, matrix_up_to, &job, &room, &found);
        if (status == SPD_OK)
            link_lists(g, &job, &found, l);
    }
    g->search = found.search;
    g->recall = found.recall;
    arena_free(&room);
    return status;
}
