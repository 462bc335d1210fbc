/* affinity_matrix.c - neighbours by class from one matrix of distances, for small sets.
 *
 * The matrix costs p(p-1)/2 distances, where separate searches would measure each pair twice. It
 * holds d2(X_i, X_j) for i < j alone, and for some metrics d2(X_j, X_i) differs in the last bits;
 * rows where that could decide who is a neighbour are measured again, in the order of a search. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "engine/fault.h"
#include "learn/affinity_search.h"

typedef enum rule { SAME_CLASS, OTHER_CLASS, ANYONE } rule;

typedef struct hit {
    double d2;
    size_t sample;
} hit;

static int admits(const graph_job *g, rule r, size_t i, size_t j)
{
    if (i == j)
        return 0;
    if (r == ANYONE)
        return 1;
    return g->label[j] >= 0 && (g->label[i] == g->label[j]) == (r == SAME_CLASS);
}

/* best (wanted) <- the nearest that the rule admits, ascending; returns how many there are.
 * Samples come in order, so that a later one at the same distance stays behind. */
static size_t nearest_in_row(const graph_job *g, rule r, size_t i, const double *row, size_t wanted,
                             hit *best)
{
    size_t count = 0;
    for (size_t j = 0; j < g->p; j++) {
        if (!admits(g, r, i, j) || (count == wanted && !(row[j] < best[count - 1].d2)))
            continue;
        size_t at = count < wanted ? count++ : count - 1;
        for (; at > 0 && best[at - 1].d2 > row[j]; at--)
            best[at] = best[at - 1];
        best[at] = (hit){row[j], j};
    }
    return count;
}

/* Is the last neighbour as near as the first that is none, up to rounding? best: k + 1. */
static int undecided(const graph_job *g, rule r, size_t i, const double *row, size_t k, hit *best)
{
    size_t count = nearest_in_row(g, r, i, row, k + 1, best);
    return count > k && best[k].d2 - best[k - 1].d2 <= 1e-7 * best[k].d2 + 1e-12;
}

static int row_undecided(const graph_job *g, size_t i, const double *row, hit *best)
{
    if (g->label[i] < 0)
        return undecided(g, ANYONE, i, row, g->near_unknown, best);
    return undecided(g, SAME_CLASS, i, row, g->nu_w, best) ||
           undecided(g, OTHER_CLASS, i, row, g->nu_b, best);
}

/* The `count` rows of D (p x p) listed in `row` <- d2(X_i, X_j) with i first. */
static spd_status measure_rows(spd_context *ctx, const graph_job *g, size_t count,
                               const size_t *row, double *D)
{
    size_t n2 = g->n * g->n, p = g->p;
    arena room = {0};
    double *Q = arena_alloc(&room, count, n2 * sizeof *Q);
    double *R = arena_alloc(&room, count, p * sizeof *R);
    spd_status status = arena_status(&room, ctx, "neighbour graph");
    for (size_t e = 0; e < count && status == SPD_OK; e++)
        memcpy(Q + e * n2, g->X + row[e] * n2, n2 * sizeof *Q);
    if (status == SPD_OK)
        status = fault_unnamed(ctx, spd_pairwise2(ctx, g->metric, g->n, count, Q, p, g->X, R));
    for (size_t e = 0; e < count && status == SPD_OK; e++)
        memcpy(D + row[e] * p, R + e * p, p * sizeof *R);
    arena_free(&room);
    return status;
}

static void link_row(const graph_job *g, rule r, size_t i, const double *row, size_t k, hit *best,
                     links *l)
{
    size_t count = nearest_in_row(g, r, i, row, k, best);
    for (size_t e = 0; e < count; e++)
        links_add(l, i, best[e].sample, r == OTHER_CLASS ? LINK_BETWEEN : LINK_WITHIN);
}

static void link_sample(const graph_job *g, size_t i, const double *row, hit *best, links *l)
{
    if (g->label[i] < 0) {
        link_row(g, ANYONE, i, row, g->near_unknown, best, l);
        return;
    }
    link_row(g, SAME_CLASS, i, row, g->nu_w, best, l);
    link_row(g, OTHER_CLASS, i, row, g->nu_b, best, l);
}

spd_status graph_from_matrix(spd_context *ctx, const graph_job *g, const double *D, links *l)
{
    arena room = {0};
    hit *best = arena_alloc(&room, g->p, sizeof *best); /* no more than p - 1 are ever admitted */
    if (!best)
        return ctx_nomem(ctx, "neighbour graph");
    for (size_t i = 0; i < g->p; i++)
        link_sample(g, i, D + i * g->p, best, l);
    arena_free(&room);
    return SPD_OK;
}

spd_status graph_by_matrix(spd_context *ctx, const graph_job *g, links *l)
{
    size_t p = g->p, again = 0;
    arena room = {0};
    double *D = arena_alloc(&room, p, p * sizeof *D);
    size_t *row = arena_alloc(&room, p, sizeof *row);
    hit *best = arena_alloc(&room, p, sizeof *best);
    spd_status status = arena_status(&room, ctx, "neighbour graph");
    if (status == SPD_OK)
        status = spd_pairwise2(ctx, g->metric, g->n, p, g->X, 0, NULL, D);
    for (size_t i = 0; i < p && status == SPD_OK; i++)
        if (row_undecided(g, i, D + i * p, best))
            row[again++] = i;
    if (status == SPD_OK && again)
        status = measure_rows(ctx, g, again, row, D);
    if (status == SPD_OK)
        status = graph_from_matrix(ctx, g, D, l);
    arena_free(&room);
    return status;
}
