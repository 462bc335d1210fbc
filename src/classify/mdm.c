/* mdm.c - minimum distance to mean.
 *
 *   M_c = the mean of class c,   class of X = argmin_c d2(X, M_c),   ties by lower class
 *
 * Both mean and distance in the method's metric. A class without samples has no mean and is never
 * chosen. */
#include "classify/samples.h"
#include "engine/class_means.h"

/* Of the means; what is nearer to two of them than this is a tie in all but name. */
#define PRECISION 1e-10

typedef struct centres {
    classes of;
    double *M; /* of.count x n x n */
} centres;

static spd_status prepare(spd_context *ctx, course *c)
{
    const samples *train = &c->train;
    centres *s = c->prepared = arena_zero(&c->preparing, 1, sizeof *s);
    if (!s)
        return ctx_nomem(ctx, "class means");
    spd_status status = classes_sort(ctx, train->p, train->label, &c->preparing, &s->of);
    if (status < 0)
        return status;
    s->M = arena_alloc(&c->preparing, s->of.count, train->n * train->n * sizeof *s->M);
    return s->M ? class_means(ctx, c->method.metric, PRECISION, train->n, train->X, &s->of, s->M)
                : ctx_nomem(ctx, "class means");
}

/* c->met <- the nearest mean of each query. */
static spd_status meet(spd_context *ctx, course *c)
{
    const centres *s = c->prepared;
    size_t q = c->queries.p;
    int64_t *index = c->met = arena_alloc(&c->meeting, q, sizeof *index);
    double *d2 = arena_alloc(&c->meeting, q, sizeof *d2);
    if (!index || !d2)
        return ctx_nomem(ctx, "nearest means");
    return spd_nearest(
        ctx, c->method.metric, c->train.n, s->of.count, s->M, q, c->queries.X,
        &(spd_neighbours){.size = sizeof(spd_neighbours), .k = 1, .index = index, .d2 = d2});
}

static spd_status decide(spd_context *ctx, course *c, int *label)
{
    const centres *s = c->prepared;
    const int64_t *index = c->met;
    (void)ctx;
    for (size_t i = 0; i < c->queries.p; i++)
        label[i] = class_label(&s->of, (size_t)index[i]);
    return SPD_OK;
}

const classifier classifier_mdm = {
    .kind = SPD_MDM,
    .metrics = {SPD_AIRM, ALL_METRICS, 1},
    .prepare = prepare,
    .meet = meet,
    .decide = decide,
};
