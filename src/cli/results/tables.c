/* tables.c - table and JSON of an evaluation. */
#include "cli/results/results.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "cli/frame/screen.h"
#include "cli/frame/text_file.h"

/* ---- JSON ------------------------------------------------------------------------------------ */

static double value_of(const results *e, size_t method, size_t round, unsigned parameter)
{
    return e->found->method[method]->outcome[round]->value[parameter];
}

/* In how many rounds a method with a map has done without: m is the size of the matrices. */
static size_t without_map(const results *e, size_t method)
{
    size_t count = 0;
    for (size_t r = 0; r < e->found->rounds; r++)
        count += e->method[method].map != SPD_MAP_NONE &&
                 value_of(e, method, r, SPD_PARAMETER_M) >= (double)shown_n(e->set.data);
    return count;
}

/* Values that the rounds of a method have used, by parameter: a number where all agree, a list
 * where they do not. */
static json_t *parameters_json(const results *e, size_t method)
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
            sheet_json(&all, spd_name(SPD_ENUM_PARAMETER, (spd_parameter)i),
                       json_incref(agree ? number : list));
        json_decref(list);
        json_decref(number);
    }
    return all.object;
}

/* The name of what was chosen in a round. */
static char *chosen_name(const results *e, size_t method, size_t round)
{
    char name[SPD_METHOD_NAME];
    spd_method_name(&e->found->method[method]->outcome[round]->chosen, name);
    return words_text("%s", name);
}

/* "ts-lda in 3 of 5 rounds, cdl in 2 of 5 rounds; expected 95.1 %": what auto has chosen, and the
 * mean of what it expected. */
static char *choices_text(const results *e, size_t method)
{
    words list = {0};
    size_t rounds = e->found->rounds;
    double expected = 0.0;
    for (size_t r = 0; r < rounds; r++) {
        const char *name = chosen_name(e, method, r);
        size_t before = 0, count = 0;
        expected += e->found->method[method]->outcome[r]->expected / (double)rounds;
        for (size_t k = 0; k < rounds; k++) {
            int same = strcmp(name, chosen_name(e, method, k)) == 0;
            before += same && k < r;
            count += (size_t)same;
        }
        if (before == 0)
            words_take(&list, count == rounds
                                  ? words_text("%s", name)
                                  : words_text("%s in %zu of %zu rounds", name, count, rounds));
    }
    return words_text("%s; expected %.1f %%", words_join(&list, list.count, ", "),
                      100.0 * expected);
}

/* "1101": for each test sample of a round, in the order of their numbers, whether it was right. */
static char *right_text(const results *e, const spd_outcome *o, const spd_round *part)
{
    char *text = cli_alloc(part->test_count + 1, 1, "outcomes");
    for (size_t i = 0; i < part->test_count; i++)
        text[i] = o->predicted[i] == e->set.samples.label[part->test[i]] ? '1' : '0';
    return text;
}

/* A fingerprint (FNV-1a) of the numbers and the classes of samples: equal for rounds that train, or
 * test, the same ones. */
static json_t *fingerprint(const results *e, size_t count, const size_t *sample)
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
static json_t *splits_json(const results *e)
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

static double number_at(const void *record, size_t offset)
{
    return *(const double *)(const void *)((const char *)record + offset);
}

double results_mean(const spd_method_result *result, const spd_result_field *field)
{
    return number_at(result, field->mean);
}

double results_deviation(const spd_method_result *result, const spd_result_field *field)
{
    return number_at(result, field->deviation);
}

const spd_result_field *results_seconds(size_t i)
{
    size_t fields = 0;
    while (spd_result_field_at(fields))
        fields++;
    return i < SPD_RESULT_SECONDS ? spd_result_field_at(fields - SPD_RESULT_SECONDS + i) : NULL;
}

