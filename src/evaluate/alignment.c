/* alignment.c - matrices normalised, and every group moved to the identity by its own mean. */
#include "evaluate/alignment.h"

#include <math.h>
#include <string.h>

#include "classify/samples.h"
#include "ops/fault.h"

int alignment_is_on(const spd_method *method)
{
    return method->normalize != SPD_NORMALIZATION_NONE || method->recenter != SPD_RECENTERING_NONE;
}

spd_status alignment_check(spd_context *ctx, const spd_method *method)
{
    if (!spd_name(SPD_ENUM_NORMALIZATION, method->normalize) ||
        !spd_name(SPD_ENUM_RECENTERING, method->recenter))
        return ctx_fail(ctx, SPD_EINVAL, "unknown normalisation or recentring");
    if (spd_method_on_vectors(method) && alignment_is_on(method))
        return ctx_fail(ctx, SPD_EINVAL,
                        "%s works on vectors; only matrices are normalised or recentred",
                        spd_name(SPD_ENUM_CLASSIFIER, method->classifier));
    return SPD_OK;
}

/* ---- normalising ----------------------------------------------------------------------------- */

/* X (s->p x n x n) <- each divided by its mean eigenvalue, arithmetic or geometric. X holds the
 * matrices of s, which are left as they are. */
static spd_status normalize(spd_context *ctx, spd_normalization how, const samples *s, double *X)
{
    const size_t n = s->n, n2 = n * n;
    if (how == SPD_NORMALIZATION_NONE)
        return SPD_OK;
    arena room = {0};
    double *size = arena_alloc(&room, s->p, sizeof *size); /* logarithm of the mean eigenvalue */
    spd_status status = arena_status(&room, ctx, "normalised matrices");
    const spd_set set = samples_set(s);
    if (status == SPD_OK && how == SPD_NORMALIZATION_DETERMINANT)
        status = spd_logdet(ctx, &set, size);
    for (size_t i = 0; i < s->p && status == SPD_OK; i++) {
        double trace = 0.0;
        for (size_t a = 0; a < n; a++)
            trace += s->X[i * n2 + a * (n + 1)] / (double)n;
        if (how == SPD_NORMALIZATION_DETERMINANT)
            size[i] /= (double)samples_size(s);
        else
            size[i] = log(trace);
        const double share = exp(-size[i]);
        if (!isfinite(share) || !isfinite(size[i]))
            status = fault_matrix(ctx, n, s->X + i * n2, "X", i);
        for (size_t e = 0; e < n2; e++)
            X[i * n2 + e] *= share;
    }
    arena_free(&room);
    return status;
}

/* ---- recentring ------------------------------------------------------------------------------ */

/* Groups on their way to the identity. */
typedef struct centering {
    spd_context *ctx;
    spd_metric metric;
    size_t n;
    int hermitian;
    double *X;  /* all samples; moved in place */
    arena room; /* what follows */
    classes groups;
    double *own; /* groups.largest x n x n: the members of a group */
} centering;

/* The groups of p samples; group NULL: one group. To be freed with arena_free(&c->room). */
static spd_status open_groups(centering *c, size_t p, const int *group)
{
    int *one = group ? NULL : arena_zero(&c->room, p, sizeof *one);
    spd_status status = arena_status(&c->room, c->ctx, "groups");
    if (status == SPD_OK)
        status = classes_sort(c->ctx, p, group ? group : one, &c->room, &c->groups);
    if (status == SPD_OK && c->groups.labelled < p)
        status =
            ctx_fail(c->ctx, SPD_EINVAL, "%zu samples are in no group", p - c->groups.labelled);
    if (status < 0)
        return status;
    c->own = arena_alloc(&c->room, c->groups.largest, c->n * c->n * sizeof *c->own);
    return arena_status(&c->room, c->ctx, "recentred matrices");
}

static const size_t *members_of(const centering *c, size_t g)
{
    return c->groups.order + c->groups.first[g];
}

/* P (n x n) <- M^-1/2 of a group. */
static spd_status find_center(const centering *c, size_t g, double *P)
{
    const size_t n = c->n, count = class_size(&c->groups, g), *member = members_of(c, g);
    spd_set set = *SPD_SET(n, count, c->own), mean = *SPD_SET(n, 1, P);
    set.hermitian = mean.hermitian = c->hermitian;
    samples_rows(count, member, n * n * sizeof *c->own, c->X, c->own);
    spd_status status = spd_mean(c->ctx, c->metric, &set, NULL, P, NULL);
    const size_t at = status < 0 && c->ctx ? c->ctx->error.index : SPD_NO_INDEX;
    if ((status == SPD_ENOTSPD || status == SPD_ENOTFINITE) && at < count)
        return fault_matrix(c->ctx, n, c->own + at * n * n, "X", member[at]);
    status = fault_unnamed(c->ctx, status);
    return status < 0 ? status : spd_apply(c->ctx, SPD_FUNCTION_INVSQRT, 0.0, &mean, P);
}

/* The members of a group <- P X P. */
static spd_status move(const centering *c, size_t g, const double *P)
{
    const size_t n2 = c->n * c->n, count = class_size(&c->groups, g), *member = members_of(c, g);
    spd_set set = *SPD_SET(c->n, count, c->own);
    set.hermitian = c->hermitian;
    samples_rows(count, member, n2 * sizeof *c->own, c->X, c->own);
    spd_status status = spd_congruence(c->ctx, &set, c->n, P, c->own);
    for (size_t e = 0; e < count && status == SPD_OK; e++)
        memcpy(c->X + member[e] * n2, c->own + e * n2, n2 * sizeof *c->X);
    return status;
}

