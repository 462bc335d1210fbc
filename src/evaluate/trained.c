/* trained.c - a method that has seen its training samples: map, then classifier. */
#include "evaluate/trained.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/sized.h"
#include "classify/samples.h"
#include "evaluate/method.h"
#include "learn/model.h"
#include "objective/objective.h"
#include "ops/fault.h"

void spd_classifier_free(spd_classifier *c)
{
    if (!c)
        return;
    training_state_free(&c->state);
    map_free(&c->map);
    arena_free(&c->told);
    mem_free(c);
}

const spd_method *spd_classifier_method(const spd_classifier *c)
{
    return &c->state.method;
}

const spd_model *spd_classifier_model(const spd_classifier *c)
{
    return c->map.model;
}

const double *spd_classifier_weights(const spd_classifier *c)
{
    return c->state.kind->vectors || c->map.parts > 0 ? NULL : c->map.W;
}

/* ---- notes ----------------------------------------------------------------------------------- */

spd_metadata trained_no_notes(void)
{
    return (spd_metadata){.size = sizeof(spd_metadata),
                          .label_type = SPD_TYPE_INT64,
                          .accuracy = (double)NAN,
                          .accuracy_no_map = (double)NAN};
}

const spd_metadata *spd_classifier_metadata(const spd_classifier *c)
{
    return &c->notes;
}

/* A copy in that arena; NULL for NULL. */
static const char *text_copy(arena *room, const char *text)
{
    size_t length = text ? strlen(text) + 1 : 0;
    char *copy = text ? arena_alloc(room, length, 1) : NULL;
    if (copy)
        memcpy(copy, text, length);
    return copy;
}

/* Texts of the notes <- copies. */
static spd_status own_texts(spd_context *ctx, arena *room, spd_metadata *notes)
{
    const char *const *given = notes->class_name;
    const char **name = arena_zero(room, notes->classes, sizeof *name);
    for (size_t k = 0; name && k < notes->classes; k++)
        name[k] = text_copy(room, given[k] ? given[k] : "");
    notes->class_name = notes->classes ? name : NULL;
    given = notes->group_name;
    name = arena_zero(room, notes->groups, sizeof *name);
    for (size_t k = 0; name && k < notes->groups; k++)
        name[k] = text_copy(room, given[k] ? given[k] : "");
    notes->group_name = notes->groups ? name : NULL;
    notes->group_column = text_copy(room, notes->group_column);
    notes->made = text_copy(room, notes->made);
    notes->version = text_copy(room, notes->version);
    return arena_status(room, ctx, "notes");
}

spd_status spd_classifier_set_metadata(spd_context *ctx, spd_classifier *c,
                                       const spd_metadata *given)
{
    ctx_clear(ctx);
    spd_metadata notes = trained_no_notes();
    if (!c || !given)
        return ctx_fail(ctx, SPD_EINVAL, "the classifier or the notes are missing");
    spd_status status = sized_take(ctx, "spd_metadata", sizeof notes, &notes, given);
    if (status < 0)
        return status;
    if (notes.classes && (notes.classes != c->state.train.classes || !notes.class_name))
        return ctx_fail(ctx, SPD_EINVAL, "there are %zu classes, but names for %zu",
                        c->state.train.classes, notes.class_name ? notes.classes : 0);
    if (notes.groups && !notes.group_name)
        return ctx_fail(ctx, SPD_EINVAL, "the names of %zu groups are missing", notes.groups);
    if (!notes.classes && c->notes.class_name) {
        notes.classes = c->notes.classes;
        notes.class_name = c->notes.class_name;
        notes.label_type = c->notes.label_type;
    }
    if (!spd_name(SPD_ENUM_TYPE, notes.label_type))
        return ctx_fail(ctx, SPD_EINVAL, "there is no type number %d", (int)notes.label_type);
    arena room = {0};
    status = own_texts(ctx, &room, &notes);
    if (status < 0) {
        arena_free(&room);
        return status;
    }
    arena_free(&c->told);
    c->told = room;
    c->notes = notes;
    return SPD_OK;
}

