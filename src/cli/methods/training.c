/* training.c - methods from the command line, trained. */
#include "cli/methods/training.h"

#include <math.h>
#include <string.h>

#include "cli/frame/number.h"
#include "cli/frame/tuning.h"
#include "cli/methods/numbers.h"
#include "cli/methods/predictions.h"

#define FOLDS 5 /* of the cross-validation, unless --cv says */

/* ---- options --------------------------------------------------------------------------------- */

const option options_method[] = {
    {"method", 0, OPTION_TEXT, "NAME", "auto", .words = option_methods, .common = 1,
     .help = "auto, or [pca-]CLASSIFIER[-METRIC][-MAP]: rsr-ml, nn-stein-ml, pca-nn-airm, "
             "mdm-airm-csp. Classifiers: " OPTION_CLASSIFIERS
             ". Maps: ml, multi, bag, random, mean, csp"},
    {"metric", 0, OPTION_CHOICE, "NAME", .names = SPD_ENUM_METRIC,
     .help = "Metric, if the method's name does not give it; default the method's usual one"},
    {"model", 0, OPTION_FILE, "FILE",
     .help = "A map learned by 'spdml fit' (.spdml), instead of learning one here; parameters that "
             "are not given then have their defaults"},
    OPTION_ENGINE,
    OPTION_END};

const option options_choosing[] = {
    {"no-tune", 0, OPTION_FLAG, .common = 1,
     .help = "No cross-validation: parameters that are not given have their defaults, which are "
             "often far from the best"},
    {"cv-groups", 0, OPTION_TEXT, "COLUMN", .common = 1,
     .help = "Keep matrices with the same value of COLUMN in one fold: such as subjects or "
             "sessions, if new samples will come from others"},
    OPTION_GRID(""),
    OPTION_SEED,
    OPTION_END};

const option options_start[] = {
    {"init", 0, OPTION_CHOICE, "KIND", "auto", INTO(spd_fit_options, init), .choice = OPTION_INITS,
     .names = SPD_ENUM_INIT, .help = "Start of the fit, see 'spdml fit'"},
    OPTION_END};

void training_fit_options(session *s, spd_fit_options *o)
{
    spd_fit_defaults(o, sizeof *o);
    o->seed = (uint64_t)arguments_int(s->args, "seed");
    ARGUMENTS_FILL(s->args, spd_fit_options, o);
}

/* "-m", "--nu-w", "--grid beta": what gave a parameter its value. */
static const char *giver(const session *s, const char *name)
{
    if (!command_option_named(s->args->command, name, strlen(name)) ||
        !arguments_count(s->args, name))
        return words_text("--grid %s", name);
    return words_text(name[1] ? "--%s" : "-%s", name);
}

/* Ends the command: a value or a grid that no method has a use for is a mistake. */
static void __attribute__((noreturn))
refuse_value(const session *s, size_t methods, const spd_method *method, const char *name)
{
    char method_name[SPD_METHOD_NAME];
    words list = {0};
    if (methods > 1)
        cli_misuse("%s: none of the methods uses it", giver(s, name));
    spd_method_name(method, method_name);
    for (unsigned p = 0; p < SPD_PARAMETERS; p++)
        if (spd_method_uses(method, p))
            words_add(&list, spd_name(SPD_ENUM_PARAMETER, p));
    cli_misuse("%s: %s does not use it; its parameters are: %s", giver(s, name), method_name,
               list.count ? words_join(&list, list.count, ", ") : "none");
}

/* One value is fixed for all methods that use it, several are to be chosen from. */
static void take_values(session *s, size_t methods, spd_method *method, spd_parameter parameter,
                        size_t count, double *value, spd_grid *grid)
{
    int used = 0;
    for (size_t m = 0; m < methods; m++)
        if (spd_method_uses(&method[m], parameter)) {
            method[m].value[parameter] = count == 1 ? value[0] : NAN;
            used = 1;
        }
    if (!used)
        refuse_value(s, methods, method, spd_name(SPD_ENUM_PARAMETER, parameter));
    grid->count[parameter] = count > 1 ? count : 0;
    grid->value[parameter] = value;
}

