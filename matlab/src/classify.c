/* classify.c - methods: trained, asked for classes, and compared under a protocol. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "gateway.h"

/* ---- methods --------------------------------------------------------------------------------- */

static void free_classifier(void *k)
{
    spd_classifier_free(k);
}

static mxArray *value_of(int parameter, double value)
{
    if (parameter == SPD_PARAMETER_OBJECTIVE)
        return mxCreateString(spd_name(SPD_ENUM_OBJECTIVE, (unsigned)value));
    return number(value);
}

/* The values of a method that it uses, as fields. */
static mxArray *values_of(const spd_method *method, const double *value)
{
    mxArray *s = record();
    for (int p = 0; p < SPD_PARAMETERS; p++)
        if (spd_method_uses(method, (spd_parameter)p) && !isnan(value[p]))
            field(s, spd_name(SPD_ENUM_PARAMETER, (unsigned)p), value_of(p, value[p]));
    return s;
}

mxArray *classifier_struct(call *c, const spd_classifier *k)
{
    char name[SPD_METHOD_NAME];
    unsigned char *bytes = NULL;
    size_t size;
    spd_classifier_facts facts = SPD_STRUCT(spd_classifier_facts);
    const spd_method *method = spd_classifier_method(k);
    const spd_metadata *notes = spd_classifier_metadata(k);
    const double *W = spd_classifier_weights(k);
    call_check(c, spd_classifier_info(c->ctx, k, &facts));
    size_t share = facts.hermitian ? 2 : 1;
    spd_method_name(method, name);
    mxArray *s = record();
    field(s, "method", mxCreateString(name));
    field(s, "values", values_of(method, method->value));
    field(s, "classes",
          labels_of(notes->class_name ? notes->classes : 0, NULL, notes->class_name,
                    notes->label_type));
    field(s, "n", whole(facts.n / share));
    field(s, "m", whole(facts.m / share));
    field(s, "trained", whole(facts.trained));
    field(s, "holding", mxCreateString(spd_name(SPD_ENUM_HOLDING, facts.holding)));
    field(s, "score", mxCreateString(facts.score));
    field(s, "score_falls", mxCreateLogicalScalar(facts.score_falls != 0));
    field(s, "cv_accuracy", number(notes->accuracy));
    field(s, "settings", whole(notes->settings));
    if (W)
        field(s, "W", map_of(facts.n, facts.m, facts.hermitian, W));
    if (spd_classifier_model(k))
        field(s, "model", model_struct(c, spd_classifier_model(k)));
    call_check(c, spd_classifier_pack(c->ctx, k, &bytes, &size));
    field(s, "file", file_of(bytes, size));
    return s;
}

spd_classifier *classifier_take(call *c, const mxArray *value)
{
    spd_classifier *k = NULL;
    char *path = text_take(value);
    if (!path && object_kind(value) != SPD_KIND_METHOD)
        call_fail("invalidArgument",
                  "%s: a method must be a struct from spdml.train or spdml.load, or a file name",
                  c->command);
    size_t size = 0;
    const unsigned char *bytes = path ? NULL : image_of(value, &size);
    call_check(c, path ? spd_classifier_load(c->ctx, path, &k)
                       : spd_classifier_unpack(c->ctx, bytes, size, &k));
    call_keep(k, free_classifier);
    return k;
}

/* ---- options of methods ---------------------------------------------------------------------- */

/* A value for a parameter: a number, or the word of an objective. */
static double parameter_value(call *c, int p, const mxArray *given)
{
    const char *name = spd_name(SPD_ENUM_PARAMETER, (unsigned)p);
    size_t count;
    if (p == SPD_PARAMETER_OBJECTIVE) {
        int objective = spd_parse(c->ctx, SPD_ENUM_OBJECTIVE, text_need(given, name));
        if (objective < 0)
            call_fail("invalidArgument", "%s: %s", c->command, spd_context_error(c->ctx)->message);
        return objective;
    }
    double *value = numbers_take(given, name, &count);
    if (count != 1)
        call_fail("invalidArgument", "%s: the option '%s' must be one number", c->command, name);
    return *value;
}

