/* cmd_evaluate.c - `spdml evaluate`: methods compared on one data set under one protocol. */
#include <math.h>
#include <string.h>

#include "cli/evaluate/evaluation.h"

/* ---- methods --------------------------------------------------------------------------------- */

void evaluation_fit_options(session *s, spd_fit_options *o)
{
    spd_fit_defaults(o, sizeof *o);
    o->seed = (uint64_t)arguments_int(s->args, "seed");
    o->paper = arguments_flag(s->args, "paper");
    o->log_cost = (spd_log_cost)session_choice(s, "log-cost");
    spd_init_parse(NULL, arguments_text(s->args, "init"), &o->init);
    o->affinity_weight = arguments_real(s->args, "affinity-weight");
    o->max_iter = (int)arguments_int(s->args, "max-iter");
    o->tol = arguments_real(s->args, "tol");
}

static void take_method(session *s, evaluation *e, const char *name)
{
    spd_method *method = &e->method[e->methods];
    char joined[SPD_METHOD_NAME], other[SPD_METHOD_NAME];
    recognition_parse(s, name, method);
    recognition_values(s, method, 0);
    method->fit = &e->fit;
    spd_method_name(method, joined);
    for (size_t m = 0; m < e->methods; m++) {
        spd_method_name(&e->method[m], other);
        if (strcmp(other, joined) == 0)
            cli_misuse("--methods names %s twice", other);
    }
    e->method_at[e->methods++] = method;
}

static void take_methods(session *s, evaluation *e)
{
    const char *given = arguments_text(s->args, "methods");
    size_t length = strlen(given);
    char *list = cli_text(given, length);
    e->method = cli_alloc(length + 1, sizeof *e->method, "methods");
    e->method_at = cli_alloc(length + 1, sizeof *e->method_at, "methods");
    for (char *rest = list, *word; (word = strsep(&rest, ","));)
        take_method(s, e, word + strspn(word, " \t")); /* "nn-stein, rsr" */
}

static int any_uses(const evaluation *e, spd_parameter parameter)
{
    for (size_t m = 0; m < e->methods; m++)
        if (spd_method_uses(&e->method[m], parameter))
            return 1;
    return 0;
}

/* A value or a grid that no method has a use for is a mistake. */
static void check_used(session *s, const evaluation *e, spd_parameter parameter)
{
    const char *name = spd_parameter_name(parameter);
    int fixed = arguments_count(s->args, name) > 0, grid = e->grid.count[parameter] > 0;
    if (fixed && grid)
        cli_misuse("--%s and --grid %s cannot be used together", name, name);
    if ((fixed || grid) && !any_uses(e, parameter))
        cli_misuse("%s%s: none of the methods uses it", grid ? "--grid " : "--", name);
}

/* ---- grids ----------------------------------------------------------------------------------- */

static double number_named(const char *given, const char *word)
{
    double value;
    if (option_parse_real(word, &value) != 0)
        cli_misuse("--grid %s: '%s' is not a number", given, word);
    return value;
}

static double objective_named(session *s, const char *given, const char *word)
{
    spd_objective value;
    if (spd_objective_parse(s->ctx, word, &value) != SPD_OK)
        cli_misuse("--grid %s: %s", given, spd_context_error(s->ctx)->message);
    return (double)value;
}

/* "m=10,20" or "objective=difference,ratio": text is a copy. */
static void take_grid(session *s, evaluation *e, const char *given, char *text)
{
    spd_parameter parameter;
    char *equals = strchr(text, '=');
    if (equals)
        *equals = '\0';
    if (!equals || !equals[1])
        cli_misuse("--grid %s: must be NAME=value,value,...", given);
    if (spd_parameter_parse(s->ctx, text, &parameter) != SPD_OK)
        cli_misuse("--grid %s: %s", given, spd_context_error(s->ctx)->message);
    size_t room = strlen(equals + 1) + 1, count = 0;
    double *value = cli_alloc(room, sizeof *value, "a grid");
    for (char *rest = equals + 1, *word; (word = strsep(&rest, ","));)
        value[count++] = parameter == SPD_PARAM_OBJECTIVE ? objective_named(s, given, word)
                                                          : number_named(given, word);
    e->grid.count[parameter] = count;
    e->grid.value[parameter] = value;
}

void evaluation_grids(session *s, evaluation *e)
{
    for (size_t i = 0; i < arguments_count(s->args, "grid"); i++) {
        const char *given = arguments_nth(s->args, "grid", i);
        take_grid(s, e, given, cli_text(given, strlen(given)));
    }
    for (unsigned i = 0; i < SPD_PARAMETERS; i++)
        check_used(s, e, (spd_parameter)i);
}

