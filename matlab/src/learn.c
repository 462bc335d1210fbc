/* learn.c - the learned map: fit, its cost, what it does to matrices and what it looks at. */
#include <math.h>
#include <string.h>

#include "gateway.h"

/* ---- models ---------------------------------------------------------------------------------- */

static void free_model(void *model)
{
    spd_model_free(model);
}

const unsigned char *image_of(const mxArray *value, size_t *size)
{
    static const char *const path[] = {"file", "spdml", "bytes"};
    const mxArray *file = value;
    for (size_t i = 0; i < COUNT(path); i++)
        file = file && mxIsStruct(file) ? mxGetField(file, 0, path[i]) : NULL;
    if (!file || !mxIsUint8(file))
        return NULL;
    *size = mxGetNumberOfElements(file);
    return mxGetData(file);
}

spd_kind object_kind(const mxArray *value)
{
    size_t size;
    if (!image_of(value, &size))
        return SPD_KIND_DATA;
    return mxGetField(value, 0, "method") ? SPD_KIND_METHOD : SPD_KIND_MODEL;
}

/* iteration, cost, gradient_norm, step, seconds, probes */
static mxArray *history_of(const spd_model *model)
{
    mxArray *array = mxCreateDoubleMatrix(model->steps, 5, mxREAL);
    double *at = mxGetPr(array);
    for (size_t i = 0; i < model->steps; i++) {
        const spd_fit_step *h = &model->history[i];
        const double row[] = {h->cost, h->gradient_norm, h->step, h->seconds, h->probes};
        for (size_t j = 0; j < COUNT(row); j++)
            at[j * model->steps + i] = row[j];
    }
    return array;
}

mxArray *model_struct(call *c, const spd_model *model)
{
    const spd_fit_options *o = model->options;
    unsigned char *bytes = NULL;
    size_t size, share = o->hermitian ? 2 : 1;
    mxArray *s = record();
    field(s, "W", map_of(model->n, model->m, o->hermitian, model->W));
    field(s, "n", whole(model->n / share));
    field(s, "m", whole(model->m / share));
    field(s, "metric", mxCreateString(spd_name(SPD_ENUM_METRIC, o->metric)));
    field(s, "objective", mxCreateString(spd_name(SPD_ENUM_OBJECTIVE, o->objective)));
    field(s, "init", mxCreateString(spd_name(SPD_ENUM_INIT, o->init)));
    field(s, "coordinates", mxCreateString(spd_name(SPD_ENUM_COORDINATES, o->coordinates)));
    field(s, "nu_w", whole(o->nu_w));
    field(s, "nu_b", whole(o->nu_b));
    field(s, "pairs_within", whole(model->pairs_within));
    field(s, "pairs_between", whole(model->pairs_between));
    field(s, "cost_start", number(model->cost_start));
    field(s, "cost", number(model->cost));
    field(s, "gradient_norm", number(model->gradient_norm));
    field(s, "iterations", number(model->iterations));
    field(s, "stop", mxCreateString(spd_name(SPD_ENUM_STOP, model->stop)));
    field(s, "history", history_of(model));
    call_check(c, spd_model_pack(c->ctx, model, &bytes, &size));
    field(s, "file", file_of(bytes, size));
    return s;
}

spd_model *model_take(call *c, const mxArray *value)
{
    size_t size;
    spd_model *model = NULL;
    char *path = text_take(value);
    const unsigned char *bytes = path ? NULL : image_of(value, &size);
    if (!path && !bytes)
        call_fail("invalidArgument",
                  "%s: a model must be a struct from spdml.fit or spdml.load, or a file name",
                  c->command);
    call_check(c, path ? spd_model_load(c->ctx, path, &model)
                       : spd_model_unpack(c->ctx, bytes, size, &model));
    call_keep(model, free_model);
    return model;
}

/* ---- options of a fit ------------------------------------------------------------------------ */

static const option graph_rows[] = {
    {"metric", WORD, SPD_ENUM_METRIC, INTO(spd_fit_options, metric)},
    {"objective", WORD, SPD_ENUM_OBJECTIVE, INTO(spd_fit_options, objective)},
    {"nuw", SIZE, 0, INTO(spd_fit_options, nu_w)},
    {"logcost", WORD, SPD_ENUM_LOG_COST, INTO(spd_fit_options, log_cost)},
    {"search", WORD, SPD_ENUM_SEARCH, INTO(spd_fit_options, search)},
    {"seed", SEED, 0, INTO(spd_fit_options, seed)},
};