/* 'Grid', struct('m', [5 10 20], ...): numbers, or a cell of objectives. */
static void take_grid(call *c, spd_grid *grid)
{
    const mxArray *given = option_value(c, "grid");
    if (given && (!mxIsStruct(given) || mxGetNumberOfElements(given) != 1))
        call_fail("invalidArgument", "%s: 'Grid' must be a struct such as struct('m', [5 10 20])",
                  c->command);
    for (int f = 0; given && f < mxGetNumberOfFields(given); f++) {
        char own[32], name[32];
        int found = SPD_PARAMETERS;
        plain(mxGetFieldNameByNumber(given, f), own, sizeof own);
        for (int p = 0; p < SPD_PARAMETERS; p++) {
            plain(spd_name(SPD_ENUM_PARAMETER, (unsigned)p), name, sizeof name);
            found = strcmp(own, name) == 0 ? p : found;
        }
        if (found == SPD_PARAMETERS)
            call_fail("invalidArgument", "%s: 'Grid': no parameter '%s'", c->command, own);
        const mxArray *list = mxGetFieldByNumber(given, 0, f);
        if (found != SPD_PARAMETER_OBJECTIVE) {
            grid->value[found] = numbers_take(list, own, &grid->count[found]);
            continue;
        }
        double *value = mxCalloc(mxGetNumberOfElements(list) + 1, sizeof *value);
        for (size_t i = 0; mxIsCell(list) && i < mxGetNumberOfElements(list); i++)
            value[grid->count[found]++] = parameter_value(c, found, mxGetCell(list, i));
        grid->value[found] = value;
    }
}

/* Fixed values: those that the method has; `strict`: others are refused. */
static void take_values(call *c, int strict, spd_method *method)
{
    char name[32], method_name[SPD_METHOD_NAME];
    spd_method_name(method, method_name);
    for (int p = 0; p < SPD_PARAMETERS; p++) {
        const char *own = spd_name(SPD_ENUM_PARAMETER, (unsigned)p);
        plain(own, name, sizeof name);
        char *lasting = mxCalloc(sizeof name, 1); /* the list of known names points to it */
        memcpy(lasting, name, sizeof name);
        const mxArray *given = option_value(c, lasting);
        if (given && spd_method_uses(method, (spd_parameter)p))
            method->value[p] = parameter_value(c, p, given);
        else if (given && strict)
            call_fail("invalidArgument", "%s: %s has no parameter '%s'", c->command, method_name,
                      own);
    }
}

static void parse(call *c, const char *name, spd_method *method)
{
    *method = (spd_method)SPD_STRUCT(spd_method);
    call_check(c, spd_method_parse(c->ctx, name, method));
}

/* The contents of `meta`, how the matrices were made, if the data is a struct that tells. */
static spd_metadata notes_of(const samples *s)
{
    spd_metadata notes = SPD_STRUCT(spd_metadata);
    const mxArray *meta = s->data ? mxGetField(s->data, 0, "meta") : NULL;
    notes.classes = s->y.classes;
    notes.class_name = s->y.name;
    notes.label_type = s->y.type;
    notes.made = meta && mxGetNumberOfElements(meta) > 0 ? text_take(meta) : NULL;
    return notes;
}

/* ---- train ----------------------------------------------------------------------------------- */

static void tune(call *c, samples *s, const spd_grid *grid, spd_method *method, spd_metadata *notes)
{
    size_t count;
    spd_tune_options o = SPD_STRUCT(spd_tune_options);
    spd_tune_info info = SPD_STRUCT(spd_tune_info);
    o.folds = (int)option_real(c, "cv", 5);
    s->view.fold_group = o.group = groups_take(c, "cvgroups", s, &count);
    o.seed = method->fit->seed;
    o.grid = grid;
    o.exhaustive = option_flag(c, "exhaustive");
    int off = option_flag(c, "notune");
    const mxArray *model = option_value(c, "model");
    options_done(c);
    notes->accuracy = notes->accuracy_no_map = NAN;
    if (off || model)
        return;
    call_check(c, spd_tune(c->ctx, method, &s->view, &o, &info));
    notes->settings = info.settings;
    notes->folds = info.folds;
    notes->accuracy = info.accuracy;
    notes->accuracy_no_map = info.accuracy_no_map;
}

