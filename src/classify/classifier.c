/* classifier.c - the table of methods, and their parameters. */
#include "classify/classifier.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "base/classes.h"

const classifier *classifier_of(spd_classifier_kind kind)
{
    static const classifier *const all[SPD_CLASSIFIERS] = {
        [SPD_NN] = &classifier_nn,         [SPD_KNN] = &classifier_knn,
        [SPD_MDM] = &classifier_mdm,       [SPD_RSR] = &classifier_rsr,
        [SPD_CDL] = &classifier_cdl,       [SPD_CDL_LDA] = &classifier_cdl_lda,
        [SPD_PGA] = &classifier_pga,       [SPD_LLE] = &classifier_lle,
        [SPD_HLLE] = &classifier_hlle,     [SPD_LAPLACIAN] = &classifier_laplacian,
        [SPD_KSVM] = &classifier_ksvm,     [SPD_TS_LDA] = &classifier_ts_lda,
        [SPD_SRC] = &classifier_src,       [SPD_GSRC] = &classifier_gsrc,
        [SPD_COV3DJ] = &classifier_cov3dj,
    };
    return (unsigned)kind < SPD_CLASSIFIERS ? all[kind] : NULL;
}

const choice *classifier_choice(const classifier *kind, spd_parameter parameter)
{
    for (size_t i = 0; i < MOST_CHOICES && kind->choices[i].parameter != SPD_PARAM_M; i++)
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

void course_keep_samples(shelf *s, course *c)
{
    samples *train = &c->train;
    double *X = (double *)(uintptr_t)train->X; /* only read where it is put */
    shelf_labels(s, "labels", train->p, train->classes, &train->label);
    shelf_reals(s, "samples", train->p, train->n * train->n, &X);
    train->X = X;
}

void course_keep_classes(shelf *s, const course *c, classes *of)
{
    size_t most = c->train.classes;
    const int *label = NULL;
    shelf_size(s, "class_count", 1, most, &of->count);
    if (s->status != SPD_OK)
        return;
    if (!shelf_taking(s)) {
        int *own = arena_alloc(s->room, of->count, sizeof *own);
        for (size_t k = 0; own && k < of->count; k++)
            own[k] = class_label(of, k);
        label = own;
        s->status = arena_status(s->room, s->ctx, "classes");
    }
    if (s->status == SPD_OK)
        shelf_labels(s, "class", of->count, most, &label);
    for (size_t k = 1; s->status == SPD_OK && k < of->count; k++)
        if (label[k] <= label[k - 1])
            shelf_refuse(s, "class", "the classes are not in ascending order");
    if (s->status == SPD_OK && shelf_taking(s))
        s->status = classes_sort(s->ctx, of->count, label, s->room, of);
}

void course_free(course *c)
{
    arena_free(&c->meeting);
    arena_free(&c->training);
    arena_free(&c->preparing);
}