/* Is it spelled as a whole number that int64 holds? */
static int is_whole(const char *text)
{
    const char *digit = text + (*text == '-');
    const size_t length = strspn(digit, "0123456789");
    return length > 0 && length < 19 && digit[length] == '\0';
}

/* Notes the names of the classes that the training samples bring, and lets go of them. */
static spd_status trained_take_names(spd_context *ctx, spd_classifier *c)
{
    spd_metadata notes = trained_no_notes();
    samples *train = &c->state.train;
    if (!train->class_name)
        return SPD_OK;
    notes.classes = train->classes;
    notes.class_name = train->class_name;
    for (size_t k = 0; k < train->classes; k++)
        if (!train->class_name[k] || !is_whole(train->class_name[k]))
            notes.label_type = SPD_TYPE_TEXT;
    train->class_name = NULL; /* borrowed */
    const spd_error remark = ctx ? ctx->error : (spd_error){0};
    spd_status status = spd_classifier_set_metadata(ctx, c, &notes);
    if (ctx && status == SPD_OK)
        ctx->error = remark;
    return status;
}

spd_status spd_classifier_info(spd_context *ctx, const spd_classifier *c,
                               spd_classifier_facts *facts)
{
    ctx_clear(ctx);
    if (!c || !facts)
        return ctx_fail(ctx, SPD_EINVAL, "the classifier or the room for facts is missing");
    const samples *train = &c->state.train;
    const classifier *kind = c->state.kind;
    spd_classifier_facts found = {.size = sizeof found,
                                  .n = kind->vectors ? 0 : c->map.n,
                                  .m = kind->vectors ? 0 : c->map.m,
                                  .height = kind->vectors ? train->height : 0,
                                  .width = kind->vectors ? train->width : 0,
                                  .classes = train->classes,
                                  .trained = c->learned,
                                  .holding = kind->holds,
                                  .held = kind->holds == SPD_HOLDING_NONE ? 0 : train->p,
                                  .score = kind->scores.what,
                                  .score_falls = kind->scores.falls,
                                  .hermitian = !kind->vectors && train->hermitian,
                                  .regression = c->regression,
                                  .r2 = c->regression ? c->r2 : (double)NAN,
                                  .error = c->regression ? c->error : (double)NAN,
                                  .missed = c->missed,
                                  .scale_low = c->scale_low,
                                  .scale_high = c->scale_high};
    if (c->regression)
        found.score = "predicted number";
    spd_status status = sized_check(ctx, "spd_classifier_facts", facts);
    if (status == SPD_OK)
        sized_give(sizeof found, &found, facts);
    return status;
}

spd_status spd_classifier_map(spd_context *ctx, const spd_classifier *c, size_t n, size_t p,
                              const double *X, double *S)
{
    ctx_clear(ctx);
    if (!c || !X || !S || p == 0)
        return ctx_fail(ctx, SPD_EINVAL, "the classifier, matrices or the output are missing");
    if (c->state.kind->vectors)
        return ctx_fail(ctx, SPD_EINVAL, "%s works on vectors and has no map",
                        spd_name(SPD_ENUM_CLASSIFIER, c->state.kind->kind));
    if (n != c->map.n)
        return ctx_fail(ctx, SPD_EINVAL,
                        "the matrices are %zu x %zu, but the method was trained with %zu x %zu", n,
                        n, c->map.n, c->map.n);
    arena room = {0};
    samples s = {.size = sizeof s, .p = p, .n = n, .X = X, .hermitian = c->state.train.hermitian};
    spd_status status = alignment_apply(ctx, &c->state.method, &c->align, &room, &s);
    if (status >= 0)
        status = map_apply(ctx, &c->map, &room, &s);
    if (status >= 0)
        memmove(S, s.X, p * s.n * s.n * sizeof *S);
    arena_free(&room);
    return fault_unnamed(ctx, status);
}

/* ---- training -------------------------------------------------------------------------------- */

