/* cmd_train.c - `spdml train`: a method, its parameters chosen by cross-validation, trained and
 * kept in a file. */
#include <string.h>
#include <sys/stat.h>

#include "cli/evaluate/evaluation.h"
#include "cli/evaluate/predictions.h"
#include "cli/evaluate/show_trained.h"
#include "cli/frame/tuning.h"

typedef struct training {
    evaluation e; /* of one method: what evaluate would be asked */
    spd_method method;
    const spd_method *at;
    groups groups; /* of --cv-groups */
    spd_tuned tuned;
    int chosen; /* tuned is set */
    spd_classifier *classifier;
    double tune_seconds, fit_seconds;
} training;

/* ---- asked ----------------------------------------------------------------------------------- */

static void take_method(session *s, training *t)
{
    recognition_parse(s, arguments_text(s->args, "method"), &t->method);
    recognition_values(s, &t->method, 1);
    evaluation_fit_options(s, &t->e.fit);
    t->method.fit = &t->e.fit;
    t->at = &t->method;
    t->e.method = &t->method;
    t->e.method_at = &t->at;
    t->e.methods = 1;
    evaluation_grids(s, &t->e);
    if (arguments_flag(s->args, "no-tune") && arguments_count(s->args, "grid"))
        cli_misuse("--no-tune and --grid cannot be used together");
}

static void load(session *s, training *t)
{
    int vectors = spd_method_on_vectors(&t->method);
    const char *column = arguments_text(s->args, "cv-groups");
    recognition_load(s, s->args->operands[0], arguments_text(s->args, "labels"), !vectors, vectors,
                     &t->e.set);
    const spd_data *data = t->e.set.data;
    if (!data->label)
        labels_missing(data, " to learn from", "");
    if (data->classes < 2)
        cli_fail(
            "%s: all %zu samples have the label %s; at least two classes are needed to tell apart",
            data->source, data->p, data->class_name[0]);
    if (column)
        groups_take(data, column, "cv-groups", &t->groups);
}

/* ---- work ------------------------------------------------------------------------------------ */

static void choose(session *s, training *t)
{
    const spd_tuning tuning = {.size = sizeof tuning,
                               .folds = (int)arguments_int(s->args, "cv"),
                               .group = t->groups.group,
                               .seed = (uint64_t)arguments_int(s->args, "seed"),
                               .grid = &t->e.grid,
                               .exhaustive = arguments_flag(s->args, "exhaustive")};
    t->tuned = (spd_tuned)SPD_INIT(spd_tuned);
    if (arguments_flag(s->args, "no-tune"))
        return;
    t->tune_seconds =
        tuning_run(s, &t->method, &t->e.set.samples, &tuning, t->e.set.data->source, &t->tuned);
    t->chosen = 1;
}

static void release_classifier(void *classifier)
{
    spd_classifier_free(classifier);
}

static void learn(session *s, training *t)
{
    const spd_data *data = t->e.set.data;
    double start = bar_clock();
    spd_status status =
        spd_classifier_fit(s->ctx, &t->method, &t->e.set.samples, NULL, &t->classifier);
    if (status < 0)
        session_fail_in(s, data->source, status);
    cli_keep(t->classifier, release_classifier);
    predictions_remark(s, status);
    session_unreached(s, "the map", spd_classifier_model(t->classifier));
    recognition_remark(s, &t->method, &t->e.set);
    t->fit_seconds = bar_clock() - start;
    session_talk(s, "learned from %zu samples", data->p);
    bar_clear(&s->bar);
}

static void keep(session *s, training *t)
{
    const spd_data *data = t->e.set.data;
    spd_notes notes = SPD_INIT(spd_notes);
    notes.classes = data->classes;
    notes.class_name = data->class_name;
    notes.label_type = data->y->type;
    notes.made = data->meta;
    notes.settings = t->chosen ? t->tuned.settings : 0;
    notes.folds = t->tuned.folds;
    notes.accuracy = t->tuned.accuracy;
    notes.accuracy_no_map = t->tuned.accuracy_no_map;
    session_check(s, spd_classifier_note(s->ctx, t->classifier, &notes));
    session_check(s, spd_classifier_save(s->ctx, t->classifier, session_output(s)));
    session_talk(s, "wrote %s", session_output(s));
}