static const option fit_rows[] = {
    {"restarts", INT, 0, INTO(spd_fit_options, restarts)},
    {"paper", FLAG, 0, INTO(spd_fit_options, paper)},
    {"tol", REAL, 0, INTO(spd_fit_options, tol)},
    {"maxiter", INT, 0, INTO(spd_fit_options, max_iter)},
    {"maxtime", REAL, 0, INTO(spd_fit_options, max_time)},
};

/* Of the learned map within a method; the rest of its options are values of the method. */
void fit_options_take(call *c, spd_fit_options *o)
{
    static const char *const shared[] = {"logcost", "seed"};
    spd_fit_defaults(o, sizeof *o);
    o->seed = 1;
    for (size_t i = 0; i < COUNT(graph_rows); i++)
        for (size_t k = 0; k < COUNT(shared); k++)
            if (strcmp(graph_rows[i].name, shared[k]) == 0)
                options_take(c, 1, &graph_rows[i], o);
    options_take(c, COUNT(fit_rows), fit_rows, o);
    o->init = (spd_init)option_word(c, "init", SPD_ENUM_INIT, SPD_INIT_AUTO);
}

/* *value <- a whole number, or *is_auto. */
static void take_or_auto(call *c, const char *name, int *is_auto, size_t *value)
{
    const mxArray *given = option_value(c, name);
    char *word = given ? text_take(given) : NULL;
    *is_auto = word && strcmp(word, "auto") == 0;
    if (*is_auto || !given)
        return;
    const option row = {name, SIZE, 0, 0};
    options_take(c, 1, &row, value);
}

/* A graph of one's own: rows i, j, value with i and j counted from 1; above 0 pulls together. */
static void take_affinity(const mxArray *given, size_t p, spd_fit_options *o)
{
    size_t count;
    double *number = numbers_take(given, "Affinity", &count);
    size_t rows = count / 3;
    if (mxGetN(given) != 3 || rows == 0)
        call_fail("invalidArgument", "'Affinity' must have three columns: i, j and value");
    spd_pair *pairs = mxCalloc(rows, sizeof *pairs);
    for (size_t k = 0; k < rows; k++) {
        double i = number[k], j = number[rows + k], value = number[2 * rows + k];
        if (!(i >= 1 && i <= (double)p && j >= 1 && j <= (double)p) || i != floor(i) ||
            j != floor(j) || !isfinite(value))
            call_fail(
                "invalidArgument",
                "'Affinity': row %zu: i and j must be numbers of matrices, from 1 to %zu, and "
                "the value finite",
                k + 1, p);
        pairs[k] = (spd_pair){(uint32_t)i - 1, (uint32_t)j - 1, fmax(value, 0), fmax(-value, 0)};
    }
    o->learning = SPD_LEARNING_OWN_GRAPH;
    o->own_pairs = pairs;
    o->pairs = rows;
}

/* label <- without the class that means unknown, -1; classes without gaps. */
static void hide_unknown(call *c, samples *s)
{
    const mxArray *given = option_value(c, "unlabelled");
    labels one = {0};
    int hidden = -1;
    if (!given)
        return;
    labels_take(c, given, 1, "Unlabelled", &one);
    for (size_t k = 0; k < s->y.classes; k++)
        if (strcmp(s->y.name[k], one.name[0]) == 0)
            hidden = (int)k;
    for (size_t i = 0; s->y.label && hidden >= 0 && i < s->X.p; i++)
        s->y.label[i] = s->y.label[i] == hidden ? -1 : s->y.label[i] - (s->y.label[i] > hidden);
}

typedef struct learning {
    samples s;
    spd_fit_options o;
    int auto_m, auto_nu_b;
} learning;

