/* krr.c - kernel ridge regression on one-hot labels (ridge.h), with one of two kernels or both.
 *
 *   krr          k = exp(-beta d2_S), of the Stein divergence
 *   krr-tangent  k = t(X)'t(Y)/mean |t|^2, of vectors in the tangent space at the mean (tangent.h)
 *   krr-both     their sum, the tangent space at the Stein mean
 *
 * What is not fixed of beta-scale and lambda is chosen by leaving out each training sample, in closed
 * form: most samples right, and of as many the least squared error. Where classes have fewer than two
 * samples on average that says nothing, and safe values are taken. Scores are multiplied by one
 * factor, so that their softmax are probabilities. A class without samples is never chosen. */
#include <math.h>
#include <string.h>

#include "classify/classifier.h"
#include "classify/ridge.h"
#include "classify/samples.h"
#include "classify/tangent.h"
#include "classify/vectors.h"
#include "linalg/dense.h"
#include "run/blas.h"
#include "run/parallel.h"

static const double scales[] = {0.1, 0.2, 0.5, 1.0, 2.0};
static const double lambdas[] = {1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2,
                                 1e-1, 3e-1, 1.0,  3.0,  10.0, 30.0, 100.0};
#define SCALES  (sizeof scales / sizeof *scales)
#define LAMBDAS (sizeof lambdas / sizeof *lambdas)

#define SAFE_SCALE  1.0
#define SAFE_LAMBDA 1e-2

typedef struct krr_prepared {
    double *D2;    /* p x p squared Stein distances, or NULL */
    double median; /* of those above the diagonal */
    int tangent;   /* is there a tangent space? */
    tangent_space space;
    double scale; /* one over the mean squared length of its vectors */
    classes of;
} krr_prepared;

typedef struct krr_trained {
    double beta;
    double *A;    /* p x classes: coefficients of the Stein kernel */
    double *w;    /* classes x rank: weights of tangent vectors */
    double *bias; /* classes */
} krr_trained;

/* The values that are tried of one parameter. */
typedef struct tried {
    size_t count;
    const double *value;
} tried;

/* What the search has found so far. */
typedef struct found {
    ridge_quality quality;
    double scale, lambda, sharpness;
} found;

static int has_stein(const training_state *c)
{
    return c->kind->kind != SPD_CLASSIFIER_KRR_TANGENT;
}

static int has_tangent(const training_state *c)
{
    return c->kind->kind != SPD_CLASSIFIER_KRR;
}

/* ---- prepared -------------------------------------------------------------------------------- */

/* SPD_NOT_CONVERGED of the mean passes. */
static spd_status prepare_tangent(spd_context *ctx, training_state *c, krr_prepared *s)
{
    double squares = 0.0;
    s->tangent = 1;
    spd_status status = tangent_learn(ctx, c->method.metric, &c->train, &c->preparing, &s->space);
    for (size_t e = 0; status >= 0 && e < s->space.p * s->space.rank; e++)
        squares += s->space.vectors[e] * s->space.vectors[e];
    s->scale = squares > 0.0 ? (double)c->train.p / squares : 1.0;
    return status;
}

static spd_status prepare(spd_context *ctx, training_state *c)
{
    krr_prepared *s = c->prepared = arena_zero(&c->preparing, 1, sizeof *s);
    if (!s)
        return ctx_nomem(ctx, "kernel ridge regression");
    spd_status status = classes_sort(ctx, c->train.p, c->train.label, &c->preparing, &s->of);
    if (status == SPD_OK && has_stein(c))
        status = samples_stein(ctx, &c->train, &c->preparing, &s->D2, &s->median);
    return status == SPD_OK && has_tangent(c) ? prepare_tangent(ctx, c, s) : status;
}

/* ---- training -------------------------------------------------------------------------------- */

/* K (p x p) <- the kernel between training samples. */
static spd_status fill_kernel(spd_context *ctx, const krr_prepared *s, size_t p, double beta,
                              double *K)
{
    spd_status status = SPD_OK;
    if (s->tangent)
        status = vectors_products(ctx, s->space.rank, p, s->space.vectors, p, s->space.vectors, K);
    else
        memset(K, 0, p * p * sizeof *K);
    for (size_t e = 0; status == SPD_OK && e < p * p; e++)
        K[e] = s->scale * K[e] + (s->D2 ? exp(-beta * s->D2[e]) : 0.0);
    if (status == SPD_OK)
        spd_symmetrize(p, 1, K);
    return status;
}

/* The path over lambda at one beta; what is better than *best replaces it. left: p x classes. */
static spd_status follow_path(spd_context *ctx, const training_state *c, tried lambda, double scale,
                              double beta, double *K, double *left, krr_trained *t, found *best)
{
    const krr_prepared *s = c->prepared;
    arena room = {0};
    ridge r;
    spd_status status = fill_kernel(ctx, s, c->train.p, beta, K);
    if (status == SPD_OK)
        status = ridge_open(ctx, c->train.p, &s->of, K, &room, &r);
    for (size_t k = 0; status == SPD_OK && k < lambda.count; k++) {
        ridge_quality q = ridge_leave_one_out(&r, lambda.value[k], left);
        if (!isnan(best->lambda) && !ridge_is_better(q, best->quality))
            continue;
        *best = (found){q, scale, lambda.value[k], ridge_sharpness(&r, left)};
        t->beta = beta;
        ridge_solve(&r, lambda.value[k], t->A, t->bias);
    }
    arena_free(&room);
    return status;
}

