/* cdl.c - covariance discriminative learning with kernel partial least squares (Wang, Guo, Davis,
 * Dai 2012).
 *
 *   K = tr(log X log Y), centred (log_kernel.h);  Y one-hot labels (p x classes), columns centred
 *   scores of a query = k' B + mean(Y),  B = U (T'KU)^-1 T'Y (kernel_pls.h);  the largest wins
 *
 * Training samples are prepared with one run of the components that are asked for or, while these
 * are being tuned, of the most in the grid: shorter runs are its beginning. */
#include <math.h>
#include <string.h>

#include "classify/classifier.h"
#include "classify/kernel_pls.h"
#include "classify/log_kernel.h"
#include "run/blas.h"
#include "run/parallel.h"
#include "linalg/dense.h"

/* Components that cross-validation tries, as multiples of classes - 1; more than classes - 1 only
 * up to a limit, since many classes need no more and pay for every one. */
static const double multiples[] = {0.5, 1.0, 2.0, 4.0};
#define MULTIPLES (sizeof multiples / sizeof *multiples)
#define BEYOND    60.0

typedef struct cdl_prepared {
    log_kernel kernel;
    double *Y;    /* p x classes: one-hot, columns centred */
    double *mean; /* classes: of the columns of Y before */
    kernel_pls pls;
} cdl_prepared;

/* ---- parameters ----------------------------------------------------------------------------- */

/* Classes that have samples. */
static size_t present_classes(const samples *train)
{
    size_t count = 0;
    for (size_t c = 0; c < train->classes; c++) {
        size_t i = 0;
        while (i < train->p && (size_t)train->label[i] != c)
            i++;
        count += i < train->p;
    }
    return count;
}

/* multiple (classes - 1), at least 1, at most p - 1 where that is more. */
static double components_for(const samples *train, double multiple)
{
    size_t classes = present_classes(train);
    double most = train->p > 2 ? (double)train->p - 1.0 : 1.0;
    double wanted = classes > 1 ? ceil(multiple * (double)(classes - 1)) : 1.0;
    return wanted < most ? wanted : most;
}

static double usual_components(const samples *train)
{
    return components_for(train, 1.0);
}

static size_t grid(const samples *train, double *values)
{
    size_t count = 0;
    for (size_t i = 0; i < MULTIPLES; i++) {
        double value = components_for(train, multiples[i]);
        int allowed = multiples[i] <= 1.0 || value <= BEYOND;
        if (allowed && (count == 0 || value > values[count - 1]))
            values[count++] = value;
    }
    return count;
}

/* Components to prepare: the ones asked for, else the most that will be tried. */
static size_t components_to_prepare(const spd_method *method, const samples *train)
{
    double values[MULTIPLES] = {0}, value = method->value[SPD_PARAMETER_COMPONENTS];
    size_t count = grid(train, values);
    if (!(value >= 1.0))
        value = values[count - 1];
    return value < (double)train->p ? (size_t)value : train->p;
}

/* ---- training ------------------------------------------------------------------------------- */

static void one_hot(const samples *train, double *Y, double *mean)
{
    size_t p = train->p, classes = train->classes;
    memset(mean, 0, classes * sizeof *mean);
    for (size_t i = 0; i < p; i++)
        mean[train->label[i]] += 1.0 / (double)p;
    for (size_t i = 0; i < p; i++)
        for (size_t c = 0; c < classes; c++)
            Y[i * classes + c] = ((size_t)train->label[i] == c ? 1.0 : 0.0) - mean[c];
}

static spd_status prepare(spd_context *ctx, training_state *c)
{
    const samples *train = &c->train;
    arena *keep = &c->preparing;
    cdl_prepared *t = c->prepared = arena_zero(keep, 1, sizeof *t);
    if (!t)
        return ctx_nomem(ctx, "cdl");
    t->Y = arena_alloc(keep, train->p, train->classes * sizeof *t->Y);
    t->mean = arena_alloc(keep, train->classes, sizeof *t->mean);
    if (keep->failed)
        return ctx_nomem(ctx, "the labels of cdl");
    one_hot(train, t->Y, t->mean);
    spd_status status = log_kernel_new(ctx, train, keep, &t->kernel);
    if (status == SPD_OK)
        status = kernel_pls_fit(ctx, train->p, train->classes, t->kernel.K, t->Y,
                                components_to_prepare(&c->method, train), keep, &t->pls);
    return status;
}

