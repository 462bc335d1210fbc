/* cmd_evaluate.c - `spdml evaluate`: methods compared on one data set under one protocol. */
#include <math.h>
#include <string.h>

#include "cli/frame/again.h"
#include "cli/frame/text_file.h"
#include "cli/methods/training.h"
#include "cli/report/page.h"

/* ---- methods --------------------------------------------------------------------------------- */

static void take_method(session *s, results *e, const char *name)
{
    spd_method *method = &e->method[e->methods];
    char joined[SPD_METHOD_NAME], other[SPD_METHOD_NAME];
    recognition_parse(s, name, method);
    aligning_take(s, method, 0);
    method->fit = &e->fit;
    spd_method_name(method, joined);
    for (size_t m = 0; m < e->methods; m++) {
        spd_method_name(&e->method[m], other);
        if (strcmp(other, joined) == 0)
            cli_misuse("--methods names %s twice", other);
    }
    e->method_at[e->methods++] = method;
}

/* ---- data ------------------------------------------------------------------------------------ */

static void load(session *s, results *e)
{
    int matrices = 0, vectors = 0;
    for (size_t m = 0; m < e->methods; m++) {
        vectors |= spd_method_on_vectors(&e->method[m]);
        matrices |= !spd_method_on_vectors(&e->method[m]);
    }
    recognition_load(s, s->args->operands[0], arguments_text(s->args, "labels"), matrices, vectors,
                     &e->set);
    if (!e->set.data->label)
        labels_missing(e->set.data, "", "");
    if (e->set.data->classes < 2)
        cli_fail("%s: all labels are the same; two classes are needed", e->set.data->source);
}

/* Says the methods and the protocol, if they were left open, as if they had been typed. */
static void complete(session *s, results *e, arguments *a)
{
    const char *methods = arguments_text(a, "methods"), *seed = arguments_text(a, "seed");
    int given = arguments_count(a, "methods") > 0, added = protocol_add(e->set.data, a);
    if (given && !added)
        return;
    if (!given)
        arguments_add(a, "methods", methods);
    if (!arguments_count(a, "seed"))
        arguments_add(a, "seed", seed);
    s->args = a;
    e->again = again_command(a);
    session_talk(s, "the same as %s", e->again);
}

/* ---- results --------------------------------------------------------------------------------- */

/* Prints table or JSON, with what --final asks for, and writes the files of --output. */
static void report(session *s, results *e)
{
    page p = {0};
    int json = arguments_flag(s->args, "json");
    int wants_page = session_output(s) && !arguments_flag(s->args, "no-report");
    e->object = sheet_json_keep(results_json(s, e));
    spd_ranks_pause(s->ctx, 1); /* other processes make no page */
    if (wants_page)
        page_prepare(s, e, &p);
    spd_ranks_pause(s->ctx, 0);
    results_write(s, e);
    if (wants_page)
        page_write(&p, session_output(s));
    if (!json)
        results_print(s, e, wants_page);
    fflush(stdout);
    json_t *final = results_final(s, e);
    if (final) {
        sheet_json_set(e->object, "final", final);
        results_write_final(s, final);
        if (!json)
            results_print_final(final);
    }
    if (json)
        text_file_json(stdout, e->object);
}

/* ---- the command ----------------------------------------------------------------------------- */

static int run(session *s)
{
    results e = {0};
    spd_evaluate_defaults(&e.options, sizeof e.options);
    e.options.folds = (int)arguments_int(s->args, "cv");
    e.options.seed = (uint64_t)arguments_int(s->args, "seed");
    e.options.exhaustive = arguments_flag(s->args, "exhaustive");
    e.options.auc = arguments_flag(s->args, "auc");
    training_fit_options(s, &e.fit);
    const char *given = arguments_text(s->args, "methods");
    size_t length = strlen(given);
    char *list = cli_text(given, length);
    e.method = cli_alloc(length + 1, sizeof *e.method, "methods");
    e.method_at = cli_alloc(length + 1, sizeof *e.method_at, "methods");
    for (char *rest = list, *word; (word = strsep(&rest, ","));)
        take_method(s, &e, word + strspn(word, " \t")); /* "nn-stein, rsr" */
    training_values(s, e.methods, e.method, &e.grid);
    e.options.seconds = training_time(s, e.methods, e.method);
    load(s, &e);
    aligning_groups(s, e.set.data, &e.centred, &e.set.samples);
    complete(s, &e, arguments_copy(s->args));
    protocol_take(s, e.set.data, &e.protocol, &e.options);
    results_make_folder(s);
    results_run(s, &e);
    report(s, &e);
    results_keep(s, &e);
    return CLI_GOOD;
}

