/* affinity_lists.c - neighbours by class through exact searches, for large sets.
 *
 * Within: one search per class. Between: where classes are small, one search among all for so
 * many neighbours that enough of them must be of other classes; else one search per class among
 * the samples of the others. Memory: one copy of the set. */
#include <string.h>

#include "base/arena.h"
#include "engine/check.h"
#include "engine/fault.h"
#include "learn/affinity_search.h"

/* Up to so many neighbours one search among all beats searches class by class. */
#define ONE_SEARCH_UP_TO 64

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* A part of the samples against another, or within itself. */
typedef struct part_search {
    size_t samples, queries;
    size_t *sample, *query; /* p: their numbers */
    int64_t *index;         /* rows x k, from the last search */
    arena room;             /* of the last search */
} part_search;

/* The matrices of these samples; NULL when out of memory. */
static double *gather(const graph_job *g, size_t count, const size_t *which, arena *keep)
{
    size_t n2 = g->n * g->n;
    double *X = arena_alloc(keep, count, n2 * sizeof *X);
    for (size_t e = 0; X && e < count; e++)
        memcpy(X + e * n2, g->X + which[e] * n2, n2 * sizeof *X);
    return X;
}

/* A gathered set has numbers of its own: a bad matrix is found again among all, a pair without a
 * distance is not named. */
static spd_status name_sample(spd_context *ctx, const graph_job *g, spd_status status)
{
    if (status != SPD_ENOTSPD && status != SPD_ENOTFINITE)
        return fault_unnamed(ctx, status);
    spd_status again = check_set(ctx, "X", g->n, g->p, g->X, 1.0);
    return again < 0 ? again : status;
}

/* s->index (rows x k) <- the k nearest of s->sample to each of s->query; queries 0: within. */
static spd_status part_run(spd_context *ctx, const graph_job *g, part_search *s, size_t k)
{
    size_t rows = s->queries ? s->queries : s->samples;
    s->index = arena_alloc(&s->room, rows, k * sizeof *s->index);
    double *d2 = arena_alloc(&s->room, rows, k * sizeof *d2);
    const double *X = gather(g, s->samples, s->sample, &s->room);
    const double *Q = s->queries ? gather(g, s->queries, s->query, &s->room) : NULL;
    spd_status status = arena_status(&s->room, ctx, "neighbour graph");
    if (status == SPD_OK)
        status = name_sample(
            ctx, g,
            spd_nearest(ctx, g->metric, g->n, s->samples, X, s->queries, Q,
                        &(spd_neighbours){
                            .size = sizeof(spd_neighbours), .k = k, .index = s->index, .d2 = d2}));
    return status;
}

/* Runs the search and links each row to all k of its neighbours but itself, `most` at most. */
static spd_status part_link(spd_context *ctx, const graph_job *g, part_search *s, size_t k,
                            size_t most, link_kind kind, links *l)
{
    const size_t *from = s->queries ? s->query : s->sample;
    size_t rows = s->queries ? s->queries : s->samples;
    spd_status status = part_run(ctx, g, s, k);
    for (size_t r = 0; r < rows && status == SPD_OK; r++)
        for (size_t e = 0, taken = 0; e < k && taken < most; e++) {
            size_t to = s->sample[s->index[r * k + e]];
            if (to == from[r])
                continue;
            links_add(l, from[r], to, kind);
            taken++;
        }
    arena_free(&s->room);
    return status;
}

static spd_status within_class(spd_context *ctx, const graph_job *g, size_t which, part_search *s,
                               links *l)
{
    size_t size = class_size(g->c, which), k = smaller(g->nu_w, size - 1);
    if (k == 0)
        return SPD_OK;
    s->samples = size;
    s->queries = 0;
    memcpy(s->sample, g->c->order + g->c->first[which], size * sizeof *s->sample);
    return part_link(ctx, g, s, k, k, LINK_WITHIN, l);
}

/* One class against all others, these in the order of the set: ties go to the lower index. */
static spd_status between_class(spd_context *ctx, const graph_job *g, size_t which, part_search *s,
                                links *l)
{
    size_t size = class_size(g->c, which), k = smaller(g->nu_b, g->c->labelled - size);
    if (k == 0)
        return SPD_OK;
    const size_t *own = g->c->order + g->c->first[which];
    s->samples = 0;
    s->queries = size;
    memcpy(s->query, own, size * sizeof *own);
    for (size_t i = 0; i < g->p; i++)
        if (g->label[i] >= 0 && g->label[i] != g->label[own[0]])
            s->sample[s->samples++] = i;
    return part_link(ctx, g, s, k, k, LINK_BETWEEN, l);
}

