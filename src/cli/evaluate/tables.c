/* tables.c - table and JSON of an evaluation. */
#include "cli/evaluate/evaluation.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/frame/screen.h"
#include "cli/frame/text_file.h"
#include "cli/report/page.h"

/* ---- JSON ------------------------------------------------------------------------------------ */

static double value_of(const evaluation *e, size_t method, size_t round, unsigned parameter)
{
    return e->found->method[method]->outcome[round]->value[parameter];
}

/* Values that the rounds of a method have used, by parameter: a number where all agree, a list
 * where they do not. */
static json_t *parameters_json(const evaluation *e, size_t method)
{
    sheet all;
    sheet_open(&all, 1);
    for (unsigned i = 0; i < SPD_PARAMETERS; i++) {
        double first = value_of(e, method, 0, i);
        json_t *list = sheet_json_list(), *number = recognition_value((spd_parameter)i, first);
        int agree = 1;
        for (size_t r = 0; r < e->found->rounds; r++) {
            json_t *here = recognition_value((spd_parameter)i, value_of(e, method, r, i));
            agree &= json_equal(number, here);
            sheet_json_append(list, here);
        }
        if (spd_method_uses(&e->method[method], (spd_parameter)i) && !(agree && isnan(first)))
            sheet_json(&all, spd_parameter_name((spd_parameter)i),
                       json_incref(agree ? number : list));
        json_decref(list);
        json_decref(number);
    }
    return all.object;
}

/* "1101": for each test sample of a round, in the order of their numbers, whether it was right. */
static char *right_text(const evaluation *e, const spd_outcome *o, const spd_round *part)
{
    char *text = cli_alloc(part->test_count + 1, 1, "outcomes");
    for (size_t i = 0; i < part->test_count; i++)
        text[i] = o->predicted[i] == e->set.samples.label[part->test[i]] ? '1' : '0';
    return text;
}

/* A fingerprint (FNV-1a) of the numbers and the classes of samples: equal for rounds that train, or
 * test, the same ones. */
static json_t *fingerprint(const evaluation *e, size_t count, const size_t *sample)
{
    char text[20];
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < count; i++) {
        const char *name = e->set.data->class_name[e->set.samples.label[sample[i]]];
        for (unsigned byte = 0; byte < 8; byte++)
            hash = (hash ^ ((uint64_t)sample[i] >> (8 * byte) & 255u)) * 0x100000001b3u;
        do
            hash = (hash ^ (unsigned char)*name) * 0x100000001b3u;
        while (*name++);
    }
    snprintf(text, sizeof text, "%016" PRIx64, hash);
    return sheet_json_text(text);
}

/* Which samples each round trains and tests, for those who compare with other evaluations. */
static json_t *splits_json(const evaluation *e)
{
    json_t *list = sheet_json_list();
    for (size_t r = 0; r < e->found->rounds; r++) {
        const spd_round *part = e->found->round[r];
        json_t *one = sheet_json_object();
        sheet_json_set(one, "train", fingerprint(e, part->train_count, part->train));
        sheet_json_set(one, "test", fingerprint(e, part->test_count, part->test));
        sheet_json_append(list, one);
    }
    return list;
}

static json_t *round_json(const evaluation *e, size_t method, size_t round)
{
    char text[ROUND_NAME];
    const spd_outcome *o = e->found->method[method]->outcome[round];
    const spd_round *part = e->found->round[round];
    sheet r;
    sheet_open(&r, 1);
    sheet_text(&r, "round", NULL, protocol_round(&e->protocol, e->found, round, text));
    sheet_count(&r, "train", NULL, part->train_count, "");
    sheet_count(&r, "test", NULL, part->test_count, "");
    sheet_count(&r, "correct", NULL, o->correct, "");
    sheet_real(&r, "accuracy", NULL, o->accuracy);
    sheet_real(&r, "balanced_accuracy", NULL, o->balanced);
    sheet_real(&r, "kappa", NULL, o->kappa);
    sheet_real(&r, "macro_f1", NULL, o->macro_f1);
    sheet_real(&r, "auc", NULL, o->auc);
    sheet_text(&r, "right", NULL, right_text(e, o, part));
    sheet_json(&r, "parameters", recognition_json(&e->method[method], o->value));
    sheet_count(&r, "settings", NULL, o->settings, "");
    sheet_json(&r, "folds", json_integer(o->folds));
    sheet_real(&r, "cv_accuracy", NULL, o->cv_accuracy);
    if (e->method[method].map != SPD_MAP_NONE) {
        sheet_real(&r, "cv_accuracy_no_map", NULL, o->cv_accuracy_no_map);
        sheet_json(&r, "no_map",
                   json_boolean(o->value[SPD_PARAM_M] >= (double)shown_n(e->set.data)));
    }
    sheet_count(&r, "tune_fits", NULL, o->tune_fits, "");
    sheet_count(&r, "tune_iterations", NULL, o->tune_iterations, "");
    sheet_real(&r, "tune_seconds", NULL, o->tune_seconds);
    sheet_real(&r, "fit_seconds", NULL, o->fit_seconds);
    sheet_real(&r, "test_seconds", NULL, o->test_seconds);
    return r.object;
}

