/* trained_update.c - trained methods with other samples behind the same map. */
#include <string.h>

#include "base/memory.h"
#include "classify/samples.h"
#include "evaluate/method.h"
#include "evaluate/trained.h"
#include "learn/model.h"

const spd_samples *spd_classifier_held(const spd_classifier *c)
{
    const samples *train = &c->course.train;
    return c->course.kind->holds == SPD_HOLDS_SAMPLES && train->p == c->learned ? train : NULL;
}

/* *to <- a copy of the map. */
static spd_status copy_map(spd_context *ctx, const map *from, arena *keep, map *to)
{
    *to = *from;
    to->model = NULL;
    memset(to->part, 0, sizeof to->part);
    for (size_t i = 0; i < from->parts; i++)
        to->part[i] = model_copy(from->part[i], NULL);
    for (size_t i = 0; i < from->parts; i++)
        if (!to->part[i])
            return ctx_nomem(ctx, "a map");
    if (from->model) {
        to->model = model_copy(from->model, NULL);
        to->W = to->model ? to->model->W : NULL;
    } else if (from->W) {
        to->W = arena_alloc(keep, from->n, from->m * sizeof *to->W);
        if (to->W)
            memcpy(to->W, from->W, from->n * from->m * sizeof *to->W);
    }
    return from->W && !to->W ? ctx_nomem(ctx, "a map") : SPD_OK;
}

/* c->train <- copies of the caller's samples, as much as is needed. */
static spd_status own(spd_context *ctx, course *c)
{
    samples *train = &c->train;
    size_t each = train->n * train->n;
    double *X = arena_alloc(&c->preparing, train->p, each * sizeof *X);
    int *label = arena_alloc(&c->preparing, train->p, sizeof *label);
    if (!X || !label)
        return ctx_nomem(ctx, "training samples");
    memcpy(X, train->X, train->p * each * sizeof *X);
    memcpy(label, train->label, train->p * sizeof *label);
    *train = (samples){.size = sizeof *train,
                       .p = train->p,
                       .n = train->n,
                       .X = X,
                       .classes = train->classes,
                       .label = label,
                       .hermitian = train->hermitian,
                       .class_name = train->class_name};
    return SPD_OK;
}

static spd_status train_behind(spd_context *ctx, const spd_classifier *old, spd_classifier *c)
{
    course *own_course = &c->course;
    spd_status status = method_check_samples(ctx, &own_course->method, &own_course->train);
    if (status == SPD_OK && own_course->train.n != old->map.m)
        status = ctx_fail(ctx, SPD_EINVAL,
                          "the samples are %zu x %zu, but the method's map is to %zu x %zu",
                          own_course->train.n, own_course->train.n, old->map.m, old->map.m);
    if (status == SPD_OK && !own_course->train.hermitian != !old->course.train.hermitian)
        status = ctx_fail(ctx, SPD_EINVAL,
                          "the samples and those that the method was trained with must both be "
                          "complex, or both real");
    if (status == SPD_OK)
        status = copy_map(ctx, &old->map, &own_course->preparing, &c->map);
    if (status == SPD_OK)
        status = own(ctx, own_course);
    if (status == SPD_OK)
        status = trained_run_steps(ctx, own_course);
    if (status >= 0 && own_course->kind->holds != SPD_HOLDS_SAMPLES)
        own_course->train.X = NULL;
    return status;
}

spd_status spd_classifier_behind(spd_context *ctx, const spd_classifier *old,
                                 const spd_samples *mapped, spd_classifier **out)
{
    ctx_clear(ctx);
    if (!old || !mapped || !out)
        return ctx_fail(ctx, SPD_EINVAL, "the classifier, samples or room for another are missing");
    if (old->course.kind->vectors)
        return ctx_fail(ctx, SPD_EINVAL, "%s works on vectors and has no map",
                        spd_classifier_name(old->course.kind->kind));
    spd_classifier *c = mem_zero(1, sizeof *c);
    if (!c)
        return ctx_nomem(ctx, "a classifier");
    c->course = (course){.kind = old->course.kind, .method = old->course.method};
    c->notes = trained_no_notes();
    spd_status status = samples_take(ctx, mapped, &c->course.train);
    c->learned = c->course.train.p;
    if (status == SPD_OK && !c->course.train.class_name && !old->notes.unnamed &&
        c->course.train.classes == old->notes.classes)
        c->course.train.class_name = old->notes.class_name;
    if (status == SPD_OK)
        status = train_behind(ctx, old, c);
    spd_status named = status < 0 ? status : trained_take_names(ctx, c);
    status = named < 0 ? named : status;
    if (status < 0)
        spd_classifier_free(c);
    else
        *out = c;
    return status;
}
