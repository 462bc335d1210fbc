/* cmd_classify.c - `spdml classify`: learns from one data set what the samples of another are. */
#include <stdio.h>
#include <string.h>

#include "cli/commands/meta_compare.h"
#include "cli/evaluate/columns.h"
#include "cli/evaluate/evaluation.h"
#include "cli/evaluate/predictions.h"
#include "cli/frame/tuning.h"

typedef struct classifying {
    spd_method method;
    spd_fit_options fit; /* of a learned map */
    spd_model *model;    /* the map, or NULL */
    recognition_set train, test;
    large_set queries; /* where the test matrices are */
    spd_classifier *classifier;
    predictions found;
    double tune_seconds, fit_seconds, test_seconds;
} classifying;

/* ---- the method ------------------------------------------------------------------------------ */

/* Does a name say another metric than --metric? */
static int contradicts(const char *name, const spd_method *method, spd_metric metric)
{
    return metric != method->metric && strstr(name, spd_metric_name(method->metric)) != NULL;
}

/* --metric goes to a method whose name leaves it open; the library judges the two together. */
static void take_metric(session *s, const char *name, spd_method *method)
{
    char joined[SPD_METHOD_NAME];
    if (!arguments_text(s->args, "metric"))
        return;
    spd_metric metric = session_metric(s);
    if (contradicts(name, method, metric))
        cli_misuse(
            "--method %s already names a metric, and --metric says %s; leave one of them out", name,
            spd_metric_name(metric));
    method->metric = metric;
    spd_method_name(method, joined);
    recognition_parse(s, joined, method);
}

static void check_model(const session *s, const classifying *c)
{
    const char *path = arguments_text(s->args, "model");
    if (path && c->method.map != SPD_MAP_NONE && c->method.map != SPD_MAP_ML)
        cli_misuse("--method %s has its own map, and --model is another; leave one of them out",
                   arguments_text(s->args, "method"));
    if (path && spd_method_on_vectors(&c->method))
        cli_misuse("--model: %s works on vectors, and maps apply to matrices only",
                   arguments_text(s->args, "method"));
}

static void take_method(session *s, classifying *c)
{
    const char *name = arguments_text(s->args, "method");
    recognition_parse(s, name, &c->method);
    take_metric(s, name, &c->method);
    check_model(s, c);
    recognition_values(s, &c->method, 1);
    evaluation_fit_options(s, &c->fit);
    c->method.fit = &c->fit;
}

/* ---- data ------------------------------------------------------------------------------------ */

static void check_training(const spd_data *train)
{
    if (!train->label)
        labels_missing(train, " to learn from", "");
    if (train->classes < 2)
        cli_fail(
            "%s: all %zu samples have the label %s; at least two classes are needed to tell apart",
            train->source, train->p, train->class_name[0]);
}

/* The map's size, and the metric it was learned under. */
static void load_model(session *s, classifying *c)
{
    const char *path = arguments_text(s->args, "model");
    const spd_data *train = c->train.data;
    if (!path)
        return;
    c->model = session_model(s, path);
    shown_check(path, "maps", c->model->n, c->model->options->hermitian, train);
    if (c->model->options->metric != c->method.metric)
        session_remark(s, "%s was learned under the metric %s, but %s uses %s", path,
                       spd_metric_name(c->model->options->metric),
                       spd_classifier_name(c->method.classifier),
                       spd_metric_name(c->method.metric));
}

/* Matrices that were described with other options look alike and are not. */
static void compare_descriptions(session *s, const spd_data *train, const spd_data *test)
{
    char text[400];
    meta_compare(test->meta, train->meta, text, sizeof text);
    if (text[0])
        session_remark(s,
                       "%s and %s were described differently (%s); their matrices may not be "
                       "comparable: describe both with the same options",
                       test->source, train->source, text);
}