/* All with a label at once: of k neighbours at most `largest - 1` are of the own class. */
static spd_status between_at_once(spd_context *ctx, const graph_job *g, size_t k, part_search *s,
                                  links *l)
{
    s->samples = s->queries = 0;
    for (size_t i = 0; i < g->p; i++)
        if (g->label[i] >= 0)
            s->sample[s->samples++] = i;
    spd_status status = part_run(ctx, g, s, k);
    for (size_t r = 0; r < s->samples && status == SPD_OK; r++) {
        size_t from = s->sample[r], found = 0;
        for (size_t e = 0; e < k && found < g->nu_b; e++) {
            size_t to = s->sample[s->index[r * k + e]];
            if (g->label[to] == g->label[from])
                continue;
            links_add(l, from, to, LINK_BETWEEN);
            found++;
        }
    }
    arena_free(&s->room);
    return status;
}

static spd_status between_classes(spd_context *ctx, const graph_job *g, part_search *s, links *l)
{
    size_t others = g->c->labelled - 1;
    if (g->nu_b < ONE_SEARCH_UP_TO && g->nu_b + g->c->largest - 1 <= ONE_SEARCH_UP_TO)
        return between_at_once(ctx, g, smaller(g->nu_b + g->c->largest - 1, others), s, l);
    spd_status status = SPD_OK;
    for (size_t c = 0; c < g->c->count && status == SPD_OK; c++)
        status = between_class(ctx, g, c, s, l);
    return status;
}

/* Those without a label among all. One more neighbour is asked for, since a sample may find
 * itself; where duplicates push it out of the list, the list is one too long. */
static spd_status unlabelled(spd_context *ctx, const graph_job *g, part_search *s, links *l)
{
    size_t k = smaller(g->near_unknown, g->p - 1);
    s->samples = g->p;
    s->queries = g->p - g->c->labelled;
    if (s->queries == 0)
        return SPD_OK;
    for (size_t i = 0; i < g->p; i++)
        s->sample[i] = i;
    memcpy(s->query, g->c->order + g->c->labelled, s->queries * sizeof *s->query);
    return part_link(ctx, g, s, k + 1, k, LINK_WITHIN, l);
}

spd_status graph_by_lists(spd_context *ctx, const graph_job *g, links *l)
{
    arena room = {0};
    part_search s = {.sample = arena_alloc(&room, g->p, sizeof *s.sample),
                     .query = arena_alloc(&room, g->p, sizeof *s.query)};
    spd_status status = arena_status(&room, ctx, "neighbour graph");
    for (size_t c = 0; c < g->c->count && status == SPD_OK; c++)
        status = within_class(ctx, g, c, &s, l);
    if (status == SPD_OK)
        status = between_classes(ctx, g, &s, l);
    if (status == SPD_OK)
        status = unlabelled(ctx, g, &s, l);
    arena_free(&room);
    return status;
}

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
        status =
            g->X ? check_set(ctx, "X", g->n, g->p, g->X, 1.0) : spd_check_store(ctx, g->set, 1.0);
    if (status < 0)
        return status;
    for (size_t i = 0; i < g->p; i++)
        for (size_t j = 0; j < g->p; j++)
            if (j != i)
                links_add(l, i, j, g->label[i] == g->label[j] ? LINK_WITHIN : LINK_BETWEEN);
    return SPD_OK;
}

spd_status graph_by_class(spd_context *ctx, graph_job *g, size_t matrix_up_to, links *l)
{
    int exact = wants_all(g) || !graph_approximates(g);
    int wanted = g->search == SPD_SEARCH_APPROXIMATE;
    g->search = exact ? SPD_SEARCH_EXACT : SPD_SEARCH_APPROXIMATE;
    g->recall = 1.0;
    if (!exact)
        return graph_by_approximation(ctx, g, l);
    if (wants_all(g))
        return link_all(ctx, g, l);
    if (g->D)
        return graph_from_matrix(ctx, g, g->D, l);
    if (!g->X && wanted)
        return ctx_fail(ctx, SPD_EINVAL,
                        "an approximate search needs the matrices in memory, and they are read "
                        "piece by piece; allow more memory, or look among a few candidates only");
    if (!g->X)
        return graph_by_tiles(ctx, g, l);
    return g->p <= matrix_up_to ? graph_by_matrix(ctx, g, l) : graph_by_lists(ctx, g, l);
}