/* A third of the size, unless the user says otherwise. */
static void standard_m(spd_method *method, size_t n)
{
    if (spd_method_uses(method, SPD_PARAMETER_M) && isnan(method->value[SPD_PARAMETER_M]))
        method->value[SPD_PARAMETER_M] = n < 3 ? 1.0 : floor((double)n / 3.0 + 0.5);
}

/* The map's own values, as used. Candidates are no values of a method that was not given any: they
 * are all there are, or enough. */
static void note_map(spd_classifier *c)
{
    double *value = c->state.method.value;
    if (spd_method_uses(&c->state.method, SPD_PARAMETER_M))
        value[SPD_PARAMETER_M] = (double)(c->state.train.hermitian ? c->map.m / 2 : c->map.m);
    if (c->map.nu_w == 0)
        return;
    value[SPD_PARAMETER_OBJECTIVE] = (double)c->map.objective;
    if (!objective_of_samples(c->map.objective)) {
        value[SPD_PARAMETER_NU_W] = (double)c->map.nu_w;
        value[SPD_PARAMETER_NU_B] = (double)c->map.nu_b;
    }
}

static const char *kind_of_numbers(int hermitian)
{
    return hermitian ? "complex" : "real";
}

static spd_status take_map(spd_context *ctx, spd_classifier *c, const spd_model *model)
{
    spd_method *method = &c->state.method;
    samples *train = &c->state.train;
    arena *keep = &c->state.preparing;
    spd_status status = SPD_OK;
    if (!model) {
        standard_m(method, samples_size(train));
        status = map_fit(ctx, method, train, (map_graph){0}, keep, &c->map);
    } else if (model->n != train->n) {
        status = ctx_fail(ctx, SPD_EINVAL,
                          "the model maps %zu x %zu matrices, but the training samples are %zu x "
                          "%zu",
                          model->n, model->n, train->n, train->n);
    } else if (!model->options->hermitian != !train->hermitian) {
        status =
            ctx_fail(ctx, SPD_EINVAL, "the model maps %s matrices, but the training samples are %s",
                     kind_of_numbers(!train->hermitian), kind_of_numbers(train->hermitian));
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

/* The map, and the steps of training behind it; values that are not fixed take their defaults. A
 * remark of any step comes back. */
static spd_status train(spd_context *ctx, spd_classifier *c, const spd_model *model)
{
    training_state *own = &c->state;
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

/* The labels are the classifier's own from the beginning: what is prepared may point to them. */
static spd_status own_labels(spd_context *ctx, training_state *c)
{
    samples *train = &c->train;
    int *label = arena_alloc(&c->preparing, train->p, sizeof *label);
    if (!label)
        return ctx_nomem(ctx, "labels");
    memcpy(label, train->label, train->p * sizeof *label);
    train->label = label;
    return SPD_OK;
}

/* What the caller has lent of the samples is copied where it is needed later, and let go. */
static spd_status own_samples_of(spd_context *ctx, const double *lent, training_state *c)
{
    samples *train = &c->train;
    size_t each = train->n * train->n;
    train->V = NULL;
    if (c->kind->holds != SPD_HOLDING_SAMPLES) {
        train->X = NULL;
    } else if (train->X == lent) {
        double *X = arena_alloc(&c->preparing, train->p, each * sizeof *X);
        if (!X)
            return ctx_nomem(ctx, "training samples");
        memcpy(X, lent, train->p * each * sizeof *X);
        train->X = X;
    }
    return SPD_OK;
}

/* The scale of the training matrices; trained ones only know what a file or this says. */
static void note_scale(spd_classifier *c)
{
    const samples *train = &c->state.train;
    size_t n = train->n;
    for (size_t i = 0; train->X && i < train->p; i++) {
        double sum = 0.0;
        for (size_t k = 0; k < n; k++)
            sum += train->X[(i * n + k) * n + k] / (double)n;
        c->scale_low = i == 0 ? sum : fmin(c->scale_low, sum);
        c->scale_high = fmax(c->scale_high, sum);
    }
}

static spd_status train_on(spd_context *ctx, spd_classifier *c, const spd_model *model)
{
    arena room = {0}; /* what the samples are while they train */
    note_scale(c);
    spd_status status = regression_take(ctx, &c->state.method, &room, &c->state.train);
    if (status == SPD_OK)
        status = alignment_fit(ctx, &c->state.method, &room, &c->state.preparing, &c->state.train,
                               &c->align);
    const double *lent = c->state.train.X;
    if (status == SPD_OK)
        status = method_check_samples(ctx, &c->state.method, &c->state.train);
    if (status == SPD_OK)
        status = own_labels(ctx, &c->state);
    const double *target = c->state.train.target;
    c->learned = c->state.train.p;
    if (status == SPD_OK)
        status = fault_unnamed(ctx, train(ctx, c, model));
    if (status >= 0)
        regression_note(c, target);
    spd_status owned = status < 0 ? status : own_samples_of(ctx, lent, &c->state);
    c->state.train.group = c->state.train.fold_group = NULL;
    c->state.train.target = NULL;
    arena_free(&room);
    return owned < 0 ? owned : status;
}

/* method <- what `auto` chooses of these samples. */
static spd_status choose_method(spd_context *ctx, const samples *whole, const spd_model *model,
                                spd_method *method)
{
    spd_tune_options usual = {.size = sizeof usual, .folds = 5, .seed = 1};
    if (!method->automatic)
        return SPD_OK;
    if (model)
        return ctx_fail(ctx, SPD_EINVAL,
                        "auto chooses its own map; name a method to go with one "
                        "that is given");
    usual.group = whole->fold_group;
    return spd_tune(ctx, method, whole, &usual, NULL);
}

spd_status spd_classifier_fit(spd_context *ctx, const spd_method *given, const spd_samples *whole,
                              const spd_model *model, spd_classifier **out)
{
    ctx_clear(ctx);
    spd_method method;
    if (!out)
        return ctx_fail(ctx, SPD_EINVAL, "no room for a classifier given");
    samples train;
    spd_status status = method_take(ctx, given, &method);
    if (status == SPD_OK)
        status = samples_take(ctx, whole, &train);
    if (status == SPD_OK && method.automatic && !model && train.target)
        return regression_choose(ctx, &method, &train, out);
    if (status == SPD_OK)
        status = choose_method(ctx, &train, model, &method);
    if (status == SPD_OK && model && spd_method_on_vectors(&method))
        status = ctx_fail(ctx, SPD_EINVAL, "%s works on vectors, and maps apply to matrices only",
                          spd_name(SPD_ENUM_CLASSIFIER, method.classifier));
    if (status < 0)
        return status;
    spd_classifier *c = mem_zero(1, sizeof *c);
    if (!c)
        return ctx_nomem(ctx, "a classifier");
    c->state = (training_state){
        .kind = classifier_of(method.classifier), .method = method, .train = train};
    status = train_on(ctx, c, model);
    c->notes = trained_no_notes();
    c->state.method.fit = NULL; /* borrowed, and no longer needed */
    spd_status named = status < 0 ? status : trained_take_names(ctx, c);
    status = named < 0 ? named : status;
    if (status < 0)
        spd_classifier_free(c);
    else
        *out = c;
    return status;
}

/* ---- prediction ------------------------------------------------------------------------------ */

/* n: the size of the matrices that the map takes. */
static spd_status check_queries(spd_context *ctx, const training_state *c, size_t n)
{
    const samples *queries = &c->queries;
    if (queries->p == 0)
        return ctx_fail(ctx, SPD_EINVAL, "there are no samples to classify");
    if (c->kind->vectors) {
        if (!queries->V)
            return ctx_fail(ctx, SPD_EINVAL, "%s needs vectors, but there are none",
                            spd_name(SPD_ENUM_CLASSIFIER, c->kind->kind));
        if (queries->height != c->train.height || queries->width != c->train.width)
            return ctx_fail(ctx, SPD_EINVAL,
                            "the vectors to classify are %zu x %zu, but the training vectors are "
                            "%zu x %zu",
                            queries->height, queries->width, c->train.height, c->train.width);
        return SPD_OK;
    }
    if (!queries->X)
        return ctx_fail(ctx, SPD_EINVAL, "%s needs SPD matrices, but there are none",
                        spd_name(SPD_ENUM_CLASSIFIER, c->kind->kind));
    if (!queries->hermitian != !c->train.hermitian)
        return ctx_fail(ctx, SPD_EINVAL,
                        "the matrices to classify are %s, but the training matrices are %s",
                        kind_of_numbers(queries->hermitian), kind_of_numbers(c->train.hermitian));
    if (queries->n != n) {
        size_t own = samples_size(queries), wanted = queries->hermitian ? n / 2 : n;
        return ctx_fail(ctx, SPD_EINVAL,
                        "the matrices to classify are %zu x %zu, but the training matrices are %zu "
                        "x %zu",
                        own, own, wanted, wanted);
    }
    return SPD_OK;
}

/* The classes of queries that are aligned. score: room for queries->p x classes, or NULL. */
static spd_status decide(spd_context *ctx, const spd_classifier *c, const samples *queries,
                         int *label, double *score)
{
    training_state own = c->state; /* with queries of its own: several threads may predict */
    spd_error remark = {0};
    spd_status status = SPD_OK;
    own.score = score;
    own.queries = *queries;
    if (!own.kind->vectors)
        status = map_apply(ctx, &c->map, &own.meeting, &own.queries);
    if (status >= 0) {
        status = own.kind->meet(ctx, &own);
        remark = kept_remark(ctx, status);
    }
    if (status >= 0)
        status = own.kind->decide(ctx, &own, label);
    for (size_t e = 0; score && own.kind->scores.squared && e < own.queries.p * own.train.classes;)
        score[e++] *= samples_factor(&own.train);
    arena_free(&own.meeting);
    return with_remark(ctx, fault_unnamed(ctx, status), &remark);
}

/* Aligns the queries and decides. */
static spd_status predict(spd_context *ctx, const spd_classifier *c, const spd_samples *given,
                          int *label, double *score)
{
    training_state own = c->state;
    arena room = {0};
    spd_status status = samples_take(ctx, given, &own.queries);
    if (status == SPD_OK)
        status = check_queries(ctx, &own, c->map.n);
    if (status == SPD_OK)
        status = alignment_apply(ctx, &c->state.method, &c->align, &room, &own.queries);
    if (status >= 0)
        status = decide(ctx, c, &own.queries, label, score);
    arena_free(&room);
    return status;
}

spd_status spd_classifier_predict(spd_context *ctx, const spd_classifier *c,
                                  const spd_samples *queries, int *label)
{
    ctx_clear(ctx);
    if (!c || !label)
        return ctx_fail(ctx, SPD_EINVAL,
                        "the classifier or the output array for labels is missing");
    if (c->regression)
        return ctx_fail(ctx, SPD_EINVAL,
                        "the method predicts numbers, not classes: they are its scores");
    return predict(ctx, c, queries, label, NULL);
}

spd_status spd_classifier_scores(spd_context *ctx, const spd_classifier *c,
                                 const spd_samples *queries, int *label, double *score)
{
    ctx_clear(ctx);
    samples asked;
    if (!c || !score)
        return ctx_fail(ctx, SPD_EINVAL,
                        "the classifier or the output array for scores is missing");
    spd_status status = samples_take(ctx, queries, &asked);
    if (status < 0)
        return status;
    size_t count = c->state.train.classes;
    arena room = {0};
    double *own = arena_alloc(&room, asked.p, count * sizeof *own);
    int *found = arena_alloc(&room, asked.p, sizeof *found);
    status = arena_status(&room, ctx, "scores");
    for (size_t e = 0; status == SPD_OK && e < asked.p * count; e++)
        own[e] = (double)NAN;
    if (status == SPD_OK)
        status = predict(ctx, c, queries, found, own);
    if (status >= 0) {
        memcpy(score, own, asked.p * count * sizeof *score);
        if (label)
            memcpy(label, found, asked.p * sizeof *label);
    }
    arena_free(&room);
    return status;
}