static json_t *by_json(const evaluation *e, size_t method)
{
    const groups *by = &e->protocol.by;
    double *accuracy = evaluation_by(e, method);
    sheet r;
    sheet_open(&r, 1);
    for (size_t v = 0; v < by->count; v++)
        if (!isnan(accuracy[v])) {
            json_t *name = sheet_json_text(by->name[v]); /* UTF-8, as a key must be */
            sheet_real(&r, json_string_value(name), NULL, accuracy[v]);
            json_decref(name);
        }
    return r.object;
}

static json_t *method_json(const evaluation *e, size_t method)
{
    const spd_method_result *found = e->found->method[method];
    json_t *rounds = sheet_json_list();
    sheet r;
    sheet_open(&r, 1);
    sheet_text(&r, "method", NULL, found->name);
    sheet_real(&r, "accuracy_mean", NULL, found->accuracy);
    sheet_real(&r, "accuracy_std", NULL, found->accuracy_deviation);
    sheet_real(&r, "balanced_accuracy_mean", NULL, found->balanced);
    sheet_real(&r, "balanced_accuracy_std", NULL, found->balanced_deviation);
    sheet_real(&r, "kappa_mean", NULL, found->kappa);
    sheet_real(&r, "kappa_std", NULL, found->kappa_deviation);
    sheet_real(&r, "macro_f1_mean", NULL, found->macro_f1);
    sheet_real(&r, "macro_f1_std", NULL, found->macro_f1_deviation);
    sheet_real(&r, "auc_mean", NULL, found->auc);
    sheet_real(&r, "auc_std", NULL, found->auc_deviation);
    sheet_json(&r, "parameters", parameters_json(e, method));
    if (e->method[method].map != SPD_MAP_NONE)
        sheet_count(&r, "rounds_without_map", NULL, evaluation_without_map(e, method), "");
    sheet_real(&r, "tune_seconds", NULL, found->tune_seconds);
    sheet_real(&r, "fit_seconds", NULL, found->fit_seconds);
    sheet_real(&r, "test_seconds", NULL, found->test_seconds);
    sheet_json(&r, "mcnemar_p", method ? sheet_json_real(found->p_value[0]) : json_null());
    if (e->protocol.by.count)
        sheet_json(&r, "by", by_json(e, method));
    for (size_t i = 0; i < e->found->rounds; i++)
        sheet_json_append(rounds, round_json(e, method, i));
    sheet_json(&r, "rounds", rounds);
    return r.object;
}

/* The column whose values folds have kept together, or NULL. */
static const char *fold_column(const evaluation *e)
{
    return e->found->folds_grouped ? e->protocol.fold_column : NULL;
}

static json_t *evaluation_json(session *s, const evaluation *e)
{
    const spd_data *d = e->set.data;
    const spd_evaluation *found = e->found;
    json_t *results = sheet_json_list();
    sheet r;
    sheet_open(&r, 1);
    sheet_text(&r, "data", NULL, d->source);
    sheet_count(&r, "matrices", NULL, d->p, "");
    sheet_size(&r, shown_n(d), d->hermitian);
    sheet_count(&r, "classes", NULL, d->classes, "");
    sheet_text(&r, "protocol", NULL, e->protocol.text);
    sheet_count(&r, "rounds", NULL, found->rounds, "");
    sheet_json(&r, "folds_wanted", json_integer(e->options.folds));
    sheet_json(&r, "folds", found->least_folds ? json_integer(found->least_folds) : json_null());
    sheet_json(&r, "fold_groups", fold_column(e) ? sheet_json_text(fold_column(e)) : json_null());
    sheet_json(&r, "seed", json_integer((json_int_t)e->options.seed));
    sheet_json(&r, "repeats_samples", json_boolean(found->repeats_samples));
    sheet_json(&r, "splits", splits_json(e));
    sheet_json(&r, "remarks", sheet_json_words(&e->remarks));
    for (size_t m = 0; m < e->methods; m++)
        sheet_json_append(results, method_json(e, m));
    sheet_json(&r, "results", results);
    sheet_real(&r, "seconds", NULL, bar_clock() - s->start);
    return r.object;
}

static int wants_page(const session *s)
{
    return session_output(s) && !arguments_flag(s->args, "no-report");
}