static double value_named(session *s, const char *given, spd_parameter parameter, const char *word)
{
    double value;
    if (parameter == SPD_PARAMETER_OBJECTIVE) {
        int objective = spd_parse(s->ctx, SPD_ENUM_OBJECTIVE, word);
        if (objective < 0)
            cli_misuse("--grid %s: %s", given, spd_context_error(s->ctx)->message);
        return objective;
    }
    if (option_parse_real(word, &value) != 0)
        cli_misuse("--grid %s: '%s' is not a number", given, word);
    return value;
}

/* "m=10,20" or "objective=difference,softmax": text is a copy. */
static void take_grid(session *s, size_t methods, spd_method *method, const char *given, char *text,
                      spd_grid *grid)
{
    char *equals = strchr(text, '=');
    if (equals)
        *equals = '\0';
    if (!equals || !equals[1])
        cli_misuse("--grid %s: must be NAME=value,value,...", given);
    int parameter = spd_parse(s->ctx, SPD_ENUM_PARAMETER, text);
    if (parameter < 0)
        cli_misuse("--grid %s: %s", given, spd_context_error(s->ctx)->message);
    const char *name = spd_name(SPD_ENUM_PARAMETER, (unsigned)parameter);
    if (strncmp(giver(s, name), "--grid", 6) != 0)
        cli_misuse("%s and --grid %s cannot be used together", giver(s, name), name);
    size_t count = 0;
    double *value = cli_alloc(strlen(equals + 1) + 1, sizeof *value, "a grid");
    for (char *rest = equals + 1, *word; (word = strsep(&rest, ","));)
        value[count++] = value_named(s, given, (spd_parameter)parameter, word);
    take_values(s, methods, method, (spd_parameter)parameter, count, value, grid);
}

/* A parameter that is an option of the command, and given as such. */
static void take_option(session *s, size_t methods, spd_method *method, spd_parameter parameter,
                        spd_grid *grid)
{
    const char *name = spd_name(SPD_ENUM_PARAMETER, parameter);
    if (strncmp(giver(s, name), "--grid", 6) == 0)
        return;
    double *value = cli_alloc(1, sizeof *value, "a value");
    *value = parameter == SPD_PARAMETER_OBJECTIVE ? (double)session_choice(s, name)
                                                  : (double)arguments_int(s->args, name);
    take_values(s, methods, method, parameter, 1, value, grid);
}

size_t training_values(session *s, size_t methods, spd_method *method, spd_grid *grid)
{
    size_t open = 0;
    for (unsigned p = 0; p < SPD_PARAMETERS; p++)
        take_option(s, methods, method, p, grid);
    for (size_t i = 0; i < arguments_count(s->args, "grid"); i++) {
        const char *given = arguments_nth(s->args, "grid", i);
        take_grid(s, methods, method, given, cli_text(given, strlen(given)), grid);
    }
    for (unsigned p = 0; p < SPD_PARAMETERS; p++)
        open += grid->count[p] > 0;
    return open;
}

double training_time(session *s, size_t methods, const spd_method *method)
{
    const char *text = arguments_text(s->args, "time");
    double seconds = 0.0;
    int automatic = 0;
    if (!text)
        return 0.0;
    for (size_t m = 0; m < methods; m++)
        automatic |= method[m].automatic != 0;
    if (!automatic)
        cli_misuse("--time limits auto; name the method auto, or leave --time out");
    if (number_duration(text, &seconds) || seconds <= 0.0)
        cli_misuse("--time %s: must be a time such as 30s, 2m or 1h", text);
    return seconds;
}

/* ---- the method ------------------------------------------------------------------------------ */

/* --metric goes to a method whose name leaves it open; the library judges the two together. */
static void take_metric(session *s, const char *name, spd_method *method)
{
    char joined[SPD_METHOD_NAME];
    if (!arguments_text(s->args, "metric"))
        return;
    if (method->automatic)
        cli_misuse("--metric: auto chooses its own; name a method");
    spd_metric metric = session_metric(s);
    if (metric != method->metric && strstr(name, spd_name(SPD_ENUM_METRIC, method->metric)))
        cli_misuse(
            "--method %s already names a metric, and --metric says %s; leave one of them out", name,
            spd_name(SPD_ENUM_METRIC, metric));
    method->metric = metric;
    spd_method_name(method, joined);
    recognition_parse(s, joined, method);
}

