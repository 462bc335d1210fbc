/* cmd_predict.c - `spdml predict`: classes of new samples by a trained method from a file. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/commands/describe_notes.h"
#include "cli/commands/describe_record.h"
#include "cli/commands/meta_compare.h"
#include "cli/methods/aligning.h"
#include "cli/methods/numbers.h"
#include "cli/methods/predictions.h"
#include "cli/methods/show_trained.h"
#include "cli/frame/words.h"

typedef struct predicting {
    trained_method method;
    recognition_set set;
    predictions found;
    int described; /* the inputs were no matrices */
    int guessed;   /* their labels may be names of folders */
    spd_data test; /* what set.data is where its labels or its name do not count */
    double load_seconds, describe_seconds, seconds;
} predicting;

/* ---- inputs ---------------------------------------------------------------------------------- */

/* Does a path hold inputs of a descriptor, not a data set? What is not called like an array file is
 * no data set. */
static int is_raw(session *s, const char *path)
{
    static const char *const endings[] = {".npz", ".npy", ".mat", ".csv"};
    struct stat st;
    if (arguments_flag(s->args, "raw") || (stat(path, &st) == 0 && S_ISDIR(st.st_mode)))
        return 1;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (option_has_ending(path, endings[i]) || strcmp(path, "-") == 0)
            return 0;
    return 1;
}

static int unlabelled(const session *s)
{
    return strcmp(arguments_text(s->args, "label-by"), "none") == 0;
}

/* The data set without its labels. */
static void forget_labels(predicting *p)
{
    if (p->set.data != &p->test)
        p->test = *p->set.data;
    p->test.label = NULL;
    p->test.y = NULL;
    p->test.classes = 0;
    p->set.data = &p->test;
    p->set.samples.label = NULL;
}

/* The inputs as training's were: the record in the file says how. */
static void describe(session *s, predicting *p)
{
    spd_descriptor kind;
    spd_describe_options how;
    const char *path = s->args->operands[0];
    const char *why = describe_record_take(p->method.classes.meta, &kind, &how);
    if (why)
        cli_fail("%s: cannot be described, because %s (%s)", s->args->operands[1], why, path);
    how.keep_images = spd_method_on_vectors(spd_classifier_method(p->method.classifier));
    how.index = arguments_text(s->args, "labels");
    how.x_name = arguments_text(s->args, "x");
    how.y_name = arguments_text(s->args, "y");
    how.label_by = arguments_text(s->args, "label-by");
    double start = bar_clock();
    const described *d = describe_operands(s, kind, &how);
    p->set.data = d->data;
    describe_notes_remark(s, d->notes);
    p->describe_seconds = bar_clock() - start;
    p->described = 1;
    p->test = *p->set.data;
    p->test.source =
        s->args->operand_count == 2
            ? s->args->operands[1]
            : words_text("%s and %zu more", s->args->operands[1], s->args->operand_count - 2);
    p->set.data = &p->test;
    p->guessed = !arguments_count(s->args, "label-by") && !how.index;
    session_talk(s, "described %zu matrices by %s", p->set.data->p,
                 spd_name(SPD_ENUM_DESCRIPTOR, kind));
}

static void check_size(const predicting *p)
{
    const spd_classifier_facts *facts = &p->method.facts;
    const spd_data *test = p->set.data;
    const spd_samples *samples = &p->set.samples;
    size_t own = shown_n(test), wanted = shown_rows(facts->n, facts->hermitian);
    if (facts->n > 0 && (test->n != facts->n || !test->hermitian != !facts->hermitian))
        cli_fail("%s: holds %s%zu x %zu matrices, but %s was trained with %s%zu x %zu%s",
                 test->source, shown_kind(test->hermitian), own, own, p->method.classes.source,
                 shown_kind(facts->hermitian), wanted, wanted,
                 test->hermitian && !facts->hermitian ? " real ones" : "");
    if (facts->n == 0 && (samples->height != facts->height || samples->width != facts->width))
        cli_fail("%s: holds %zu x %zu vectors, but %s was trained with %zu x %zu", test->source,
                 samples->height, samples->width, p->method.classes.source, facts->height,
                 facts->width);
}

static void load(session *s, predicting *p)
{
    int vectors = spd_method_on_vectors(spd_classifier_method(p->method.classifier));
    const char *path = s->args->operands[1];
    size_t count = s->args->operand_count - 1;
    if (is_raw(s, path)) {
        describe(s, p);
        recognition_take(s, !vectors, vectors, &p->set);
    } else if (count > 1) {
        cli_misuse(
            "%s: of data sets only one is taken; several inputs are images, clips or signals",
            s->args->operands[2]);
    } else {
        const char *by = arguments_text(s->args, "label-by");
        if (strcmp(by, "auto") != 0 && !unlabelled(s))
            cli_misuse("--label-by %s: %s is a data set; its labels are y, or those of --labels",
                       by, path);
        recognition_load(s, path, arguments_text(s->args, "labels"), !vectors, vectors, &p->set);
        const char *differs = meta_compare(p->set.data->meta, p->method.classes.meta);
        if (differs)
            cli_fail("%s: was described differently from the data that %s was trained with (%s); "
                     "describe it with the same options",
                     p->set.data->source, p->method.classes.source, differs);
    }
    if (unlabelled(s))
        forget_labels(p);
    check_size(p);
    aligning_queries(s, &p->method, p->set.data, &p->set.samples);
}

