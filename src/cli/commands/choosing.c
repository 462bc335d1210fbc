/* choosing.c - m and nu_b of a fit by cross-validation: the nearest neighbour in the fit's metric
 * after the map decides which are best.
 *
 * Sizes and neighbours are raced as those of a method with -ml are. A fit is asked for a map, so no
 * map is none of the candidates; the size that was chosen is then compared with no map in the same
 * folds, by the rule of the tuning, and what comes of it is said. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/commands/learning.h"
#include "cli/frame/again.h"
#include "cli/frame/text_file.h"
#include "cli/frame/tuning.h"

#define FOLDS 5
#define SIZES 5

/* What a search is about. */
typedef struct search {
    session *s;
    learning *l;
    spd_samples *labelled;
    spd_method method;
    spd_tune_info tuned;
    tuning_watch watch;
} search;

/* The samples with a label; what has none cannot be tested. */
static void take_labelled(search *h)
{
    const learning *l = h->l;
    const spd_data *d = l->data;
    spd_samples all = {.size = sizeof all, .p = d->p, .n = d->n, .X = d->X};
    size_t *index = cli_alloc(d->p, sizeof *index, "samples"), count = 0;
    all.classes = d->classes;
    all.label = l->label;
    all.hermitian = d->hermitian;
    for (size_t i = 0; i < d->p; i++)
        if (l->label[i] >= 0)
            index[count++] = i;
    session_check(h->s, spd_samples_subset(h->s->ctx, &all, count, index, &h->labelled));
    keep_samples(h->labelled);
}

/* The method whose parameters are asked for, with what is fixed of them. */
static void take_method(search *h)
{
    const spd_fit_options *o = &h->l->options;
    h->method = (spd_method)SPD_STRUCT(spd_method);
    session_check(h->s, spd_method_parse(h->s->ctx, "nn-ml", &h->method));
    h->method.metric = o->metric;
    h->method.fit = o;
    if (!h->l->auto_m)
        h->method.value[SPD_PARAMETER_M] = (double)shown_rows(o->m, o->hermitian);
    if (o->objective != SPD_OBJECTIVE_AUTO)
        h->method.value[SPD_PARAMETER_OBJECTIVE] = (double)o->objective;
    if (o->nu_w)
        h->method.value[SPD_PARAMETER_NU_W] = (double)o->nu_w;
    if (o->nu_b && !h->l->auto_nu_b)
        h->method.value[SPD_PARAMETER_NU_B] = (double)o->nu_b;
}

static const char *asked(const learning *l)
{
    if (l->nu_b_by_paper)
        return l->auto_m ? "-m auto --paper" : "--paper";
    return !l->auto_m ? "--nu-b auto" : l->auto_nu_b ? "-m auto --nu-b auto" : "-m auto";
}

static void tune(search *h, const spd_grid *grid)
{
    const spd_tune_options tuning = {
        .size = sizeof tuning, .folds = FOLDS, .seed = h->l->options.seed, .grid = grid};
    h->tuned = (spd_tune_info)SPD_STRUCT(spd_tune_info);
    spd_status status = spd_tune(h->s->ctx, &h->method, h->labelled, &tuning, &h->tuned);
    if (status < 0) {
        char place[300];
        snprintf(place, sizeof place, "%.250s: %s", h->l->data->source, asked(h->l));
        session_fail_in(h->s, place, status);
    }
}

/* m <- n/8, n/4, 3n/8, n/2, 3n/4, rounded, each once and below n; how many. */
static size_t sizes_below(size_t n, double m[SIZES])
{
    static const double share[SIZES] = {0.125, 0.25, 0.375, 0.5, 0.75};
    size_t count = 0;
    for (size_t i = 0; i < SIZES; i++) {
        double size = fmax(1.0, floor(share[i] * (double)n + 0.5));
        if (size < (double)n && (count == 0 || size > m[count - 1]))
            m[count++] = size;
    }
    return count;
}

static void race(search *h)
{
    double sizes[SIZES] = {0};
    spd_grid grid = {.count = {0}};
    if (h->l->auto_m) {
        grid.count[SPD_PARAMETER_M] = sizes_below(shown_n(h->l->data), sizes);
        grid.value[SPD_PARAMETER_M] = sizes;
    }
    tune(h, &grid);
    h->l->options.m = (size_t)h->method.value[SPD_PARAMETER_M] * (h->l->data->hermitian ? 2 : 1);
    if (h->l->auto_nu_b)
        h->l->options.nu_b = (size_t)h->method.value[SPD_PARAMETER_NU_B];
}