void evaluation_check_paper(session *s, const evaluation *e)
{
    if (e->fit.paper &&
        (arguments_count(s->args, "objective") || e->grid.count[SPD_PARAM_OBJECTIVE]))
        cli_misuse("--paper has the objective difference; leave out --objective and --grid "
                   "objective");
}

/* ---- data ------------------------------------------------------------------------------------ */

static void check_labels(const spd_data *data)
{
    if (!data->label)
        labels_missing(data, "", "");
    if (data->classes < 2)
        cli_fail("%s: all labels are the same; two classes are needed", data->source);
}

static void load(session *s, evaluation *e)
{
    int matrices = 0, vectors = 0;
    for (size_t m = 0; m < e->methods; m++) {
        vectors |= spd_method_on_vectors(&e->method[m]);
        matrices |= !spd_method_on_vectors(&e->method[m]);
    }
    recognition_load(s, s->args->operands[0], arguments_text(s->args, "labels"), matrices, vectors,
                     &e->set);
    check_labels(e->set.data);
}

/* Each group to the identity by its own mean; labels are not used. */
static void recenter(session *s, evaluation *e)
{
    const char *column = arguments_text(s->args, "recenter");
    groups g;
    if (!column || !e->set.samples.X)
        return;
    spd_data *data = e->set.data;
    groups_take(data, column, "recenter", &g);
    spd_status status = spd_recenter(s->ctx, SPD_AIRM, data->n, data->p, data->X, g.group, data->X);
    if (status < 0)
        session_fail_in(s, data->source, status);
}

/* ---- the command ----------------------------------------------------------------------------- */

static int run(session *s)
{
    evaluation e = {0};
    spd_evaluate_defaults(&e.options, sizeof e.options);
    e.options.folds = (int)arguments_int(s->args, "cv");
    e.options.seed = (uint64_t)arguments_int(s->args, "seed");
    e.options.exhaustive = arguments_flag(s->args, "exhaustive");
    e.options.auc = arguments_flag(s->args, "auc");
    evaluation_fit_options(s, &e.fit);
    take_methods(s, &e);
    evaluation_grids(s, &e);
    evaluation_check_paper(s, &e);
    if (arguments_text(s->args, "keep") && arguments_text(s->args, "recenter"))
        cli_misuse("--keep and --recenter cannot be used together: new samples would have to be "
                   "moved by the mean of their own group");
    load(s, &e);
    protocol_take(s, e.set.data, &e.protocol, &e.options);
    evaluation_make_folder(s);
    recenter(s, &e);
    evaluation_run(s, &e);
    int code = evaluation_report(s, &e);
    if (code == CLI_GOOD)
        evaluation_keep(s, &e);
    return code;
}

/* All but the one that needs a matrix. */
static const char *inits(size_t i)
{
    return spd_init_name((spd_init)(i < SPD_INIT_GIVEN ? i : i + 1));
}

static const char *finals(size_t i)
{
    static const char *const which[] = {"best", "all", "none"};
    return i < sizeof which / sizeof *which ? which[i] : NULL;
}

