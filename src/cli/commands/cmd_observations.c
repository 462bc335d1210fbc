/* cmd_observations.c - `spdml observations`: accuracy against the number r of observations in a
 * test matrix.
 *
 * Training matrices are made of all observations, test matrices of every second, fourth, ... of
 * them. A covariance of r observations has rank r - 1: with r <= n it is singular, and has to be
 * repaired before distances exist, here by e tr(C)/n on its diagonal. After the map the
 * observations are projected first, which makes W'CW (math.md, eq. 12), and the same holds for
 * r <= m only. */
#include <math.h>
#include <string.h>

#include "cli/methods/groups.h"
#include "cli/results/results.h"
#include "cli/experiment/accuracies.h"
#include "cli/frame/signals.h"
#include "cli/frame/text_file.h"

#define MOST_OCTAVES 64

/* What is compared. */
typedef struct comparison {
    session *s;
    const spd_data
        *level[MOST_OCTAVES]; /* all samples, of all observations, of half of them, ... */
    size_t r[MOST_OCTAVES];   /* how many there are; matrices of r <= n are repaired */
    size_t p, n, m, repeats, octaves;
    double regularize;
    uint64_t seed;
    words names;         /* of the methods */
    spd_method *method;  /* as many */
    spd_fit_options fit; /* of their maps */
    double *accuracy;    /* methods x repeats x octaves */
    table table;         /* observations x methods */
} comparison;

/* One run: a method, with its map where it has one, on one split. */
typedef struct trial {
    const comparison *c;
    const char *train; /* p: 1 training, 0 test */
    spd_method method; /* without its map */
    spd_model *model;  /* NULL: none */
    size_t size;       /* of the matrices compared: n or m */
} trial;

/* ---- the matrices ---------------------------------------------------------------------------- */

/* Array files hold tables of observations; everything else are images. */
static spd_descriptor kind_of(const char *path)
{
    const char *ending = strrchr(path, '.');
    int array = ending && (strcmp(ending, ".npz") == 0 || strcmp(ending, ".mat") == 0);
    return array ? SPD_DESCRIPTOR_COVARIANCE : SPD_DESCRIPTOR_SIFT_COLOR;
}

/* Matrices of every so many-th observation; there are r of them, or it is yet to be seen. */
static const spd_data *describe_every(const comparison *c, spd_descriptor kind, size_t every,
                                      size_t r)
{
    session *s = c->s;
    const char *path = s->args->operands[0];
    spd_describe_options o;
    spd_data *data = NULL;
    spd_describe_defaults(kind, &o, sizeof o);
    o.every = every;
    o.index = arguments_text(s->args, "labels");
    o.grey |= arguments_flag(s->args, "no-color");
    if (arguments_count(s->args, "size"))
        o.width = o.height = (size_t)arguments_int(s->args, "size");
    o.covariance.regularize = r && r <= c->n ? c->regularize : 0.0;
    spd_status status = spd_describe(s->ctx, kind, 1, &path, &o, &data, NULL);
    if (status < 0 && spd_context_error(s->ctx)->remedy & SPD_REMEDY_REGULARIZE)
        cli_fail("%s; DATA must be images, or p x r x n numbers with r > n, whose covariances of "
                 "all r observations are positive definite",
                 spd_context_error(s->ctx)->message);
    session_check(s, status);
    keep_data(data);
    bar_clear(&s->bar);
    return data;
}

/* How many observations each matrix has; the same for all. */
static size_t count_of(const spd_data *data)
{
    const spd_array *count = column_named(data, "feature_count");
    for (size_t i = 1; i < data->p; i++)
        if (count->f64[i] != count->f64[0])
            cli_fail("%s: samples of %g and of %g observations cannot be compared; give all the "
                     "same number",
                     data->source, count->f64[0], count->f64[i]);
    return (size_t)count->f64[0];
}

/* All octaves, down to m observations or fewer. */
static void load(comparison *c)
{
    spd_descriptor kind = kind_of(c->s->args->operands[0]);
    const spd_data *all = describe_every(c, kind, 1, 0);
    if (!all->label)
        labels_missing(all, "", "");
    c->level[0] = all;
    c->r[0] = count_of(all);
    c->p = all->p;
    c->n = all->n;
    if (c->m >= c->n)
        cli_misuse("-m %zu: must be below n = %zu, the size of an observation", c->m, c->n);
    for (c->octaves = 1; c->r[c->octaves - 1] > c->m && c->r[0] >> c->octaves >= 2; c->octaves++) {
        size_t k = c->octaves;
        c->r[k] = c->r[0] >> k;
        c->level[k] = describe_every(c, kind, (size_t)1 << k, c->r[k]);
    }
}

