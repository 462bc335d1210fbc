/* gsrc.c - Gabor feature based sparse representation (Yang, Zhang 2010).
 *
 * Sparse representation (vector_coding.h) of augmented Gabor features (gabor_features.h) over the
 * training faces A and the compressed occlusion dictionary B (occlusion.h):
 *
 *   v = argmin |y - [A B] v|^2 + lambda |v|_1,    class = argmin_c |y - A_c v_c - B v_B| */
#include <math.h>

#include "base/memory.h"
#include "classify/classifier.h"
#include "classify/occlusion.h"
#include "classify/values.h"
#include "classify/vector_coding.h"

typedef struct gsrc_prepared {
    gabor_features features;
    void *coding;
} gsrc_prepared;

static double standard(const samples *train, spd_parameter parameter)
{
    if (parameter == SPD_PARAM_DIMENSIONS)
        return vector_coding_dimensions(train, gabor_features_dim_of(train->width, train->height));
    return parameter == SPD_PARAM_LAMBDA ? 0.1 : (double)NAN;
}

static size_t grid(const samples *train, spd_parameter parameter, double *values, size_t room)
{
    static const double lambdas[] = {0.01, 0.03, 0.1, 0.3};
    if (parameter == SPD_PARAM_DIMENSIONS)
        return vector_coding_grid(train, gabor_features_dim_of(train->width, train->height), values,
                                  room);
    if (parameter == SPD_PARAM_LAMBDA)
        return values_copy(sizeof lambdas / sizeof *lambdas, lambdas, values, room);
    return 0;
}

static void release_prepared(void *prepared)
{
    gsrc_prepared *g = prepared;
    if (!g)
        return;
    gabor_features_free(&g->features);
    vector_coding_release_prepared(g->coding);
    mem_free(g);
}

/* Features of the training images and the occlusion dictionary, to their sparse representation. */
static spd_status prepare_coding(spd_context *ctx, const samples *train, gsrc_prepared *g)
{
    size_t dim = gabor_features_dim(&g->features), others = occlusion_atoms(&g->features);
    double *F = mem_alloc(train->p, dim * sizeof *F), *B = mem_alloc(others, dim * sizeof *B);
    spd_status status = F && B ? SPD_OK : ctx_nomem(ctx, "Gabor features");
    if (status == SPD_OK)
        status = gabor_features_of(ctx, &g->features, train->p, train->V, F);
    if (status == SPD_OK)
        status = occlusion_learn(ctx, &g->features, B);
    if (status == SPD_OK)
        status = vector_coding_prepare(ctx, train, dim, F, others, B, &g->coding);
    mem_free(F);
    mem_free(B);
    return status;
}

static spd_status prepare(spd_context *ctx, const spd_method *method, const samples *train,
                          void **prepared)
{
    (void)method;
    gsrc_prepared *g = mem_zero(1, sizeof *g);
    if (!g)
        return ctx_nomem(ctx, "gsrc");
    spd_status status = gabor_features_make(ctx, train->width, train->height, &g->features);
    if (status == SPD_OK)
        status = prepare_coding(ctx, train, g);
    if (status < 0)
        release_prepared(g);
    else
        *prepared = g;
    return status;
}

static spd_status train_atoms(spd_context *ctx, const void *prepared, const spd_method *method,
                              void **trained)
{
    const gsrc_prepared *g = prepared;
    return vector_coding_train(ctx, g->coding, method, trained);
}

static spd_status meet(spd_context *ctx, const void *prepared, const samples *queries, void **met)
{
    const gsrc_prepared *g = prepared;
    double *F = mem_alloc(queries->p, gabor_features_dim(&g->features) * sizeof *F);
    spd_status status = F ? SPD_OK : ctx_nomem(ctx, "Gabor features");
    if (status == SPD_OK)
        status = gabor_features_of(ctx, &g->features, queries->p, queries->V, F);
    if (status == SPD_OK)
        status = vector_coding_meet(ctx, g->coding, queries->p, F, met);
    mem_free(F);
    return status;
}

static spd_status decide(spd_context *ctx, const void *prepared, const void *trained,
                         const void *met, const spd_method *method, int *label)
{
    const gsrc_prepared *g = prepared;
    return vector_coding_decide(ctx, g->coding, trained, met, method, label);
}

const classifier classifier_gsrc = {
    .kind = SPD_GSRC,
    .uses = USES(SPD_PARAM_LAMBDA) | USES(SPD_PARAM_DIMENSIONS),
    .vectors = 1,
    .standard = standard,
    .grid = grid,
    .prepare = prepare,
    .train = train_atoms,
    .meet = meet,
    .decide = decide,
    .release_met = vector_coding_release_met,
    .release_trained = vector_coding_release_trained,
    .release_prepared = release_prepared,
};
