/* cmd_observations.c - `spdml observations`: accuracy against the number r of observations in a
 * test matrix.
 *
 * Training matrices are made of all observations, test matrices of every second, fourth, ... of
 * them. A covariance of r observations has rank r - 1: with r <= n it is singular, and has to be
 * repaired before distances exist, here by e tr(C)/n on its diagonal. After the map the
 * observations are projected first (math.md, eq. 12), and the same holds for r <= m only. */
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "cli/evaluate/recognition.h"
#include "cli/evaluate/evaluation.h"
#include "cli/experiment/table.h"
#include "cli/frame/signals.h"
#include "cli/frame/text_file.h"

/* Samples as observations: tables of vectors with a class each. */
typedef struct vectors {
    size_t p, r, n;  /* samples, observations in each, size of one */
    const double *O; /* p x r x n */
    groups classes;  /* of the p samples */
} vectors;

/* What is compared. */
typedef struct comparison {
    session *s;
    vectors v;
    size_t m, repeats, octaves;
    double regularize;
    uint64_t seed;
    words names;        /* of the methods */
    spd_method *method; /* as many */
    double *accuracy;   /* methods x repeats x octaves */
    table table;        /* observations x methods */
} comparison;

/* One run: a method, with its map where it has one, on one split. */
typedef struct trial {
    const comparison *c;
    const char *train; /* p: 1 training, 0 test */
    spd_method method; /* without its map */
    spd_model *model;  /* NULL: none */
    size_t size;       /* of the matrices compared: n or m */
} trial;

/* ---- observations read, or drawn: L z with C = L L' and z normal has covariance C ------------ */

/* O (r x n) <- rows L z; z (n) is scratch. */
static void draw_sample(size_t r, size_t n, const double *L, rng *random, double *O, double *z)
{
    for (size_t k = 0; k < r; k++) {
        for (size_t i = 0; i < n; i++)
            z[i] = rng_normal(random);
        for (size_t i = 0; i < n; i++) {
            double sum = 0.0;
            for (size_t j = 0; j <= i; j++)
                sum += L[i * n + j] * z[j];
            O[k * n + i] = sum;
        }
    }
}

/* v->O <- v->r vectors for each of the covariances that it holds. */
static void draw_all(session *s, vectors *v)
{
    size_t size = v->n * v->n;
    rng random;
    double *L = cli_alloc_table(v->p, size, sizeof *L, "numbers");
    double *z = cli_alloc(v->n, sizeof *z, "a vector");
    double *O = cli_alloc_table(v->p, v->r * v->n, sizeof *O, "observations");
    session_check(s, spd_cholesky(s->ctx, v->n, v->p, v->O, L));
    rng_seed(&random, (uint64_t)arguments_int(s->args, "seed"));
    for (size_t i = 0; i < v->p; i++)
        draw_sample(v->r, v->n, L + i * size, &random, O + i * v->r * v->n, z);
    v->O = O;
}

/* v <- X (p x r x n) and y of a file; with draw, X (p x n x n) are covariances, and so many normal
 * vectors are drawn from each. */
static void vectors_load(session *s, const char *path, size_t draw, vectors *v)
{
    spd_array *a = session_read(s, path, "X");
    int numbers = a->ndim == 3 && a->type == SPD_FLOAT64;
    if (!numbers || (draw ? a->shape[1] != a->shape[2] : a->shape[1] <= a->shape[2]))
        cli_fail(draw ? "%s: --draw: X must be p x n x n real numbers, p covariance matrices"
                      : "%s: X must be p x r x n real numbers, p samples of r observations, with "
                        "r > n; from covariance matrices --draw R draws some",
                 path);
    v->p = a->shape[0];
    v->n = a->shape[2];
    v->r = draw ? draw : a->shape[1];
    v->O = a->f64;
    spd_array *y = session_read(s, path, "y");
    spd_data data = {.p = v->p, .source = (char *)(uintptr_t)path, .columns = 1, .column = &y};
    groups_take(&data, "y", "data", &v->classes);
    if (draw)
        draw_all(s, v);
}