/* The mean of one matrix is the matrix, and says nothing of its group. */
static spd_status check_size(const centering *c, size_t g)
{
    if (class_size(&c->groups, g) > 1)
        return SPD_OK;
    return ctx_fail(c->ctx, SPD_EINVAL,
                    "a group has one matrix, and recentring would make it the identity: two are "
                    "needed, or other groups");
}

spd_status spd_recenter(spd_context *ctx, spd_metric metric, size_t n, size_t p, const double *X,
                        const int *group, double *Y)
{
    ctx_clear(ctx);
    if (n == 0 || p == 0 || !X || !group || !Y)
        return ctx_fail(ctx, SPD_EINVAL, "there are no matrices or no groups to recentre");
    centering c = {.ctx = ctx, .metric = metric, .n = n};
    c.X = arena_alloc(&c.room, p, n * n * sizeof *c.X);
    double *P = arena_alloc(&c.room, n, n * sizeof *P);
    spd_status status = arena_status(&c.room, ctx, "recentred matrices");
    if (status == SPD_OK) {
        memcpy(c.X, X, p * n * n * sizeof *c.X);
        status = open_groups(&c, p, group);
    }
    for (size_t g = 0; g < c.groups.count && status == SPD_OK; g++) {
        status = find_center(&c, g, P);
        if (status == SPD_OK)
            status = move(&c, g, P);
    }
    if (status == SPD_OK)
        memcpy(Y, c.X, p * n * n * sizeof *Y);
    arena_free(&c.room);
    return status;
}

/* ---- training -------------------------------------------------------------------------------- */

/* s->X <- copies in `room`, normalised. What belonged to the matrices before does no longer. */
static spd_status take_copies(spd_context *ctx, const spd_method *method, arena *room, samples *s,
                              double **X)
{
    *X = arena_alloc(room, s->p, s->n * s->n * sizeof **X);
    if (!*X)
        return ctx_nomem(ctx, "aligned matrices");
    memcpy(*X, s->X, s->p * s->n * s->n * sizeof **X);
    spd_status status = normalize(ctx, method->normalize, s, *X);
    s->X = *X;
    s->mean = s->observations = NULL;
    return status;
}

static centering centering_of(spd_context *ctx, const samples *s, double *X)
{
    return (centering){
        .ctx = ctx, .metric = SPD_METRIC_AIRM, .n = s->n, .hermitian = s->hermitian, .X = X};
}

/* a <- the centers of the groups; their samples are moved. */
static spd_status center_training(const spd_method *method, const samples *s, centering *c,
                                  arena *keep, alignment *a)
{
    const int whole = method->recenter == SPD_RECENTERING_TRAINING;
    const size_t n2 = s->n * s->n;
    spd_status status = open_groups(c, s->p, whole ? NULL : s->group);
    if (status < 0)
        return status;
    a->group = arena_alloc(keep, c->groups.count, sizeof *a->group);
    a->P = arena_alloc(keep, c->groups.count, n2 * sizeof *a->P);
    status = arena_status(keep, c->ctx, "centers of groups");
    for (size_t g = 0; g < c->groups.count && status == SPD_OK; g++) {
        status = check_size(c, g);
        if (status == SPD_OK)
            status = find_center(c, g, a->P + g * n2);
        if (status == SPD_OK)
            status = move(c, g, a->P + g * n2);
        a->group[g] = class_label(&c->groups, g);
    }
    a->known = whole || s->group ? c->groups.count : 0; /* nobody else is of a group of no number */
    return status;
}

spd_status alignment_fit(spd_context *ctx, const spd_method *method, arena *room, arena *keep,
                         samples *s, alignment *a)
{
    double *X;
    *a = (alignment){.n = s->n};
    if (!alignment_is_on(method) || !s->X || !s->label || s->p == 0 || s->n == 0)
        return SPD_OK; /* or what is missing is found missing later */
    spd_status status = take_copies(ctx, method, room, s, &X);
    if (status < 0 || method->recenter == SPD_RECENTERING_NONE)
        return status;
    centering c = centering_of(ctx, s, X);
    status = center_training(method, s, &c, keep, a);
    arena_free(&c.room);
    return status;
}

/* ---- queries --------------------------------------------------------------------------------- */

/* The P of a group that training had; NULL: it had none. */
static const double *known_center(const alignment *a, int group)
{
    for (size_t k = 0; k < a->known; k++)
        if (a->group[k] == group)
            return a->P + k * a->n * a->n;
    return NULL;
}

/* The samples of a group are moved, by their own mean if training had no such group. own: scratch.
 */
static spd_status move_queries(const centering *c, const alignment *a, int named, size_t g,
                               double *own)
{
    const double *P = named ? known_center(a, class_label(&c->groups, g)) : NULL;
    spd_status status = P ? SPD_OK : check_size(c, g);
    if (status == SPD_OK && !P)
        status = find_center(c, g, own);
    return status < 0 ? status : move(c, g, P ? P : own);
}

spd_status alignment_apply(spd_context *ctx, const spd_method *method, const alignment *a,
                           arena *room, samples *s)
{
    double *X;
    if (!alignment_is_on(method))
        return SPD_OK;
    spd_status status = take_copies(ctx, method, room, s, &X);
    if (status < 0 || method->recenter == SPD_RECENTERING_NONE)
        return status;
    const int whole = method->recenter == SPD_RECENTERING_TRAINING;
    centering c = centering_of(ctx, s, X);
    double *own = arena_alloc(&c.room, s->n, s->n * sizeof *own);
    status =
        own ? open_groups(&c, s->p, whole ? NULL : s->group) : ctx_nomem(ctx, "recentred matrices");
    for (size_t g = 0; g < c.groups.count && status == SPD_OK; g++)
        status = move_queries(&c, a, whole || s->group, g, own);
    arena_free(&c.room);
    return status;
}
