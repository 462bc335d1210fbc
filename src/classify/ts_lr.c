/* ts_lr.c - multinomial logistic regression in the tangent space at the mean (tangent.h,
 * logistic.h).
 *
 * Vectors are divided by the root of their mean squared length, so that lambda means the same
 * whatever the spread of the data. While lambda is being tuned the whole grid is fitted at once,
 * each solution from that of the next larger lambda. A class without samples is never chosen. */
#include <math.h>
#include <string.h>

#include "base/classes.h"
#include "classify/classifier.h"
#include "classify/logistic.h"
#include "classify/tangent.h"
#include "classify/vectors.h"

#define GRID                                                                                       \
    {                                                                                              \
        1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1                                                         \
    }
static const double path[] = GRID;
#define PATH (sizeof path / sizeof *path)

typedef struct lr_prepared {
    tangent_space space; /* first, for tangent_meet */
    classes of;
    logistic problem;
    double scale;     /* of the vectors */
    size_t solutions; /* PATH while lambda is being tuned, else 0 */
    double *solution; /* solutions x logistic_size: of path */
} lr_prepared;

/* ---- training -------------------------------------------------------------------------------- */

/* s->problem <- the vectors, scaled, and their classes. */
static spd_status pose(spd_context *ctx, arena *keep, lr_prepared *s)
{
    size_t p = s->space.p, rank = s->space.rank;
    double squares = 0.0, *x = arena_alloc(keep, p, rank * sizeof *x);
    size_t *at = arena_alloc(keep, p, sizeof *at);
    spd_status status = arena_status(keep, ctx, "logistic regression");
    if (status < 0)
        return status;
    for (size_t e = 0; e < p * rank; e++)
        squares += s->space.vectors[e] * s->space.vectors[e];
    s->scale = squares > 0.0 ? sqrt((double)p / squares) : 1.0;
    for (size_t e = 0; e < p * rank; e++)
        x[e] = s->scale * s->space.vectors[e];
    for (size_t k = 0; k < s->of.count; k++)
        for (size_t i = s->of.first[k]; i < s->of.first[k + 1]; i++)
            at[s->of.order[i]] = k;
    s->problem = (logistic){.p = p, .dim = rank, .count = s->of.count, .x = x, .at = at};
    return SPD_OK;
}

/* The solutions of the whole path, from the largest lambda down. */
static spd_status follow_path(spd_context *ctx, arena *keep, lr_prepared *s)
{
    size_t size = logistic_size(&s->problem);
    spd_status status = SPD_OK;
    s->solution = arena_zero(keep, PATH, size * sizeof *s->solution);
    if (!s->solution)
        return ctx_nomem(ctx, "logistic regression");
    s->solutions = PATH;
    for (size_t k = PATH; k-- > 0 && status >= 0;) {
        logistic l = s->problem;
        double *z = s->solution + k * size;
        l.lambda = path[k];
        if (k + 1 < PATH)
            memcpy(z, z + size, size * sizeof *z);
        status = logistic_fit(ctx, &l, z);
    }
    return status < 0 ? status : SPD_OK;
}

static spd_status prepare(spd_context *ctx, training_state *c)
{
    const samples *train = &c->train;
    lr_prepared *s = c->prepared = arena_zero(&c->preparing, 1, sizeof *s);
    if (!s)
        return ctx_nomem(ctx, "logistic regression");
    spd_status status = tangent_learn(ctx, c->method.metric, train, &c->preparing, &s->space);
    spd_status remark = status;
    if (status >= 0)
        status = classes_sort(ctx, train->p, train->label, &c->preparing, &s->of);
    if (status == SPD_OK)
        status = pose(ctx, &c->preparing, s);
    if (status == SPD_OK && isnan(c->method.value[SPD_PARAMETER_LAMBDA]))
        status = follow_path(ctx, &c->preparing, s);
    return status < 0 ? status : remark;
}

/* c->trained <- weights of vectors as they are, and the intercepts. */
static spd_status train(spd_context *ctx, training_state *c)
{
    const lr_prepared *s = c->prepared;
    logistic l = s->problem;
    size_t size = logistic_size(&l), k = 0;
    double *z = c->trained = arena_zero(&c->training, size, sizeof *z);
    if (!z)
        return ctx_nomem(ctx, "logistic regression");
    l.lambda = c->method.value[SPD_PARAMETER_LAMBDA];
    while (k < s->solutions && path[k] < l.lambda) /* the least of the path that is not below */
        k++;
    if (k < s->solutions)
        memcpy(z, s->solution + k * size, size * sizeof *z);
    spd_status status = logistic_fit(ctx, &l, z);
    for (size_t e = 0; e < l.count * l.dim; e++)
        z[e] *= s->scale;
    return status;
}

/* ---- queries --------------------------------------------------------------------------------- */

static spd_status decide(spd_context *ctx, training_state *c, int *label)
{
    const lr_prepared *s = c->prepared;
    const double *z = c->trained;
    return tangent_decide(ctx, c, &s->space, &s->of, z, z + s->of.count * s->space.rank, label);
}

static void keep(saved_arrays *s, training_state *c)
{
    lr_prepared *t = saved_block(s, &c->prepared, sizeof *t);
    double *z = c->trained;
    if (!t)
        return;
    tangent_keep(s, c, &t->space);
    training_state_keep_classes(s, c, &t->of);
    saved_reals(s, "weights", t->of.count * (t->space.rank + 1), 1, &z);
    c->trained = z;
}

const classifier classifier_ts_lr = {
    .kind = SPD_CLASSIFIER_TS_LR,
    .keep = keep,
    .scores = {"logarithm of the probability of the class, up to a constant", 0, 0},
    .metrics = {SPD_METRIC_AIRM, ALL_METRICS, 0},
    .choices = {{SPD_PARAMETER_LAMBDA, 1e-4, GRID, NULL, NULL}},
    .prepare = prepare,
    .train = train,
    .meet = tangent_meet,
    .decide = decide,
};