/* rows (taken x n) <- every so many-th observation of a sample. */
static void vectors_take(const vectors *v, size_t sample, size_t every, size_t taken, double *rows)
{
    const double *from = v->O + sample * v->r * v->n;
    for (size_t k = 0; k < taken; k++)
        memcpy(rows + k * v->n, from + k * every * v->n, v->n * sizeof *rows);
}

/* *side <- covariances of the samples that train, or of the others, from every so many-th
 * observation. */
static void describe(const trial *t, char trains, size_t every, spd_samples *side)
{
    session *s = t->c->s;
    const vectors *v = &t->c->v;
    size_t taken = v->r / every, each = t->size * t->size;
    double *X = cli_alloc_table(v->p, each, sizeof *X, "covariances");
    double *rows = cli_alloc_table(taken, v->n, sizeof *rows, "observations");
    int *label = cli_alloc(v->p, sizeof *label, "labels");
    spd_covariance_options o = {.n = v->n};
    if (t->model) {
        o.W = t->model->W;
        o.m = t->model->m;
    }
    if (taken <= t->size && !trains)
        o.regularize = t->c->regularize;
    *side = (spd_samples){
        .size = sizeof *side, .n = t->size, .X = X, .classes = v->classes.count, .label = label};
    for (size_t i = 0; i < v->p; i++)
        if (t->train[i] == trains) {
            vectors_take(v, i, every, taken, rows);
            session_check(s, spd_covariance(s->ctx, taken, v->n, rows, &o, X + side->p * each));
            label[side->p++] = v->classes.group[i];
        }
}

/* ---- one split ------------------------------------------------------------------------------- */

static void release_classifier(void *classifier)
{
    spd_classifier_free(classifier);
}

/* The map of a method is learned from the training matrices. */
static void learn(trial *t)
{
    session *s = t->c->s;
    spd_samples train;
    spd_fit_options o;
    spd_fit_defaults(&o, sizeof o);
    o.m = t->c->m;
    o.metric = t->method.metric;
    o.seed = t->c->seed;
    o.paper = 1;
    describe(t, 1, 1, &train);
    session_check(s, spd_fit(s->ctx, t->size, train.p, train.X, train.label, &o, NULL, &t->model));
    session_keep_model(t->model);
    t->size = t->model->m;
}

static void test_at(const trial *t, const spd_classifier *classifier, size_t every,
                    double *accuracy)
{
    session *s = t->c->s;
    spd_samples test;
    spd_score score = SPD_INIT(spd_score);
    describe(t, 0, every, &test);
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
    describe(t, 1, 1, &train);
    session_check(s, spd_classifier_fit(s->ctx, &t->method, &train, NULL, &classifier));
    cli_keep(classifier, release_classifier);
    for (size_t k = 0; k < t->c->octaves; k++)
        test_at(t, classifier, (size_t)1 << k, &accuracy[k]);
}