/* Matrices to classify need not be in memory, those to learn from do. */
static void load_test(session *s, classifying *c, int vectors)
{
    const char *path = arguments_text(s->args, "test");
    const char *labels = arguments_text(s->args, "test-labels");
    if (vectors) {
        recognition_load(s, path, labels, 0, 1, &c->test);
        return;
    }
    sets_load(s, path, labels, &c->queries);
    sets_check(s, &c->queries);
    c->test.data = c->queries.data;
    recognition_take(s, 1, 0, &c->test);
}

static void load(session *s, classifying *c)
{
    int vectors = spd_method_on_vectors(&c->method);
    recognition_load(s, arguments_text(s->args, "train"), arguments_text(s->args, "labels"),
                     !vectors, vectors, &c->train);
    check_training(c->train.data);
    load_model(s, c);
    load_test(s, c, vectors);
    if (!vectors)
        session_same_size(c->train.data, c->test.data);
    compare_descriptions(s, c->train.data, c->test.data);
}

/* ---- work ------------------------------------------------------------------------------------ */

static void release_classifier(void *classifier)
{
    spd_classifier_free(classifier);
}

/* Parameters that are not given, as train chooses them. A map that is given is not the one that a
 * cross-validation would learn, so there is none then. */
static void choose(session *s, classifying *c)
{
    const spd_tuning tuning = {.size = sizeof tuning,
                               .folds = (int)arguments_int(s->args, "cv"),
                               .seed = (uint64_t)arguments_int(s->args, "seed")};
    spd_tuned tuned = SPD_INIT(spd_tuned);
    if (!c->model && !arguments_flag(s->args, "no-tune"))
        c->tune_seconds =
            tuning_run(s, &c->method, &c->train.samples, &tuning, c->train.data->source, &tuned);
}

static void learn_and_predict(session *s, classifying *c)
{
    spd_samples queries = c->test.samples;
    double start = bar_clock();
    spd_status status =
        spd_classifier_fit(s->ctx, &c->method, &c->train.samples, c->model, &c->classifier);
    if (status < 0)
        session_fail_in(s, c->train.data->source, status);
    cli_keep(c->classifier, release_classifier);
    predictions_remark(s, status);
    session_unreached(s, "the map", spd_classifier_model(c->classifier));
    if (!c->model)
        recognition_remark(s, &c->method, &c->train);
    c->method = *spd_classifier_method(c->classifier);
    c->fit_seconds = bar_clock() - start;
    session_talk(s, "learned from %zu samples", c->train.samples.p);
    start = bar_clock();
    c->found = (predictions){.train = c->train.data, .test = c->test.data};
    c->found.large = c->queries.store ? &c->queries : NULL;
    predictions_make(s, c->classifier, &queries, &c->found);
    c->test_seconds = bar_clock() - start;
}

/* ---- results --------------------------------------------------------------------------------- */

static void show_all(session *s, const classifying *c)
{
    const char *model = arguments_text(s->args, "model");
    char name[SPD_METHOD_NAME], values[400];
    sheet *r = session_sheet(s);
    spd_method_name(&c->method, name);
    recognition_text(&c->method, c->method.value, values, sizeof values);
    sheet_text(r, "method", "method", name);
    sheet_text(r, "train", NULL, c->train.data->source);
    sheet_line(r, "train", "%s: %zu samples, %zu classes", c->train.data->source, c->train.data->p,
               c->train.data->classes);
    sheet_text(r, "test", NULL, c->test.data->source);
    sheet_line(r, "test", "%s: %zu samples", c->test.data->source, c->test.data->p);
    if (model)
        sheet_text(r, "model", "model", model);
    sheet_json(r, "parameters", recognition_json(&c->method, c->method.value));
    if (values[0])
        sheet_line(r, "parameters", "%s", values);
    predictions_show(r, &c->found);
    sheet_real(r, "tune_seconds", NULL, c->tune_seconds);
    sheet_real(r, "fit_seconds", NULL, c->fit_seconds);
    sheet_real(r, "test_seconds", NULL, c->test_seconds);
    sheet_line(r, "time", "%.3f s to choose, %.3f s to learn, %.3f s to predict", c->tune_seconds,
               c->fit_seconds, c->test_seconds);
    if (c->queries.streams)
        sets_show_memory(s, r);
    if (session_output(s))
        sheet_text(r, "output", "output", session_output(s));
}