/* t->w <- weights of tangent vectors; all become scores whose softmax are probabilities. */
static void finish(const krr_prepared *s, size_t p, double sharpness, krr_trained *t)
{
    size_t count = s->of.count, rank = s->tangent ? s->space.rank : 0;
    for (size_t e = 0; e < p * count; e++)
        t->A[e] *= sharpness;
    for (size_t k = 0; k < count; k++)
        t->bias[k] *= sharpness;
    if (rank == 0)
        return;
    spd_private_blas_hold();
    dense_trans_product(count, rank, p, t->A, s->space.vectors, 0.0, t->w);
    spd_private_blas_release();
    for (size_t e = 0; e < count * rank; e++)
        t->w[e] *= s->scale;
}

/* The values of a parameter: the one that is fixed, the safe one, or the list. */
static tried values_of(const double *fixed, int few, const double *safe, tried list)
{
    return !isnan(*fixed) ? (tried){1, fixed} : few ? (tried){1, safe} : list;
}

static spd_status search(spd_context *ctx, training_state *c, krr_trained *t, found *best)
{
    static const double safe_scale = SAFE_SCALE, safe_lambda = SAFE_LAMBDA, none = 0.0;
    const krr_prepared *s = c->prepared;
    size_t p = c->train.p;
    double *value = c->method.value, fixed = value[SPD_PARAMETER_BETA];
    int few = p < 2 * s->of.count, absolute = s->D2 && !isnan(fixed);
    tried scale =
        values_of(&value[SPD_PARAMETER_BETA_SCALE], few, &safe_scale, (tried){SCALES, scales});
    tried lambda =
        values_of(&value[SPD_PARAMETER_LAMBDA], few, &safe_lambda, (tried){LAMBDAS, lambdas});
    if (!s->D2 || absolute)
        scale = (tried){1, &none};
    arena room = {0};
    double *K = arena_alloc(&room, p, p * sizeof *K);
    double *left = arena_alloc(&room, p, s->of.count * sizeof *left);
    spd_status status = arena_status(&room, ctx, "a kernel");
    for (size_t i = 0; i < scale.count && status == SPD_OK; i++)
        status = follow_path(ctx, c, lambda, scale.value[i],
                             absolute ? fixed
                             : s->D2  ? scale.value[i] / s->median
                                      : 0.0,
                             K, left, t, best);
    arena_free(&room);
    return status;
}

static spd_status train(spd_context *ctx, training_state *c)
{
    const krr_prepared *s = c->prepared;
    size_t count = s->of.count, rank = s->tangent ? s->space.rank : 0;
    found best = {.lambda = NAN};
    krr_trained *t = c->trained = arena_zero(&c->training, 1, sizeof *t);
    if (!t)
        return ctx_nomem(ctx, "kernel ridge regression");
    t->A = arena_alloc(&c->training, c->train.p, count * sizeof *t->A);
    t->w = arena_alloc(&c->training, count, rank * sizeof *t->w);
    t->bias = arena_alloc(&c->training, count, sizeof *t->bias);
    spd_status status = arena_status(&c->training, ctx, "kernel ridge regression");
    if (status == SPD_OK)
        status = search(ctx, c, t, &best);
    if (status < 0)
        return status;
    finish(s, c->train.p, best.sharpness, t);
    c->method.value[SPD_PARAMETER_LAMBDA] = best.lambda;
    if (s->D2 && isnan(c->method.value[SPD_PARAMETER_BETA]))
        c->method.value[SPD_PARAMETER_BETA_SCALE] = best.scale;
    return SPD_OK;
}

/* ---- queries --------------------------------------------------------------------------------- */

typedef struct krr_met {
    double *D2;      /* p x queries */
    double *vectors; /* queries x rank */
} krr_met;

static spd_status meet(spd_context *ctx, training_state *c)
{
    const krr_prepared *s = c->prepared;
    size_t p = c->train.p, q = c->queries.p;
    krr_met *m = c->met = arena_zero(&c->meeting, 1, sizeof *m);
    spd_status status = m ? SPD_OK : ctx_nomem(ctx, "the kernel of the queries");
    if (status == SPD_OK && has_stein(c)) {
        m->D2 = arena_alloc(&c->meeting, p, q * sizeof *m->D2);
        status = m->D2 ? samples_stein_to(ctx, &c->train, &c->queries, m->D2)
                       : ctx_nomem(ctx, "the kernel of the queries");
    }
    if (status == SPD_OK && has_tangent(c))
        status = tangent_map(ctx, &s->space, &c->queries, &c->meeting, &m->vectors);
    return status;
}

