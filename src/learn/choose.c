/* choose.c - nu_b by cross-validation: for each choice, and each of several stratified folds, a
 * map is learned without the fold, and the fold's samples take the label of the nearest mapped
 * training sample.
 *
 * Samples without a label, and the only sample of a class, are in every training part and never
 * tested. */
#include <string.h>

#include "base/memory.h"
#include "engine/fault.h"
#include "learn/folds.h"

typedef struct validation {
    size_t n, p;
    const double *X;
    const int *label;
    const spd_fit_options *options;
    size_t folds;
    size_t *fold; /* p: in which fold a sample is tested, or FOLD_NEVER */
    /* One fold: training samples with a label, training samples without, then tests. */
    size_t references, training, tests;
    double *parts;   /* p x n x n, in that order */
    int *part_label; /* p, likewise */
    double *mapped;  /* p x m x m, likewise */
    int64_t *nearest;
    double *d2; /* p */
} validation;

/* ---- folds ---------------------------------------------------------------------------------- */

static spd_status check_arguments(spd_context *ctx, const validation *v, int folds, size_t count,
                                  const size_t *choices, const size_t *nu_b)
{
    if (v->n == 0 || v->p == 0 || !v->X || !v->options || !choices || !nu_b || count == 0)
        return ctx_fail(ctx, SPD_EINVAL, "no matrices, no options or no choices given");
    if (v->options->learning != SPD_SUPERVISED || !v->label)
        return ctx_fail(ctx, SPD_EINVAL, "choosing nu_b needs labels and supervised learning");
    if (v->options->m < 1 || v->options->m >= v->n)
        return ctx_fail(ctx, SPD_EINVAL, "m is %zu; it must be at least 1 and below n = %zu",
                        v->options->m, v->n);
    if (folds < 2)
        return ctx_fail(ctx, SPD_EINVAL, "%d folds; cross-validation needs at least 2", folds);
    for (size_t i = 0; i < count; i++)
        if (choices[i] == 0)
            return ctx_fail(ctx, SPD_EINVAL, "a choice of nu_b is 0; choices start at 1");
    return SPD_OK;
}

/* A map needs two samples of a class to learn from, in every fold. */
static spd_status check_left(spd_context *ctx, const classes *c, size_t folds)
{
    if (c->largest - (c->largest + folds - 1) / folds >= 2)
        return SPD_OK;
    return ctx_fail(ctx, SPD_EINVAL,
                    "too few samples for cross-validation (%zu classes, the largest of %zu)",
                    c->count, c->largest);
}

static spd_status make_folds(spd_context *ctx, validation *v)
{
    classes c;
    spd_status status = classes_sort(ctx, v->p, v->label, &c);
    if (status == SPD_OK)
        status = folds_limit(ctx, &c, &v->folds);
    if (status == SPD_OK)
        status = check_left(ctx, &c, v->folds);
    if (status == SPD_EINVAL)
        ctx_append(ctx, ": set nu_b instead");
    if (status == SPD_OK)
        folds_deal(v->p, &c, v->folds, v->options->seed, v->fold);
    classes_free(&c);
    return status;
}

/* ---- one fold ------------------------------------------------------------------------------- */

/* 0: reference, 1: trains without a label, 2: tested. */
static int role(const validation *v, size_t fold, size_t i)
{
    if (v->fold[i] == fold)
        return 2;
    return v->label[i] < 0;
}

static void split(validation *v, size_t fold)
{
    size_t n2 = v->n * v->n, at = 0, end[3];
    for (int part = 0; part < 3; part++) {
        for (size_t i = 0; i < v->p; i++) {
            if (role(v, fold, i) != part)
                continue;
            memcpy(v->parts + at * n2, v->X + i * n2, n2 * sizeof *v->parts);
            v->part_label[at++] = v->label[i];
        }
        end[part] = at;
    }
    v->references = end[0];
    v->training = end[1];
    v->tests = end[2] - end[1];
}