static void run_all(comparison *c)
{
    const vectors *v = &c->v;
    char *train = cli_alloc(v->p, 1, "flags");
    for (size_t i = 0; i < c->names.count * c->repeats; i++) {
        double *accuracy = c->accuracy + i * c->octaves;
        size_t method = i / c->repeats, split = i % c->repeats;
        trial t = {.c = c, .train = train, .method = c->method[method], .size = v->n};
        void *mark = cli_mark();
        session_check(c->s,
                      spd_split(c->s->ctx, v->p, v->classes.group, 0.5, 0, c->seed, split, train));
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
    vectors_load(c->s, a->operands[0], (size_t)arguments_int(a, "draw"), &c->v);
    if (c->m >= c->v.n)
        cli_misuse("-m %zu: must be below n = %zu, the size of an observation", c->m, c->v.n);
    /* as many halvings as it takes to fall to m or below */
    for (c->octaves = 1; (c->v.r >> (c->octaves - 1)) > c->m && (c->v.r >> c->octaves) >= 2;)
        c->octaves++;
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
    snprintf(row, sizeof row, "%zu", c->v.r >> octave);
    table_put(&c->table, row, c->names.word[method], TABLE_OURS, mean);
    if (c->repeats > 1)
        table_put(&c->table, row, c->names.word[method], TABLE_DEVIATION,
                  sqrt(squares / (double)(c->repeats - 1)));
}

/* The size of the matrices that a method compares. */
static size_t size_of(const comparison *c, size_t method)
{
    return c->method[method].map == SPD_MAP_ML ? c->m : c->v.n;
}

/* Were test matrices of this octave repaired, for lack of observations? */
static int is_repaired(const comparison *c, size_t method, size_t octave)
{
    return (c->v.r >> octave) <= size_of(c, method);
}

/* ["60", "30"]: for how many observations a method's test matrices had to be repaired. */
static json_t *repaired_json(const comparison *c, size_t method)
{
    json_t *list = sheet_json_list();
    for (size_t k = 0; k < c->octaves; k++)
        if (is_repaired(c, method, k))
            sheet_json_append(list, sheet_json_whole((json_int_t)(c->v.r >> k)));
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
                               c->names.word[i], c->v.r >> k, size_of(c, i), c->regularize);
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
    json_t *results = sheet_json_list();
    sheet_text(r, "data", "data", c->s->args->operands[0]);
    sheet_count(r, "matrices", "samples", c->v.p, "");
    sheet_count(r, "observations", "observations", c->v.r, "in each");
    sheet_count(r, "n", "n", c->v.n, "");
    sheet_count(r, "m", "m", c->m, "");
    sheet_count(r, "classes", "classes", c->v.classes.count, "");
    sheet_text(r, "protocol", "protocol",
               words_text("%zu random split%s, 50 %% of each class train", c->repeats,
                          c->repeats == 1 ? "" : "s"));
    sheet_count(r, "rounds", NULL, c->repeats, "");
    sheet_count(r, "seed", NULL, (size_t)c->seed, "");
    for (size_t i = 0; i < c->names.count; i++)
        sheet_json_append(results, json_pack("{s:o,s:o,s:o,s:o}", "method",
                                             sheet_json_text(c->names.word[i]), "by",
                                             by_json(&c->table, i, TABLE_OURS), "by_std",
                                             by_json(&c->table, i, TABLE_DEVIATION), "regularised",
                                             repaired_json(c, i)));
    sheet_json(r, "results", results);
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
    evaluation_make_folder(s);
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
    {"methods", 0, OPTION_TEXT, "LIST", "nn-stein,nn-stein-ml,nn-airm,nn-airm-ml",
     .words = option_methods, .list = 1,
     .help = "Methods on matrices, as they are or with -ml, with commas between"},
    {"m", 'm', OPTION_INT, "M", "10", 1, 4096, .help = "Size after the map"},
    {"draw", 0, OPTION_INT, "R", "0", 0, 1048576,
     .help = "DATA holds covariance matrices: draw R normal vectors from each; 0 for observations "
             "as they are"},
    {"repeats", 0, OPTION_INT, "N", "10", 1, 100000,
     .help = "Random splits; half of each class trains"},
    {"regularize", 0, OPTION_REAL, "E", "1e-3", 1e-12, 1e6,
     .help = "Add E trace(C)/n to the diagonal of a test matrix that would be singular, and of no "
             "other"},
    OPTION_ENGINE,
    {"output", 'o', OPTION_FILE, "DIR", .writes = 1, .help = "Folder for results.json"},
    OPTION_END};

static const char *const paragraphs[] = {
    "How much of the accuracy is lost when test matrices are made of fewer and fewer observations? "
    "DATA holds X, p samples x r observations x n numbers with r > n, and y. Training matrices are "
    "covariances of all observations, test matrices of every second, fourth, eighth, ...",
    "A covariance of r observations has rank r - 1: with r <= n it is singular and has to be "
    "regularised. A learned map projects the observations first, so its limit is r = m.",
    NULL};

static const command_example examples[] = {
    {"spdml observations trials.npz -m 8", "Observations of your own."},
    {"spdml observations covs.npz --draw 480 -o few", "Drawn from covariance matrices."},
    {NULL, NULL}};

const command command_observations = {
    .name = "observations",
    .summary = "accuracy against the number of observations in a test matrix",
    .operands = "DATA",
    .groups = {{"Options", options}, {"Common options", options_common}},
    .paragraphs = paragraphs,
    .examples = examples,
    .run = run,
};
