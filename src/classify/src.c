/* src.c - sparse representation of vectors: `src` (Wright, Yang, Ganesh, Sastry, Ma 2009) on
 * vectors as they are, `gsrc` (Yang, Zhang 2010) on augmented Gabor features (occlusion.h).
 *
 *   a_i = R x_i, y = R q, the first `dimensions` principal components of each, scaled to
 *   |a_i| = |y| = 1
 *   v = argmin |y - [A B] v|^2 + lambda |v|_1,    class = argmin_c |y - A_c v_c - B v_B|
 *
 * B belongs to no class: none for src, the compressed occlusion dictionary (occlusion.h) for gsrc.
 * The papers ask for min |v|_1 such that |y - Av| <= epsilon; this is its form with a multiplier.
 * It needs A only through K = A'A and k = A'y (coding.h). */
#include <math.h>
#include <string.h>

#include "classify/classifier.h"
#include "classify/coding.h"
#include "classify/occlusion.h"
#include "classify/pca.h"
#include "classify/vectors.h"
#include "classify/values.h"
#include "linalg/tall.h"

/* Largest exponents of two of their entries. */
#define VECTOR_EXPONENT 400
#define IMAGE_EXPONENT  50

typedef struct vector_space {
    classes of;
    pca components;
    size_t atoms; /* training vectors and others */
    double *F;    /* atoms x rank: their components */
} vector_space;

typedef struct vector_atoms {
    size_t dimensions;
    double *A; /* atoms x dimensions, rows of unit length */
    double *K; /* atoms x atoms */
    lasso_dictionary dictionary;
} vector_atoms;

/* ---- parameters --------------------------------------------------------------------------- */

/* For vectors of dim entries. */
static double most_dimensions(const samples *train, size_t dim)
{
    double most = train->p > 1 ? (double)train->p - 1.0 : 1.0;
    return fmin(most, (double)dim);
}

static double most_of_vectors(const samples *train)
{
    return most_dimensions(train, train->height * train->width);
}

static double most_of_features(const samples *train)
{
    gabor_features f = gabor_features_for(train->width, train->height);
    return most_dimensions(train, gabor_features_dim(&f));
}

/* ---- training vectors --------------------------------------------------------------------- */

/* From the training vectors V (p x dim) and `others` atoms B (others x dim) that belong to no
 * class. */
static spd_status prepare_space(spd_context *ctx, training_state *c, size_t dim, const double *V,
                                size_t others, const double *B)
{
    size_t p = c->train.p;
    arena *keep = &c->preparing;
    vector_space *s = c->prepared = arena_zero(keep, 1, sizeof *s);
    if (!s)
        return ctx_nomem(ctx, "sparse representation");
    spd_status status = classes_sort(ctx, p, c->train.label, keep, &s->of);
    if (status == SPD_OK)
        status = pca_fit(ctx, dim, p, V, keep, &s->components);
    if (status < 0)
        return status;
    s->atoms = p + others;
    s->F = arena_alloc(keep, s->atoms, s->components.rank * sizeof *s->F);
    if (!s->F)
        return ctx_nomem(ctx, "components");
    status = pca_apply(ctx, &s->components, p, V, s->F);
    if (status == SPD_OK)
        status = pca_apply(ctx, &s->components, others, B, s->F + p * s->components.rank);
    return status;
}

/* Are the vectors of a size that squares of their entries (src) or the filters, which work in
 * single precision (gsrc), can handle? */
static spd_status check_size(spd_context *ctx, const samples *s, int exponent)
{
    return vectors_check(ctx, s->height * s->width, s->p, s->V, exponent);
}

static spd_status prepare_vectors(spd_context *ctx, training_state *c)
{
    spd_status status = check_size(ctx, &c->train, VECTOR_EXPONENT);
    return status < 0
               ? status
               : prepare_space(ctx, c, c->train.height * c->train.width, c->train.V, 0, NULL);
}