void training_take(session *s, training *t)
{
    const char *name = arguments_text(s->args, "method"), *model = arguments_text(s->args, "model");
    t->folds = FOLDS;
    recognition_parse(s, name, &t->method);
    take_metric(s, name, &t->method);
    if (model && t->method.automatic)
        cli_misuse("--model: auto chooses its own map; name a method to go with the model");
    if (t->method.automatic && arguments_flag(s->args, "no-tune"))
        cli_misuse("--no-tune: auto is a choice by cross-validation; name a method");
    if (model && t->method.map != SPD_MAP_NONE && t->method.map != SPD_MAP_ML)
        cli_misuse("--method %s has its own map, and --model is another; leave one of them out",
                   name);
    if (model && spd_method_on_vectors(&t->method))
        cli_misuse("--model: %s works on vectors, and maps apply to matrices only", name);
    training_fit_options(s, &t->fit);
    t->method.fit = &t->fit;
    t->grids = training_values(s, 1, &t->method, &t->grid);
    if (arguments_flag(s->args, "no-tune") && t->grids)
        cli_misuse("--no-tune takes one value of a parameter, and --grid has several");
}

/* ---- samples --------------------------------------------------------------------------------- */

/* The map's size must fit; its metric may be another. */
static void load_model(session *s, training *t)
{
    const char *path = arguments_text(s->args, "model");
    if (!path)
        return;
    t->model = session_model(s, path);
    shown_check(path, "maps", t->model->n, t->model->options->hermitian, t->set.data);
    if (t->model->options->metric != t->method.metric)
        session_remark(s, "%s was learned under the metric %s, but %s uses %s", path,
                       spd_name(SPD_ENUM_METRIC, t->model->options->metric),
                       spd_name(SPD_ENUM_CLASSIFIER, t->method.classifier),
                       spd_name(SPD_ENUM_METRIC, t->method.metric));
}

void training_load(session *s, const char *path, training *t)
{
    int vectors = spd_method_on_vectors(&t->method);
    const char *column = arguments_text(s->args, "cv-groups");
    recognition_load(s, path, arguments_text(s->args, "labels"), !vectors, vectors, &t->set);
    const spd_data *data = t->set.data;
    if (t->target)
        t->set.samples.target = numbers_take(data, t->target);
    else if (!data->label)
        labels_missing(data, " to learn from", "");
    else if (data->classes < 2)
        cli_fail(
            "%s: all %zu samples have the label %s; at least two classes are needed to tell apart",
            data->source, data->p, data->class_name[0]);
    if (column)
        groups_take(data, column, "cv-groups", &t->groups);
    t->set.samples.fold_group = t->groups.group;
    load_model(s, t);
}

/* ---- work ------------------------------------------------------------------------------------ */

/* A map that is given is not the one that a cross-validation would learn, so there is none then. */
static void choose(session *s, training *t)
{
    const spd_tune_options tuning = {.size = sizeof tuning,
                                     .folds = t->folds,
                                     .group = t->groups.group,
                                     .seed = (uint64_t)arguments_int(s->args, "seed"),
                                     .grid = &t->grid,
                                     .seconds = t->seconds};
    t->tuned = (spd_tune_info)SPD_STRUCT(spd_tune_info);
    if (!t->model && !t->target && !arguments_flag(s->args, "no-tune"))
        t->tune_seconds = tuning_run(s, &t->method, &t->set.samples, &tuning, t->set.data->source,
                                     &t->tuned, &t->league);
}

void training_run(session *s, training *t)
{
    choose(s, t);
    double start = bar_clock();
    spd_status status =
        spd_classifier_fit(s->ctx, &t->method, &t->set.samples, t->model, &t->classifier);
    session_check_in(s, t->set.data->source, status);
    keep_classifier(t->classifier);
    predictions_remark(s, status);
    session_unreached(s, "the map", spd_classifier_model(t->classifier));
    if (!t->model)
        recognition_remark(s, &t->method, &t->set);
    t->fit_seconds = bar_clock() - start;
    session_talk(s, "learned from %zu samples", t->set.samples.p);
    bar_clear(&s->bar);
}
