/* krr.c - kernel ridge regression (ridge.h) on one-hot labels or on numbers, with one of two kernels
 * or both.
 *
 *   krr          k = exp(-beta d2_S), of the Stein divergence
 *   krr-tangent  k = t(X)'t(Y)/mean |t|^2, of vectors in the tangent space at the mean (tangent.h)
 *   krr-both     their sum, the tangent space at the Stein mean
 *
 * What is not fixed of beta-scale and lambda is chosen by leaving out each training sample, or each
 * group of them, in closed form: most samples right, and of as many the least squared error. Where
 * classes have fewer than two samples on average that says nothing, and safe values are taken. Scores
 * are multiplied by one factor, so that their softmax are probabilities. A class without samples is
 * never chosen. With more samples than there is memory for between all, landmarks are held alone. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "classify/classifier.h"
#include "classify/krr_fit.h"
#include "classify/samples.h"
#include "classify/tangent.h"
#include "classify/vectors.h"
#include "linalg/dense.h"
#include "run/blas.h"

static const double scales[] = {0.1, 0.2, 0.5, 1.0, 2.0};
static const double lambdas[] = {1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2,
                                 1e-1, 3e-1, 1.0,  3.0,  10.0, 30.0, 100.0};
#define SCALES  (sizeof scales / sizeof *scales)
#define LAMBDAS (sizeof lambdas / sizeof *lambdas)

#define SAFE_SCALE  1.0
#define SAFE_LAMBDA 1e-2

/* Landmarks are this many or fewer; distances, vectors and their axes are matrices of so many
 * columns. */
#define LANDMARKS 3000
#define MATRICES  3.0

typedef struct krr_prepared {
    krr_problem problem;
    classes of;     /* of training */
    classes groups; /* those that are left out together */
    tangent_space space;
} krr_prepared;

typedef struct krr_trained {
    double beta;
    double missed; /* krr_fit */
    double *A;     /* training samples x columns: coefficients of the Stein kernel */
    double *w;     /* columns x rank: weights of tangent vectors */
    double *bias;  /* columns */
} krr_trained;

static int has_stein(const training_state *c)
{
    return c->kind->kind != SPD_CLASSIFIER_KRR_TANGENT;
}

static int has_tangent(const training_state *c)
{
    return c->kind->kind != SPD_CLASSIFIER_KRR;
}

/* ---- prepared -------------------------------------------------------------------------------- */

/* Columns of Y: one-hot classes, or the numbers of the samples. */
static spd_status take_targets(spd_context *ctx, training_state *c, krr_prepared *s)
{
    const samples *train = &c->train;
    ridge_targets *to = &s->problem.to;
    spd_status status = classes_sort(ctx, train->p, train->label, &c->preparing, &s->of);
    if (status < 0)
        return status;
    size_t count = s->of.count;
    double *Y = arena_zero(&c->preparing, train->p, count * sizeof *Y);
    size_t *at = train->target ? NULL : arena_alloc(&c->preparing, train->p, sizeof *at);
    *to = (ridge_targets){.p = train->p, .count = count, .Y = Y, .at = at};
    status = arena_status(&c->preparing, ctx, "kernel ridge regression");
    if (status == SPD_OK && train->target)
        memcpy(Y, train->target, train->p * sizeof *Y);
    for (size_t k = 0; status == SPD_OK && at && k < count; k++)
        for (size_t i = s->of.first[k]; i < s->of.first[k + 1]; i++) {
            at[s->of.order[i]] = k;
            Y[s->of.order[i] * count + k] = 1.0;
        }
    return status;
}

/* Groups are left out whole if most samples are of classes that others have too; else that says
 * nothing, and each sample is left out alone. */
static spd_status take_groups(spd_context *ctx, training_state *c, krr_prepared *s)
{
    const samples *train = &c->train;
    size_t shared = 0;
    if (!train->fold_group)
        return SPD_OK;
    spd_status status = classes_sort(ctx, train->p, train->fold_group, &c->preparing, &s->groups);
    if (status == SPD_OK && s->groups.labelled < train->p)
        status =
            ctx_fail(ctx, SPD_EINVAL, "%zu samples are in no group", train->p - s->groups.labelled);
    for (size_t k = 0; status == SPD_OK && k < s->of.count; k++) {
        const size_t *member = s->of.order + s->of.first[k];
        for (size_t i = 1; i < class_size(&s->of, k); i++)
            if (train->fold_group[member[i]] != train->fold_group[member[0]]) {
                shared += class_size(&s->of, k);
                break;
            }
    }
    if (status == SPD_OK && 2 * shared > train->p)
        s->problem.to.groups = &s->groups;
    return status;
}

