/* trained.c - a method that has seen its training samples: map, then classifier. */
#include "evaluate/trained.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/sized.h"
#include "classify/samples.h"
#include "engine/fault.h"
#include "evaluate/method.h"
#include "objective/objective.h"

void spd_classifier_free(spd_classifier *c)
{
    if (!c)
        return;
    course_free(&c->course);
    map_free(&c->map);
    arena_free(&c->told);
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

const double *spd_classifier_weights(const spd_classifier *c)
{
    return c->course.kind->vectors || c->map.parts > 0 ? NULL : c->map.W;
}

spd_model *trained_take_model(spd_classifier *c)
{
    spd_model *model = c->map.model;
    c->map.model = NULL;
    return model;
}

/* ---- notes --------------------------------------------------------------------------------------
 */

spd_notes trained_no_notes(void)
{
    return (spd_notes){.size = sizeof(spd_notes),
                       .label_type = SPD_INT64,
                       .accuracy = (double)NAN,
                       .accuracy_no_map = (double)NAN};
}

const spd_notes *spd_classifier_notes(const spd_classifier *c)
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
static spd_status own_texts(spd_context *ctx, arena *room, spd_notes *notes)
{
    const char *const *given = notes->class_name;
    const char **name = arena_zero(room, notes->classes, sizeof *name);
    for (size_t k = 0; name && k < notes->classes; k++)
        name[k] = text_copy(room, given[k] ? given[k] : "");
    notes->class_name = notes->classes ? name : NULL;
    notes->made = text_copy(room, notes->made);
    notes->version = text_copy(room, notes->version);
    return arena_status(room, ctx, "notes");
}

spd_status spd_classifier_note(spd_context *ctx, spd_classifier *c, const spd_notes *given)
{
    ctx_clear(ctx);
    spd_notes notes = trained_no_notes();
    if (!c || !given)
        return ctx_fail(ctx, SPD_EINVAL, "the classifier or the notes are missing");
    spd_status status = sized_take(ctx, "spd_notes", sizeof notes, &notes, given);
    if (status < 0)
        return status;
    if (notes.classes && (notes.classes != c->course.train.classes || !notes.class_name))
        return ctx_fail(ctx, SPD_EINVAL, "there are %zu classes, but names for %zu",
                        c->course.train.classes, notes.class_name ? notes.classes : 0);
    if (!notes.classes && c->notes.class_name) {
        notes.classes = c->notes.classes;
        notes.class_name = c->notes.class_name;
        notes.label_type = c->notes.label_type;
    }
    if (!spd_type_name(notes.label_type))
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

spd_status trained_take_names(spd_context *ctx, spd_classifier *c)
{
    spd_notes notes = trained_no_notes();
    samples *train = &c->course.train;
    if (!train->class_name)
        return SPD_OK;
    notes.classes = train->classes;
    notes.class_name = train->class_name;
    for (size_t k = 0; k < train->classes; k++)
        if (!train->class_name[k] || !is_whole(train->class_name[k]))
            notes.label_type = SPD_TEXT;
    train->class_name = NULL; /* borrowed */
    const spd_error remark = ctx ? ctx->error : (spd_error){0};
    spd_status status = spd_classifier_note(ctx, c, &notes);
    if (ctx && status == SPD_OK)
        ctx->error = remark;
    return status;
}

spd_status spd_classifier_look(spd_context *ctx, const spd_classifier *c,
                               spd_classifier_facts *facts)
{
    ctx_clear(ctx);
    if (!c || !facts)
        return ctx_fail(ctx, SPD_EINVAL, "the classifier or the room for facts is missing");
    const samples *train = &c->course.train;
    const classifier *kind = c->course.kind;
    spd_classifier_facts found = {.size = sizeof found,
                                  .n = kind->vectors ? 0 : c->map.n,
                                  .m = kind->vectors ? 0 : c->map.m,
                                  .height = kind->vectors ? train->height : 0,
                                  .width = kind->vectors ? train->width : 0,
                                  .classes = train->classes,
                                  .trained = c->learned,
                                  .holding = kind->holds,
                                  .held = kind->holds == SPD_HOLDS_NONE ? 0 : train->p,
                                  .score = kind->scores.what,
                                  .score_falls = kind->scores.falls,
                                  .hermitian = !kind->vectors && train->hermitian};
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
    if (c->course.kind->vectors)
        return ctx_fail(ctx, SPD_EINVAL, "%s works on vectors and has no map",
                        spd_classifier_name(c->course.kind->kind));
    if (n != c->map.n)
        return ctx_fail(ctx, SPD_EINVAL,
                        "the matrices are %zu x %zu, but the method was trained with %zu x %zu", n,
                        n, c->map.n, c->map.n);
    arena room = {0};
    samples s = {.size = sizeof s, .p = p, .n = n, .X = X};
    spd_status status = map_apply(ctx, &c->map, &room, &s);
    if (status >= 0)
        memmove(S, s.X, p * s.n * s.n * sizeof *S);
    arena_free(&room);
    return fault_unnamed(ctx, status);
}

/* ---- training -----------------------------------------------------------------------------------
 */

/* A third of the size, unless the user says otherwise. */
static void standard_m(spd_method *method, size_t n)
{
    if (spd_method_uses(method, SPD_PARAM_M) && isnan(method->value[SPD_PARAM_M]))
        method->value[SPD_PARAM_M] = n < 3 ? 1.0 : floor((double)n / 3.0 + 0.5);
}

/* The map's own values, as used. Candidates are no values of a method that was not given any: they
 * are all there are, or enough. */
static void note_map(spd_classifier *c)
{
    double *value = c->course.method.value;
    if (spd_method_uses(&c->course.method, SPD_PARAM_M))
        value[SPD_PARAM_M] = samples_share(&c->course.train) * (double)c->map.m;
    if (c->map.nu_w == 0)
        return;
    value[SPD_PARAM_OBJECTIVE] = (double)c->map.objective;
    if (objective_get(c->map.objective)->of_sums) {
        value[SPD_PARAM_NU_W] = (double)c->map.nu_w;
        value[SPD_PARAM_NU_B] = (double)c->map.nu_b;
    }
}

static const char *kind_of_numbers(int hermitian)
{
    return hermitian ? "complex" : "real";
}

static spd_status take_map(spd_context *ctx, spd_classifier *c, const spd_model *model)
{
    spd_method *method = &c->course.method;
    samples *train = &c->course.train;
    arena *keep = &c->course.preparing;
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

spd_status trained_run_steps(spd_context *ctx, course *own)
{
    spd_status status = classifier_ask(ctx, own->kind, own->train.p);
    if (status < 0)
        return status;
    method_standard_values(&own->method, &own->train);
    status = own->kind->prepare ? own->kind->prepare(ctx, own) : SPD_OK;
    spd_error remark = kept_remark(ctx, status);
    if (status >= 0 && own->kind->train)
        status = own->kind->train(ctx, own);
    return with_remark(ctx, status, &remark);
}

static spd_status train(spd_context *ctx, spd_classifier *c, const spd_model *model)
{
    spd_status status = c->course.kind->vectors ? SPD_OK : take_map(ctx, c, model);
    return status < 0 ? status : trained_run_steps(ctx, &c->course);
}

/* The labels are the classifier's own from the beginning: what is prepared may point to them. */
static spd_status own_labels(spd_context *ctx, course *c)
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
static spd_status own_samples_of(spd_context *ctx, const double *lent, course *c)
{
    samples *train = &c->train;
    size_t each = train->n * train->n;
    train->V = NULL;
    if (c->kind->holds != SPD_HOLDS_SAMPLES) {
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

static spd_status train_on(spd_context *ctx, spd_classifier *c, const spd_model *model)
{
    const double *lent = c->course.train.X;
    spd_status status = own_labels(ctx, &c->course);
    if (status == SPD_OK)
        status = fault_unnamed(ctx, train(ctx, c, model));
    spd_status owned = status < 0 ? status : own_samples_of(ctx, lent, &c->course);
    return owned < 0 ? owned : status;
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
        status = train_on(ctx, c, model);
    c->learned = c->course.train.p;
    c->notes = trained_no_notes();
    c->course.method.fit = NULL; /* borrowed, and no longer needed */
    spd_status named = status < 0 ? status : trained_take_names(ctx, c);
    status = named < 0 ? named : status;
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

/* score: room for queries->p x classes, or NULL. */
static spd_status predict(spd_context *ctx, const spd_classifier *c, const spd_samples *queries,
                          int *label, double *score)
{
    course own = c->course; /* with queries of its own: several threads may predict */
    spd_error remark = {0};
    own.score = score;
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
    for (size_t e = 0; score && own.kind->scores.squared && e < own.queries.p * own.train.classes;)
        score[e++] *= samples_share(&own.train);
    arena_free(&own.meeting);
    return with_remark(ctx, fault_unnamed(ctx, status), &remark);
}

spd_status spd_classifier_predict(spd_context *ctx, const spd_classifier *c,
                                  const spd_samples *queries, int *label)
{
    ctx_clear(ctx);
    if (!c || !label)
        return ctx_fail(ctx, SPD_EINVAL,
                        "the classifier or the output array for labels is missing");
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
    size_t count = c->course.train.classes;
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