/* c->trained <- B (p x classes). */
static spd_status train_components(spd_context *ctx, training_state *c)
{
    const cdl_prepared *t = c->prepared;
    size_t p = c->train.p, classes = c->train.classes;
    double value = floor(c->method.value[SPD_PARAMETER_COMPONENTS] + 0.5);
    if (!(value >= 1.0))
        return ctx_fail(ctx, SPD_EINVAL, "components is %g: cdl needs at least 1", value);
    size_t components = value < (double)p ? (size_t)value : p;
    arena room = {0};
    kernel_pls pls = t->pls;
    spd_status status = SPD_OK;
    if (components > pls.count && !pls.exhausted) /* more than were prepared */
        status = kernel_pls_fit(ctx, p, classes, t->kernel.K, t->Y, components, &room, &pls);
    if (status == SPD_OK) {
        double *B = c->trained = arena_alloc(&c->training, p, classes * sizeof *B);
        double *work = arena_alloc(&room, pls.count, classes * sizeof *work);
        if (B && work)
            kernel_pls_coefficients(&pls, components, B, work);
        else
            status = ctx_nomem(ctx, "the coefficients of cdl");
    }
    arena_free(&room);
    return status;
}

/* ---- queries -------------------------------------------------------------------------------- */

/* c->met <- the centred kernel (p x queries). */
static spd_status meet(spd_context *ctx, training_state *c)
{
    const cdl_prepared *t = c->prepared;
    double *Kt = NULL;
    spd_status status = log_kernel_meet(ctx, &t->kernel, &c->train, &c->queries, &c->meeting, &Kt);
    c->met = Kt;
    return status;
}

/* The class with the largest score, ties by lower number. */
static int best_class(size_t classes, const double *score, const double *mean)
{
    size_t best = 0;
    for (size_t c = 1; c < classes; c++)
        if (score[c] + mean[c] > score[best] + mean[best])
            best = c;
    return (int)best;
}

static spd_status decide(spd_context *ctx, training_state *c, int *label)
{
    const cdl_prepared *t = c->prepared;
    size_t classes = c->train.classes, q = c->queries.p;
    arena room = {0};
    double *S = arena_alloc(&room, q, classes * sizeof *S);
    if (!S)
        return ctx_nomem(ctx, "the scores of cdl");
    spd_private_blas_hold();
    dense_trans_product(q, classes, c->train.p, c->met, c->trained, 0.0, S);
    spd_private_blas_release();
    for (size_t i = 0; i < q; i++) {
        label[i] = best_class(classes, S + i * classes, t->mean);
        for (size_t k = 0; c->score && k < classes; k++)
            c->score[i * classes + k] = S[i * classes + k] + t->mean[k];
    }
    arena_free(&room);
    return SPD_OK;
}

static void keep(saved_arrays *s, training_state *c)
{
    size_t p = c->train.p, classes = c->train.classes;
    cdl_prepared *t = saved_block(s, &c->prepared, sizeof *t);
    double *B = c->trained;
    if (!t)
        return;
    training_state_keep_samples(s, c);
    saved_reals(s, "kernel_mean", p, 1, &t->kernel.mean);
    saved_reals(s, "class_mean", classes, 1, &t->mean);
    saved_reals(s, "coefficients", p, classes, &B);
    c->trained = B;
}

const classifier classifier_cdl = {
    .kind = SPD_CLASSIFIER_CDL,
    .keep = keep,
    .holds = SPD_HOLDING_SAMPLES,
    .scores = {"score of kernel partial least squares", 0, 0},
    .squares = 1,
    .metrics = {SPD_METRIC_LOG_EUCLIDEAN, ONLY(SPD_METRIC_LOG_EUCLIDEAN), 0},
    .choices = {{SPD_PARAMETER_COMPONENTS, INFINITY, .most = usual_components, .list = grid}},
    .prepare = prepare,
    .train = train_components,
    .meet = meet,
    .decide = decide,
};
