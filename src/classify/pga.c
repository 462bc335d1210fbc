/* pga.c - principal geodesic analysis (Fletcher et al. 2004), then the nearest neighbour.
 *
 * In its tangent form: samples are vectors in the tangent space at their mean (tangent.h), kept on
 * the `dimensions` principal axes that lead. A query takes the class of the nearest training sample
 * there, in Euclidean distance, ties by lower index. */
#include <math.h>
#include <string.h>

#include "classify/classifier.h"
#include "classify/samples.h"
#include "classify/tangent.h"
#include "classify/vectors.h"

/* ---- parameters ----------------------------------------------------------------------------- */

/* No more axes than samples, nor than the tangent space has. */
static double most_axes(const samples *train)
{
    size_t dim = samples_degrees(train);
    return (double)(train->p < dim ? train->p : dim);
}

/* ---- steps ---------------------------------------------------------------------------------- */

static spd_status prepare(spd_context *ctx, training_state *c)
{
    tangent_space *s = c->prepared = arena_zero(&c->preparing, 1, sizeof *s);
    return s ? tangent_learn(ctx, c->method.metric, &c->train, &c->preparing, s)
             : ctx_nomem(ctx, "principal geodesics");
}

/* out (count x d) <- the first d of `columns` entries of each row of V. */
static void cut(size_t count, size_t columns, const double *V, size_t d, double *out)
{
    for (size_t i = 0; i < count; i++)
        memcpy(out + i * d, V + i * columns, d * sizeof *out);
}

static spd_status decide(spd_context *ctx, training_state *c, int *label)
{
    const tangent_space *s = c->prepared;
    size_t rank = s->rank, p = c->train.p, q = c->queries.p;
    double wanted = c->method.value[SPD_PARAMETER_DIMENSIONS];
    if (!(wanted >= 1.0))
        return ctx_fail(ctx, SPD_EINVAL, "dimensions is %g: pga needs at least 1", wanted);
    size_t d = wanted < (double)rank ? (size_t)wanted : rank;
    arena room = {0};
    double *V = arena_alloc(&room, p, d * sizeof *V), *Q = arena_alloc(&room, q, d * sizeof *Q);
    spd_status status = arena_status(&room, ctx, "principal geodesics");
    if (status == SPD_OK) {
        cut(p, rank, s->vectors, d, V);
        cut(q, rank, c->met, d, Q);
        status =
            vectors_nearest(ctx, d, p, V, c->train.label, q, Q, label, c->train.classes, c->score);
    }
    arena_free(&room);
    return status;
}

static void keep(saved_arrays *s, training_state *c)
{
    tangent_space *t = saved_block(s, &c->prepared, sizeof *t);
    if (!t)
        return;
    tangent_keep(s, c, t);
    saved_labels(s, "labels", c->train.p, c->train.classes, &c->train.label);
    saved_reals(s, "coordinates", c->train.p, t->rank, &t->vectors);
}

const classifier classifier_pga = {
    .kind = SPD_CLASSIFIER_PGA,
    .keep = keep,
    .holds = SPD_HOLDING_VECTORS,
    .scores = NEAREST_COORDINATES(1),
    .metrics = {SPD_METRIC_AIRM, ALL_METRICS, 0},
    /* Up to all axes: the tangent space without reduction. */
    .choices =
        {{SPD_PARAMETER_DIMENSIONS, 50, {5, 10, 20, 50, 100, 200, INFINITY}, most_axes, NULL}},
    .prepare = prepare,
    .meet = tangent_meet,
    .decide = decide,
};
