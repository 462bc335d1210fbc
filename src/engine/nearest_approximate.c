/* nearest_approximate.c - see nearest_approximate.h. Queries and samples of two sets become two
 * classes of one, and the neighbours of a query are those of the other class. */
#include "engine/nearest_approximate.h"

#include <string.h>

#include "engine/approximate.h"
#include "engine/fault.h"
#include "engine/pairwise.h"

/* The samples, then the queries, as one set, and which is which. */
static spd_status join(spd_context *ctx, size_t n, size_t p, const double *X, size_t q,
                       const double *Q, arena *keep, approximate_job *job)
{
    size_t n2 = n * n;
    double *all = arena_alloc(keep, p + q, n2 * sizeof *all);
    int *label = arena_zero(keep, p + q, sizeof *label);
    if (!all || !label)
        return ctx_nomem(ctx, "neighbours");
    memcpy(all, X, p * n2 * sizeof *all);
    memcpy(all + p * n2, Q, q * n2 * sizeof *all);
    for (size_t i = p; i < p + q; i++)
        label[i] = 1;
    job->X = all;
    job->label = label;
    job->p = p + q;
    job->queries = q;
    return SPD_OK;
}

static void deliver(const approximate_lists *found, size_t p, size_t q, int within,
                    spd_neighbours *near)
{
    size_t k = near->k, each = within ? k : 2 * k, skip = within ? 0 : k;
    for (size_t i = 0; i < q; i++) {
        const hit *list = found->hit + (within ? i : p + i) * each + skip;
        for (size_t e = 0; e < k; e++) {
            near->index[i * k + e] = (int64_t)list[e].index;
            near->d2[i * k + e] = list[e].d2;
        }
    }
    near->pairs = (double)q * (double)(p - (within ? 1 : 0));
    near->exact = found->measured;
    near->pruned = 1.0 - near->exact / near->pairs;
    near->recall = found->recall;
    near->search = SPD_SEARCH_APPROXIMATE;
}

spd_status nearest_approximate(spd_context *ctx, const metric *m, size_t n, size_t p,
                               const double *X, size_t q, const double *Q, spd_neighbours *near)
{
    arena room = {0};
    approximate_job job = {.m = m, .n = n, .p = p, .X = X, .k = {near->k}, .seed = near->seed};
    approximate_lists found;
    spd_status status = Q ? join(ctx, n, p, X, q, Q, &room, &job) : SPD_OK;
    job.k[1] = Q ? near->k : 0;
    double *F = arena_alloc(&room, job.p, m->size(n) * sizeof *F);
    if (status == SPD_OK && !F)
        status = ctx_nomem(ctx, "neighbours");
    if (status == SPD_OK)
        status = prepare_set(ctx, m, n, p, X, "X", F);
    if (status == SPD_OK && Q)
        status = prepare_set(ctx, m, n, q, Q, "Q", F + p * m->size(n));
    job.F = F;
    if (status == SPD_OK)
        status = approximate_run(ctx, &job, &room, &found);
    if (status < 0 && Q) /* numbers are those of the joined set */
        status = fault_unnamed(ctx, status);
    if (status == SPD_OK)
        deliver(&found, p, q, !Q, near);
    arena_free(&room);
    return status;
}