/* SPD_NOT_CONVERGED of the mean passes. */
static spd_status prepare_tangent(spd_context *ctx, training_state *c, krr_prepared *s)
{
    double squares = 0.0;
    spd_status status = tangent_learn(ctx, c->method.metric, &c->train, &c->preparing, &s->space);
    for (size_t e = 0; status >= 0 && e < s->space.p * s->space.rank; e++)
        squares += s->space.vectors[e] * s->space.vectors[e];
    s->problem.T = s->space.vectors;
    s->problem.rank = s->space.rank;
    s->problem.scale = squares > 0.0 ? (double)c->train.p / squares : 1.0;
    return status;
}

static int ascending(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* s->problem.index <- so many samples, evenly over the classes. */
static spd_status take_some(spd_context *ctx, size_t count, arena *keep, krr_prepared *s)
{
    size_t *index = arena_alloc(keep, count, sizeof *index);
    if (!index)
        return ctx_nomem(ctx, "some of the samples");
    for (size_t j = 0; j < count; j++)
        index[j] =
            s->of.order[(size_t)(((double)j + 0.5) * (double)s->of.labelled / (double)count)];
    qsort(index, count, sizeof *index, ascending);
    s->problem.some = count;
    s->problem.index = index;
    return SPD_OK;
}

/* c->train <- the landmarks: all that is held from here on. */
static spd_status keep_landmarks(spd_context *ctx, training_state *c, krr_prepared *s)
{
    const samples all = c->train;
    krr_problem *p = &s->problem;
    double each = MATRICES * (double)sizeof(double) * (double)all.p;
    double most = spd_context_memory(ctx) / each - (double)p->rank;
    size_t count = most < LANDMARKS ? (most > 1.0 ? (size_t)most : 1) : LANDMARKS;
    spd_status status =
        ctx_ask(ctx, "the kernel between matrices and landmarks", each * (double)(count + p->rank));
    p->landmarks = 1;
    if (status == SPD_OK)
        status = take_some(ctx, count, &c->preparing, s);
    if (status == SPD_OK)
        status = samples_part(ctx, &all, count, p->index, &c->preparing, &c->train);
    if (status < 0)
        return status;
    p->D2 = arena_alloc(&c->preparing, count, all.p * sizeof *p->D2);
    return p->D2 ? samples_stein_to(ctx, &c->train, &all, p->D2) : ctx_nomem(ctx, "distances");
}

static spd_status prepare_stein(spd_context *ctx, training_state *c, krr_prepared *s)
{
    size_t p = c->train.p;
    double square = (double)sizeof(double) * (double)p * (double)p;
    krr_problem *problem = &s->problem;
    if (p <= KRR_TRIED_ON)
        return samples_stein(ctx, &c->train, &c->preparing, &problem->D2, &problem->median);
    if (square > spd_context_memory(ctx))
        return keep_landmarks(ctx, c, s);
    spd_status status = ctx_ask(ctx, "the kernel between matrices", square);
    if (status == SPD_OK)
        status = take_some(ctx, KRR_TRIED_ON, &c->preparing, s);
    if (status < 0)
        return status;
    problem->D2 = arena_alloc(&c->preparing, p, p * sizeof *problem->D2);
    return problem->D2 ? samples_stein_to(ctx, &c->train, NULL, problem->D2)
                       : ctx_nomem(ctx, "distances");
}

static spd_status prepare(spd_context *ctx, training_state *c)
{
    krr_prepared *s = c->prepared = arena_zero(&c->preparing, 1, sizeof *s);
    if (!s)
        return ctx_nomem(ctx, "kernel ridge regression");
    spd_status remark = SPD_OK, status = take_targets(ctx, c, s);
    if (status == SPD_OK)
        status = take_groups(ctx, c, s);
    if (status == SPD_OK && has_tangent(c))
        remark = status = prepare_tangent(ctx, c, s);
    if (status >= 0 && has_stein(c))
        status = prepare_stein(ctx, c, s);
    return status < 0 ? status : remark;
}

/* ---- training -------------------------------------------------------------------------------- */

/* The values of a parameter: the one that is fixed, the safe one, or the list. */
static tried values_of(const double *fixed, int few, const double *safe, tried list)
{
    return !isnan(*fixed) ? (tried){1, fixed} : few ? (tried){1, safe} : list;
}

static krr_grid grid_of(const training_state *c)
{
    static const double safe_scale = SAFE_SCALE, safe_lambda = SAFE_LAMBDA;
    const krr_prepared *s = c->prepared;
    const double *value = c->method.value;
    int few = s->problem.to.p < 2 * s->of.count;
    return (krr_grid){.beta = value[SPD_PARAMETER_BETA],
                      .scale = values_of(&value[SPD_PARAMETER_BETA_SCALE], few, &safe_scale,
                                         (tried){SCALES, scales}),
                      .lambda = values_of(&value[SPD_PARAMETER_LAMBDA], few, &safe_lambda,
                                          (tried){LAMBDAS, lambdas})};
}

/* c->left (of all training samples) <- what is predicted for them, times a factor, by class. */
static spd_status tell_left(spd_context *ctx, training_state *c, const krr_fit *f, double factor)
{
    const krr_prepared *s = c->prepared;
    size_t p = s->problem.to.p, count = s->of.count, all = c->train.classes;
    c->left = arena_alloc(&c->training, p, all * sizeof *c->left);
    if (!c->left)
        return ctx_nomem(ctx, "samples left out");
    for (size_t e = 0; e < p * all; e++)
        c->left[e] = (double)NAN;
    for (size_t i = 0; i < p; i++)
        for (size_t k = 0; k < count; k++)
            c->left[i * all + (size_t)class_label(&s->of, k)] = factor * f->left[i * count + k];
    return SPD_OK;
}

/* t <- what was found, times a factor that makes scores logarithms of probabilities. */
static spd_status take_fit(spd_context *ctx, training_state *c, const krr_fit *f, krr_trained *t)
{
    const krr_prepared *s = c->prepared;
    size_t count = s->of.count, rank = s->problem.rank, held = has_stein(c) ? c->train.p : 0;
    double factor = ridge_sharpness(&s->problem.to, f->left);
    *t = (krr_trained){.beta = f->beta,
                       .missed = f->missed,
                       .A = f->A,
                       .w = arena_alloc(&c->training, count, rank * sizeof *t->w),
                       .bias = f->bias};
    if (!t->w)
        return ctx_nomem(ctx, "kernel ridge regression");
    for (size_t e = 0; e < held * count; e++)
        t->A[e] *= factor;
    for (size_t k = 0; k < count; k++)
        t->bias[k] *= factor;
    for (size_t k = 0; k < count; k++)
        for (size_t e = 0; e < rank; e++)
            t->w[k * rank + e] = factor * f->w[e * count + k];
    c->missed = f->missed;
    return tell_left(ctx, c, f, factor);
}

static spd_status train(spd_context *ctx, training_state *c)
{
    const krr_prepared *s = c->prepared;
    const krr_grid grid = grid_of(c);
    krr_fit f;
    krr_trained *t = c->trained = arena_zero(&c->training, 1, sizeof *t);
    if (!t)
        return ctx_nomem(ctx, "kernel ridge regression");
    spd_status status = krr_fit_best(ctx, &s->problem, &grid, &c->training, &f);
    if (status == SPD_OK)
        status = take_fit(ctx, c, &f, t);
    if (status < 0)
        return status;
    c->method.value[SPD_PARAMETER_LAMBDA] = f.lambda;
    if (has_stein(c) && isnan(c->method.value[SPD_PARAMETER_BETA]))
        c->method.value[SPD_PARAMETER_BETA_SCALE] = f.scale;
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
    .squares = 0,
    .metrics = {SPD_METRIC_STEIN, ONLY(SPD_METRIC_STEIN), 1},
    .choices = {LEFT_OPEN(SPD_PARAMETER_BETA), LEFT_OPEN(SPD_PARAMETER_BETA_SCALE),
                LEFT_OPEN(SPD_PARAMETER_LAMBDA)},
    KRR_STEPS,
};

const classifier classifier_krr_tangent = {
    .kind = SPD_CLASSIFIER_KRR_TANGENT,
    .scores = KRR_SCORES,
    .squares = 0,
    .metrics = {SPD_METRIC_AIRM, ALL_METRICS, 0},
    .choices = {LEFT_OPEN(SPD_PARAMETER_LAMBDA)},
    KRR_STEPS,
};

const classifier classifier_krr_both = {
    .kind = SPD_CLASSIFIER_KRR_BOTH,
    .scores = KRR_SCORES,
    .holds = SPD_HOLDING_SAMPLES,
    .squares = 0,
    .metrics = {SPD_METRIC_STEIN, ONLY(SPD_METRIC_STEIN), 0},
    .choices = {LEFT_OPEN(SPD_PARAMETER_BETA), LEFT_OPEN(SPD_PARAMETER_BETA_SCALE),
                LEFT_OPEN(SPD_PARAMETER_LAMBDA)},
    KRR_STEPS,
};