/* ---- results --------------------------------------------------------------------------------- */

static void show(session *s, const predicting *p)
{
    const spd_method *method = spd_classifier_method(p->method.classifier);
    const spd_data *test = p->set.data;
    char name[SPD_METHOD_NAME];
    sheet *r = session_sheet(s);
    spd_method_name(method, name);
    sheet_text(r, "file", "trained method", p->method.classes.source);
    sheet_text(r, "method", "method", name);
    sheet_text(r, "input", NULL, s->args->operands[1]);
    sheet_flag(r, "described", NULL, p->described);
    sheet_line(r, "input", "%s: %s%s", s->args->operands[1],
               words_count(test->p, "sample", "samples"),
               p->described ? ", described as training was" : "");
    predictions_show(r, &p->found);
    sheet_real(r, "load_seconds", NULL, p->load_seconds);
    sheet_real(r, "describe_seconds", NULL, p->describe_seconds);
    sheet_real(r, "test_seconds", NULL, p->seconds);
    sheet_line(r, "time", "%.3f s to load, %.3f s to predict", p->load_seconds, p->seconds);
    sheet_text(r, "output", "output", session_output(s));
    predictions_list(r, &p->found);
}

static int run(session *s)
{
    predicting p = {0};
    session_check_output(s);
    double start = bar_clock();
    trained_load(s, s->args->operands[0], &p.method);
    p.load_seconds = bar_clock() - start;
    load(s, &p);
    if (p.method.facts.regression) {
        numbers_predict(s, &p.method, p.set.data, &p.set.samples);
        return CLI_GOOD;
    }
    if (arguments_text(s->args, "target"))
        cli_misuse("--target: %s predicts classes", p.method.classes.source);
    start = bar_clock();
    p.found = (predictions){.train = &p.method.classes,
                            .test = p.set.data,
                            .unscored = unlabelled(s),
                            .guessed = p.guessed,
                            .listed = !session_output(s) && !arguments_flag(s->args, "json"),
                            .unnamed = spd_classifier_metadata(p.method.classifier)->unnamed};
    predictions_make(s, p.method.classifier, &p.set.samples, &p.found);
    p.seconds = bar_clock() - start;
    predictions_write(s, &p.found);
    if (!session_to_stdout(s))
        show(s, &p);
    return CLI_GOOD;
}

/* ---- the table ------------------------------------------------------------------------------- */

static const option options[] = {
    {"raw", 0, OPTION_FLAG,
     .help = "NEW holds images, clips or signals, not matrices: describe them as the training data "
             "were. Not needed for folders, archives and single images or clips"},
    {"label-by", 0, OPTION_TEXT, "WAY", "auto", .common = 1,
     .help = "Source of the labels for scoring. auto: from --labels, from y, or from the names of "
             "the folders that images, clips or signals lie in, if any of them is a class of "
             "METHOD; folder, or a pattern of names, as of 'spdml describe'; none: nothing is "
             "scored"},
    {"target", 0, OPTION_TEXT, "COLUMN",
     .help = "If METHOD predicts numbers: the column of NEW that they are compared with, if it is "
             "called otherwise than in training"},
    OPTION_ENGINE,
    OPTION_END};

static const char *const paragraphs[] = {
    "Predicts the classes of NEW with a method that 'spdml train' has kept. If NEW has labels, the "
    "predictions are scored; labels are matched by name. If none of them is a class of METHOD, "
    "nothing is scored.",
    "If METHOD was trained with --target, numbers are predicted, and compared with the column of "
    "that name if NEW has it.",
    "Without -o, name, class and score of the first samples are printed.",
    "NEW is a data set, or the images, clips or signals themselves, if METHOD was trained with "
    "matrices that 'spdml describe' made: they are described in the same way. Matrices that were "
    "described differently are refused.",
    "Matrices are normalised and recentred as in training. If METHOD recentres by a column, the "
    "matrices of each of its values in NEW are moved by their own mean, which takes no labels.",
    NULL};

static const command_example examples[] = {
    {"spdml predict method.spdml new.npz", "Classes and scores of the first samples."},
    {"spdml predict method.spdml new.npz -o predictions.csv", "A table of predictions."},
    {"spdml predict method.spdml new.npz --scores -o predictions.csv",
     "With a score for each class."},
    {"spdml predict method.spdml photos/ -o - | sort -t, -k3",
     "Images, described on the way; the table goes to a program."},
    {NULL, NULL}};

COMMAND(predict, "classify new samples with a trained method", "METHOD NEW...",
        .groups = {{"Options", options},
                   {NULL, options_regroup},
                   {NULL, options_predictions},
                   {"Reading data", options_data},
                   {"Common options", options_common}});