void command_train(call *c)
{
    samples s;
    spd_method method;
    spd_fit_options fit;
    spd_grid grid;
    spd_classifier *k = NULL;
    memset(&s, 0, sizeof s);
    memset(&grid, 0, sizeof grid);
    call_arguments(c, 1, 2);
    const mxArray *name = option_value(c, "method"), *model = option_value(c, "model");
    parse(c, name ? text_need(name, "Method") : "cdl", &method);
    method.metric = (spd_metric)option_word(c, "metric", SPD_ENUM_METRIC, (int)method.metric);
    fit_options_take(c, &fit);
    method.fit = &fit;
    take_values(c, 1, &method);
    take_grid(c, &grid);
    samples_take(c, 1, spd_method_on_vectors(&method), &s);
    spd_metadata notes = notes_of(&s);
    tune(c, &s, &grid, &method, &notes);
    spd_status status =
        spd_classifier_fit(c->ctx, &method, &s.view, model ? model_take(c, model) : NULL, &k);
    call_keep(k, free_classifier);
    call_check(c, status);
    call_check(c, spd_classifier_set_metadata(c->ctx, k, &notes));
    call_return(c, 0, classifier_struct(c, k));
}

/* ---- predict --------------------------------------------------------------------------------- */

/* Queries: X, in a form that the method reads; their count. */
static size_t take_queries(call *c, const spd_classifier *k, samples *s)
{
    spd_classifier_facts facts = SPD_STRUCT(spd_classifier_facts);
    call_check(c, spd_classifier_info(c->ctx, k, &facts));
    c->input++; /* the trained method */
    c->inputs--;
    samples_take(c, 0, spd_method_on_vectors(spd_classifier_method(k)), s);
    s->view.label = NULL;
    if (s->X.set.n != facts.n && facts.n)
        call_fail("invalidArgument",
                  "predict: the method is for %zu x %zu matrices, X has %zu x %zu",
                  facts.n / (facts.hermitian ? 2 : 1), facts.n / (facts.hermitian ? 2 : 1), s->X.n,
                  s->X.n);
    return s->X.p;
}

void command_predict(call *c)
{
    samples s;
    memset(&s, 0, sizeof s);
    call_arguments(c, 2, 2);
    spd_classifier *k = classifier_take(c, c->input[0]);
    const spd_metadata *notes = spd_classifier_metadata(k);
    size_t p = take_queries(c, k, &s), classes = notes->classes;
    options_done(c);
    int *label = mxCalloc(p, sizeof *label);
    double *score = c->outputs > 1 ? mxCalloc(p * classes + 1, sizeof *score) : NULL;
    call_check(c, score ? spd_classifier_scores(c->ctx, k, &s.view, label, score)
                        : spd_classifier_predict(c->ctx, k, &s.view, label));
    call_return(c, 0, labels_of(p, label, notes->class_name, notes->label_type));
    if (score)
        call_return(c, 1, matrix_of(p, classes, score));
}

/* ---- evaluate -------------------------------------------------------------------------------- */

typedef struct comparison {
    samples s;
    spd_fit_options fit;
    spd_grid grid;
    spd_method *method;
    const spd_method **method_at;
    size_t methods;
    spd_evaluate_options o;
} comparison;

/* 'Methods': texts, or one text with commas. */
static void take_methods(call *c, comparison *e)
{
    const mxArray *given = option_value(c, "methods");
    const char *usual[] = {"nn-stein", "nn-stein-ml", "mdm-airm", "ts-lda", "cdl"}, **name = usual;
    e->methods = COUNT(usual);
    if (given)
        name = texts_take(given, "Methods", &e->methods);
    e->method = mxCalloc(e->methods + 1, sizeof *e->method);
    e->method_at = mxCalloc(e->methods + 1, sizeof *e->method_at);
    for (size_t m = 0; m < e->methods; m++) {
        parse(c, name[m], &e->method[m]);
        take_values(c, 0, &e->method[m]);
        e->method[m].fit = &e->fit;
        e->method_at[m] = &e->method[m];
    }
}

/* flags <- logical p, or numbers of samples from 1. */
static const char *take_flags(call *c, const char *name, size_t p)
{
    const mxArray *given = option_value(c, name);
    size_t count;
    if (!given)
        return NULL;
    char *flag = mxCalloc(p + 1, 1);
    double *number = numbers_take(given, name, &count);
    for (size_t i = 0; i < count; i++) {
        double at = mxIsLogical(given) ? (number[i] != 0.0 ? (double)i + 1.0 : 0.0) : number[i];
        if (at == 0.0 && mxIsLogical(given) && count == p)
            continue;
        if (!(at >= 1.0 && at <= (double)p) || at != floor(at))
            call_fail("invalidArgument",
                      "%s: '%s' must be logical with %zu entries, or numbers of samples",
                      c->command, name, p);
        flag[(size_t)at - 1] = 1;
    }
    return flag;
}

