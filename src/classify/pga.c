/* pga.c - principal geodesic analysis (Fletcher et al. 2004), then the nearest neighbour.
 *
 * In its tangent form: samples are vectors in the tangent space at their mean (tangent.h), kept on
 * the `dimensions` principal axes that lead. A query takes the class of the nearest training sample
 * there, in Euclidean distance, ties by lower index. */
#include <string.h>

#include "base/memory.h"
#include "classify/classifier.h"
#include "classify/tangent.h"
#include "classify/vectors.h"

typedef struct geodesics {
    samples train;
    tangent_space *space;
} geodesics;

/* ---- parameters ----------------------------------------------------------------------------- */

/* No more axes than samples, nor than the tangent space has. */
static size_t most_axes(const samples *train)
{
    size_t dim = train->n * (train->n + 1) / 2;
    return train->p < dim ? train->p : dim;
}

static double standard(const samples *train, spd_parameter parameter)
{
    (void)parameter;
    return most_axes(train) < 50 ? (double)most_axes(train) : 50.0;
}

/* Up to all axes: the tangent space without reduction. */
static size_t grid(const samples *train, spd_parameter parameter, double *values, size_t room)
{
    static const size_t all[] = {5, 10, 20, 50, 100, 200};
    size_t most = most_axes(train), count = 0;
    (void)parameter;
    for (size_t i = 0; i < sizeof all / sizeof *all && count + 1 < room && all[i] < most; i++)
        values[count++] = (double)all[i];
    if (room > 0)
        values[count++] = (double)most;
    return count;
}

/* ---- steps ---------------------------------------------------------------------------------- */

static void release(void *prepared)
{
    geodesics *s = prepared;
    if (s)
        tangent_free(s->space);
    mem_free(s);
}

static spd_status prepare(spd_context *ctx, const spd_method *method, const samples *train,
                          void **prepared)
{
    geodesics *s = mem_zero(1, sizeof *s);
    if (!s)
        return ctx_nomem(ctx, "principal geodesics");
    s->train = *train;
    spd_status status = tangent_learn(ctx, method->metric, train, &s->space);
    if (status < 0)
        release(s);
    else
        *prepared = s;
    return status;
}

static spd_status meet(spd_context *ctx, const void *prepared, const samples *queries, void **met)
{
    const geodesics *s = prepared;
    return tangent_meet(ctx, s->space, queries, met);
}

/* out (count x d) <- the first d of `columns` entries of each row of V. */
static void cut(size_t count, size_t columns, const double *V, size_t d, double *out)
{
    for (size_t i = 0; i < count; i++)
        memcpy(out + i * d, V + i * columns, d * sizeof *out);
}

static spd_status decide(spd_context *ctx, const void *prepared, const void *trained,
                         const void *met, const spd_method *method, int *label)
{
    const geodesics *s = prepared;
    const tangent_met *t = met;
    size_t rank = s->space->rank, d = rank;
    double wanted = method->value[SPD_PARAM_DIMENSIONS];
    (void)trained;
    if (!(wanted >= 1.0))
        return ctx_fail(ctx, SPD_EINVAL, "dimensions is %g: pga needs at least 1", wanted);
    if (wanted < (double)rank)
        d = (size_t)wanted;
    double *V = mem_alloc(s->train.p, d * sizeof *V), *Q = mem_alloc(t->q, d * sizeof *Q);
    int64_t *index = mem_alloc(t->q, sizeof *index);
    spd_status status = SPD_OK;
    if (!V || !Q || !index) {
        status = ctx_nomem(ctx, "principal geodesics");
        goto done;
    }
    cut(s->train.p, rank, s->space->vectors, d, V);
    cut(t->q, rank, t->vectors, d, Q);
    status = vectors_nearest(ctx, d, s->train.p, V, t->q, Q, index);
    for (size_t i = 0; i < t->q && status == SPD_OK; i++)
        label[i] = s->train.label[index[i]];
done:
    mem_free(V);
    mem_free(Q);
    mem_free(index);
    return status;
}

const classifier classifier_pga = {
    .kind = SPD_PGA,
    .uses = USES(SPD_PARAM_DIMENSIONS),
    .standard = standard,
    .grid = grid,
    .prepare = prepare,
    .meet = meet,
    .decide = decide,
    .release_met = tangent_release_met,
    .release_prepared = release,
};