/* What is learned: samples, labels and graph. */
static void take_learning(call *c, learning *l)
{
    const mxArray *affinity = option_value(c, "affinity"), *free = option_value(c, "unsupervised");
    spd_fit_defaults(&l->o, sizeof l->o);
    options_take(c, COUNT(graph_rows), graph_rows, &l->o);
    take_or_auto(c, "nub", &l->auto_nu_b, &l->o.nu_b);
    if (free) {
        const char *word = text_take(free);
        if (word && strcmp(word, "graph") != 0 && strcmp(word, "variance") != 0)
            call_fail("invalidArgument", "%s: 'Unsupervised' must be 'graph' or 'variance'",
                      c->command);
        l->o.learning = word && *word == 'v' ? SPD_LEARNING_VARIANCE : SPD_LEARNING_UNSUPERVISED;
    }
    samples_take(c, !affinity && !free, 0, &l->s);
    hide_unknown(c, &l->s);
    if (affinity)
        take_affinity(affinity, l->s.X.p, &l->o);
    l->o.hermitian = l->s.X.complex;
}

/* ---- fit ------------------------------------------------------------------------------------- */

static void free_subset(void *subset)
{
    spd_samples_free(subset);
}

/* m and nu_b by cross-validation over the nearest neighbour after the map, as the command does. */
static void choose(call *c, learning *l)
{
    static const double shares[] = {0.125, 0.25, 0.375, 0.5, 0.75};
    double sizes[COUNT(shares)];
    size_t n = l->s.X.n, count = 0, *index = mxCalloc(l->s.X.p, sizeof *index);
    spd_samples *labelled = NULL;
    spd_grid grid = {.count = {0}};
    spd_method method = SPD_STRUCT(spd_method);
    for (size_t i = 0; i < l->s.X.p; i++)
        if (l->s.y.label[i] >= 0)
            index[count++] = i;
    call_check(c, spd_samples_subset(c->ctx, &l->s.view, count, index, &labelled));
    call_keep(labelled, free_subset);
    call_check(c, spd_method_parse(c->ctx, "nn-ml", &method));
    method.metric = l->o.metric;
    method.fit = &l->o;
    if (l->o.objective != SPD_OBJECTIVE_AUTO)
        method.value[SPD_PARAMETER_OBJECTIVE] = (double)l->o.objective;
    if (l->o.nu_w)
        method.value[SPD_PARAMETER_NU_W] = (double)l->o.nu_w;
    if (l->o.nu_b && !l->auto_nu_b)
        method.value[SPD_PARAMETER_NU_B] = (double)l->o.nu_b;
    if (!l->auto_m)
        method.value[SPD_PARAMETER_M] = (double)l->o.m;
    for (size_t i = 0; l->auto_m && i < COUNT(shares); i++) {
        size_t *k = &grid.count[SPD_PARAMETER_M];
        double size = fmax(1.0, floor(shares[i] * (double)n + 0.5));
        if (size < (double)n && (*k == 0 || size > sizes[*k - 1]))
            sizes[(*k)++] = size;
    }
    grid.value[SPD_PARAMETER_M] = sizes;
    const spd_tune_options tuning = {
        .size = sizeof tuning, .folds = 5, .seed = l->o.seed, .grid = &grid};
    call_check(c, spd_tune(c->ctx, &method, labelled, &tuning, NULL));
    l->o.m = (size_t)method.value[SPD_PARAMETER_M];
    if (l->auto_nu_b)
        l->o.nu_b = (size_t)method.value[SPD_PARAMETER_NU_B];
}

/* A start: a word, a model, or W itself. */
static void take_start(call *c, learning *l)
{
    const mxArray *given = option_value(c, "init");
    size_t n, m = 0;
    if (!given)
        return;
    if (text_take(given) && !strstr(text_take(given), ".spdml")) {
        l->o.init = (spd_init)option_word(c, "init", SPD_ENUM_INIT, SPD_INIT_AUTO);
        return;
    }
    l->o.init = SPD_INIT_GIVEN;
    if (mxIsNumeric(given)) {
        l->o.W = map_take(given, "Init", &n, &m, l->s.X.complex);
    } else {
        spd_model *model = model_take(c, given);
        l->o.W = model->W;
        n = model->n;
        m = model->m;
    }
    if (n != l->s.X.set.n || m != l->o.m)
        call_fail("invalidArgument",
                  "fit: 'Init' has %zu x %zu numbers, which does not suit n = %zu and m = %zu", n,
                  m, l->s.X.set.n, l->o.m);
}