static const option options[] = {
    {"methods", 0, OPTION_TEXT, "LIST", .words = option_methods, .list = 1, .required = 1,
     .help = "Methods, separated by commas: [pca-]CLASSIFIER[-METRIC][-MAP], with a MAP of ml, "
             "multi, random, mean, csp"},
    {"train-where", 0, OPTION_TEXT, "COLUMN=VALUE,...", .repeatable = 1,
     .help = "Training matrices: those whose COLUMN has one of the values; several clauses must "
             "all hold. Default: all that --test-where does not select"},
    {"test-where", 0, OPTION_TEXT, "COLUMN=VALUE,...", .repeatable = 1,
     .help = "Test matrices. Default: all that --train-where does not select"},
    {"split", 0, OPTION_REAL, "F", NULL, 0.001, 0.999,
     .help = "Random splits: train on this share of each class, test on the rest"},
    {"train-per-class", 0, OPTION_INT, "N", NULL, 1, 1000000000,
     .help = "Random splits: train on this many samples of each class"},
    {"outer-folds", 0, OPTION_INT, "N", NULL, 2, 1000000,
     .help = "Cross-validation as the protocol: matrices are dealt out to N folds, stratified by "
             "class; each fold is tested once, all others train"},
    {"outer-groups", 0, OPTION_TEXT, "COLUMN",
     .help = "With --outer-folds: matrices with the same value of COLUMN are in one fold"},
    {"repeats", 0, OPTION_INT, "N", "10", 1, 100000,
     .help = "Number of random splits; with --outer-folds, which are dealt once by default, how "
             "often"},
    {"leave-one-group-out", 0, OPTION_TEXT, "COLUMN",
     .help = "One round per value of COLUMN: test on its matrices, train on all others"},
    {"recenter", 0, OPTION_TEXT, "COLUMN",
     .help = "First recentre: move the mean of the matrices of each value of COLUMN to the "
             "identity. This uses test matrices, but no labels"},
    {"by", 0, OPTION_TEXT, "COLUMN", .help = "Also show the accuracy for each value of COLUMN"},
    {"auc", 0, OPTION_FLAG,
     .help = "Also the area under the ROC curve, one class against the rest, the mean over the "
             "classes; scores of all classes may take longer than predictions"},
    OPTION_VECTORS,
    OPTION_ENGINE,
    {"output", 'o', OPTION_FILE, "DIR", .writes = 1,
     .help = "Write report.html, a page with figures, and results.json, final.json, results.csv, "
             "rounds.csv, predictions.npz, confusion.npz, the data of the figures and samples.svg "
             "into the "
             "folder DIR"},
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
    {"grid", 0, OPTION_TEXT, "NAME=VALUE,...", .repeatable = 1,
     .help = "Values of a parameter to choose from, instead of the default ones; a grid of m "
             "without the size of the matrices leaves no choice but a map"},
    {"paper", 0, OPTION_FLAG,
     .help = "Learned maps as in the paper: only the objective difference, tuned over m and nu-b; "
             "no map is chosen only if it gets as many right as any"},
    {"exhaustive", 0, OPTION_FLAG,
     .help = "Try every setting in every fold, with maps fitted as finely as the final "
             "one, where otherwise settings that are clearly behind leave; about ten "
             "times slower"},
    {"final", 0, OPTION_CHOICE, "WHICH", "best", .choice = finals,
     .help = "At the end choose parameters on all matrices, test part included, and show the "
             "command that trains a method with them: for the most accurate method, for all, or "
             "for none"},
    OPTION_END};

const option options_start[] = {{"init", 0, OPTION_CHOICE, "KIND", "auto", .choice = inits,
                                 .help = "Where it begins, see 'spdml fit'"},
                                OPTION_END};

static const char *const paragraphs[] = {
    "Trains each method on one part of DATA, tests it on another, and prints accuracy, balanced "
    "accuracy, Cohen's kappa, the mean F1 of the classes, chosen parameters and times. Parameters "
    "that are not fixed by an option are chosen "
    "by cross-validation within the training part; labels of the test part are used only for the "
    "score. p is McNemar's exact test against the first method.",
    "Classifiers: nn, knn, mdm, rsr, cdl, cdl-lda, pga, riemannian-lle, riemannian-hessian-lle, "
    "riemannian-laplacian, ksvm, ts-lda on SPD matrices; src, gsrc on vectors. -ml puts the "
    "learned map before the classifier, -multi several of them side by side; -random, -mean, -csp "
    "and pca- put other maps there, for "
    "comparison.",
    NULL};

static const command_example examples[] = {
    {"spdml evaluate a.npz --methods nn-stein,rsr-ml,cdl --train-where subject=1,2",
     "Train on two subjects, test on all others."},
    {"spdml evaluate a.npz --methods nn-airm,nn-airm-ml --split 0.5 --json",
     "Mean and deviation over ten random splits."},
    {"spdml evaluate a.npz --methods mdm-airm --leave-one-group-out subject",
     "Each subject in turn; add --recenter subject to align them first."},
    {"spdml evaluate a.npz --methods rsr-ml --outer-folds 5 --outer-groups subject",
     "Five folds, none of which shares a subject with another."},
    {NULL, NULL}};

const command command_evaluate = {
    .name = "evaluate",
    .summary = "compare recognition methods under a protocol",
    .operands = "DATA",
    .groups = {{"Options", options},
               {"Choosing parameters", options_tuning},
               {"The learned map", options_cost},
               {NULL, options_start},
               {NULL, options_stop},
               {"Fixed parameters", options_values},
               {NULL, options_ranks},
               {"Reading data", options_data},
               {"Common options", options_common}},
    .paragraphs = paragraphs,
    .examples = examples,
    .run = run,
};