static void show(session *s, const training *t)
{
    struct stat st;
    sheet *r = session_sheet(s);
    size_t size = stat(session_output(s), &st) == 0 ? (size_t)st.st_size : 0;
    sheet_text(r, "data", "data", t->e.set.data->source);
    show_trained(r, t->classifier);
    sheet_real(r, "tune_seconds", NULL, t->tune_seconds);
    sheet_real(r, "fit_seconds", NULL, t->fit_seconds);
    sheet_line(r, "time", "%.3f s to choose, %.3f s to train", t->tune_seconds, t->fit_seconds);
    sheet_text(r, "output", NULL, session_output(s));
    sheet_count(r, "bytes", NULL, size, "");
    sheet_line(r, "output", "%s, %zu bytes", session_output(s), size);
}

static int run(session *s)
{
    training t = {0};
    take_method(s, &t);
    session_check_output(s);
    load(s, &t);
    choose(s, &t);
    learn(s, &t);
    keep(s, &t);
    show(s, &t);
    return CLI_GOOD;
}

/* ---- the table ------------------------------------------------------------------------------- */

static const option options[] = {
    {"method", 0, OPTION_TEXT, "NAME", .words = option_methods, .required = 1,
     .help = "[pca-]CLASSIFIER[-METRIC][-MAP], as for 'spdml evaluate', with a MAP of ml, multi, "
             "random, mean, csp: rsr-ml, nn-stein-ml, mdm-airm, ts-lda, cdl"},
    OPTION_VECTORS,
    OPTION_ENGINE,
    {OPTION_OUTPUT(option_model_endings, "The file of the trained method"), .required = 1},
    OPTION_END};

static const option options_choosing[] = {
    OPTION_NO_TUNE,
    OPTION_CV,
    {"cv-groups", 0, OPTION_TEXT, "COLUMN",
     .help = "Keep matrices with the same value of COLUMN in one fold: subjects, sessions, "
             "whatever new samples will not share with training"},
    {"grid", 0, OPTION_TEXT, "NAME=VALUE,...", .repeatable = 1,
     .help = "Values of a parameter to choose from, instead of the default ones"},
    {"exhaustive", 0, OPTION_FLAG,
     .help = "Try every setting in every fold, with maps fitted as finely as the final one; slow"},
    OPTION_END};

static const char *const paragraphs[] = {
    "Trains a method on all samples of DATA and keeps it in a file for 'spdml predict'. Parameters "
    "that are not fixed by an option are chosen by cross-validation first.",
    "The file holds the map, the classifier with its parameters, the names of the classes, how the "
    "matrices were made, the scores of the cross-validation and, of the training samples, what the "
    "method needs to decide: all of them for nn, knn, rsr, cdl, cdl-lda and the embeddings, the "
    "support vectors for ksvm-stein and cov3dj, coordinates for pga, src and gsrc, none for mdm "
    "and ts-lda. "
    "'spdml info' says so.",
    NULL};

static const command_example examples[] = {
    {"spdml train a.npz --method rsr-ml -o method.spdml", "Choose parameters, train, keep."},
    {"spdml train a.npz --method ts-lda --cv-groups subject -o method.spdml",
     "Folds keep subjects together."},
    {"spdml train a.npz --method nn-airm-ml -m 10 --no-tune -o method.spdml",
     "With these parameters, and no search."},
    {NULL, NULL}};

const command command_train = {
    .name = "train",
    .summary = "train a method and keep it in a file",
    .operands = "DATA",
    .groups = {{"Options", options},
               {"Choosing parameters", options_choosing},
               {"The learned map", options_paper},
               {NULL, options_cost},
               {NULL, options_start},
               {NULL, options_solver},
               {NULL, options_stop},
               {"Fixed parameters", options_values},
               {"Reading data", options_data},
               {"Common options", options_common}},
    .paragraphs = paragraphs,
    .examples = examples,
    .run = run,
};