void command_fit(call *c)
{
    learning l;
    spd_model *model = NULL;
    memset(&l, 0, sizeof l);
    call_arguments(c, 1, 2);
    take_learning(c, &l);
    take_or_auto(c, "m", &l.auto_m, &l.o.m);
    options_take(c, COUNT(fit_rows), fit_rows, &l.o);
    spd_fit_options usual = l.o;
    spd_fit_resolve(&usual);
    if (usual.paper && usual.learning == SPD_LEARNING_SUPERVISED && !usual.nu_b &&
        usual.objective == SPD_OBJECTIVE_DIFFERENCE)
        l.auto_nu_b = 1;
    if (l.auto_nu_b && usual.objective != SPD_OBJECTIVE_DIFFERENCE)
        call_fail("invalidArgument",
                  "fit: 'NuB' is 'auto', but the objective '%s' takes all "
                  "candidates",
                  spd_name(SPD_ENUM_OBJECTIVE, usual.objective));
    if (!l.o.m && !l.auto_m)
        call_fail("invalidArgument",
                  "fit: 'm' is needed, the size of the small matrices, or 'm', 'auto'");
    if (!l.auto_m && l.o.m >= l.s.X.n)
        call_fail("invalidArgument",
                  "fit: m = %zu must be smaller than the size of the matrices, %zu x %zu", l.o.m,
                  l.s.X.n, l.s.X.n);
    if ((l.auto_m || l.auto_nu_b) && l.o.learning != SPD_LEARNING_SUPERVISED)
        call_fail("invalidArgument", "fit: 'auto' needs labels to choose by");
    if (l.auto_m || l.auto_nu_b)
        choose(c, &l);
    l.o.m *= l.s.X.complex ? 2 : 1;
    take_start(c, &l);
    options_done(c);
    spd_status status = spd_fit(c->ctx, &l.s.X.set, l.s.y.label, &l.o, NULL, &model);
    call_keep(model, free_model);
    call_check(c, status);
    call_return(c, 0, model_struct(c, model));
}

/* ---- cost ------------------------------------------------------------------------------------ */

static void free_pairs(void *pairs)
{
    spd_pairs_free(pairs);
}

/* i, j, value with numbers of matrices from 1: what 'Affinity' takes. */
static mxArray *pairs_of(size_t count, const spd_pair *pairs)
{
    mxArray *array = mxCreateDoubleMatrix(count, 3, mxREAL);
    double *at = mxGetPr(array);
    for (size_t k = 0; k < count; k++) {
        at[k] = pairs[k].i + 1.0;
        at[count + k] = pairs[k].j + 1.0;
        at[2 * count + k] = pairs[k].within - pairs[k].between;
    }
    return array;
}

void command_cost(call *c)
{
    learning l;
    spd_pair *pairs = NULL;
    size_t count, n;
    double cost;
    memset(&l, 0, sizeof l);
    call_arguments(c, 3, 3);
    take_learning(c, &l);
    options_done(c);
    l.o.W = map_take(c->input[2], "W", &n, &l.o.m, l.s.X.complex);
    if (n != l.s.X.set.n || l.o.m < 1 || l.o.m > n)
        call_fail("invalidArgument", "cost: W must be %zu x m with m <= %zu", l.s.X.n, l.s.X.n);
    spd_fit_resolve(&l.o);
    call_check(c, spd_affinity(c->ctx, &l.s.X.set, l.s.y.label, &l.o, &pairs, &count));
    call_keep(pairs, free_pairs);
    l.o.pairs = count;
    l.o.own_pairs = pairs;
    double *G = c->outputs > 1 ? mxMalloc(n * l.o.m * sizeof *G) : NULL;
    call_check(c, spd_cost(c->ctx, &l.s.X.set, &l.o, &cost, G));
    for (size_t e = 0; G && l.s.X.complex && e < n * l.o.m; e++)
        G[e] *= 2.0; /* each entry of W is there twice */
    call_return(c, 0, number(cost));
    if (G)
        call_return(c, 1, map_of(n, l.o.m, l.s.X.complex, G));
    if (c->outputs > 2)
        call_return(c, 2, pairs_of(count, pairs));
}

/* ---- maps ------------------------------------------------------------------------------------ */

/* A map: W, a model, a trained method, or the file of one. */
typedef struct map {
    const double *W;
    size_t n, m; /* of real forms */
    int complex;
    spd_classifier *method; /* or NULL */
} map;

