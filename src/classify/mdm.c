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
    double *M;      /* of.count x n x n */
    double *weight; /* of.count: samples of each class, for whoever trains further; NULL: unknown */
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
    s->weight = arena_alloc(&c->preparing, s->of.count, sizeof *s->weight);
    for (size_t k = 0; s->weight && k < s->of.count; k++)
        s->weight[k] = (double)class_size(&s->of, k);
    return s->M && s->weight
               ? class_means(ctx, c->method.metric, PRECISION, train->n, train->X, &s->of, s->M)
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

/* c->score <- squared distances to all means. */
static spd_status measure(spd_context *ctx, const course *c)
{
    const centres *s = c->prepared;
    size_t q = c->queries.p, count = s->of.count;
    arena room = {0};
    double *D2 = arena_alloc(&room, q, count * sizeof *D2);
    spd_status status =
        D2 ? spd_pairwise2(ctx, c->method.metric, c->train.n, q, c->queries.X, count, s->M, D2)
           : ctx_nomem(ctx, "distances");
    for (size_t i = 0; i < q && status == SPD_OK; i++)
        for (size_t k = 0; k < count; k++)
            c->score[i * c->train.classes + (size_t)class_label(&s->of, k)] = D2[i * count + k];
    arena_free(&room);
    return status;
}

static spd_status decide(spd_context *ctx, course *c, int *label)
{
    const centres *s = c->prepared;
    const int64_t *index = c->met;
    for (size_t i = 0; i < c->queries.p; i++)
        label[i] = class_label(&s->of, (size_t)index[i]);
    return c->score ? measure(ctx, c) : SPD_OK;
}

static void keep(shelf *s, course *c)
{
    centres *t = shelf_block(s, &c->prepared, sizeof *t);
    if (!t)
        return;
    course_keep_classes(s, c, &t->of);
    shelf_reals(s, "means", t->of.count, c->train.n * c->train.n, &t->M);
    shelf_reals_if_any(s, "class_weight", t->of.count, 1, &t->weight);
}

const classifier classifier_mdm = {
    .kind = SPD_MDM,
    .keep = keep,
    .scores = {"squared distance to the mean of the class", 1, 1},
    .metrics = {SPD_AIRM, ALL_METRICS, 1},
    .prepare = prepare,
    .meet = meet,
    .decide = decide,
};