static const option options[] = {
    {"methods", 0, OPTION_TEXT, "LIST", "nn-stein,nn-stein-ml,mdm-airm,ts-lda,cdl,auto",
     .words = option_methods, .list = 1, .common = 1,
     .help = "Methods, separated by commas: auto, or [pca-]CLASSIFIER[-METRIC][-MAP], with a MAP "
             "of ml, multi, bag, random, mean, csp"},
    {"train-where", 0, OPTION_TEXT, "COLUMN=VALUE,...", .repeatable = 1, .common = 1,
     .help = "Training matrices are those whose COLUMN has one of the values; several clauses must "
             "all hold. Default: all that --test-where does not select"},
    {"test-where", 0, OPTION_TEXT, "COLUMN=VALUE,...", .repeatable = 1,
     .help = "Test matrices. Default: all that --train-where does not select"},
    {"split", 0, OPTION_REAL, "F", NULL, 0.001, 0.999, .common = 1,
     .help = "Random splits that train on this share of each class and test on the rest"},
    {"train-per-class", 0, OPTION_INT, "N", NULL, 1, 1000000000,
     .help = "Random splits that train on this many samples of each class"},
    {"outer-folds", 0, OPTION_INT, "N", NULL, 2, 1000000, .common = 1,
     .help = "Cross-validation with N folds, stratified by class; each fold is tested once, the "
             "others are for training"},
    {"outer-groups", 0, OPTION_TEXT, "COLUMN",
     .help = "Keep matrices with the same value of COLUMN in one of the --outer-folds"},
    {"repeats", 0, OPTION_INT, "N", "10", 1, 100000,
     .help =
         "Number of random splits; with --outer-folds, which are dealt once by default, how often"},
    {"leave-one-group-out", 0, OPTION_TEXT, "COLUMN", .common = 1,
     .help = "Test on the matrices of each value of COLUMN in turn, train on all others"},
    {"calibration-size", 0, OPTION_REAL, "F", NULL, 0.0, 0.99,
     .help = "With --leave-one-group-out: the first matrices of the group, this share of it, are "
             "not tested but train as well. With --recenter they alone make the mean of the group"},
    {"by", 0, OPTION_TEXT, "COLUMN", .help = "Also show the accuracy for each value of COLUMN"},
    {"auc", 0, OPTION_FLAG,
     .help = "Also the area under the ROC curve, one class against the rest, the mean over the "
             "classes; this needs scores of all classes, which may take longer than predictions"},
    OPTION_ENGINE,
    {"output", 'o', OPTION_FILE, "DIR", .writes = 1, .common = 1,
     .help = "Write a report and all results into the folder DIR: report.html, a page with "
             "figures, results.json, final.json, results.csv, rounds.csv, predictions.npz, "
             "confusion.npz, the data of the figures and samples.svg"},
    {"keep", 0, OPTION_FILE, "DIR", .writes = 1,
     .help = "Write the trained methods into the folder DIR, for 'spdml predict': METHOD.spdml, or "
             "METHOD-ROUND.spdml if there are several rounds"},
    {"no-report", 0, OPTION_FLAG, .help = "With -o: no report.html and no data of figures"},
    OPTION_END};

static const option options_tuning[] = {
    {"cv", 0, OPTION_INT, "N", "5", 2, 1000000,
     .help = "Folds of the cross-validation that chooses parameters within the training part; "
             "fewer if a class or the groups have fewer"},
    {"cv-groups", 0, OPTION_TEXT, "COLUMN|none",
     .help = "Keep matrices with the same value of COLUMN in one fold. Default: the column that "
             "--train-where, --leave-one-group-out or --outer-groups names, if training has "
             "several of its values"},
    OPTION_GRID("; if a grid of m lacks the size of the matrices, there is always a map"),
    {"exhaustive", 0, OPTION_FLAG,
     .help = "Try every setting in every fold, with maps fitted as finely as the final one. "
             "Otherwise settings that are clearly worse are dropped early. About ten times slower"},
    OPTION_TIME,
    OPTION_SEED,
    {"final", 0, OPTION_CHOICE, "WHICH", "best", .choice = "best|all|none",
     .help = "At the end show the command that trains a method on all matrices with the parameters "
             "that most rounds chose: for the most accurate method, for all, or for none"},
    OPTION_END};

static const char *const paragraphs[] = {
    "Trains each method on one part of DATA, tests it on another, and prints accuracy, chosen "
    "parameters and times; balanced accuracy if it differs. Parameters that are not fixed by an "
    "option are chosen by cross-validation within the training part; labels of the test part are "
    "used only for the score. p is McNemar's exact test against the first method.",
    "Without a protocol, the values of a column called subject, person, patient, participant, "
    "recording, group or session are tested apart if there is one; otherwise there are five folds, "
    "or random halves if a class is too small for them or the set is large. The command line that "
    "says the same is printed.",
    "Classifiers: " OPTION_CLASSIFIERS ". -ml puts the learned map before the classifier, -multi "
    "several of them side by side; -random, -mean, -csp and pca- put other maps there, for "
    "comparison.",
    NULL};

static const command_example examples[] = {
    {"spdml evaluate a.npz",
     "Five usual methods, and what 'train' would choose, under the usual protocol."},
    {"spdml evaluate a.npz --time 60s", "The same; auto may choose for a minute in each round."},
    {"spdml evaluate a.npz --methods nn-stein,rsr-ml,cdl --train-where subject=1,2",
     "Train on two subjects, test on all others."},
    {"spdml evaluate a.npz --methods nn-airm,nn-airm-ml --split 0.5 --json",
     "Mean and deviation over ten random splits."},
    {"spdml evaluate a.npz --methods mdm-airm --leave-one-group-out subject",
     "Each subject in turn; add --recenter subject to align them first."},
    {"spdml evaluate a.npz --methods rsr-ml --outer-folds 5 --outer-groups subject",
     "Five folds, none of which shares a subject with another."},
    {NULL, NULL}};

COMMAND(evaluate, "compare recognition methods under a protocol", "DATA",
        .groups = {{"Options", options},
                   {"Normalising and recentring", options_aligning},
                   {"Choosing parameters", options_tuning},
                   COMMAND_MAP_GROUPS,
                   {"Fixed parameters", options_sizes},
                   {NULL, options_pairs},
                   {NULL, options_ranks},
                   {"Reading data", options_data},
                   {"Common options", options_common}});