static spd_status prepare_features(spd_context *ctx, training_state *c)
{
    gabor_features f = gabor_features_for(c->train.width, c->train.height);
    size_t dim = gabor_features_dim(&f), others = occlusion_atoms(&f);
    arena room = {0};
    double *F = arena_alloc(&room, c->train.p, dim * sizeof *F);
    double *B = arena_alloc(&room, others, dim * sizeof *B);
    spd_status status = arena_status(&room, ctx, "Gabor features");
    if (status == SPD_OK)
        status = check_size(ctx, &c->train, IMAGE_EXPONENT);
    if (status == SPD_OK)
        status = gabor_features_of(ctx, &f, c->train.p, c->train.V, F);
    if (status == SPD_OK)
        status = occlusion_learn(ctx, &f, B);
    if (status == SPD_OK)
        status = prepare_space(ctx, c, dim, F, others, B);
    arena_free(&room);
    return status;
}

/* ---- atoms -------------------------------------------------------------------------------- */

/* A (count x dimensions) <- the first components of F (count x rank), rows of unit length; a row
 * of zeros stays. */
static void cut_and_scale(size_t count, size_t rank, size_t dimensions, const double *F, double *A)
{
    for (size_t i = 0; i < count; i++) {
        memcpy(A + i * dimensions, F + i * rank, dimensions * sizeof *A);
        values_to_unit(dimensions, A + i * dimensions);
    }
}

/* t->K <- of t->A. */
static spd_status span(spd_context *ctx, size_t atoms, arena *keep, vector_atoms *t)
{
    t->K = arena_alloc(keep, atoms, atoms * sizeof *t->K);
    if (!t->K)
        return ctx_nomem(ctx, "atoms");
    spd_status status = vectors_products(ctx, t->dimensions, atoms, t->A, atoms, t->A, t->K);
    if (status == SPD_OK)
        spd_symmetrize(atoms, 1, t->K);
    return status;
}

static spd_status train_atoms(spd_context *ctx, training_state *c)
{
    const vector_space *s = c->prepared;
    arena *keep = &c->training;
    size_t rank = s->components.rank;
    double wanted = c->method.value[SPD_PARAMETER_DIMENSIONS];
    if (!(wanted >= 1.0))
        return ctx_fail(ctx, SPD_EINVAL, "dimensions is %g; it must be at least 1", wanted);
    vector_atoms *t = c->trained = arena_zero(keep, 1, sizeof *t);
    if (!t)
        return ctx_nomem(ctx, "atoms");
    t->dimensions = wanted < (double)rank ? (size_t)wanted : rank;
    t->A = arena_alloc(keep, s->atoms, t->dimensions * sizeof *t->A);
    if (!t->A)
        return ctx_nomem(ctx, "atoms");
    cut_and_scale(s->atoms, rank, t->dimensions, s->F, t->A);
    spd_status status = span(ctx, s->atoms, keep, t);
    if (status == SPD_OK)
        status = lasso_dictionary_make(ctx, s->atoms, t->K, keep, &t->dictionary);
    return status;
}

/* ---- queries ------------------------------------------------------------------------------ */

/* c->met <- the components (queries x rank) of the vectors V. */
static spd_status meet_space(spd_context *ctx, training_state *c, const double *V)
{
    const vector_space *s = c->prepared;
    double *F = c->met = arena_alloc(&c->meeting, c->queries.p, s->components.rank * sizeof *F);
    return F ? pca_apply(ctx, &s->components, c->queries.p, V, F) : ctx_nomem(ctx, "queries");
}

static spd_status meet_vectors(spd_context *ctx, training_state *c)
{
    spd_status status = check_size(ctx, &c->queries, VECTOR_EXPONENT);
    return status < 0 ? status : meet_space(ctx, c, c->queries.V);
}

static spd_status meet_features(spd_context *ctx, training_state *c)
{
    gabor_features f = gabor_features_for(c->train.width, c->train.height);
    arena room = {0};
    double *F = arena_alloc(&room, c->queries.p, gabor_features_dim(&f) * sizeof *F);
    spd_status status =
        F ? check_size(ctx, &c->queries, IMAGE_EXPONENT) : ctx_nomem(ctx, "Gabor features");
    if (status == SPD_OK)
        status = gabor_features_of(ctx, &f, c->queries.p, c->queries.V, F);
    if (status == SPD_OK)
        status = meet_space(ctx, c, F);
    arena_free(&room);
    return status;
}

