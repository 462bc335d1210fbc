/* cmd_train.c - `spdml train`: a method, its parameters chosen by cross-validation, trained and
 * kept in a file. */
#include <string.h>
#include <sys/stat.h>

#include "cli/frame/again.h"
#include "cli/methods/aligning.h"
#include "cli/methods/numbers.h"
#include "cli/methods/show_trained.h"
#include "cli/methods/training.h"

static void keep(session *s, const training *t, const groups *g)
{
    spd_metadata notes =
        t->target ? numbers_notes(t->set.data, &t->target) : recognition_notes(t->set.data);
    aligning_note(g, &notes);
    notes.settings = t->tuned.settings;
    notes.folds = t->tuned.folds;
    notes.accuracy = t->tuned.accuracy;
    notes.accuracy_no_map = t->tuned.accuracy_no_map;
    session_check(s, spd_classifier_set_metadata(s->ctx, t->classifier, &notes));
    session_check(s, spd_classifier_save(s->ctx, t->classifier, session_output(s)));
    session_talk(s, "wrote %s", session_output(s));
}

static void show(session *s, const training *t)
{
    struct stat st;
    sheet *r = session_sheet(s);
    size_t size = stat(session_output(s), &st) == 0 ? (size_t)st.st_size : 0;
    sheet_text(r, "data", "data", t->set.data->source);
    if (t->league)
        show_league(r, t->league);
    show_trained(r, t->classifier);
    sheet_real(r, "tune_seconds", NULL, t->tune_seconds);
    sheet_real(r, "fit_seconds", NULL, t->fit_seconds);
    sheet_line(r, "time", "%.3f s to choose, %.3f s to train", t->tune_seconds, t->fit_seconds);
    sheet_text(r, "output", NULL, session_output(s));
    sheet_count(r, "bytes", NULL, size, "");
    sheet_line(r, "output", "%s, %zu bytes", session_output(s), size);
}

/* Says the method and the file, if they were left open, as if they had been typed. */
static void complete(session *s, const training *t, arguments *a)
{
    struct stat st;
    char name[SPD_METHOD_NAME];
    int given = arguments_count(a, "method") > 0, named = arguments_count(a, "output") > 0;
    spd_method_name(&t->method, name);
    if (!given)
        arguments_add(a, "method", cli_text(name, strlen(name)));
    if (!named)
        arguments_add(a, "output", words_text("%s.spdml", name));
    s->args = a;
    if (!named && stat(session_output(s), &st) == 0)
        cli_misuse("%s exists already; -o FILE names another file, or replaces it",
                   session_output(s));
    if (!given || !named)
        sheet_text(session_sheet(s), "command", "same as", again_command(a));
}

static int run(session *s)
{
    training t = {0};
    groups g;
    t.target = arguments_text(s->args, "target");
    training_take(s, &t);
    t.folds = (int)arguments_int(s->args, "cv");
    t.seconds = training_time(s, 1, &t.method);
    if (t.target && (t.grids || t.seconds > 0.0))
        cli_misuse("--target: krr chooses its values without folds; leave out --time, and --grid "
                   "with several values");
    aligning_take(s, &t.method, 1);
    complete(s, &t, arguments_copy(s->args));
    session_check_output(s);
    training_load(s, s->args->operands[0], &t);
    aligning_groups(s, t.set.data, &g, &t.set.samples);
    training_run(s, &t);
    keep(s, &t, &g);
    show(s, &t);
    return CLI_GOOD;
}

/* ---- the table ------------------------------------------------------------------------------- */

static const option options[] = {
    {OPTION_OUTPUT(OPTION_MODEL_ENDINGS, "The file of the trained method; default METHOD.spdml")},
    {"target", 0, OPTION_TEXT, "COLUMN", .common = 1,
     .help = "Predict the numbers of COLUMN (y: of the labels) in place of classes: regression by "
             "krr, krr-tangent or krr-both; auto takes the one with the least error"},
    OPTION_END};

static const option options_limits[] = {
    {"cv", 0, OPTION_INT, "N", "5", 2, 1000000,
     .help = "Folds of the cross-validation; fewer if a class or the groups have fewer"},
    OPTION_TIME,
    OPTION_END};

static const char *const paragraphs[] = {
    "Trains a method on all samples of DATA and keeps it in a file for 'spdml predict'. Parameters "
    "that are not fixed by an option are chosen by cross-validation first. auto, if no method is "
    "named, chooses the method too, and prints how all candidates did and what to expect.",
    "The file holds the map, the classifier with its parameters, the names of the classes, how the "
    "matrices were made, the scores of the cross-validation and the training samples that the "
    "method needs for its decisions: all of them for nn, knn, rsr, krr, krr-both, cdl, cdl-lda "
    "and the embeddings, the support vectors for ksvm-stein and cov3dj, coordinates for pga, src "
    "and gsrc, none for mdm, ts-lda, ts-lr and krr-tangent. 'spdml info' shows which.",
    "--target takes a column of numbers in place of classes: kernel ridge regression, which "
    "chooses its values without folds. R2 and the error of matrices left out, or of groups with "
    "--cv-groups, are printed.",
    NULL};

static const command_example examples[] = {
    {"spdml train a.npz", "The best of a portfolio of methods, to auto.spdml."},
    {"spdml train a.npz --time 60s --cv-groups subject",
     "The same in at most a minute, for subjects that training does not have."},
    {"spdml train a.npz --method rsr-ml -o method.spdml", "Choose parameters, train, keep."},
    {"spdml train a.npz --method ts-lda --cv-groups subject -o method.spdml",
     "Folds keep subjects together."},
    {"spdml train a.npz --method ts-lda --recenter subject -o method.spdml",
     "Move every subject's mean to the identity; 'spdml predict' moves new ones by their own."},
    {"spdml train a.npz --target age --cv-groups site -o age.spdml",
     "Regression: numbers in place of classes."},
    {"spdml train a.npz --method nn-airm-ml -m 10 --no-tune -o method.spdml",
     "With these parameters, and no search."},
    {NULL, NULL}};

COMMAND(train, "train a method and save it to a file", "DATA",
        .groups = {{"Options", options_method},
                   {NULL, options},
                   {"Normalising and recentring", options_aligning},
                   {"Choosing parameters", options_choosing},
                   {NULL, options_limits},
                   COMMAND_MAP_GROUPS,
                   {"Fixed parameters", options_sizes},
                   {NULL, options_pairs},
                   {"Reading data", options_data},
                   {"Common options", options_common}});
