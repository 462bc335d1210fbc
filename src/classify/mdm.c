/* mdm.c - minimum distance to mean.
 *
 *   M_c = the mean of class c,   class of X = argmin_c d2(X, M_c),   ties by lower class
 *
 * Both mean and distance in the method's metric. A class without samples has no mean and is never
 * chosen. */
#include "classify/samples.h"
#include "ops/class_means.h"

/* Of the means; what is nearer to two of them than this is a tie in all but name. */
#define PRECISION 1e-10

typedef struct centres {
    classes of;
    double *M;      /* of.count x n x n */
    double *weight; /* of.count: samples of each class, for whoever trains further; NULL: unknown */
} centres;

static spd_status prepare(spd_context *ctx, training_state *c)
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

static spd_set means_set(const training_state *c)
{
    const centres *s = c->prepared;
    spd_set M = samples_set(&c->train);
    M.p = s->of.count;
    M.X = s->M;
    return M;
}

/* c->met <- the nearest mean of each query. */
static spd_status meet(spd_context *ctx, training_state *c)
{
    size_t q = c->queries.p;
    int64_t *index = c->met = arena_alloc(&c->meeting, q, sizeof *index);
    double *d2 = arena_alloc(&c->meeting, q, sizeof *d2);
    if (!index || !d2)
        return ctx_nomem(ctx, "nearest means");
    const spd_set M = means_set(c), Q = samples_set(&c->queries);
    return spd_nearest(ctx, c->method.metric, &M, &Q, 1, NULL, index, d2, NULL);
}

/* c->score <- squared distances to all means. */
static spd_status measure(spd_context *ctx, const training_state *c)
{
    const centres *s = c->prepared;
    size_t q = c->queries.p, count = s->of.count;
    arena room = {0};
    double *D2 = arena_alloc(&room, q, count * sizeof *D2);
    const spd_set M = means_set(c), Q = samples_set(&c->queries);
    spd_status status =
        D2 ? spd_pairwise2(ctx, c->method.metric, &Q, &M, D2) : ctx_nomem(ctx, "distances");
    for (size_t i = 0; i < q && status == SPD_OK; i++)
        for (size_t k = 0; k < count; k++)
            c->score[i * c->train.classes + (size_t)class_label(&s->of, k)] = D2[i * count + k];
    arena_free(&room);
    return status;
}

static spd_status decide(spd_context *ctx, training_state *c, int *label)
{
    const centres *s = c->prepared;
    const int64_t *index = c->met;
    for (size_t i = 0; i < c->queries.p; i++)
        label[i] = class_label(&s->of, (size_t)index[i]);
    return c->score ? measure(ctx, c) : SPD_OK;
}

static void keep(saved_arrays *s, training_state *c)
{
    centres *t = saved_block(s, &c->prepared, sizeof *t);
    if (!t)
        return;
    training_state_keep_classes(s, c, &t->of);
    saved_reals(s, "means", t->of.count, c->train.n * c->train.n, &t->M);
    saved_reals_if_any(s, "class_weight", t->of.count, 1, &t->weight);
}

const classifier classifier_mdm = {
    .kind = SPD_CLASSIFIER_MDM,
    .keep = keep,
    .scores = {"squared distance to the mean of the class", 1, 0},
    .metrics = {SPD_METRIC_AIRM, ALL_METRICS, 1},
    .prepare = prepare,
    .meet = meet,
    .decide = decide,
};
