/* trained.c - a method that has seen its training samples: map, then classifier. */
#include <math.h>

#include "base/memory.h"
#include "classify/samples.h"
#include "engine/fault.h"
#include "evaluate/evaluation.h"
#include "evaluate/map.h"
#include "evaluate/method.h"

struct spd_classifier {
    course course; /* its training samples are mapped */
    map map;       /* the identity where the method has none */
};

void spd_classifier_free(spd_classifier *c)
{
    if (!c)
        return;
    course_free(&c->course);
    map_free(&c->map);
    mem_free(c);
}

const spd_method *spd_classifier_method(const spd_classifier *c)
{
    return &c->course.method;
}

const spd_model *spd_classifier_model(const spd_classifier *c)
{
    return c->map.model;
}

spd_model *trained_take_model(spd_classifier *c)
{
    spd_model *model = c->map.model;
    c->map.model = NULL;
    return model;
}

/* A third of the size, unless the user says otherwise. */
static void standard_m(spd_method *method, size_t n)
{
    if (spd_method_uses(method, SPD_PARAM_M) && isnan(method->value[SPD_PARAM_M]))
        method->value[SPD_PARAM_M] = n < 3 ? 1.0 : floor((double)n / 3.0 + 0.5);
}

/* The map's own values, as used. */
static void note_map(spd_classifier *c)
{
    double *value = c->course.method.value;
    if (spd_method_uses(&c->course.method, SPD_PARAM_M))
        value[SPD_PARAM_M] = (double)c->map.m;
    if (c->map.nu_w > 0) {
        value[SPD_PARAM_NU_W] = (double)c->map.nu_w;
        value[SPD_PARAM_NU_B] = (double)c->map.nu_b;
        value[SPD_PARAM_OBJECTIVE] = (double)c->map.objective;
    }
}

static spd_status take_map(spd_context *ctx, spd_classifier *c, const spd_model *model)
{
    spd_method *method = &c->course.method;
    samples *train = &c->course.train;
    arena *keep = &c->course.preparing;
    spd_status status = SPD_OK;
    if (!model) {
        standard_m(method, train->n);
        status = map_fit(ctx, method, train, (map_graph){0}, keep, &c->map);
    } else if (model->n != train->n) {
        status = ctx_fail(ctx, SPD_EINVAL,
                          "the model maps %zu x %zu matrices, but the training samples are %zu x "
                          "%zu",
                          model->n, model->n, train->n, train->n);
    } else {
        method->map = SPD_MAP_ML;
        status = map_of_model(ctx, model, keep, &c->map);
    }
    if (status < 0)
        return status;
    note_map(c);
    return map_apply(ctx, &c->map, keep, train);
}

/* Later steps forget an earlier step's remark: it is kept, and given back when they are good. */
static spd_error kept_remark(const spd_context *ctx, spd_status status)
{
    spd_error remark = *spd_context_error(ctx);
    remark.status = status > 0 ? status : SPD_OK;
    return remark;
}

static spd_status with_remark(spd_context *ctx, spd_status status, const spd_error *remark)
{
    if (status != SPD_OK || remark->status == SPD_OK)
        return status;
    if (ctx)
        ctx->error = *remark;
    return remark->status;
}

static spd_status train(spd_context *ctx, spd_classifier *c, const spd_model *model)
{
    course *own = &c->course;
    spd_status status = own->kind->vectors ? SPD_OK : take_map(ctx, c, model);
    if (status >= 0)
        status = classifier_ask(ctx, own->kind, own->train.p);
    if (status < 0)
        return status;
    method_standard_values(&own->method, &own->train);
    status = own->kind->prepare ? own->kind->prepare(ctx, own) : SPD_OK;
    spd_error remark = kept_remark(ctx, status);
    if (status >= 0 && own->kind->train)
        status = own->kind->train(ctx, own);
    return with_remark(ctx, status, &remark);
}

spd_status spd_classifier_fit(spd_context *ctx, const spd_method *given, const spd_samples *whole,
                              const spd_model *model, spd_classifier **out)
{
    ctx_clear(ctx);
    spd_method method;
    if (!out)
        return ctx_fail(ctx, SPD_EINVAL, "no room for a classifier given");
    spd_status status = method_take(ctx, given, &method);
    if (status == SPD_OK && model && spd_method_on_vectors(&method))
        status = ctx_fail(ctx, SPD_EINVAL, "%s works on vectors, and maps apply to matrices only",
                          spd_classifier_name(method.classifier));
    if (status < 0)
        return status;
    spd_classifier *c = mem_zero(1, sizeof *c);
    if (!c)
        return ctx_nomem(ctx, "a classifier");
    c->course = (course){.kind = classifier_of(method.classifier), .method = method};
    status = samples_take(ctx, whole, &c->course.train);
    if (status == SPD_OK)
        status = method_check_samples(ctx, &method, &c->course.train);
    if (status == SPD_OK)
        status = fault_unnamed(ctx, train(ctx, c, model));
    c->course.method.fit = NULL; /* borrowed, and no longer needed */
    if (status < 0)
        spd_classifier_free(c);
    else
        *out = c;
    return status;
}

/* ---- prediction ---------------------------------------------------------------------------------
 */

/* n: the size of the matrices that the map takes. */
static spd_status check_queries(spd_context *ctx, const course *c, size_t n)
{
    const samples *queries = &c->queries;
    if (queries->p == 0)
        return ctx_fail(ctx, SPD_EINVAL, "there are no samples to classify");
    if (c->kind->vectors) {
        if (!queries->V)
            return ctx_fail(ctx, SPD_EINVAL, "%s needs vectors, but there are none",
                            spd_classifier_name(c->kind->kind));
        if (queries->height != c->train.height || queries->width != c->train.width)
            return ctx_fail(ctx, SPD_EINVAL,
                            "the vectors to classify are %zu x %zu, but the training vectors are "
                            "%zu x %zu",
                            queries->height, queries->width, c->train.height, c->train.width);
        return SPD_OK;
    }
    if (!queries->X)
        return ctx_fail(ctx, SPD_EINVAL, "%s needs SPD matrices, but there are none",
                        spd_classifier_name(c->kind->kind));
    if (queries->n != n)
        return ctx_fail(ctx, SPD_EINVAL,
                        "the matrices to classify are %zu x %zu, but the training matrices are %zu "
                        "x %zu",
                        queries->n, queries->n, n, n);
    return SPD_OK;
}

spd_status spd_classifier_predict(spd_context *ctx, const spd_classifier *c,
                                  const spd_samples *queries, int *label)
{
    ctx_clear(ctx);
    if (!c || !label)
        return ctx_fail(ctx, SPD_EINVAL,
                        "the classifier or the output array for labels is missing");
    course own = c->course; /* with queries of its own: several threads may predict */
    spd_error remark = {0};
    spd_status status = samples_take(ctx, queries, &own.queries);
    if (status == SPD_OK)
        status = check_queries(ctx, &own, c->map.n);
    if (status < 0)
        return status;
    if (!own.kind->vectors)
        status = map_apply(ctx, &c->map, &own.meeting, &own.queries);
    if (status >= 0) {
        status = own.kind->meet(ctx, &own);
        remark = kept_remark(ctx, status);
    }
    if (status >= 0)
        status = own.kind->decide(ctx, &own, label);
    arena_free(&own.meeting);
    return with_remark(ctx, fault_unnamed(ctx, status), &remark);
}
