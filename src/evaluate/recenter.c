/* recenter.c - every group moved to the identity by its own mean: M_g^-1/2 X_i M_g^-1/2.
 *
 * Takes away what distinguishes groups (subjects, sessions) as a whole; labels are not used. */
#include <string.h>

#include "base/memory.h"
#include "classify/samples.h"
#include "engine/fault.h"
#include "learn/affinity_classes.h"

/* Members of one group, contiguous. */
typedef struct flock {
    size_t n, count;
    const size_t *member; /* count */
    double *X;            /* count x n x n */
    double *P;            /* n x n: M^-1/2 */
} flock;

static spd_status recenter_one(spd_context *ctx, spd_metric metric, const double *X, flock *f,
                               double *Y)
{
    size_t n = f->n, n2 = n * n;
    samples_rows(f->count, f->member, n2 * sizeof *X, X, f->X);
    spd_status status = spd_mean(ctx, metric, n, f->count, f->X, NULL, f->P, NULL);
    status = fault_unnamed(ctx, status);
    if (status >= 0)
        status = spd_apply(ctx, SPD_INVSQRT, 0.0, n, 1, f->P, f->P);
    if (status == SPD_OK)
        status = spd_congruence(ctx, n, n, f->count, f->X, f->P, f->X);
    for (size_t e = 0; e < f->count && status == SPD_OK; e++)
        memcpy(Y + f->member[e] * n2, f->X + e * n2, n2 * sizeof *Y);
    return status;
}

/* made (p x n x n) <- the recentred matrices. */
static spd_status recenter_all(spd_context *ctx, spd_metric metric, size_t n, const double *X,
                               const classes *groups, double *made)
{
    flock f = {.n = n};
    f.X = mem_alloc(groups->largest, n * n * sizeof *f.X);
    f.P = mem_alloc(n, n * sizeof *f.P);
    spd_status status = f.X && f.P ? SPD_OK : ctx_nomem(ctx, "recentred matrices");
    for (size_t g = 0; g < groups->count && status == SPD_OK; g++) {
        f.count = class_size(groups, g);
        f.member = groups->order + groups->first[g];
        status = recenter_one(ctx, metric, X, &f, made);
    }
    mem_free(f.X);
    mem_free(f.P);
    return status;
}

spd_status spd_recenter(spd_context *ctx, spd_metric metric, size_t n, size_t p, const double *X,
                        const int *group, double *Y)
{
    ctx_clear(ctx);
    classes groups = {0};
    if (n == 0 || p == 0 || !X || !group || !Y)
        return ctx_fail(ctx, SPD_EINVAL, "there are no matrices or no groups to recentre");
    double *made = mem_alloc(p, n * n * sizeof *made);
    spd_status status =
        made ? classes_sort(ctx, p, group, &groups) : ctx_nomem(ctx, "recentred matrices");
    if (status == SPD_OK && groups.labelled < p)
        status = ctx_fail(ctx, SPD_EINVAL, "%zu samples are in no group", p - groups.labelled);
    if (status == SPD_OK)
        status = recenter_all(ctx, metric, n, X, &groups, made);
    if (status == SPD_OK)
        memcpy(Y, made, p * n * n * sizeof *Y);
    classes_free(&groups);
    mem_free(made);
    return status;
}