/* Adds e to the diagonal of S (size x size). */
static void lift(size_t size, double e, double *S)
{
    for (size_t i = 0; i < size; i++)
        S[i * size + i] += e;
}

static double trace(size_t size, const double *S)
{
    double sum = 0.0;
    for (size_t i = 0; i < size; i++)
        sum += S[i * size + i];
    return sum;
}

/* S (p x m x m) <- W'CW of level k. What repairs C is no part of it, and is taken off again. */
static void project(const trial *t, size_t k, size_t p, const double *X, double *S)
{
    const comparison *c = t->c;
    size_t n = c->n, m = t->size;
    double e = c->regularize;
    session_check(c->s, spd_congruence(c->s->ctx, SPD_SET(n, p, X), m, t->model->W, S));
    for (size_t i = 0; i < p && c->r[k] <= n; i++) {
        double *one = S + i * m * m;
        lift(m, -e * trace(n, X + i * n * n) / (1.0 + e) / (double)n, one);
        if (c->r[k] <= m)
            lift(m, e * trace(m, one) / (double)m, one);
    }
}

/* *side <- matrices of the samples that train, or of the others, of level k. */
static void take_side(const trial *t, char trains, size_t k, spd_samples *side)
{
    const comparison *c = t->c;
    const spd_data *data = c->level[k];
    size_t each = c->n * c->n, p = 0;
    double *X = cli_alloc_table(c->p, each, sizeof *X, "covariances");
    int *label = cli_alloc(c->p, sizeof *label, "labels");
    for (size_t i = 0; i < c->p; i++)
        if (t->train[i] == trains) {
            memcpy(X + p * each, data->X + i * each, each * sizeof *X);
            label[p++] = data->label[i];
        }
    double *S = X;
    if (t->model) {
        S = cli_alloc_table(p, t->size * t->size, sizeof *S, "covariances");
        project(t, k, p, X, S);
    }
    *side = (spd_samples){.size = sizeof *side,
                          .p = p,
                          .n = t->size,
                          .X = S,
                          .classes = data->classes,
                          .label = label};
}

/* ---- one split ------------------------------------------------------------------------------- */

/* The map of a method is learned from the training matrices, as in the paper. */
static void learn(trial *t)
{
    session *s = t->c->s;
    spd_samples train;
    spd_fit_options o = t->c->fit;
    o.metric = t->method.metric;
    take_side(t, 1, 0, &train);
    session_check(
        s, spd_fit(s->ctx, SPD_SET(t->size, train.p, train.X), train.label, &o, NULL, &t->model));
    keep_model(t->model);
    t->size = t->model->m;
}

static void test_at(const trial *t, const spd_classifier *classifier, size_t k, double *accuracy)
{
    session *s = t->c->s;
    spd_samples test;
    spd_score score = SPD_STRUCT(spd_score);
    take_side(t, 0, k, &test);
    if (signals_interrupted()) /* small steps show no progress of their own */
        session_fail(s, SPD_ECANCELLED);
    int *predicted = cli_alloc(test.p, sizeof *predicted, "predictions");
    spd_samples queries = test;
    queries.label = NULL;
    session_check(s, spd_classifier_predict(s->ctx, classifier, &queries, predicted));
    session_check(s, spd_score_predictions(s->ctx, test.p, test.classes, test.label, predicted,
                                           &score, NULL));
    *accuracy = score.accuracy;
}

/* accuracy (octaves) <- of one method on one split, from all observations down. */
static void run_trial(trial *t, double *accuracy)
{
    session *s = t->c->s;
    spd_samples train;
    spd_classifier *classifier;
    if (t->method.map == SPD_MAP_ML)
        learn(t);
    t->method.map = SPD_MAP_NONE;
    take_side(t, 1, 0, &train);
    session_check(s, spd_classifier_fit(s->ctx, &t->method, &train, NULL, &classifier));
    keep_classifier(classifier);
    for (size_t k = 0; k < t->c->octaves; k++)
        test_at(t, classifier, k, &accuracy[k]);
}

