/* tables.c - table and JSON of an evaluation. */
#include "cli/evaluate/tables.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/frame/cli_memory.h"
#include "cli/report/page.h"

/* ---- JSON -------------------------------------------------------------------------------------
 */

static void set(json_t *object, const char *key, json_t *value)
{
    if (!value || json_object_set_new(object, key, value) != 0)
        cli_out_of_memory("the JSON report");
}

static json_t *new_object(void)
{
    json_t *object = json_object();
    if (!object)
        cli_out_of_memory("the JSON report");
    return object;
}

static json_t *count_json(size_t count)
{
    return json_integer((json_int_t)count);
}

json_t *evaluation_parameters(const evaluation *e, size_t method)
{
    size_t rounds = e->protocol.rounds;
    const outcome *o = e->outcome + method * rounds;
    json_t *all = new_object(), *first = recognition_json(&o[0].method);
    for (unsigned i = 0; i < SPD_PARAMETERS; i++) {
        const char *name = spd_parameter_name((spd_parameter)i);
        json_t *list = sheet_json_list();
        int agree = 1;
        for (size_t r = 0; r < rounds; r++) {
            json_t *values = recognition_json(&o[r].method), *value = json_object_get(values, name);
            agree &= value ? json_equal(value, json_object_get(first, name))
                           : !json_object_get(first, name);
            sheet_json_append(list, value ? json_incref(value) : json_null());
            json_decref(values);
        }
        if (agree && json_object_get(first, name))
            set(all, name, json_incref(json_object_get(first, name)));
        else if (!agree)
            set(all, name, json_incref(list));
        json_decref(list);
    }
    json_decref(first);
    return all;
}

static json_t *round_json(const evaluation *e, size_t method, size_t round)
{
    const outcome *o = &e->outcome[method * e->protocol.rounds + round];
    json_t *object = new_object();
    set(object, "round", sheet_json_text(e->protocol.round_name[round]));
    set(object, "train", count_json(protocol_count(&e->protocol, e->protocol.train, round)));
    set(object, "test", count_json(o->score.total));
    set(object, "correct", count_json(o->score.correct));
    set(object, "accuracy", sheet_json_real(o->score.accuracy));
    set(object, "balanced_accuracy", sheet_json_real(o->score.balanced));
    set(object, "parameters", recognition_json(&o->method));
    set(object, "settings", count_json(o->tuned.settings));
    set(object, "folds", json_integer(o->tuned.folds));
    set(object, "cv_accuracy", sheet_json_real(o->tuned.accuracy));
    set(object, "tune_seconds", sheet_json_real(o->tuned.seconds));
    set(object, "fit_seconds", sheet_json_real(o->fit_seconds));
    set(object, "test_seconds", sheet_json_real(o->test_seconds));
    return object;
}

static json_t *by_json(const evaluation *e, size_t method)
{
    const groups *by = &e->protocol.by;
    size_t *right = cli_alloc(2 * by->count, sizeof *right, "counts"), *total = right + by->count;
    json_t *object = new_object();
    evaluation_by(e, method, right, total);
    for (size_t v = 0; v < by->count; v++)
        if (total[v]) {
            json_t *name = sheet_json_text(by->name[v]); /* UTF-8, as a key must be */
            set(object, json_string_value(name),
                sheet_json_real((double)right[v] / (double)total[v]));
            json_decref(name);
        }
    cli_free(right);
    return object;
}

static json_t *method_json(const evaluation *e, size_t method, double p_value)
{
    double mean, deviation;
    json_t *object = new_object(), *rounds = sheet_json_list();
    set(object, "method", sheet_json_text(e->name[method]));
    evaluation_accuracy(e, method, 0, &mean, &deviation);
    set(object, "accuracy_mean", sheet_json_real(mean));
    set(object, "accuracy_std", sheet_json_real(deviation));
    evaluation_accuracy(e, method, 1, &mean, &deviation);
    set(object, "balanced_accuracy_mean", sheet_json_real(mean));
    set(object, "balanced_accuracy_std", sheet_json_real(deviation));
    set(object, "parameters", evaluation_parameters(e, method));
    set(object, "tune_seconds", sheet_json_real(evaluation_seconds(e, method, 0)));
    set(object, "fit_seconds", sheet_json_real(evaluation_seconds(e, method, 1)));
    set(object, "test_seconds", sheet_json_real(evaluation_seconds(e, method, 2)));
    set(object, "mcnemar_p", method ? sheet_json_real(p_value) : json_null());
    if (e->protocol.by.count)
        set(object, "by", by_json(e, method));
    for (size_t r = 0; r < e->protocol.rounds; r++)
        sheet_json_append(rounds, round_json(e, method, r));
    set(object, "rounds", rounds);
    return object;
}

