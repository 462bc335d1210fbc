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

#include "base/memory.h"
#include "classify/classifier.h"
#include "classify/kernel_pls.h"
#include "classify/log_kernel.h"
#include "engine/blas.h"
#include "engine/parallel.h"
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

typedef struct cdl_met {
    size_t q;
    double *Kt; /* p x q */
} cdl_met;

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

static double standard(const samples *train, spd_parameter parameter)
{
    (void)parameter;
    return components_for(train, 1.0);
}

static size_t grid(const samples *train, spd_parameter parameter, double *values, size_t room)
{
    size_t count = 0;
    (void)parameter;
    for (size_t i = 0; i < MULTIPLES; i++) {
        double value = components_for(train, multiples[i]);
        int allowed = multiples[i] <= 1.0 || value <= BEYOND;
        if (allowed && count < room && (count == 0 || value > values[count - 1]))
            values[count++] = value;
    }
    return count;
}

/* Components to prepare: the ones asked for, else the most that will be tried. */
static size_t components_to_prepare(const spd_method *method, const samples *train)
{
    double values[MULTIPLES] = {0}, value = method->value[SPD_PARAM_COMPONENTS];
    size_t count = grid(train, SPD_PARAM_COMPONENTS, values, MULTIPLES);
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

static void release_prepared(void *prepared)
{
    cdl_prepared *t = prepared;
    if (!t)
        return;
    log_kernel_free(&t->kernel);
    kernel_pls_free(&t->pls);
    mem_free(t->Y);
    mem_free(t->mean);
    mem_free(t);
}

static spd_status prepare(spd_context *ctx, const spd_method *method, const samples *train,
                          void **prepared)
{
    size_t classes = train->classes;
    cdl_prepared *t = mem_zero(1, sizeof *t);
    if (!t)
        return ctx_nomem(ctx, "cdl");
    t->Y = mem_alloc(train->p, classes * sizeof *t->Y);
    t->mean = mem_alloc(classes, sizeof *t->mean);
    spd_status status = t->Y && t->mean ? log_kernel_new(ctx, train, &t->kernel)
                                        : ctx_nomem(ctx, "the labels of cdl");
    if (status == SPD_OK) {
        one_hot(train, t->Y, t->mean);
        status = kernel_pls_fit(ctx, train->p, classes, t->kernel.K, t->Y,
                                components_to_prepare(method, train), &t->pls);
    }
    if (status == SPD_OK)
        *prepared = t;
    else
        release_prepared(t);
    return status;
}

static spd_status coefficients(spd_context *ctx, const kernel_pls *pls, size_t components,
                               void **trained)
{
    double *B = mem_alloc(pls->p, pls->outputs * sizeof *B);
    double *work = mem_alloc(pls->count, pls->outputs * sizeof *work);
    spd_status status = B && work ? SPD_OK : ctx_nomem(ctx, "the coefficients of cdl");
    if (status == SPD_OK) {
        kernel_pls_coefficients(pls, components, B, work);
        *trained = B;
    } else {
        mem_free(B);
    }
    mem_free(work);
    return status;
}

/* *trained <- B (p x classes). */
static spd_status train_components(spd_context *ctx, const void *prepared, const spd_method *method,
                                   void **trained)
{
    const cdl_prepared *t = prepared;
    const samples *train = &t->kernel.train;
    double value = floor(method->value[SPD_PARAM_COMPONENTS] + 0.5);
    if (!(value >= 1.0))
        return ctx_fail(ctx, SPD_EINVAL, "components is %g: cdl needs at least 1", value);
    size_t components = value < (double)train->p ? (size_t)value : train->p;
    if (components <= t->pls.count || t->pls.exhausted)
        return coefficients(ctx, &t->pls, components, trained);
    kernel_pls longer;
    spd_status status =
        kernel_pls_fit(ctx, train->p, train->classes, t->kernel.K, t->Y, components, &longer);
    if (status == SPD_OK)
        status = coefficients(ctx, &longer, components, trained);
    kernel_pls_free(&longer);
    return status;
}

/* ---- queries -------------------------------------------------------------------------------- */

static void release_met(void *met)
{
    cdl_met *m = met;
    if (m)
        mem_free(m->Kt);
    mem_free(m);
}

static spd_status meet(spd_context *ctx, const void *prepared, const samples *queries, void **met)
{
    const cdl_prepared *t = prepared;
    cdl_met *m = mem_zero(1, sizeof *m);
    if (!m)
        return ctx_nomem(ctx, "cdl");
    m->q = queries->p;
    m->Kt = mem_alloc(t->kernel.train.p, m->q * sizeof *m->Kt);
    spd_status status = m->Kt ? log_kernel_meet(ctx, &t->kernel, queries, m->Kt)
                              : ctx_nomem(ctx, "the kernel of the queries");
    if (status == SPD_OK)
        *met = m;
    else
        release_met(m);
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

static spd_status decide(spd_context *ctx, const void *prepared, const void *trained,
                         const void *met, const spd_method *method, int *label)
{
    const cdl_prepared *t = prepared;
    const cdl_met *m = met;
    size_t classes = t->kernel.train.classes;
    double *S = mem_alloc(m->q, classes * sizeof *S);
    (void)method;
    if (!S)
        return ctx_nomem(ctx, "the scores of cdl");
    spd_private_blas_hold();
    dense_trans_product(m->q, classes, t->kernel.train.p, m->Kt, trained, 0.0, S);
    spd_private_blas_release();
    for (size_t i = 0; i < m->q; i++)
        label[i] = best_class(classes, S + i * classes, t->mean);
    mem_free(S);
    return SPD_OK;
}

const classifier classifier_cdl = {
    .kind = SPD_CDL,
    .uses = USES(SPD_PARAM_COMPONENTS),
    .standard = standard,
    .grid = grid,
    .prepare = prepare,
    .train = train_components,
    .meet = meet,
    .decide = decide,
    .release_met = release_met,
    .release_trained = mem_free,
    .release_prepared = release_prepared,
};