static void run_all(comparison *c)
{
    char *train = cli_alloc(c->p, 1, "flags");
    for (size_t i = 0; i < c->names.count * c->repeats; i++) {
        double *accuracy = c->accuracy + i * c->octaves;
        size_t method = i / c->repeats, split = i % c->repeats;
        trial t = {.c = c, .train = train, .method = c->method[method], .size = c->n};
        void *mark = cli_mark();
        session_check(
            c->s, spd_split(c->s->ctx, c->p, c->level[0]->label, 0.5, 0, c->seed, split, train));
        run_trial(&t, accuracy);
        cli_release(mark);
        session_talk(c->s, "%s, split %zu: %.1f %% with all observations", c->names.word[method],
                     split + 1, 100.0 * accuracy[0]);
    }
}

/* ---- options --------------------------------------------------------------------------------- */

/* Here a method is a classifier of matrices, with or without -ml. */
static void take_methods(comparison *c)
{
    words_split(&c->names, arguments_text(c->s->args, "methods"), ",");
    c->method = cli_alloc(c->names.count, sizeof *c->method, "methods");
    for (size_t i = 0; i < c->names.count; i++) {
        const spd_method *method = &c->method[i];
        recognition_parse(c->s, c->names.word[i], &c->method[i]);
        if (spd_method_on_vectors(method) ||
            (method->map != SPD_MAP_NONE && method->map != SPD_MAP_ML))
            cli_misuse("--methods: %s: methods on matrices are compared, as they are or with -ml",
                       c->names.word[i]);
    }
}

static void take(comparison *c)
{
    const arguments *a = c->s->args;
    c->m = (size_t)arguments_int(a, "m");
    c->repeats = (size_t)arguments_int(a, "repeats");
    c->regularize = arguments_real(a, "regularize");
    c->seed = (uint64_t)arguments_int(a, "seed");
    take_methods(c);
    spd_fit_defaults(&c->fit, sizeof c->fit);
    c->fit.paper = 1;
    c->fit.m = c->m;
    c->fit.seed = c->seed;
    ARGUMENTS_FILL(a, spd_fit_options, &c->fit);
    load(c);
    c->accuracy =
        cli_alloc_table(c->names.count * c->repeats, c->octaves, sizeof *c->accuracy, "results");
}

/* ---- results --------------------------------------------------------------------------------- */

/* Mean and deviation over the splits go into the table. */
static void summarise(comparison *c, size_t method, size_t octave)
{
    const double *accuracy = c->accuracy + method * c->repeats * c->octaves + octave;
    double sum = 0.0, squares = 0.0;
    char row[24];
    for (size_t i = 0; i < c->repeats; i++)
        sum += accuracy[i * c->octaves];
    double mean = sum / (double)c->repeats;
    for (size_t i = 0; i < c->repeats; i++)
        squares += (accuracy[i * c->octaves] - mean) * (accuracy[i * c->octaves] - mean);
    snprintf(row, sizeof row, "%zu", c->r[octave]);
    table_put(&c->table, row, c->names.word[method], TABLE_OURS, mean);
    if (c->repeats > 1)
        table_put(&c->table, row, c->names.word[method], TABLE_DEVIATION,
                  sqrt(squares / (double)(c->repeats - 1)));
}

/* The size of the matrices that a method compares. */
static size_t size_of(const comparison *c, size_t method)
{
    return c->method[method].map == SPD_MAP_ML ? c->m : c->n;
}

/* Were test matrices of this octave repaired, for lack of observations? */
static int is_repaired(const comparison *c, size_t method, size_t octave)
{
    return c->r[octave] <= size_of(c, method);
}

/* ["60", "30"]: for how many observations a method's test matrices had to be repaired. */
static json_t *repaired_json(const comparison *c, size_t method)
{
    json_t *list = sheet_json_list();
    for (size_t k = 0; k < c->octaves; k++)
        if (is_repaired(c, method, k))
            sheet_json_append(list, sheet_json_whole((json_int_t)c->r[k]));
    return list;
}

/* Says from where on regularisation stands in for observations. */
static void remark_repaired(const comparison *c)
{
    for (size_t i = 0; i < c->names.count; i++)
        for (size_t k = 0; k < c->octaves; k++)
            if (is_repaired(c, i, k)) {
                session_remark(c->s,
                               "%s: test matrices of %zu observations or fewer lack rank (%zu "
                               "rows) and were regularised by %g",
                               c->names.word[i], c->r[k], size_of(c, i), c->regularize);
                break;
            }
}

/* {"480": 0.63, ...} of a method. */
static json_t *by_json(const table *t, size_t method, table_kind kind)
{
    json_t *by = sheet_json_object();
    for (size_t r = 0; r < t->row.count; r++)
        sheet_json_set(by, t->row.word[r], sheet_json_real(table_at(t, r, method, kind)));
    return by;
}