/* m as the user counts it. */
static size_t chosen_m(const learning *l)
{
    return shown_rows(l->options.m, l->options.hermitian);
}

/* Would a method with this map rather do without? tuned <- of both. */
static int duel(search *h)
{
    double n = (double)shown_n(h->l->data), sizes[2] = {(double)chosen_m(h->l), n};
    spd_grid grid = {.count = {[SPD_PARAMETER_M] = 2}, .value = {[SPD_PARAMETER_M] = sizes}};
    size_t settings = h->tuned.settings;
    int nu_b = h->l->auto_nu_b;
    take_method(h);
    h->method.value[SPD_PARAMETER_M] = (double)NAN;
    if (nu_b)
        h->method.value[SPD_PARAMETER_NU_B] = (double)h->l->options.nu_b;
    tune(h, &grid);
    h->tuned.settings = settings;
    return h->method.value[SPD_PARAMETER_M] >= n;
}

static void note(search *h, double with_map, int without)
{
    const spd_tune_info *t = &h->tuned;
    json_t *chosen = sheet_json_object();
    sheet_json_set(chosen, "m", sheet_json_whole((json_int_t)chosen_m(h->l)));
    if (h->l->auto_nu_b)
        sheet_json_set(chosen, "nu_b", sheet_json_whole((json_int_t)h->l->options.nu_b));
    sheet_json_set(chosen, "settings", sheet_json_whole((json_int_t)t->settings));
    sheet_json_set(chosen, "folds", sheet_json_whole(t->folds));
    sheet_json_set(chosen, "cv_accuracy", sheet_json_real(with_map));
    sheet_json_set(chosen, "cv_accuracy_no_map", sheet_json_real(t->accuracy_no_map));
    if (h->l->auto_m)
        sheet_json_set(chosen, "no_map_instead", json_boolean(without));
    h->l->chosen = sheet_json_keep(chosen);
}

/* In words: "chose -m 12 and --nu-b 3 of 25 candidates by ..." */
static void say(search *h, double with_map, int without)
{
    const spd_fit_options *o = &h->l->options;
    char what[80] = "", plain[60] = "";
    if (h->l->auto_m)
        snprintf(what, sizeof what, "-m %zu%s", chosen_m(h->l), h->l->auto_nu_b ? " and " : "");
    if (h->l->auto_nu_b)
        snprintf(what + strlen(what), sizeof what - strlen(what), "--nu-b %zu", o->nu_b);
    if (!isnan(h->tuned.accuracy_no_map))
        snprintf(plain, sizeof plain, ", %.2f %% without a map", 100 * h->tuned.accuracy_no_map);
    if (isnan(with_map))
        session_remark(h->s, "chose %s: there is no other candidate", what);
    else
        session_remark(h->s,
                       "chose %s among %zu candidates by %d-fold cross-validation: %.2f %% of the "
                       "nearest neighbours are right%s",
                       what, h->tuned.settings, h->tuned.folds, 100 * with_map, plain);
    if (without)
        session_remark(h->s,
                       "the map is not better than no map by more than a standard error: the "
                       "nearest neighbour (nn-%s-ml of 'spdml evaluate') would work without one",
                       spd_name(SPD_ENUM_METRIC, o->metric));
}

void learning_choose(session *s, learning *l)
{
    search h = {.s = s, .l = l};
    int without = 0;
    if (!l->auto_m && !l->auto_nu_b)
        return;
    take_labelled(&h);
    take_method(&h);
    tuning_open(&h.watch, s);
    race(&h);
    double with_map = h.tuned.accuracy;
    if (l->auto_m)
        without = duel(&h);
    tuning_close(&h.watch);
    bar_clear(&s->bar);
    note(&h, with_map, without);
    say(&h, with_map, without);
}

const char *learning_again(const session *s, const learning *l)
{
    static const char *const chosen[] = {"m", "nu-b", "objective", NULL};
    const spd_fit_options *o = &l->options;
    words w = {0};
    words_take(&w, words_text("spdml %s", s->args->command->name));
    words_take(&w, shell_word(s->args->operands[0]));
    again_value("m", (double)chosen_m(l), &w);
    if (arguments_count(s->args, "nu-b") || l->auto_nu_b)
        again_value("nu-b", (double)o->nu_b, &w);
    if (arguments_count(s->args, "objective")) {
        words_add(&w, "--objective");
        words_add(&w, spd_name(SPD_ENUM_OBJECTIVE, o->objective));
    }
    again_options(s->args, s->args->command, chosen, &w);
    return words_join(&w, w.count, " ");
}
