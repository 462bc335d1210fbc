/* classifier.c - the table of methods, and their parameters. */
#include "classify/classifier.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "base/classes.h"

const classifier *classifier_of(spd_classifier_kind kind)
{
    static const classifier *const all[SPD_CLASSIFIERS] = {
        [SPD_CLASSIFIER_NN] = &classifier_nn,
        [SPD_CLASSIFIER_KNN] = &classifier_knn,
        [SPD_CLASSIFIER_MDM] = &classifier_mdm,
        [SPD_CLASSIFIER_RSR] = &classifier_rsr,
        [SPD_CLASSIFIER_CDL] = &classifier_cdl,
        [SPD_CLASSIFIER_CDL_LDA] = &classifier_cdl_lda,
        [SPD_CLASSIFIER_PGA] = &classifier_pga,
        [SPD_CLASSIFIER_LLE] = &classifier_lle,
        [SPD_CLASSIFIER_HESSIAN_LLE] = &classifier_hlle,
        [SPD_CLASSIFIER_LAPLACIAN] = &classifier_laplacian,
        [SPD_CLASSIFIER_KSVM] = &classifier_ksvm,
        [SPD_CLASSIFIER_TS_LDA] = &classifier_ts_lda,
        [SPD_CLASSIFIER_SRC] = &classifier_src,
        [SPD_CLASSIFIER_GSRC] = &classifier_gsrc,
        [SPD_CLASSIFIER_COV3DJ] = &classifier_cov3dj,
        [SPD_CLASSIFIER_TS_LR] = &classifier_ts_lr,
        [SPD_CLASSIFIER_KRR] = &classifier_krr,
        [SPD_CLASSIFIER_KRR_TANGENT] = &classifier_krr_tangent,
        [SPD_CLASSIFIER_KRR_BOTH] = &classifier_krr_both,
    };
    return (unsigned)kind < SPD_CLASSIFIERS ? all[kind] : NULL;
}

const choice *classifier_choice(const classifier *kind, spd_parameter parameter)
{
    for (size_t i = 0; i < MOST_CHOICES && kind->choices[i].parameter != SPD_PARAMETER_M; i++)
        if (kind->choices[i].parameter == parameter)
            return &kind->choices[i];
    return NULL;
}

spd_status classifier_ask(spd_context *ctx, const classifier *kind, size_t p)
{
    char what[80];
    snprintf(what, sizeof what, "the kernel or distances between %zu matrices", p);
    return ctx_ask(ctx, what, (double)sizeof(double) * kind->squares * (double)p * (double)p);
}

double choice_standard(const choice *c, const samples *train)
{
    return c->most ? fmin(c->standard, c->most(train)) : c->standard;
}

size_t choice_grid(const choice *c, const samples *train, double *values)
{
    double most = c->most ? c->most(train) : INFINITY;
    size_t count = 0;
    if (c->list)
        return c->list(train, values);
    for (size_t i = 0; i < GRID_ROOM && c->grid[i] > 0.0; i++)
        if (count == 0 || values[count - 1] < most)
            values[count++] = fmin(c->grid[i], most);
    return count;
}

void training_state_keep_samples(saved_arrays *s, training_state *c)
{
    samples *train = &c->train;
    double *X = (double *)(uintptr_t)train->X; /* only read where it is put */
    saved_labels(s, "labels", train->p, train->classes, &train->label);
    saved_reals(s, "samples", train->p, train->n * train->n, &X);
    train->X = X;
}

void training_state_keep_classes(saved_arrays *s, const training_state *c, classes *of)
{
    size_t most = c->train.classes;
    const int *label = NULL;
    saved_size(s, "class_count", 1, most, &of->count);
    if (s->status != SPD_OK)
        return;
    if (!saved_taking(s)) {
        int *own = arena_alloc(s->room, of->count, sizeof *own);
        for (size_t k = 0; own && k < of->count; k++)
            own[k] = class_label(of, k);
        label = own;
        s->status = arena_status(s->room, s->ctx, "classes");
    }
    if (s->status == SPD_OK)
        saved_labels(s, "class", of->count, most, &label);
    for (size_t k = 1; s->status == SPD_OK && k < of->count; k++)
        if (label[k] <= label[k - 1])
            saved_refuse(s, "class", "the classes are not in ascending order");
    if (s->status == SPD_OK && saved_taking(s))
        s->status = classes_sort(s->ctx, of->count, label, s->room, of);
}

void training_state_choose(training_state *c, const classes *of, const double *S,
                           const double *bias, int *label)
{
    for (size_t i = 0; i < c->queries.p; i++) {
        const double *row = S + i * of->count;
        size_t best = 0;
        for (size_t k = 0; k < of->count; k++) {
            if (row[k] + bias[k] > row[best] + bias[best])
                best = k;
            if (c->score)
                c->score[i * c->train.classes + (size_t)class_label(of, k)] = row[k] + bias[k];
        }
        label[i] = class_label(of, best);
    }
}

void training_state_free(training_state *c)
{
    arena_free(&c->meeting);
    arena_free(&c->training);
    arena_free(&c->preparing);
}