/* ---- table ----------------------------------------------------------------------------------- */

size_t evaluation_without_map(const evaluation *e, size_t method)
{
    size_t count = 0;
    for (size_t r = 0; r < e->found->rounds; r++)
        count += e->method[method].map != SPD_MAP_NONE &&
                 value_of(e, method, r, SPD_PARAM_M) >= (double)shown_n(e->set.data);
    return count;
}

/* Adds words to a text of this size. */
static void __attribute__((format(printf, 3, 4)))
add_words(char *text, size_t size, const char *format, ...)
{
    size_t at = strlen(text);
    va_list rest;
    va_start(rest, format);
    vsnprintf(text + at, size - at, format, rest);
    va_end(rest);
}

/* Adds the range of a number over the rounds, and how many of them have no map. */
static void add_range(const evaluation *e, size_t method, unsigned parameter, char *text,
                      size_t size)
{
    double low = INFINITY, high = -INFINITY;
    size_t rounds = e->found->rounds, without = evaluation_without_map(e, method);
    for (size_t r = 0; r < rounds; r++) {
        low = fmin(low, value_of(e, method, r, parameter));
        high = fmax(high, value_of(e, method, r, parameter));
    }
    add_words(text, size, " %.4g", low);
    if (high > low)
        add_words(text, size, "..%.4g", high);
    if (parameter == SPD_PARAM_M && without == rounds)
        add_words(text, size, " (no map)");
    else if (parameter == SPD_PARAM_M && without)
        add_words(text, size, " (no map in %zu of %zu rounds)", without, rounds);
}

/* Adds the names of the objectives of the rounds, each once. */
static void add_objectives(const evaluation *e, size_t method, char *text, size_t size)
{
    char between = ' ';
    for (spd_objective o = 0; spd_objective_name(o); o++)
        for (size_t r = 0; r < e->found->rounds; r++)
            if (value_of(e, method, r, SPD_PARAM_OBJECTIVE) == (double)o) {
                add_words(text, size, "%c%s", between, spd_objective_name(o));
                between = '/';
                break;
            }
}

static int has_value(const evaluation *e, size_t method, unsigned parameter)
{
    int any = 0;
    for (size_t r = 0; r < e->found->rounds; r++)
        any |= !isnan(value_of(e, method, r, parameter));
    return any && spd_method_uses(&e->method[method], (spd_parameter)parameter);
}

void evaluation_parameters_text(const evaluation *e, size_t method, char *text, size_t size)
{
    text[0] = '\0';
    for (unsigned i = 0; i < SPD_PARAMETERS; i++) {
        if (!has_value(e, method, i))
            continue;
        add_words(text, size, "%s%s", text[0] ? ", " : "", spd_parameter_name((spd_parameter)i));
        if (i == SPD_PARAM_OBJECTIVE)
            add_objectives(e, method, text, size);
        else
            add_range(e, method, i, text, size);
    }
    if (!text[0])
        snprintf(text, size, "-");
}

static void percent_text(const evaluation *e, double mean, double deviation, char text[24])
{
    if (e->found->rounds > 1)
        snprintf(text, 24, "%.1f +- %.1f", 100.0 * mean, 100.0 * deviation);
    else
        snprintf(text, 24, "%.1f", 100.0 * mean);
}

static void print_by(const evaluation *e, size_t method)
{
    const groups *by = &e->protocol.by;
    double *accuracy = evaluation_by(e, method);
    const char *between = "";
    screen_print("  by %s: ", by->column);
    for (size_t v = 0; v < by->count; v++)
        if (!isnan(accuracy[v])) {
            screen_print("%s%s %.1f", between, by->name[v], 100.0 * accuracy[v]);
            between = ", ";
        }
    putchar('\n');
}

static int width_of_names(const evaluation *e)
{
    size_t width = strlen("method");
    for (size_t m = 0; m < e->methods; m++)
        width =
            strlen(e->found->method[m]->name) > width ? strlen(e->found->method[m]->name) : width;
    return (int)width;
}

/* text <- "   0.91", a column of the table. */
static void number_column(double value, char text[16])
{
    if (isnan(value))
        snprintf(text, 16, "  %6s", "-");
    else
        snprintf(text, 16, "  %6.3f", value);
}