/* Share of the tests whose nearest mapped reference is of their class. */
static spd_status score(spd_context *ctx, validation *v, const double *W, double *accuracy)
{
    size_t m = v->options->m, right = 0;
    spd_status status = spd_congruence(ctx, v->n, m, v->p, v->parts, W, v->mapped);
    if (status == SPD_OK)
        status = spd_nearest(ctx, v->options->metric, m, v->references, v->mapped, v->tests,
                             v->mapped + v->training * m * m, 1, 0, v->nearest, v->d2, NULL);
    if (status < 0)
        return fault_unnamed(ctx, status);
    for (size_t t = 0; t < v->tests; t++)
        right += v->part_label[v->nearest[t]] == v->part_label[v->training + t];
    *accuracy = (double)right / (double)v->tests;
    return SPD_OK;
}

/* *accuracy of one choice on one fold. */
static spd_status try_fold(spd_context *ctx, validation *v, size_t nu_b, size_t fold,
                           double *accuracy)
{
    spd_fit_options options = *v->options;
    spd_model *model = NULL;
    options.nu_b = nu_b;
    split(v, fold);
    spd_status status =
        spd_fit(ctx, v->n, v->training, v->parts, v->part_label, &options, NULL, &model);
    if (status < 0)
        ctx_prefix(ctx, "cross-validation of nu_b");
    else
        status = score(ctx, v, model->W, accuracy);
    spd_model_free(model);
    return status;
}

static spd_status try_choice(spd_context *ctx, validation *v, size_t nu_b, double *mean)
{
    spd_status status = SPD_OK;
    *mean = 0.0;
    for (size_t f = 0; f < v->folds && status == SPD_OK; f++) {
        double accuracy = 0.0;
        status = try_fold(ctx, v, nu_b, f, &accuracy);
        *mean += accuracy / (double)v->folds;
    }
    return status;
}

/* ---- the public function ----------------------------------------------------------------------
 */

/* The best choice; ties, up to rounding of the means, go to the smaller. */
static size_t best_choice(size_t count, const size_t *choices, const double *mean)
{
    size_t best = 0;
    for (size_t i = 1; i < count; i++) {
        double gain = mean[i] - mean[best];
        if (gain > 1e-12 || (gain > -1e-12 && choices[i] < choices[best]))
            best = i;
    }
    return choices[best];
}

static spd_status allocate(spd_context *ctx, validation *v)
{
    size_t p = v->p, m = v->options->m;
    v->fold = mem_alloc(p, sizeof *v->fold);
    v->parts = mem_alloc(p, v->n * v->n * sizeof *v->parts);
    v->part_label = mem_alloc(p, sizeof *v->part_label);
    v->mapped = mem_alloc(p, m * m * sizeof *v->mapped);
    v->nearest = mem_alloc(p, sizeof *v->nearest);
    v->d2 = mem_alloc(p, sizeof *v->d2);
    return v->fold && v->parts && v->part_label && v->mapped && v->nearest && v->d2
               ? SPD_OK
               : ctx_nomem(ctx, "cross-validation");
}

static void release(validation *v)
{
    mem_free(v->fold);
    mem_free(v->parts);
    mem_free(v->part_label);
    mem_free(v->mapped);
    mem_free(v->nearest);
    mem_free(v->d2);
}

spd_status spd_choose_nu_b(spd_context *ctx, size_t n, size_t p, const double *X, const int *label,
                           const spd_fit_options *options, int folds, size_t count,
                           const size_t *choices, size_t *nu_b, double *accuracy)
{
    ctx_clear(ctx);
    validation v = {.n = n, .p = p, .X = X, .label = label, .options = options};
    spd_status status = check_arguments(ctx, &v, folds, count, choices, nu_b);
    if (status < 0)
        return status;
    v.folds = (size_t)folds;
    double *mean = mem_alloc(count, sizeof *mean);
    status = mean ? allocate(ctx, &v) : ctx_nomem(ctx, "cross-validation");
    if (status == SPD_OK)
        status = make_folds(ctx, &v);
    for (size_t i = 0; i < count && status == SPD_OK; i++)
        status = try_choice(ctx, &v, choices[i], &mean[i]);
    if (status == SPD_OK) {
        *nu_b = best_choice(count, choices, mean);
        if (accuracy)
            memcpy(accuracy, mean, count * sizeof *mean);
        ctx_clear(ctx); /* remarks of single fits are not about the choice */
    }
    release(&v);
    mem_free(mean);
    return status;
}