static void fill(const comparison *c, sheet *r)
{
    json_t *list = sheet_json_list();
    sheet_text(r, "data", "data", c->s->args->operands[0]);
    sheet_count(r, "matrices", "samples", c->p, "");
    sheet_count(r, "observations", "observations", c->r[0], "in each");
    sheet_count(r, "n", "n", c->n, "");
    sheet_count(r, "m", "m", c->m, "");
    sheet_count(r, "classes", "classes", c->level[0]->classes, "");
    sheet_text(r, "protocol", "protocol",
               words_text("%zu random split%s, 50 %% of each class train", c->repeats,
                          c->repeats == 1 ? "" : "s"));
    sheet_count(r, "rounds", NULL, c->repeats, "");
    sheet_count(r, "seed", NULL, (size_t)c->seed, "");
    for (size_t i = 0; i < c->names.count; i++)
        sheet_json_append(list, json_pack("{s:o,s:o,s:o,s:o}", "method",
                                          sheet_json_text(c->names.word[i]), "by",
                                          by_json(&c->table, i, TABLE_OURS), "by_std",
                                          by_json(&c->table, i, TABLE_DEVIATION), "regularised",
                                          repaired_json(c, i)));
    sheet_json(r, "results", list);
}

static void write_results(const comparison *c)
{
    const char *folder = session_output(c->s);
    if (!folder)
        return;
    sheet r = {.object = sheet_json_keep(json_object())};
    fill(c, &r);
    text_file_write(text_file_in(folder, "results.json"), text_file_json, r.object);
}

static int run(session *s)
{
    comparison c = {.s = s};
    take(&c);
    results_make_folder(s);
    run_all(&c);
    for (size_t i = 0; i < c.names.count * c.octaves; i++)
        summarise(&c, i / c.octaves, i % c.octaves);
    write_results(&c);
    fill(&c, session_sheet(s));
    if (!s->sheet.object)
        table_print(&c.table, "accuracy in percent", "observations", 0);
    remark_repaired(&c);
    return CLI_GOOD;
}

static const option options[] = {
    {"methods", 0, OPTION_TEXT, "LIST", "nn-stein,nn-stein-ml,nn-airm,nn-airm-ml,cdl",
     .words = option_methods, .list = 1, .common = 1,
     .help = "Methods on matrices, with or without -ml, separated by commas; maps are learned in "
             "the paper's setting, with nu-b 3"},
    {"m", 'm', OPTION_INT, "M", "20", 1, 4096, .common = 1, .help = "Size after the map"},
    {"labels", 0, OPTION_FILE, "FILE",
     .help = "Index (.csv) of the images; by default the names of their folders are the classes"},
    {"size", 0, OPTION_INT, "PIXELS", "400", 16, 10000, .help = "Resize images to this size"},
    {"no-color", .help = "SIFT without colour, for grey images"},
    {"repeats", 0, OPTION_INT, "N", "10", 1, 100000,
     .help = "Number of random splits; half of each class is for training"},
    {"regularize", 0, OPTION_REAL, "E", "1e-3", 1e-12, 1e6,
     .help = "Add E trace(C)/n to the diagonal of a test matrix that would be singular, and of no "
             "other"},
    OPTION_ENGINE,
    {"output", 'o', OPTION_FILE, "DIR", .writes = 1, .common = 1,
     .help = "Folder for results.json"},
    OPTION_SEED,
    OPTION_END};

static const char *const paragraphs[] = {
    "Measures how much accuracy is lost when test matrices are computed from fewer and fewer "
    "observations. DATA is a folder of images, one subfolder per class, described as by 'spdml "
    "describe sift-color', or an array file with X, p samples x r observations x n numbers with r "
    "> n, and y. Training matrices are covariances of all observations, test matrices of every "
    "second, fourth, eighth, ...",
    "A covariance of r observations has rank r - 1: if r <= n it is singular and has to be "
    "regularised. A learned map projects the observations first, so its limit is r = m.",
    NULL};

static const command_example examples[] = {
    {"spdml observations textures -o few", "Images in folders named after their class."},
    {"spdml observations trials.npz -m 8", "Observations of your own."},
    {NULL, NULL}};

COMMAND(observations, "accuracy against the number of observations", "DATA",
        .groups = {{"Options", options}, {"Common options", options_common}});
