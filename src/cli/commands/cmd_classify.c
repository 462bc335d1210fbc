/* cmd_classify.c - `spdml classify`: `train` and `predict` in one, without a file between them. */
#include "cli/commands/meta_compare.h"
#include "cli/methods/aligning.h"
#include "cli/methods/predictions.h"
#include "cli/methods/show_trained.h"
#include "cli/methods/training.h"

/* Matrices to classify need not be in memory, those to learn from do. */
static void load_test(session *s, int vectors, large_set *queries, recognition_set *test)
{
    const char *path = arguments_text(s->args, "test");
    const char *labels = arguments_text(s->args, "test-labels");
    if (vectors) {
        recognition_load(s, path, labels, 0, 1, test);
        return;
    }
    sets_load(s, path, labels, queries);
    sets_check(s, queries);
    test->data = queries->data;
    recognition_take(s, 1, 0, test);
}

/* Groups are recentred as a whole, not block by block as matrices come from files. */
static void align(session *s, const spd_method *method, const large_set *queries,
                  recognition_set *test)
{
    if (method->recenter != SPD_RECENTERING_GROUPS)
        return;
    if (queries->apart)
        cli_fail("%s: is not in memory, and --recenter needs the matrices of a group together; "
                 "--memory gives more of it, or classify groups one after the other",
                 test->data->source);
    aligning_apart(s, test->data, &test->samples);
}

static void show(session *s, const training *t, const predictions *found, double seconds)
{
    const spd_method *method = spd_classifier_method(t->classifier);
    const spd_data *train = t->set.data;
    sheet *r = session_sheet(s);
    if (t->league)
        show_league(r, t->league);
    show_method(r, method);
    sheet_text(r, "train", NULL, train->source);
    sheet_line(r, "train", "%s: %s, %zu classes", train->source,
               words_count(train->p, "sample", "samples"), train->classes);
    sheet_text(r, "test", NULL, found->test->source);
    sheet_line(r, "test", "%s: %s", found->test->source,
               words_count(found->test->p, "sample", "samples"));
    if (t->model)
        sheet_text(r, "model", "model", arguments_text(s->args, "model"));
    show_values(r, method);
    predictions_show(r, found);
    sheet_real(r, "tune_seconds", NULL, t->tune_seconds);
    sheet_real(r, "fit_seconds", NULL, t->fit_seconds);
    sheet_real(r, "test_seconds", NULL, seconds);
    sheet_line(r, "time", "%.3f s to choose, %.3f s to learn, %.3f s to predict", t->tune_seconds,
               t->fit_seconds, seconds);
    if (found->large && found->large->streams)
        sets_show_memory(s, r);
    sheet_text(r, "output", "output", session_output(s));
}

static int run(session *s)
{
    training t = {0};
    recognition_set test = {0};
    large_set queries = {0};
    groups g;
    training_take(s, &t);
    aligning_take(s, &t.method, 1);
    session_check_output(s);
    training_load(s, arguments_text(s->args, "train"), &t);
    aligning_groups(s, t.set.data, &g, &t.set.samples);
    int vectors = spd_method_on_vectors(&t.method);
    load_test(s, vectors, &queries, &test);
    /* Matrices that were described with other options look alike and are not. */
    const char *differs = meta_compare(test.data->meta, t.set.data->meta);
    if (!vectors)
        session_same_size(t.set.data, test.data);
    if (differs)
        session_remark(s,
                       "%s and %s were described differently (%s); their matrices may not be "
                       "comparable: describe both with the same options",
                       test.data->source, t.set.data->source, differs);
    align(s, &t.method, &queries, &test);
    training_run(s, &t);
    predictions found = {
        .train = t.set.data, .test = test.data, .large = queries.apart ? &queries : NULL};
    double start = bar_clock();
    predictions_make(s, t.classifier, &test.samples, &found);
    double seconds = bar_clock() - start;
    predictions_write(s, &found);
    if (!session_to_stdout(s))
        show(s, &t, &found, seconds);
    return CLI_GOOD;
}

static const option options_files[] = {
    {"train", 0, OPTION_FILE, "FILE", .required = 1, .help = "Data set with labels to learn from"},
    {"test", 0, OPTION_FILE, "FILE", .required = 1,
     .help = "Data set to classify; if it has labels, the predictions are scored"},
    {"test-labels", 0, OPTION_FILE, "FILE",
     .help = "File with the labels of the test set; --labels is for the training set"},
    OPTION_END};

static const char *const paragraphs[] = {
    "Trains on the samples of one data set and predicts the classes of another. Labels of the two "
    "files are matched by name; a label that does not occur in training counts as an error.",
    "Parameters that are not given are chosen by cross-validation on the training samples, as "
    "'spdml train' does, which also keeps the trained method for 'spdml predict'.",
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

COMMAND(classify, "learn from one data set, classify another", "",
        .groups = {{"Options", options_files},
                   {NULL, options_method},
                   {NULL, options_predictions},
                   {"Normalising and recentring", options_aligning},
                   {"Choosing parameters", options_choosing},
                   {NULL, options_paper},
                   {NULL, options_sizes},
                   {"Reading data", options_data},
                   {NULL, options_memory},
                   {"Common options", options_common}});