/* S (q x count) <- the part of the Stein kernel, and S <- S + that of tangent vectors. */
static spd_status add_stein(spd_context *ctx, const training_state *c, arena *room, double *S)
{
    const krr_trained *t = c->trained;
    const krr_met *m = c->met;
    size_t p = c->train.p, q = c->queries.p;
    double *K = arena_alloc(room, p, q * sizeof *K);
    if (!K)
        return ctx_nomem(ctx, "the kernel of the queries");
    for (size_t e = 0; e < p * q; e++)
        K[e] = exp(-t->beta * m->D2[e]);
    spd_private_blas_hold();
    dense_trans_product(q, ((const krr_prepared *)c->prepared)->of.count, p, K, t->A, 0.0, S);
    spd_private_blas_release();
    return SPD_OK;
}

static spd_status add_tangent(spd_context *ctx, const training_state *c, arena *room, double *S)
{
    const krr_prepared *s = c->prepared;
    const krr_trained *t = c->trained;
    const krr_met *m = c->met;
    size_t q = c->queries.p, count = s->of.count;
    double *product = arena_alloc(room, q, count * sizeof *product);
    spd_status status =
        product ? vectors_products(ctx, s->space.rank, q, m->vectors, count, t->w, product)
                : ctx_nomem(ctx, "scores");
    for (size_t e = 0; status == SPD_OK && e < q * count; e++)
        S[e] += product[e];
    return status;
}

static spd_status decide(spd_context *ctx, training_state *c, int *label)
{
    const krr_prepared *s = c->prepared;
    arena room = {0};
    double *S = arena_zero(&room, c->queries.p, s->of.count * sizeof *S);
    spd_status status = arena_status(&room, ctx, "scores");
    if (status == SPD_OK && has_stein(c))
        status = add_stein(ctx, c, &room, S);
    if (status == SPD_OK && has_tangent(c))
        status = add_tangent(ctx, c, &room, S);
    if (status == SPD_OK)
        training_state_choose(c, &s->of, S, ((const krr_trained *)c->trained)->bias, label);
    arena_free(&room);
    return status;
}

/* ---- files ----------------------------------------------------------------------------------- */

static void keep(saved_arrays *s, training_state *c)
{
    krr_prepared *r = saved_block(s, &c->prepared, sizeof *r);
    krr_trained *t = saved_block(s, &c->trained, sizeof *t);
    if (!r || !t)
        return;
    r->tangent = has_tangent(c);
    training_state_keep_classes(s, c, &r->of);
    if (has_stein(c)) {
        training_state_keep_samples(s, c);
        saved_real(s, "beta", &t->beta);
        saved_reals(s, "coefficients", c->train.p, r->of.count, &t->A);
    }
    if (has_tangent(c)) {
        tangent_keep(s, c, &r->space);
        saved_reals(s, "discriminants", r->of.count, r->space.rank, &t->w);
    }
    saved_reals(s, "bias", r->of.count, 1, &t->bias);
}

#define KRR_SCORES                                                                                 \
    {                                                                                              \
        "logarithm of the probability of the class, up to a constant", 0, 0                        \
    }
#define KRR_STEPS .keep = keep, .prepare = prepare, .train = train, .meet = meet, .decide = decide
#define LEFT_OPEN(parameter)                                                                       \
    {                                                                                              \
        parameter, NAN, {0}, NULL, NULL                                                            \
    }

const classifier classifier_krr = {
    .kind = SPD_CLASSIFIER_KRR,
    .scores = KRR_SCORES,
    .holds = SPD_HOLDING_SAMPLES,
    .squares = 4,
    .metrics = {SPD_METRIC_STEIN, ONLY(SPD_METRIC_STEIN), 1},
    .choices = {LEFT_OPEN(SPD_PARAMETER_BETA), LEFT_OPEN(SPD_PARAMETER_BETA_SCALE),
                LEFT_OPEN(SPD_PARAMETER_LAMBDA)},
    KRR_STEPS,
};

const classifier classifier_krr_tangent = {
    .kind = SPD_CLASSIFIER_KRR_TANGENT,
    .scores = KRR_SCORES,
    .squares = 3,
    .metrics = {SPD_METRIC_AIRM, ALL_METRICS, 0},
    .choices = {LEFT_OPEN(SPD_PARAMETER_LAMBDA)},
    KRR_STEPS,
};

const classifier classifier_krr_both = {
    .kind = SPD_CLASSIFIER_KRR_BOTH,
    .scores = KRR_SCORES,
    .holds = SPD_HOLDING_SAMPLES,
    .squares = 4,
    .metrics = {SPD_METRIC_STEIN, ONLY(SPD_METRIC_STEIN), 0},
    .choices = {LEFT_OPEN(SPD_PARAMETER_BETA), LEFT_OPEN(SPD_PARAMETER_BETA_SCALE),
                LEFT_OPEN(SPD_PARAMETER_LAMBDA)},
    KRR_STEPS,
};
