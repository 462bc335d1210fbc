/* classifier.c - the table of methods, and their parameters. */
#include "classify/classifier.h"

#include <math.h>
#include <stdio.h>

const classifier *classifier_of(spd_classifier_kind kind)
{
    static const classifier *const all[SPD_CLASSIFIERS] = {
        [SPD_NN] = &classifier_nn,     [SPD_KNN] = &classifier_knn,
        [SPD_MDM] = &classifier_mdm,   [SPD_RSR] = &classifier_rsr,
        [SPD_CDL] = &classifier_cdl,   [SPD_CDL_LDA] = &classifier_cdl_lda,
        [SPD_PGA] = &classifier_pga,   [SPD_LLE] = &classifier_lle,
        [SPD_HLLE] = &classifier_hlle, [SPD_LAPLACIAN] = &classifier_laplacian,
        [SPD_KSVM] = &classifier_ksvm, [SPD_TS_LDA] = &classifier_ts_lda,
        [SPD_SRC] = &classifier_src,   [SPD_GSRC] = &classifier_gsrc,
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

void course_free(course *c)
{
    arena_free(&c->meeting);
    arena_free(&c->training);
    arena_free(&c->preparing);
}
