/* affinity_search.c - neighbours by class: one search, and the links to those on its lists, which
 * become weighted pairs by two counting sorts and one merge: linear in samples and links. */
#include "learn/affinity_search.h"

#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/order.h"
#include "ops/check.h"
#include "search/search.h"

/* ---- links ----------------------------------------------------------------------------------- */

spd_status links_new(spd_context *ctx, size_t room, links *l)
{
    *l = (links){.room = room, .arc = mem_alloc(room, sizeof *l->arc)};
    return l->arc ? SPD_OK : ctx_nomem(ctx, "neighbour graph");
}

void links_free(links *l)
{
    mem_free(l->arc);
    *l = (links){0};
}

void links_add(links *l, size_t from, size_t to, link_kind kind)
{
    uint32_t a = (uint32_t)from, b = (uint32_t)to;
    l->arc[l->count++] = a < b ? (arc){a, b, kind} : (arc){b, a, kind};
}

/* out <- in, sorted stably by low or high; start: p + 1. */
static void counting_sort(size_t p, size_t count, const arc *in, int by_high, size_t *start,
                          arc *out)
{
    memset(start, 0, (p + 1) * sizeof *start);
    for (size_t e = 0; e < count; e++)
        start[(by_high ? in[e].high : in[e].low) + 1]++;
    for (size_t i = 0; i < p; i++)
        start[i + 1] += start[i];
    for (size_t e = 0; e < count; e++)
        out[start[by_high ? in[e].high : in[e].low]++] = in[e];
}

/* The pair of the links first .. last-1, which join the same two samples. */
static spd_pair merge(const arc *first, const arc *last)
{
    spd_pair pair = {.i = first->low, .j = first->high};
    for (const arc *e = first; e < last; e++)
        if (e->kind == LINK_WITHIN)
            pair.within = 1.0;
    pair.between = 1.0 - pair.within;
    return pair;
}

spd_status links_join(spd_context *ctx, size_t p, links *l, spd_pair **pairs, size_t *count)
{
    arena room = {0};
    size_t *start = arena_alloc(&room, p + 1, sizeof *start), made = 0;
    arc *sorted = arena_alloc(&room, l->count, sizeof *sorted);
    spd_pair *pair = arena_alloc(&room, l->count, sizeof *pair), *fitted;
    spd_status status = arena_status(&room, ctx, "neighbour graph");
    if (status < 0)
        goto done;
    counting_sort(p, l->count, l->arc, 1, start, sorted);
    counting_sort(p, l->count, sorted, 0, start, l->arc);
    for (size_t e = 0, next; e < l->count; e = next) {
        const arc *here = l->arc + e;
        for (next = e + 1; next < l->count; next++)
            if (l->arc[next].low != here->low || l->arc[next].high != here->high)
                break;
        pair[made++] = merge(here, l->arc + next);
    }
    /* Mutual links leave up to half of the room unused: hand over what is needed. */
    fitted = mem_alloc(made, sizeof *pair);
    if (fitted) {
        *pairs = memcpy(fitted, pair, made * sizeof *pair);
        *count = made;
    } else {
        status = ctx_nomem(ctx, "neighbour graph");
    }
done:
    arena_free(&room);
    return status;
}

/* ---- the search ------------------------------------------------------------------------------ */

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
