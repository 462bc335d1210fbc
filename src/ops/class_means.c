/* class_means.c - the mean of every class. Ranks share the classes, where there are enough of
 * them, and else the samples of each (means.c). */
#include "ops/class_means.h"

#include <string.h>

typedef struct class_run {
    spd_context *ctx;
    spd_metric metric;
    double precision;
    size_t n;
    const double *X;
    const classes *of;
    double *gathered; /* largest x n x n */
    double unfinished;
} class_run;

static spd_status mean_of(class_run *r, size_t k, double *M)
{
    size_t n2 = r->n * r->n, count = class_size(r->of, k);
    const size_t *member = r->of->order + r->of->first[k];
    for (size_t i = 0; i < count; i++)
        memcpy(r->gathered + i * n2, r->X + member[i] * n2, n2 * sizeof *r->gathered);
    spd_mean_options o = SPD_STRUCT(spd_mean_options);
    o.tol = r->precision;
    spd_status status = spd_mean(r->ctx, r->metric, SPD_SET(r->n, count, r->gathered), &o, M, NULL);
    r->unfinished += status == SPD_NOT_CONVERGED;
    return status;
}

/* M <- the means of classes first .. last-1. */
static spd_status means_of(class_run *r, size_t first, size_t last, double *M)
{
    spd_status status = SPD_OK;
    for (size_t k = first; k < last && status >= 0; k++)
        status = mean_of(r, k, M + k * r->n * r->n);
    return status;
}

/* The same for this rank's classes, as a process alone; then those of all ranks. */
static spd_status share_classes(class_run *r, ranks *all, double *M)
{
    size_t count = r->of->count, first = ranks_first(all, all->rank, count);
    double unfinished;
    r->ctx->alone++;
    spd_status status = means_of(r, first, ranks_first(all, all->rank + 1, count), M);
    r->ctx->alone--;
    status = ranks_settle(r->ctx, status);
    if (status < 0)
        return status;
    unfinished = r->unfinished;
    ranks_sum(all, (size_t)all->count, 1, &unfinished, &r->unfinished);
    ranks_collect(all, count, 1, r->n * r->n * sizeof *M, M);
    return status;
}
spd_status class_means(spd_context *ctx, spd_metric metric, double precision, size_t n,
                       const double *X, const classes *of, double *M)
{
    ranks *all = ranks_of(ctx);
    arena room = {0};
    class_run r = {ctx, metric, precision, n, X, of, NULL, 0.0};
    r.gathered = arena_alloc(&room, of->largest, n * n * sizeof *r.gathered);
    spd_status status = r.gathered ? SPD_OK : ctx_nomem(ctx, "class means");
    if (status == SPD_OK)
        status = all && of->count >= (size_t)all->count ? share_classes(&r, all, M)
                                                        : means_of(&r, 0, of->count, M);
    arena_free(&room);
    if (status >= 0 && r.unfinished > 0.0)
        status = ctx_fail(ctx, SPD_NOT_CONVERGED, "the means of %.0f classes did not converge",
                          r.unfinished);
    return status;
}

spd_status class_means_of_set(spd_context *ctx, spd_metric metric, const spd_set *set,
                              const classes *of, double *M)
{
    size_t n2 = set->n * set->n, unfinished = 0;
    spd_status status = SPD_OK;
    if (set_doubles(set))
        return class_means(ctx, metric, 0.0, set->n, set_doubles(set), of, M);
    for (size_t k = 0; k < of->count && status >= 0; k++) {
        status = mean_listed(ctx, metric, set, class_size(of, k), of->order + of->first[k], NULL,
                             M + k * n2, NULL);
        unfinished += status == SPD_NOT_CONVERGED;
    }
    return status < 0 || !unfinished ? status : SPD_NOT_CONVERGED;
}