static void take_map(call *c, const mxArray *value, int complex, map *a)
{
    char *path = text_take(value);
    spd_kind kind = path ? spd_file_kind(path) : object_kind(value);
    memset(a, 0, sizeof *a);
    if (mxIsNumeric(value)) {
        a->complex = complex;
        a->W = map_take(value, "W", &a->n, &a->m, complex);
        return;
    }
    if (kind != SPD_KIND_METHOD) {
        spd_model *model = model_take(c, value);
        a->W = model->W;
        a->n = model->n;
        a->m = model->m;
        a->complex = model->options->hermitian;
        return;
    }
    spd_classifier_facts facts = SPD_STRUCT(spd_classifier_facts);
    a->method = classifier_take(c, value);
    call_check(c, spd_classifier_info(c->ctx, a->method, &facts));
    a->W = spd_classifier_weights(a->method);
    a->n = facts.n;
    a->m = facts.m;
    a->complex = facts.hermitian;
}

static void check_map(const call *c, const map *a, const stack *X)
{
    if (a->n != X->set.n || !a->complex != !X->complex)
        call_fail("invalidArgument", "%s: the map is for %s%zu x %zu matrices; X has %s%zu x %zu",
                  c->command, a->complex ? "complex " : "", a->n / (a->complex ? 2 : 1),
                  a->n / (a->complex ? 2 : 1), X->complex ? "complex " : "", X->n, X->n);
}

void command_transform(call *c)
{
    stack X;
    map a;
    call_arguments(c, 2, 2);
    options_done(c);
    stack_take(c, c->input[1], "X", 1, &X);
    take_map(c, c->input[0], X.complex, &a);
    check_map(c, &a, &X);
    result S = result_stack(a.m / (X.complex ? 2 : 1), X.p, X.complex);
    call_check(c, a.method
                      ? spd_classifier_map(c->ctx, a.method, a.n, X.p, stack_doubles(c, &X), S.X)
                      : spd_congruence(c->ctx, &X.set, a.m, a.W, S.X));
    call_return(c, 0, result_array(&S));
}

/* count numbers; of a real form, where each is there twice, half of them. */
static mxArray *folded(size_t count, int complex, const double *x)
{
    size_t step = complex ? 2 : 1;
    mxArray *array = mxCreateDoubleMatrix(count / step, 1, mxREAL);
    for (size_t i = 0; i < count / step; i++)
        mxGetPr(array)[i] = x[step * i];
    return array;
}

/* The patterns; of a complex map their magnitudes. */
static mxArray *pattern_of(const map *a, double *pattern)
{
    size_t n = a->n / 2, m = a->m / 2;
    if (!a->complex)
        return matrix_of(a->n, a->m, pattern);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < m; k++)
            pattern[i * m + k] =
                hypot(pattern[4 * i * m + 2 * k], pattern[(4 * i + 2) * m + 2 * k]);
    return matrix_of(n, m, pattern);
}

void command_explain(call *c)
{
    stack X;
    map a;
    int with = 0;
    call_arguments(c, 1, 2);
    options_done(c);
    memset(&X, 0, sizeof X);
    if (c->inputs > 1 && !mxIsEmpty(c->input[1])) {
        stack_take(c, c->input[1], "X", 1, &X);
        with = 1;
    }
    take_map(c, c->input[0], X.complex, &a);
    if (with)
        check_map(c, &a, &X);
    if (!a.W)
        call_fail("invalidArgument",
                  "explain: the method has no single map W; one with -ml can be explained");
    spd_explanation e = SPD_STRUCT(spd_explanation);
    double *M = with ? mxMalloc(a.n * a.n * sizeof *M) : NULL;
    if (with)
        call_check(c, spd_mean(c->ctx, SPD_METRIC_EUCLIDEAN, &X.set, NULL, M, NULL));
    e.weight = mxCalloc(a.n, sizeof(double));
    e.carried = mxCalloc(a.n, sizeof(double));
    e.kept = mxCalloc(a.n, sizeof(double));
    e.pattern = mxCalloc(a.n * a.m, sizeof(double));
    e.variance = mxCalloc(a.m, sizeof(double));
    call_check(c, spd_explain(c->ctx, a.n, a.m, a.W, M, &e));
    mxArray *s = record();
    field(s, "weight", folded(a.n, a.complex, e.weight));
    if (with) {
        field(s, "carried", folded(a.n, a.complex, e.carried));
        field(s, "kept", folded(a.n, a.complex, e.kept));
        field(s, "variance", folded(a.m, a.complex, e.variance));
        field(s, "pattern", pattern_of(&a, e.pattern));
    }
    call_return(c, 0, s);
}