static json_t *evaluation_json(session *s, const evaluation *e, const double *p_value)
{
    int least, most;
    json_t *object = new_object(), *results = sheet_json_list();
    evaluation_folds(e, &least, &most);
    set(object, "data", sheet_json_text(e->set.data->source));
    set(object, "matrices", count_json(e->set.data->p));
    set(object, "n", count_json(e->set.data->n));
    set(object, "classes", count_json(e->set.data->classes));
    set(object, "protocol", sheet_json_text(e->protocol.text));
    set(object, "rounds", count_json(e->protocol.rounds));
    set(object, "folds_wanted", json_integer(e->folds));
    set(object, "folds", least ? json_integer(least) : json_null());
    set(object, "fold_groups",
        e->protocol.fold_column ? sheet_json_text(e->protocol.fold_column) : json_null());
    set(object, "seed", json_integer((json_int_t)e->seed));
    for (size_t m = 0; m < e->methods; m++)
        sheet_json_append(results, method_json(e, m, p_value[m]));
    set(object, "results", results);
    set(object, "seconds", sheet_json_real(bar_clock() - s->start));
    return object;
}

static int wants_page(const session *s)
{
    return arguments_text(s->args, "output") && !arguments_flag(s->args, "no-report");
}

/* ---- table ------------------------------------------------------------------------------------
 */

void evaluation_parameters_text(const evaluation *e, size_t method, char *text, size_t size)
{
    size_t at = 0, rounds = e->protocol.rounds;
    const outcome *o = e->outcome + method * rounds;
    snprintf(text, size, "-");
    for (unsigned i = 0; i < SPD_PARAMETERS && at < size; i++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t r = 0; r < rounds; r++) {
            low = fmin(low, o[r].method.value[i]);
            high = fmax(high, o[r].method.value[i]);
        }
        if (!spd_method_uses(&o[0].method, (spd_parameter)i) || low > high)
            continue;
        at += (size_t)snprintf(text + at, size - at, "%s%s %.4g", at ? ", " : "",
                               spd_parameter_name((spd_parameter)i), low);
        if (high > low && at < size)
            at += (size_t)snprintf(text + at, size - at, "..%.4g", high);
        else if (i == SPD_PARAM_M && at < size && low >= (double)e->set.samples.n)
            at += (size_t)snprintf(text + at, size - at, " (no map)");
    }
}

static void percent_text(const evaluation *e, size_t method, int balanced, char text[24])
{
    double mean, deviation;
    evaluation_accuracy(e, method, balanced, &mean, &deviation);
    if (e->protocol.rounds > 1)
        snprintf(text, 24, "%.1f +- %.1f", 100.0 * mean, 100.0 * deviation);
    else
        snprintf(text, 24, "%.1f", 100.0 * mean);
}

static void print_by(const evaluation *e, size_t method)
{
    const groups *by = &e->protocol.by;
    size_t *right = cli_alloc(2 * by->count, sizeof *right, "counts"), *total = right + by->count;
    evaluation_by(e, method, right, total);
    const char *between = "";
    printf("  by %s: ", by->column);
    for (size_t v = 0; v < by->count; v++)
        if (total[v]) {
            printf("%s%s %.1f", between, by->name[v], 100.0 * (double)right[v] / (double)total[v]);
            between = ", ";
        }
    putchar('\n');
    cli_free(right);
}

static int width_of_names(const evaluation *e)
{
    size_t width = strlen("method");
    for (size_t m = 0; m < e->methods; m++)
        width = strlen(e->name[m]) > width ? strlen(e->name[m]) : width;
    return (int)width;
}