static json_t *round_json(const results *e, size_t method, size_t round)
{
    char text[ROUND_NAME];
    const spd_outcome *o = e->found->method[method]->outcome[round];
    const spd_round *part = e->found->round[round];
    int mapped = e->method[method].map != SPD_MAP_NONE;
    const spd_result_field *f;
    sheet r;
    sheet_open(&r, 1);
    sheet_text(&r, "round", NULL, protocol_round(&e->protocol, e->found, round, text));
    sheet_count(&r, "train", NULL, part->train_count, "");
    sheet_count(&r, "test", NULL, part->test_count, "");
    sheet_count(&r, "correct", NULL, o->correct, "");
    for (size_t k = 0; (f = spd_result_field_at(k)); k++) {
        int no_map = f->outcome == offsetof(spd_outcome, cv_accuracy_no_map);
        const void *at = (const char *)o + f->outcome;
        if (f->type == SPD_FIELD_REAL && (mapped || !no_map))
            sheet_real(&r, f->name, NULL, *(const double *)at);
        else if (mapped || !no_map)
            sheet_json(&r, f->name,
                       json_integer(f->type == SPD_FIELD_INT ? *(const int *)at
                                                             : (json_int_t) * (const size_t *)at));
        if (mapped && no_map)
            sheet_json(&r, "no_map",
                       json_boolean(o->value[SPD_PARAMETER_M] >= (double)shown_n(e->set.data)));
        if (k + 1 == SPD_RESULT_SCORES) {
            sheet_text(&r, "right", NULL, right_text(e, o, part));
            if (e->method[method].automatic) {
                sheet_text(&r, "chosen", NULL, chosen_name(e, method, round));
                sheet_real(&r, "expected_accuracy", NULL, o->expected);
                sheet_real(&r, "expected_low", NULL, o->expected_low);
                sheet_real(&r, "expected_high", NULL, o->expected_high);
            }
            sheet_json(&r, "parameters", recognition_json(&o->chosen, o->value));
        }
    }
    return r.object;
}

