/* src.c - sparse representation based classification of vectors (Wright, Yang, Ganesh, Sastry, Ma,
 * 2009): vector_coding.h on the vectors as they are. */
#include <math.h>

#include "classify/classifier.h"
#include "classify/values.h"
#include "classify/vector_coding.h"

static double standard(const samples *train, spd_parameter parameter)
{
    if (parameter == SPD_PARAM_DIMENSIONS)
        return vector_coding_dimensions(train, train->height * train->width);
    return parameter == SPD_PARAM_LAMBDA ? 1e-3 : (double)NAN;
}

static size_t grid(const samples *train, spd_parameter parameter, double *values, size_t room)
{
    static const double lambdas[] = {1e-3, 3e-3, 1e-2};
    if (parameter == SPD_PARAM_DIMENSIONS)
        return vector_coding_grid(train, train->height * train->width, values, room);
    if (parameter == SPD_PARAM_LAMBDA)
        return values_copy(sizeof lambdas / sizeof *lambdas, lambdas, values, room);
    return 0;
}

static spd_status prepare(spd_context *ctx, const spd_method *method, const samples *train,
                          void **prepared)
{
    (void)method;
    return vector_coding_prepare(ctx, train, train->height * train->width, train->V, 0, NULL,
                                 prepared);
}

static spd_status meet(spd_context *ctx, const void *prepared, const samples *queries, void **met)
{
    return vector_coding_meet(ctx, prepared, queries->p, queries->V, met);
}

const classifier classifier_src = {
    .kind = SPD_SRC,
    .uses = USES(SPD_PARAM_LAMBDA) | USES(SPD_PARAM_DIMENSIONS),
    .vectors = 1,
    .standard = standard,
    .grid = grid,
    .prepare = prepare,
    .train = vector_coding_train,
    .meet = meet,
    .decide = vector_coding_decide,
    .release_met = vector_coding_release_met,
    .release_trained = vector_coding_release_trained,
    .release_prepared = vector_coding_release_prepared,
};