static void print_methods(const evaluation *e, const double *p_value)
{
    int width = width_of_names(e);
    printf("\n%-*s  %12s  %12s  %8s  %8s  %8s  %8s  %s\n", width, "method", "accuracy %",
           "balanced %", "tune s", "fit s", "test s", "p", "parameters");
    for (size_t m = 0; m < e->methods; m++) {
        char accuracy[24], balanced[24], parameters[200], p[16] = "-";
        percent_text(e, m, 0, accuracy);
        percent_text(e, m, 1, balanced);
        evaluation_parameters_text(e, m, parameters, sizeof parameters);
        if (m > 0)
            snprintf(p, sizeof p, "%.2g", p_value[m]);
        printf("%-*s  %12s  %12s  %8.2f  %8.2f  %8.2f  %8s  %s\n", width, e->name[m], accuracy,
               balanced, evaluation_seconds(e, m, 0), evaluation_seconds(e, m, 1),
               evaluation_seconds(e, m, 2), p, parameters);
        if (e->protocol.by.count)
            print_by(e, m);
    }
    if (e->methods > 1)
        printf("p: McNemar's test against %s%s\n", e->name[0],
               e->protocol.repeats_samples ? ", median over the rounds" : "");
}

static void print_folds(const session *s, sheet *r, const evaluation *e)
{
    int least, most, asked = arguments_count(s->args, "cv") > 0;
    char range[40], grouped[200] = "";
    evaluation_folds(e, &least, &most);
    if (least == 0)
        return;
    if (least == most)
        snprintf(range, sizeof range, "%d", least);
    else
        snprintf(range, sizeof range, "%d to %d", least, most);
    if (e->protocol.fold_column)
        snprintf(grouped, sizeof grouped, ", %s kept together", e->protocol.fold_column);
    if (least < e->folds)
        sheet_line(r, "folds", "%s%s; %d %s, but %s not more", range, grouped, e->folds,
                   asked ? "were asked for" : "by default",
                   e->protocol.fold_column ? "the training part has" : "the smallest class has");
    else
        sheet_line(r, "folds", "%s%s", range, grouped);
}

static void print_table(const session *s, const evaluation *e, const double *p_value)
{
    sheet r;
    const spd_data *d = e->set.data;
    sheet_open(&r, 0);
    sheet_line(&r, "data", "%s: %zu matrices %zu x %zu, %zu classes", d->source, d->p, d->n, d->n,
               d->classes);
    sheet_line(&r, "protocol", "%s", e->protocol.text);
    sheet_line(&r, "samples", "%zu train, %zu tested%s",
               protocol_count(&e->protocol, e->protocol.train, 0),
               protocol_count(&e->protocol, e->protocol.test, 0),
               e->protocol.rounds > 1 ? " in the first round" : "");
    print_folds(s, &r, e);
    print_methods(e, p_value);
    if (wants_page(s))
        sheet_line(&r, "report", "%s/report.html", arguments_text(s->args, "output"));
    sheet_close(&r);
}

/* ---- both -------------------------------------------------------------------------------------
 */

int evaluation_report(session *s, const evaluation *e)
{
    double *p_value = cli_alloc(e->methods, sizeof *p_value, "tests");
    int code = CLI_GOOD;
    for (size_t m = 1; m < e->methods && !code; m++)
        code = evaluation_compare(s, e, m, &p_value[m]);
    page p = {0};
    json_t *object = code ? NULL : evaluation_json(s, e, p_value);
    if (!code && wants_page(s))
        code = page_prepare(s, e, p_value, &p);
    if (!code)
        code = evaluation_write(s, e, p_value, object);
    if (!code && wants_page(s))
        code = page_write(&p, arguments_text(s->args, "output"));
    if (!code && !s->silent && arguments_flag(s->args, "json")) {
        sheet r = {.object = json_incref(object)};
        sheet_close(&r);
    } else if (!code && !s->silent) {
        print_table(s, e, p_value);
    }
    page_free(&p);
    json_decref(object);
    cli_free(p_value);
    return code;
}