/* A batch of queries against the atoms. */
static void fill(const void *user, size_t first, size_t count, double *k, double *y2, double *work)
{
    const training_state *c = user;
    const vector_space *s = c->prepared;
    const vector_atoms *t = c->trained;
    size_t rank = s->components.rank;
    cut_and_scale(count, rank, t->dimensions, (const double *)c->met + first * rank, work);
    tall_product_trans(count, t->dimensions, s->atoms, work, t->A, k);
    for (size_t i = 0; i < count; i++)
        y2[i] = 1.0;
}

static spd_status decide(spd_context *ctx, training_state *c, int *label)
{
    const vector_space *s = c->prepared;
    const vector_atoms *t = c->trained;
    coding by = {.dictionary = &t->dictionary,
                 .of = &s->of,
                 .lambda = c->method.value[SPD_PARAMETER_LAMBDA],
                 .fill = fill,
                 .user = c,
                 .work = LASSO_BATCH * t->dimensions,
                 .score = c->score,
                 .classes = c->train.classes};
    return coding_decide(ctx, &by, c->queries.p, label);
}

/* Sizes that follow from those of the images. */
static void size_space(const training_state *c, vector_space *s)
{
    gabor_features f = gabor_features_for(c->train.width, c->train.height);
    int features = c->kind == &classifier_gsrc;
    s->components.dim = features ? gabor_features_dim(&f) : c->train.height * c->train.width;
    s->atoms = c->train.p + (features ? occlusion_atoms(&f) : 0);
}

static void keep(saved_arrays *s, training_state *c)
{
    vector_space *space = saved_block(s, &c->prepared, sizeof *space);
    vector_atoms *t = saved_block(s, &c->trained, sizeof *t);
    if (!space || !t)
        return;
    if (saved_taking(s))
        size_space(c, space);
    pca *r = &space->components;
    saved_labels(s, "labels", c->train.p, c->train.classes, &c->train.label);
    saved_size(s, "rank", 1, r->dim, &r->rank);
    saved_size(s, "dimensions", 1, r->rank, &t->dimensions);
    saved_reals(s, "components", r->rank, r->dim, &r->R);
    saved_reals(s, "atoms", space->atoms, t->dimensions, &t->A);
    if (s->status == SPD_OK && saved_taking(s))
        s->status = classes_sort(s->ctx, c->train.p, c->train.label, s->room, &space->of);
    if (s->status == SPD_OK && saved_taking(s))
        s->status = span(s->ctx, space->atoms, s->room, t);
    lasso_dictionary_keep(s, space->atoms, t->K, &t->dictionary);
}

const classifier classifier_src = {
    .kind = SPD_CLASSIFIER_SRC,
    .keep = keep,
    .holds = SPD_HOLDING_VECTORS,
    .scores = CODING_SCORES,
    .vectors = 1,
    .metrics = {SPD_METRIC_AIRM, ONLY(SPD_METRIC_AIRM), 0},
    .choices = {{SPD_PARAMETER_LAMBDA, 1e-3, {1e-3, 3e-3, 1e-2}, NULL, NULL},
                {SPD_PARAMETER_DIMENSIONS, 200, {25, 50, 100, 200}, most_of_vectors, NULL}},
    .prepare = prepare_vectors,
    .train = train_atoms,
    .meet = meet_vectors,
    .decide = decide,
};

const classifier classifier_gsrc = {
    .kind = SPD_CLASSIFIER_GSRC,
    .keep = keep,
    .holds = SPD_HOLDING_VECTORS,
    .scores = CODING_SCORES,
    .vectors = 1,
    .metrics = {SPD_METRIC_AIRM, ONLY(SPD_METRIC_AIRM), 0},
    .choices = {{SPD_PARAMETER_LAMBDA, 0.1, {0.01, 0.03, 0.1, 0.3}, NULL, NULL},
                {SPD_PARAMETER_DIMENSIONS, 200, {25, 50, 100, 200}, most_of_features, NULL}},
    .prepare = prepare_features,
    .train = train_atoms,
    .meet = meet_features,
    .decide = decide,
};