static void print_methods(const evaluation *e)
{
    int width = width_of_names(e);
    screen_print("\n%-*s  %12s  %12s  %6s  %6s%s  %8s  %8s  %8s  %8s  %s\n", width, "method",
                 "accuracy %", "balanced %", "kappa", "F1", e->options.auc ? "     AUC" : "",
                 "tune s", "fit s", "test s", "p", "parameters");
    for (size_t m = 0; m < e->methods; m++) {
        const spd_method_result *found = e->found->method[m];
        char accuracy[24], balanced[24], parameters[200], p[16] = "-";
        char kappa[16], f1[16], auc[16] = "";
        percent_text(e, found->accuracy, found->accuracy_deviation, accuracy);
        percent_text(e, found->balanced, found->balanced_deviation, balanced);
        evaluation_parameters_text(e, m, parameters, sizeof parameters);
        if (m > 0)
            snprintf(p, sizeof p, "%.2g", found->p_value[0]);
        number_column(found->kappa, kappa);
        number_column(found->macro_f1, f1);
        if (e->options.auc)
            number_column(found->auc, auc);
        screen_print("%-*s  %12s  %12s%s%s%s  %8.2f  %8.2f  %8.2f  %8s  %s\n", width, found->name,
                     accuracy, balanced, kappa, f1, auc, found->tune_seconds, found->fit_seconds,
                     found->test_seconds, p, parameters);
        if (e->protocol.by.count)
            print_by(e, m);
    }
    if (e->methods > 1)
        screen_print("p: McNemar's test against %s%s\n", e->found->method[0]->name,
                     e->found->repeats_samples ? ", median over the rounds" : "");
}

static void print_folds(const session *s, sheet *r, const evaluation *e)
{
    int least = e->found->least_folds, most = e->found->most_folds;
    char range[40], grouped[200] = "";
    if (least == 0)
        return;
    if (least == most)
        snprintf(range, sizeof range, "%d", least);
    else
        snprintf(range, sizeof range, "%d to %d", least, most);
    if (fold_column(e))
        snprintf(grouped, sizeof grouped, ", %s kept together", fold_column(e));
    if (least < e->options.folds)
        sheet_line(r, "folds", "%s%s; %d %s, but %s no more", range, grouped, e->options.folds,
                   arguments_count(s->args, "cv") ? "requested" : "by default",
                   fold_column(e) ? "the training part has" : "the smallest class has");
    else
        sheet_line(r, "folds", "%s%s", range, grouped);
}

static void print_table(const session *s, const evaluation *e)
{
    sheet r;
    const spd_data *d = e->set.data;
    const spd_round *first = e->found->round[0];
    sheet_open(&r, 0);
    sheet_line(&r, "data", "%s: %zu %smatrices %zu x %zu, %zu classes", d->source, d->p,
               shown_kind(d->hermitian), shown_n(d), shown_n(d), d->classes);
    sheet_line(&r, "protocol", "%s", e->protocol.text);
    sheet_line(&r, "samples", "%zu train, %zu tested%s", first->train_count, first->test_count,
               e->found->rounds > 1 ? " in the first round" : "");
    print_folds(s, &r, e);
    print_methods(e);
    if (wants_page(s))
        sheet_line(&r, "report", "%s/report.html", arguments_text(s->args, "output"));
    sheet_close(&r);
}

/* ---- on all data ----------------------------------------------------------------------------- */

static void print_final(const json_t *list)
{
    size_t i;
    const json_t *one;
    json_array_foreach(list, i, one)
    {
        const json_t *share = json_object_get(one, "cv_accuracy");
        screen_print("\non all data: %s", json_string_value(json_object_get(one, "method")));
        if (json_is_number(share))
            screen_print(", chosen of %lld settings with %.1f %% in %lld-fold cross-validation",
                         (long long)json_integer_value(json_object_get(one, "settings")),
                         100.0 * json_number_value(share),
                         (long long)json_integer_value(json_object_get(one, "folds")));
        const json_t *line = json_object_get(one, "command");
        if (json_is_string(line))
            screen_print("\n  %s\n", json_string_value(line));
        else
            screen_print("\n  'spdml train' and 'spdml predict' do not recentre; Python does: "
                         "spdml.recenter(X, groups), for new matrices too\n");
    }
}

/* ---- both ------------------------------------------------------------------------------------ */

int evaluation_report(session *s, evaluation *e)
{
    page p = {0};
    json_t *final = NULL;
    int json = arguments_flag(s->args, "json");
    e->object = sheet_json_keep(evaluation_json(s, e));
    spd_ranks_pause(s->ctx, 1); /* other processes make no page */
    if (wants_page(s))
        page_prepare(s, e, &p);
    spd_ranks_pause(s->ctx, 0);
    evaluation_write(s, e);
    if (wants_page(s))
        page_write(&p, session_output(s));
    if (!s->silent && !json)
        print_table(s, e);
    fflush(stdout);
    int code = evaluation_final(s, e, &final);
    if (final) {
        sheet_json_set(e->object, "final", final);
        evaluation_write_final(s, final);
        if (!json)
            print_final(final);
    }
    if (!s->silent && json)
        text_file_json(stdout, e->object);
    return code;
}
