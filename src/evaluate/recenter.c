/* recenter.c - every group moved to the identity by its own mean: M_g^-1/2 X_i M_g^-1/2.
 *
 * Takes away what distinguishes groups (subjects, sessions) as a whole; labels are not used. */
#include <string.h>

#include "classify/samples.h"
#include "ops/fault.h"

/* The members of one group: X (count x n x n) and P (n x n) are scratch. */
static spd_status recenter_one(spd_context *ctx, spd_metric metric, size_t n, size_t count,
                               const size_t *member, double *X, double *P, double *Y)
{
    size_t n2 = n * n;
    samples_rows(count, member, n2 * sizeof *X, Y, X);
    spd_status status = spd_mean(ctx, metric, SPD_SET(n, count, X), NULL, P, NULL);
    status = fault_unnamed(ctx, status);
    if (status >= 0)
        status = spd_apply(ctx, SPD_FUNCTION_INVSQRT, 0.0, SPD_SET(n, 1, P), P);
    if (status == SPD_OK)
        status = spd_congruence(ctx, SPD_SET(n, count, X), n, P, X);
    for (size_t e = 0; e < count && status == SPD_OK; e++)
        memcpy(Y + member[e] * n2, X + e * n2, n2 * sizeof *Y);
    return status;
}

spd_status spd_recenter(spd_context *ctx, spd_metric metric, size_t n, size_t p, const double *X,
                        const int *group, double *Y)
{
    ctx_clear(ctx);
    if (n == 0 || p == 0 || !X || !group || !Y)
        return ctx_fail(ctx, SPD_EINVAL, "there are no matrices or no groups to recentre");
    arena room = {0};
    classes groups = {0};
    spd_status status = classes_sort(ctx, p, group, &room, &groups);
    if (status == SPD_OK && groups.labelled < p)
        status = ctx_fail(ctx, SPD_EINVAL, "%zu samples are in no group", p - groups.labelled);
    double *made = arena_alloc(&room, p, n * n * sizeof *made);
    double *own = arena_alloc(&room, groups.largest, n * n * sizeof *own);
    double *P = arena_alloc(&room, n, n * sizeof *P);
    if (status == SPD_OK)
        status = arena_status(&room, ctx, "recentred matrices");
    if (status == SPD_OK)
        memcpy(made, X, p * n * n * sizeof *made);
    for (size_t g = 0; g < groups.count && status == SPD_OK; g++)
        status = recenter_one(ctx, metric, n, class_size(&groups, g),
                              groups.order + groups.first[g], own, P, made);
    if (status == SPD_OK)
        memcpy(Y, made, p * n * n * sizeof *Y);
    arena_free(&room);
    return status;
}
