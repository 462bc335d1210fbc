/* matrix.c - lists of neighbours from one matrix of distances, for small sets.
 *
 * The matrix costs p(p-1)/2 distances, where a search measures each pair twice. It holds
 * d2(X_i, X_j) for i < j alone, and for some metrics d2(X_j, X_i) differs in the last bits; rows
 * where that could decide who is a neighbour are measured again, in the order of a search. */
#include <string.h>

#include "ops/fault.h"
#include "search/search.h"

/* list[0], list[1] and count, empty, <- the neighbours of sample i, which has the distances row
 * (p); `more` than are wanted. */
static void find_lists(const search_job *job, size_t p, size_t i, const double *row, size_t more,
                       neighbour *const *list, size_t *count)
{
    size_t wanted[MAX_LISTS] = {search_wanted(job, i, 0), search_wanted(job, i, 1)};
    for (size_t j = 0; j < p; j++) {
        int which = list_for(job->label, i, j);
        if (j != i && which >= 0 && wanted[which] > 0)
            list_offer(list[which], &count[which], wanted[which] + more, (neighbour){row[j], j, 0});
    }
}

/* Does a list end between two as near as each other, up to rounding? list[0], list[1]: room for p.
 */
static int is_undecided(const search_job *job, size_t p, size_t i, const double *row,
                        neighbour *const *list)
{
    size_t count[MAX_LISTS] = {0};
    find_lists(job, p, i, row, 1, list, count);
    for (int which = 0; which < MAX_LISTS; which++) {
        size_t k = search_wanted(job, i, which);
        const neighbour *next = list[which] + k;
        if (k > 0 && count[which] > k && next->d2 - (next - 1)->d2 <= 1e-7 * next->d2 + 1e-12)
            return 1;
    }
    return 0;
}

/* The `count` rows of D (p x p) listed in `row` <- d2(X_i, X_j) with i first. */
static spd_status measure_rows(spd_context *ctx, const search_job *job, size_t count,
                               const size_t *row, double *D)
{
    const double *X = set_doubles(job->samples);
    size_t n = job->samples->n, n2 = n * n, p = job->samples->p;
    arena room = {0};
    double *Q = arena_alloc(&room, count, n2 * sizeof *Q);
    double *R = arena_alloc(&room, count, p * sizeof *R);
    spd_status status = arena_status(&room, ctx, "neighbours");
    for (size_t e = 0; e < count && status == SPD_OK; e++)
        memcpy(Q + e * n2, X + row[e] * n2, n2 * sizeof *Q);
    if (status == SPD_OK)
        status = fault_unnamed(
            ctx, spd_pairwise2(ctx, job->metric, SPD_SET(n, count, Q), SPD_SET(n, p, X), R));
    for (size_t e = 0; e < count && status == SPD_OK; e++)
        memcpy(D + row[e] * p, R + e * p, p * sizeof *R);
    arena_free(&room);
    return status;
}

/* The rows of D that decide a list by rounding, measured again. */
static spd_status settle_rows(spd_context *ctx, const search_job *job, double *D)
{
    arena room = {0};
    size_t p = job->samples->p, again = 0;
    size_t *row = arena_alloc(&room, p, sizeof *row);
    neighbour *list[MAX_LISTS];
    for (int which = 0; which < MAX_LISTS; which++)
        list[which] = arena_alloc(&room, p, sizeof **list); /* there are p - 1 others */
    spd_status status = arena_status(&room, ctx, "neighbours");
    for (size_t i = 0; i < p && status == SPD_OK; i++)
        if (is_undecided(job, p, i, D + i * p, list))
            row[again++] = i;
    if (status == SPD_OK && again)
        status = measure_rows(ctx, job, again, row, D);
    arena_free(&room);
    return status;
}

spd_status search_in_matrix(spd_context *ctx, const search_job *job, size_t p, const double *D,
                            arena *keep, search_result *found)
{
    size_t each = job->k[0] + job->k[1];
    *found = (search_result){.list = arena_alloc(keep, p, each * sizeof *found->list),
                             .count = arena_zero(keep, p, MAX_LISTS * sizeof *found->count),
                             .pairs = (double)p * (double)(p - 1),
                             .search = SPD_SEARCH_EXACT,
                             .recall = 1.0};
    spd_status status = arena_status(keep, ctx, "neighbours");
    for (size_t i = 0; i < p && status == SPD_OK; i++) {
        neighbour *list = found->list + i * each;
        find_lists(job, p, i, D + i * p, 0, (neighbour *[]){list, list + job->k[0]},
                   found->count + MAX_LISTS * i);
    }
    return status;
}

spd_status search_by_matrix(spd_context *ctx, const search_job *job, arena *keep,
                            search_result *found)
{
    const spd_set *set = job->samples;
    arena room = {0};
    double *D = arena_alloc(&room, set->p, set->p * sizeof *D);
    spd_status status = arena_status(&room, ctx, "neighbours");
    if (status == SPD_OK)
        status =
            spd_pairwise2(ctx, job->metric, SPD_SET(set->n, set->p, set_doubles(set)), NULL, D);
    if (status == SPD_OK)
        status = settle_rows(ctx, job, D);
    if (status == SPD_OK)
        status = search_in_matrix(ctx, job, set->p, D, keep, found);
    arena_free(&room);
    return status;
}
