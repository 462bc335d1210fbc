/* affinity_far.c - graphs without labels: near pairs by a search, far ones drawn at random.
 *
 * Most pairs of a large set are far, so random ones stand for all of them, and the work stays
 * proportional to samples times neighbours. */
#include "base/arena.h"
#include "base/rng.h"
#include "learn/affinity_search.h"
#include "search/search.h"

/* How many of the nearest are too near to be far: at least nu_w, at most half the set. */
static size_t too_near(const graph_job *g)
{
    size_t wanted = 2 * g->nu_w > 10 ? 2 * g->nu_w : 10, half = (g->p - 1) / 2;
    size_t near = wanted < half ? wanted : half;
    return near > g->nu_w ? near : g->nu_w;
}

/* Links sample i to `far` random ones that are not marked; mark[j] == i + 1: near or taken. */
static void draw_far(size_t p, size_t i, size_t far, rng *r, size_t *mark, links *l)
{
    for (size_t taken = 0; taken < far;) {
        size_t j = rng_below(r, p);
        if (mark[j] == i + 1)
            continue;
        mark[j] = i + 1;
        links_add(l, i, j, LINK_BETWEEN);
        taken++;
    }
}

/* near (p x k): neighbours, nearest first; mark: p zeros. */
static void link_all(const graph_job *g, size_t k, const neighbour *near, size_t far, size_t *mark,
                     links *l)
{
    rng r;
    rng_seed(&r, g->seed);
    for (size_t i = 0; i < g->p; i++) {
        mark[i] = i + 1;
        for (size_t e = 0; e < k; e++) {
            size_t j = near[i * k + e].index;
            mark[j] = i + 1;
            if (e < g->nu_w)
                links_add(l, i, j, LINK_WITHIN);
        }
        draw_far(g->p, i, far, &r, mark, l);
    }
}

spd_status graph_near_far(spd_context *ctx, graph_job *g, links *l)
{
    size_t p = g->p, k = too_near(g);
    if (k + 1 >= p)
        return ctx_fail(ctx, SPD_EINVAL,
                        "the between graph is empty: with nu_w %zu all %zu samples are near "
                        "each other; lower nu_w or add samples",
                        g->nu_w, p);
    size_t far = g->nu_b < p - 1 - k ? g->nu_b : p - 1 - k;
    arena room = {0};
    size_t *mark = arena_zero(&room, p, sizeof *mark);
    search_result found = {0};
    search_job job = {
        .metric = g->metric, .samples = g->set, .queries = g->set, .k = {k}, .seed = g->seed};
    if (graph_approximates(g))
        job.search = SPD_SEARCH_APPROXIMATE;
    spd_status status = arena_status(&room, ctx, "neighbour graph");
    if (status == SPD_OK && g->D)
        status = search_in_matrix(ctx, &job, p, g->D, &room, &found);
    else if (status == SPD_OK)
        status = search_run(ctx, &job, &room, &found);
    g->search = found.search;
    g->recall = found.recall;
    if (status == SPD_OK)
        status = links_new(ctx, p * (g->nu_w + far), l);
    if (status == SPD_OK)
        link_all(g, k, found.list, far, mark, l);
    arena_free(&room);
    return status;
}

spd_status graph_far_unknown(spd_context *ctx, const graph_job *g, links *l)
{
    arena room = {0};
    size_t *mark = arena_zero(&room, g->p, sizeof *mark);
    rng r;
    if (!mark)
        return ctx_nomem(ctx, "neighbour graph");
    rng_seed(&r, g->seed);
    for (size_t i = 0; i < g->p; i++)
        if (g->label[i] < 0) {
            mark[i] = i + 1;
            draw_far(g->p, i, g->far_unknown, &r, mark, l);
        }
    arena_free(&room);
    return SPD_OK;
}
