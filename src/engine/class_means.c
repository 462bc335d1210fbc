/* class_means.c - the mean of every class. */
#include "engine/class_means.h"

#include <string.h>

#include "engine/listed.h"

spd_status class_means(spd_context *ctx, spd_metric metric, double precision, size_t n,
                       const double *X, const classes *of, double *M)
{
    size_t n2 = n * n, unfinished = 0;
    arena room = {0};
    double *gathered = arena_alloc(&room, of->largest, n2 * sizeof *gathered);
    spd_status status = gathered ? SPD_OK : ctx_nomem(ctx, "class means");
    for (size_t k = 0; k < of->count && status >= 0; k++) {
        size_t count = class_size(of, k);
        const size_t *member = of->order + of->first[k];
        for (size_t i = 0; i < count; i++)
            memcpy(gathered + i * n2, X + member[i] * n2, n2 * sizeof *gathered);
        status = spd_mean(ctx, metric, n, count, gathered,
                          &(spd_mean_options){.size = sizeof(spd_mean_options), .tol = precision},
                          M + k * n2, NULL);
        unfinished += status == SPD_NOT_CONVERGED;
    }
    arena_free(&room);
    if (status >= 0 && unfinished)
        status = ctx_fail(ctx, SPD_NOT_CONVERGED, "the means of %zu classes did not converge",
                          unfinished);
    return status;
}

spd_status class_means_store(spd_context *ctx, spd_metric metric, double precision,
                             const spd_store *set, const classes *of, double *M)
{
    size_t n2 = set->n * set->n, unfinished = 0;
    spd_status status = SPD_OK;
    if (set->X)
        return class_means(ctx, metric, precision, set->n, set->X, of, M);
    const spd_mean_options o = {.size = sizeof o, .tol = precision};
    for (size_t k = 0; k < of->count && status >= 0; k++) {
        status = mean_listed(ctx, metric, set, class_size(of, k), of->order + of->first[k], &o,
                             M + k * n2, NULL);
        unfinished += status == SPD_NOT_CONVERGED;
    }
    return status < 0 || !unfinished ? status : SPD_NOT_CONVERGED;
}