static size_t smallest_class(const labels *y, size_t p)
{
    size_t least = p;
    for (size_t k = 0; k < y->classes; k++) {
        size_t count = 0;
        for (size_t i = 0; i < p; i++)
            count += y->label[i] == (int)k;
        least = count < least ? count : least;
    }
    return least;
}

/* Without a word about it: five folds, or halves where a class is too small or there are many. */
static void usual_protocol(const samples *s, spd_evaluate_options *o)
{
    int large = s->X.p >= 5000;
    if (!large && smallest_class(&s->y, s->X.p) >= 5) {
        o->protocol = SPD_PROTOCOL_FOLDS;
        o->repeats = 1;
    } else {
        o->repeats = large ? 1 : 10;
    }
}

static void take_protocol(call *c, comparison *e)
{
    static const option rows[] = {{"split", REAL, 0, INTO(spd_evaluate_options, fraction)},
                                  {"trainperclass", SIZE, 0, INTO(spd_evaluate_options, per_class)},
                                  {"outerfolds", INT, 0, INTO(spd_evaluate_options, outer_folds)},
                                  {"repeats", SIZE, 0, INTO(spd_evaluate_options, repeats)}};
    spd_evaluate_options *o = &e->o;
    size_t count;
    int split = option_value(c, "split") || option_value(c, "trainperclass");
    int folds = option_value(c, "outerfolds") != NULL;
    const int *left_out = groups_take(c, "leaveonegroupout", &e->s, &count);
    o->train = take_flags(c, "train", e->s.X.p);
    o->test = take_flags(c, "test", e->s.X.p);
    int given = o->train || o->test;
    const int *outer = groups_take(c, "outergroups", &e->s, &count);
    if (split + folds + (left_out != NULL) + given > 1 || (outer && !folds))
        call_fail("invalidArgument",
                  "evaluate: one protocol is needed, not several: 'Train' and 'Test', 'Split' or "
                  "'TrainPerClass', 'LeaveOneGroupOut', or 'OuterFolds' with 'OuterGroups'");
    if (folds && !option_value(c, "repeats"))
        o->repeats = 1;
    o->protocol = given      ? SPD_PROTOCOL_GIVEN
                  : left_out ? SPD_PROTOCOL_LEAVE_OUT
                  : folds    ? SPD_PROTOCOL_FOLDS
                             : SPD_PROTOCOL_SPLITS;
    o->group = left_out ? left_out : outer;
    if (split + folds + (left_out != NULL) + given == 0)
        usual_protocol(&e->s, o);
    options_take(c, COUNT(rows), rows, o);
    o->fold_group = groups_take(c, "cvgroups", &e->s, &count);
    if (o->fold_group)
        o->fold_rule = SPD_FOLD_RULE_GROUPED;
}

/* Each group to the identity by its own mean. */
static void take_recenter(call *c, comparison *e)
{
    size_t count, n = e->s.view.n, p = e->s.view.p;
    const int *group = groups_take(c, "recenter", &e->s, &count);
    if (!group)
        return;
    double *Y = mxMalloc(n * n * p * sizeof *Y);
    call_check(c, spd_recenter(c->ctx, SPD_METRIC_AIRM, n, p, e->s.view.X, group, Y));
    e->s.view.X = Y;
    e->s.view.mean = e->s.view.observations = NULL;
}

static mxArray *confusion_of(size_t classes, const int64_t *count)
{
    double *table = mxCalloc(classes * classes, sizeof *table);
    for (size_t e = 0; e < classes * classes; e++)
        table[e] = (double)count[e];
    return matrix_of(classes, classes, table);
}

static double number_at(const void *base, const spd_result_field *f, size_t offset)
{
    const void *at = (const char *)base + offset;
    if (f->type == SPD_FIELD_REAL || offset != f->outcome)
        return *(const double *)at;
    return f->type == SPD_FIELD_SIZE ? (double)*(const size_t *)at : (double)*(const int *)at;
}