static json_t *by_json(const results *e, size_t method)
{
    const groups *by = &e->protocol.by;
    double *accuracy = results_by(e, method);
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

static json_t *method_json(const results *e, size_t method)
{
    const spd_method_result *found = e->found->method[method];
    json_t *rounds = sheet_json_list();
    sheet r;
    sheet_open(&r, 1);
    sheet_text(&r, "method", NULL, found->name);
    for (size_t k = 0; k < SPD_RESULT_SCORES; k++) {
        const spd_result_field *f = spd_result_field_at(k);
        sheet_real(&r, words_text("%s_mean", f->name), NULL, results_mean(found, f));
        sheet_real(&r, words_text("%s_std", f->name), NULL, results_deviation(found, f));
    }
    sheet_json(&r, "parameters", parameters_json(e, method));
    if (e->method[method].map != SPD_MAP_NONE)
        sheet_count(&r, "rounds_without_map", NULL, without_map(e, method), "");
    for (size_t k = 0; k < SPD_RESULT_SECONDS; k++)
        sheet_real(&r, results_seconds(k)->name, NULL, results_mean(found, results_seconds(k)));
    sheet_json(&r, "mcnemar_p", method ? sheet_json_real(found->p_value[0]) : json_null());
    if (e->protocol.by.count)
        sheet_json(&r, "by", by_json(e, method));
    for (size_t i = 0; i < e->found->rounds; i++)
        sheet_json_append(rounds, round_json(e, method, i));
    sheet_json(&r, "rounds", rounds);
    return r.object;
}

/* The column whose values folds have kept together, or NULL. */
static const char *fold_column(const results *e)
{
    return e->found->folds_grouped ? e->protocol.fold_column : NULL;
}

json_t *results_json(session *s, const results *e)
{
    const spd_data *d = e->set.data;
    const spd_evaluation *found = e->found;
    const char *aligned = results_alignment(e);
    json_t *list = sheet_json_list();
    sheet r;
    sheet_open(&r, 1);
    sheet_text(&r, "data", NULL, d->source);
    sheet_count(&r, "matrices", NULL, d->p, "");
    sheet_size(&r, shown_n(d), d->hermitian);
    sheet_count(&r, "classes", NULL, d->classes, "");
    sheet_text(&r, "protocol", NULL, e->protocol.text);
    sheet_json(&r, "alignment", aligned ? sheet_json_text(aligned) : json_null());
    if (e->again)
        sheet_text(&r, "command", NULL, e->again);
    sheet_count(&r, "rounds", NULL, found->rounds, "");
    sheet_json(&r, "folds_wanted", json_integer(e->options.folds));
    sheet_json(&r, "folds", found->least_folds ? json_integer(found->least_folds) : json_null());
    sheet_json(&r, "fold_groups", fold_column(e) ? sheet_json_text(fold_column(e)) : json_null());
    sheet_json(&r, "seed", json_integer((json_int_t)e->options.seed));
    sheet_json(&r, "repeats_samples", json_boolean(found->repeats_samples));
    sheet_json(&r, "splits", splits_json(e));
    sheet_text(&r, "by", NULL, e->protocol.by.column);
    sheet_json(&r, "remarks", sheet_json_words(&e->remarks));
    for (size_t m = 0; m < e->methods; m++)
        sheet_json_append(list, method_json(e, m));
    sheet_json(&r, "results", list);
    sheet_real(&r, "seconds", NULL, bar_clock() - s->start);
    return r.object;
}

/* ---- table ----------------------------------------------------------------------------------- */

/* The range of a number over the rounds, and how many of them have no map. */
static char *range_text(const results *e, size_t method, unsigned parameter)
{
    double low = INFINITY, high = -INFINITY;
    size_t rounds = e->found->rounds, without = without_map(e, method);
    for (size_t r = 0; r < rounds; r++) {
        low = fmin(low, value_of(e, method, r, parameter));
        high = fmax(high, value_of(e, method, r, parameter));
    }
    char *text = high > low ? words_text("%.4g..%.4g", low, high) : words_text("%.4g", low);
    if (parameter != SPD_PARAMETER_M || !without)
        return text;
    return without == rounds
               ? words_text("%s (no map)", text)
               : words_text("%s (no map in %zu of %zu rounds)", text, without, rounds);
}

/* The names of the objectives of the rounds, each once. */
static char *objectives_text(const results *e, size_t method)
{
    words list = {0};
    for (unsigned o = 0; spd_name(SPD_ENUM_OBJECTIVE, o); o++)
        for (size_t r = 0; r < e->found->rounds; r++)
            if (value_of(e, method, r, SPD_PARAMETER_OBJECTIVE) == (double)o) {
                words_add(&list, spd_name(SPD_ENUM_OBJECTIVE, o));
                break;
            }
    return words_join(&list, list.count, "/");
}

static int has_value(const results *e, size_t method, unsigned parameter)
{
    int any = 0;
    for (size_t r = 0; r < e->found->rounds; r++)
        any |= !isnan(value_of(e, method, r, parameter));
    return any && spd_method_uses(&e->method[method], (spd_parameter)parameter);
}

char *results_parameters(const results *e, size_t method)
{
    words list = {0};
    if (e->method[method].automatic)
        return choices_text(e, method);
    for (unsigned i = 0; i < SPD_PARAMETERS; i++)
        if (has_value(e, method, i))
            words_take(&list, words_text("%s %s", spd_name(SPD_ENUM_PARAMETER, i),
                                         i == SPD_PARAMETER_OBJECTIVE ? objectives_text(e, method)
                                                                      : range_text(e, method, i)));
    return list.count ? words_join(&list, list.count, ", ") : words_text("-");
}

static void print_by(const results *e, size_t method)
{
    const groups *by = &e->protocol.by;
    double *accuracy = results_by(e, method);
    const char *between = "";
    size_t at = strlen("  by : ") + strlen(by->column);
    screen_print("  by %s: ", by->column);
    for (size_t v = 0; v < by->count; v++)
        if (!isnan(accuracy[v])) {
            const char *one = words_text("%s %.1f", by->name[v], 100.0 * accuracy[v]);
            int full = *between && at + 3 + strlen(one) > WORDS_COLUMNS;
            at = (full ? 4 : at + strlen(between)) + strlen(one);
            screen_print("%s", full ? "," : between);
            if (full)
                printf("\n    ");
            screen_print("%s", one);
            between = ", ";
        }
    putchar('\n');
}

/* ---- columns --------------------------------------------------------------------------------- */

#define PERCENT_COLUMN 12
#define SCORE_COLUMN   6
#define SECONDS_COLUMN 6
#define P_COLUMN       7

/* What is printed of a result. */
typedef struct columns {
    int name; /* width of the first one */
    int score[SPD_RESULT_SCORES];
    int seconds[SPD_RESULT_SECONDS];
    int p;
} columns;

/* Does a score say what the accuracy does not, to the digits that are printed? */
static int is_other(const results *e, const spd_result_field *f)
{
    const spd_result_field *accuracy = spd_result_field_at(0);
    int other = 0;
    for (size_t m = 0; m < e->methods; m++)
        other |= fabs(results_mean(e->found->method[m], f) -
                      results_mean(e->found->method[m], accuracy)) >= 0.0005;
    return other;
}

static int width_of(const columns *c)
{
    int width = c->name + (c->p ? 2 + P_COLUMN : 0);
    for (size_t k = 0; k < SPD_RESULT_SCORES; k++)
        if (c->score[k])
            width += 2 + (spd_result_field_at(k)->percent ? PERCENT_COLUMN : SCORE_COLUMN);
    for (size_t k = 0; k < SPD_RESULT_SECONDS; k++)
        width += c->seconds[k] ? 2 + SECONDS_COLUMN : 0;
    return width;
}

/* Those that say something, and times as far as a terminal has room. */
static columns choose_columns(const results *e)
{
    size_t width = strlen("method");
    for (size_t m = 0; m < e->methods; m++)
        width =
            strlen(e->found->method[m]->name) > width ? strlen(e->found->method[m]->name) : width;
    columns c = {.name = (int)width, .p = e->methods > 1};
    for (size_t k = 0; k < SPD_RESULT_SCORES; k++) {
        const spd_result_field *f = spd_result_field_at(k);
        int auc = f->outcome == offsetof(spd_outcome, auc);
        c.score[k] = auc ? e->options.auc : k == 0 || (f->percent && is_other(e, f));
    }
    for (size_t k = 0; k < SPD_RESULT_SECONDS; k++)
        c.seconds[k] = 1;
    for (size_t k = 0; k < SPD_RESULT_SECONDS; k++)
        c.seconds[k] = width_of(&c) <= WORDS_COLUMNS;
    return c;
}

/* A score in its column, or its name. */
static void print_score(const results *e, const spd_result_field *f, const spd_method_result *found)
{
    double mean = found ? results_mean(found, f) : 0.0;
    if (!found)
        screen_print("  %*s", f->percent ? PERCENT_COLUMN : SCORE_COLUMN, f->label);
    else if (f->percent && e->found->rounds > 1)
        screen_print("  %*s", PERCENT_COLUMN,
                     words_text("%.1f +- %.1f", 100.0 * mean, 100.0 * results_deviation(found, f)));
    else if (f->percent)
        screen_print("  %*.1f", PERCENT_COLUMN, 100.0 * mean);
    else if (isnan(mean))
        screen_print("  %*s", SCORE_COLUMN, "-");
    else
        screen_print("  %*.3f", SCORE_COLUMN, mean);
}

static void print_seconds(const spd_result_field *f, const spd_method_result *found)
{
    double seconds = found ? results_mean(found, f) : 0.0;
    if (found)
        screen_print("  %*.*f", SECONDS_COLUMN, seconds < 999 ? 2 : 0, seconds);
    else
        screen_print("  %*s", SECONDS_COLUMN, f->label);
}

/* A row of the table: a method, or the headings. */
static void print_row(const results *e, const columns *c, const char *name,
                      const spd_method_result *found, const char *p)
{
    screen_print("%-*s", c->name, name);
    for (size_t k = 0; k < SPD_RESULT_SCORES; k++)
        if (c->score[k])
            print_score(e, spd_result_field_at(k), found);
    for (size_t k = 0; k < SPD_RESULT_SECONDS; k++)
        if (c->seconds[k])
            print_seconds(results_seconds(k), found);
    if (c->p)
        screen_print("  %*s", P_COLUMN, p);
    putchar('\n');
}

/* Below a table that has no column for them. */
static void print_parameters(const results *e, const columns *c)
{
    const char *title = "parameters:\n";
    for (size_t m = 0; m < e->methods; m++) {
        const char *text = results_parameters(e, m);
        const size_t indent = (size_t)c->name + 4;
        if (strcmp(text, "-") == 0)
            continue;
        printf("%s  %-*s  %s\n", title, c->name, e->found->method[m]->name,
               words_wrap(text, indent, indent));
        title = "";
    }
}

static void print_methods(const results *e)
{
    const columns c = choose_columns(e);
    putchar('\n');
    print_row(e, &c, "method", NULL, "p");
    for (size_t m = 0; m < e->methods; m++) {
        const spd_method_result *found = e->found->method[m];
        print_row(e, &c, found->name, found, m ? words_text("%.2g", found->p_value[0]) : "-");
        if (e->protocol.by.count)
            print_by(e, m);
    }
    if (e->methods > 1)
        screen_print("p: McNemar's test against %s%s\n", e->found->method[0]->name,
                     e->found->repeats_samples ? ", median over the rounds" : "");
    print_parameters(e, &c);
}

static void print_folds(const session *s, sheet *r, const results *e)
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

void results_print(const session *s, const results *e, int page)
{
    sheet r;
    const spd_data *d = e->set.data;
    const spd_round *first = e->found->round[0];
    const char *aligned = results_alignment(e);
    sheet_open(&r, 0);
    sheet_line(&r, "data", "%s: %zu %smatrices %zu x %zu, %zu classes", d->source, d->p,
               shown_kind(d->hermitian), shown_n(d), shown_n(d), d->classes);
    sheet_line(&r, "protocol", "%s", e->protocol.text);
    if (aligned)
        sheet_line(&r, "alignment", "%s", aligned);
    sheet_line(&r, "samples", "%zu train, %zu tested%s", first->train_count, first->test_count,
               e->found->rounds > 1 ? " in the first round" : "");
    print_folds(s, &r, e);
    print_methods(e);
    if (e->again)
        screen_print("the same again:\n");
    if (e->again)
        screen_print("  %s\n", e->again);
    if (page)
        sheet_line(&r, "report", "%s/report.html", arguments_text(s->args, "output"));
    sheet_close(&r);
}

/* ---- on all data ----------------------------------------------------------------------------- */

void results_print_final(const json_t *list)
{
    size_t i;
    const json_t *one;
    json_array_foreach(list, i, one)
    {
        long long in = json_integer_value(json_object_get(one, "chosen_in"));
        long long rounds = json_integer_value(json_object_get(one, "rounds"));
        const char *choice = "";
        if (json_integer_value(json_object_get(one, "settings")) > 1)
            choice = words_text(", chosen in %lld of %lld round%s, with %.1f %% right there", in,
                                rounds, rounds == 1 ? "" : "s",
                                100.0 * json_number_value(json_object_get(one, "accuracy")));
        const char *chosen = words_text("on all data: %s%s",
                                        json_string_value(json_object_get(one, "method")), choice);
        printf("\n%s", words_wrap(chosen, 0, 2));
        screen_print("\n  %s\n", json_string_value(json_object_get(one, "command")));
    }
}