static int run(session *s)
{
    classifying c = {0};
    take_method(s, &c);
    session_check_output(s);
    load(s, &c);
    choose(s, &c);
    learn_and_predict(s, &c);
    predictions_write(s, &c.found);
    show_all(s, &c);
    return CLI_GOOD;
}

/* ---- the table ------------------------------------------------------------------------------- */

static const char *endings(size_t i)
{
    static const char *const known[] = {".npz", ".mat", ".csv"};
    return i < sizeof known / sizeof *known ? known[i] : NULL;
}

static const option options[] = {
    {"train", 0, OPTION_FILE, "FILE", .required = 1, .help = "Data set with labels to learn from"},
    {"test", 0, OPTION_FILE, "FILE", .required = 1,
     .help = "Data set to classify; if it has labels, the predictions are scored"},
    {"test-labels", 0, OPTION_FILE, "FILE",
     .help = "File with the labels of the test set; --labels is for the training set"},
    {"method", 0, OPTION_TEXT, "NAME", .words = option_methods, .required = 1,
     .help =
         "nn, knn, mdm, rsr, cdl, cdl-lda, pga, riemannian-lle, riemannian-hessian-lle, "
         "riemannian-laplacian, ksvm, ts-lda, cov3dj, src or gsrc; suffixes and prefixes add the "
         "metric and a map learned from the training set: nn-stein-ml, rsr-multi, "
         "pca-nn-airm, mdm-airm-csp"},
    {"metric", 0, OPTION_CHOICE, "NAME", .choice = option_metrics, .alias = option_metric_alias,
     .help = "Metric, if the method's name does not give it; default the method's usual one"},
    {"model", 0, OPTION_FILE, "FILE",
     .help = "A map learned by 'spdml fit', for both sets (.spdml); parameters that are not given "
             "then have their defaults"},
    OPTION_VECTORS,
    OPTION_NO_TUNE,
    OPTION_CV,
    OPTION_SCORES,
    OPTION_ENGINE,
    {OPTION_OUTPUT(endings,
                   "Write predicted, in the type of the training labels, and y and name if the "
                   "test set has them, to FILE; .csv has a header and a line per matrix: index, "
                   "name, predicted, y")},
    OPTION_END};

static const char *const paragraphs[] = {
    "Trains on the samples of one data set and predicts the classes of another. Labels of the two "
    "files are matched by name; a label that does not occur in training counts as an error.",
    "Parameters that are not given are chosen by cross-validation on the training samples, as "
    "'spdml "
    "train' does, which also keeps the trained method for 'spdml predict'.",
    NULL};

static const command_example examples[] = {
    {"spdml classify --train a.npz --test b.npz --method nn --metric stein",
     "Accuracy of the nearest neighbour."},
    {"spdml classify --train a.npz --test b.npz --method nn-airm-ml -m 10 -o p.npz",
     "The same after learning a map to 10 x 10; predictions in a file."},
    {"spdml classify --train a.npz --test b.npz --method nn-stein -o p.csv",
     "Predictions as a table."},
    {"spdml classify --train a.npz --test b.npz --method rsr --model m.spdml",
     "Sparse coding after a map from a file."},
    {NULL, NULL}};

const command command_classify = {
    .name = "classify",
    .summary = "learn from one data set, classify another",
    .operands = "",
    .groups = {{"Options", options},
               {"The learned map", options_paper},
               {NULL, options_cost},
               {NULL, options_start},
               {NULL, options_solver},
               {NULL, options_stop},
               {"Parameters of methods", options_values},
               {"Reading data", options_data},
               {NULL, options_memory},
               {"Common options", options_common}},
    .paragraphs = paragraphs,
    .examples = examples,
    .run = run,
};