/* One method: its numbers over all rounds, and those of each round. */
static mxArray *method_of(const comparison *e, const spd_evaluation *found, size_t m)
{
    const spd_method_result *r = found->method[m];
    const char *none[] = {"values", "predicted"};
    mxArray *s = record(), *rounds = mxCreateStructMatrix(1, found->rounds, 2, none);
    const spd_result_field *f;
    char name[80];
    field(s, "method", mxCreateString(r->name));
    for (size_t i = 0; (f = spd_result_field_at(i)); i++) {
        mxArray *each = mxCreateDoubleMatrix(1, found->rounds, mxREAL);
        for (size_t k = 0; k < found->rounds; k++)
            mxGetPr(each)[k] = number_at(r->outcome[k], f, f->outcome);
        if (f->mean != SPD_NO_INDEX)
            field(s, f->name, number(number_at(r, f, f->mean)));
        snprintf(name, sizeof name, "%s_std", f->name);
        if (f->deviation != SPD_NO_INDEX)
            field(s, name, number(number_at(r, f, f->deviation)));
        snprintf(name, sizeof name, "%s_each", f->name);
        field(s, name, each);
    }
    field(s, "p_value", matrix_of(1, found->methods, r->p_value));
    field(s, "confusion", confusion_of(found->classes, r->confusion));
    for (size_t k = 0; k < found->rounds; k++) {
        const spd_outcome *o = r->outcome[k];
        mxSetField(rounds, k, "values", values_of(e->method_at[m], o->value));
        mxSetField(rounds, k, "predicted",
                   labels_of(found->round[k]->test_count, o->predicted, e->s.y.name, e->s.y.type));
    }
    field(s, "rounds", rounds);
    return s;
}

/* Element m of the struct array *all, which gets the fields of its first one. */
static void append(mxArray **all, size_t m, size_t count, mxArray *one)
{
    if (!*all)
        *all = mxCreateStructMatrix(1, count, 0, NULL);
    for (int f = 0; f < mxGetNumberOfFields(one); f++) {
        const char *name = mxGetFieldNameByNumber(one, f);
        if (m == 0)
            mxAddField(*all, name);
        mxSetField(*all, m, name, mxDuplicateArray(mxGetFieldByNumber(one, 0, f)));
    }
    mxDestroyArray(one);
}

static mxArray *evaluation_of(const comparison *e, const spd_evaluation *found)
{
    static const char *fields[] = {"train", "test"};
    mxArray *s = record(), *methods = NULL;
    mxArray *rounds = mxCreateStructMatrix(1, found->rounds, 2, fields);
    for (size_t k = 0; k < found->rounds; k++) {
        mxSetField(rounds, k, "train",
                   indices_of(found->round[k]->train_count, found->round[k]->train));
        mxSetField(rounds, k, "test",
                   indices_of(found->round[k]->test_count, found->round[k]->test));
    }
    for (size_t m = 0; m < found->methods; m++)
        append(&methods, m, found->methods, method_of(e, found, m));
    field(s, "protocol", mxCreateString(spd_name(SPD_ENUM_PROTOCOL, e->o.protocol)));
    field(s, "classes", labels_of(e->s.y.classes, NULL, e->s.y.name, e->s.y.type));
    field(s, "methods", methods);
    field(s, "rounds", rounds);
    return s;
}

static void free_evaluation(void *found)
{
    spd_evaluation_free(found);
}

void command_evaluate(call *c)
{
    comparison e;
    spd_evaluation *found = NULL;
    memset(&e, 0, sizeof e);
    call_arguments(c, 1, 2);
    spd_evaluate_defaults(&e.o, sizeof e.o);
    fit_options_take(c, &e.fit);
    take_methods(c, &e);
    take_grid(c, &e.grid);
    int vectors = 0;
    for (size_t m = 0; m < e.methods; m++)
        vectors |= spd_method_on_vectors(&e.method[m]);
    samples_take(c, 1, vectors, &e.s);
    take_protocol(c, &e);
    take_recenter(c, &e);
    e.o.methods = e.methods;
    e.o.method = e.method_at;
    e.o.folds = (int)option_real(c, "cv", 5);
    e.o.seed = e.fit.seed;
    e.o.grid = &e.grid;
    e.o.exhaustive = option_flag(c, "exhaustive");
    e.o.auc = option_flag(c, "auc");
    options_done(c);
    spd_status status = spd_evaluate(c->ctx, &e.s.view, &e.o, &found);
    call_keep(found, free_evaluation);
    call_check(c, status);
    call_return(c, 0, evaluation_of(&e, found));
}
