/* show_trained.c - trained methods: from files, and in words. */
#include "cli/methods/aligning.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/frame/bar.h"
#include "cli/frame/screen.h"
#include "cli/frame/words.h"

void trained_load(session *s, const char *path, trained_method *t)
{
    spd_kind kind = spd_file_kind(path);
    *t = (trained_method){.facts = SPD_STRUCT(spd_classifier_facts)};
    if (kind == SPD_KIND_MODEL || kind == SPD_KIND_CHECKPOINT)
        cli_fail("%s: is a %s, not a trained method; 'spdml train' makes one", path,
                 spd_name(SPD_ENUM_KIND, kind));
    session_check(s, spd_classifier_load(s->ctx, path, &t->classifier));
    keep_classifier(t->classifier);
    session_check(s, spd_classifier_info(s->ctx, t->classifier, &t->facts));
    const spd_metadata *notes = spd_classifier_metadata(t->classifier);
    t->y = (spd_array){.name = "y", .type = notes->label_type};
    t->classes = (spd_data){.classes = notes->classes,
                            .class_name = (const char **)(uintptr_t)notes->class_name,
                            .y = &t->y,
                            .source = path,
                            .meta = notes->made,
                            .n = t->facts.n};
}

static void show_sizes(sheet *r, const spd_classifier_facts *facts)
{
    size_t n = shown_rows(facts->n, facts->hermitian), m = shown_rows(facts->m, facts->hermitian);
    if (n > 0) {
        sheet_size(r, n, facts->hermitian);
        sheet_count(r, "m", NULL, m, "");
        if (m == n)
            sheet_line(r, "matrices", "%s%zu x %zu", shown_kind(facts->hermitian), n, n);
        else
            sheet_line(r, "matrices", "%s%zu x %zu, mapped to %zu x %zu",
                       shown_kind(facts->hermitian), n, n, m, m);
        return;
    }
    sheet_count(r, "height", NULL, facts->height, "");
    sheet_count(r, "width", NULL, facts->width, "");
    sheet_line(r, "vectors", "%zu x %zu", facts->height, facts->width);
}

/* What is done to matrices before anything else. */
static void show_aligning(sheet *r, const spd_method *method, const spd_metadata *notes)
{
    const char *text = aligning_text(method, notes->group_column);
    const spd_recentering how = method->recenter;
    if (!text)
        return;
    sheet_text(r, "normalize", NULL, spd_name(SPD_ENUM_NORMALIZATION, method->normalize));
    sheet_text(r, "recenter", NULL, spd_name(SPD_ENUM_RECENTERING, how));
    sheet_json(r, "recenter_column",
               notes->group_column ? sheet_json_text(notes->group_column) : json_null());
    sheet_json(r, "groups", sheet_json_texts(notes->groups, notes->group_name));
    sheet_line(r, "alignment", "%s", text);
    if (notes->groups)
        sheet_line(r, "", "the file holds the means of %zu groups, and their names", notes->groups);
}

static void show_classes(sheet *r, const spd_metadata *notes, const spd_classifier_facts *facts)
{
    char text[200] = "";
    size_t at = 0, shown = 0;
    for (size_t k = 0; k < notes->classes; k++) {
        const char *name = notes->class_name[k];
        if (at + strlen(name) + 10 < sizeof text && shown == k) {
            at += (size_t)snprintf(text + at, sizeof text - at, "%s%s", k ? ", " : "", name);
            shown++;
        }
    }
    sheet_json(r, "class_names", sheet_json_texts(notes->classes, notes->class_name));
    sheet_count(r, "classes", NULL, facts->classes, "");
    sheet_line(r, "classes", "%zu: %s%s", facts->classes, text,
               shown < notes->classes ? ", ..." : "");
}

static void show_tuned(sheet *r, const spd_metadata *notes)
{
    sheet_count(r, "settings", NULL, notes->settings, "");
    if (notes->settings == 0) {
        sheet_line(r, "chosen", "not by cross-validation: values are given or defaults");
        return;
    }
    sheet_count(r, "folds", NULL, notes->folds > 0 ? (size_t)notes->folds : 0, "");
    sheet_json(r, "cv_accuracy", sheet_json_real(notes->accuracy));
    sheet_json(r, "cv_accuracy_no_map", sheet_json_real(notes->accuracy_no_map));
    if (isnan(notes->accuracy)) {
        sheet_line(r, "chosen", "there was nothing to choose");
        return;
    }
    sheet_line(r, "chosen", "of %zu settings, %.2f %% in %d-fold cross-validation", notes->settings,
               100.0 * notes->accuracy, notes->folds);
    if (!isnan(notes->accuracy_no_map))
        sheet_line(r, "", "without a learned map %.2f %%", 100.0 * notes->accuracy_no_map);
}

/* What a regression predicts, and how well where samples, or their groups, were left out. */
static void show_numbers(sheet *r, const spd_metadata *notes, const spd_classifier_facts *facts)
{
    sheet_text(r, "target", "predicts", notes->unnamed ? "numbers" : notes->class_name[0]);
    sheet_json(r, "r2", sheet_json_real(facts->r2));
    sheet_json(r, "error", sheet_json_real(facts->error));
    sheet_line(r, "left out",
               "R2 %.3f, error %.4g (root of the mean square), for samples or groups", facts->r2,
               facts->error);
    sheet_line(r, "", "that the others predict; beta and lambda were chosen by it");
}

/* What the file would tell of the people or things it was trained with. */
static void show_holding(sheet *r, const spd_classifier_facts *facts)
{
    sheet_count(r, "trained_with", NULL, facts->trained, "");
    sheet_text(r, "holds", NULL, spd_name(SPD_ENUM_HOLDING, facts->holding));
    sheet_count(r, "held", NULL, facts->held, "");
    if (facts->holding == SPD_HOLDING_SAMPLES)
        sheet_line(r, "training samples", "%zu; the file holds %zu of them%s", facts->trained,
                   facts->held, facts->m < facts->n ? ", as the map makes them" : "");
    else if (facts->holding == SPD_HOLDING_VECTORS)
        sheet_line(r, "training samples", "%zu; the file holds coordinates of them",
                   facts->trained);
    else
        sheet_line(r, "training samples", "%zu; the file holds none of them", facts->trained);
}

void show_method(sheet *r, const spd_method *method)
{
    char name[SPD_METHOD_NAME];
    spd_method_name(method, name);
    sheet_text(r, "method", "method", name);
}

void show_values(sheet *r, const spd_method *method)
{
    const char *values = recognition_text(method, method->value);
    sheet_json(r, "parameters", recognition_json(method, method->value));
    if (values[0])
        sheet_line(r, "parameters", "%s", values);
}

void show_trained(sheet *r, const spd_classifier *c)
{
    spd_classifier_facts facts = SPD_STRUCT(spd_classifier_facts);
    const spd_method *method = spd_classifier_method(c);
    const spd_metadata *notes = spd_classifier_metadata(c);
    if (spd_classifier_info(NULL, c, &facts) < 0)
        return;
    show_method(r, method);
    show_values(r, method);
    sheet_flag(r, "regression", NULL, facts.regression);
    if (facts.regression)
        show_numbers(r, notes, &facts);
    else
        show_tuned(r, notes);
    show_sizes(r, &facts);
    show_aligning(r, method, notes);
    if (!facts.regression)
        show_classes(r, notes, &facts);
    show_holding(r, &facts);
    if (facts.missed > 0.0) {
        sheet_real(r, "missed", NULL, facts.missed);
        sheet_line(r, "", "those miss %.2g %% of the kernel between all", 100.0 * facts.missed);
    }
    if (facts.regression)
        return;
    sheet_text(r, "score", NULL, facts.score);
    sheet_flag(r, "score_falls", NULL, facts.score_falls);
    sheet_line(r, "scores", "%s; the %s is the best", facts.score,
               facts.score_falls ? "smallest" : "largest");
}

/* ---- the league table of `auto` --------------------------------------------------------------- */

static json_t *row_json(const spd_candidate *c)
{
    sheet r;
    sheet_open(&r, 1);
    sheet_text(&r, "method", NULL, c->name);
    sheet_real(&r, "cv_accuracy", NULL, c->accuracy);
    sheet_json(&r, "folds", json_integer(c->folds));
    sheet_count(&r, "settings", NULL, c->settings, "");
    sheet_json(&r, "parameters", recognition_json(&c->method, c->method.value));
    sheet_real(&r, "seconds", NULL, c->seconds);
    sheet_flag(&r, "late", NULL, c->late);
    sheet_real(&r, "seconds_lacking", NULL, c->late ? c->left : (double)NAN);
    sheet_text(&r, "failure", NULL, c->message[0] ? c->message : NULL);
    return r.object;
}

/* What a row says of a candidate that was not judged in full, or more than once. */
static const char *remark(const spd_league *l, const spd_candidate *c)
{
    char left[40];
    if (c->late && isnan(c->left))
        return "not begun in the time";
    if (c->late) {
        bar_time(left, sizeof left, c->left);
        return words_text("given up; it lacked about %s", left);
    }
    if (c->folds == 0 && !c->message[0])
        return "not begun; could not be better";
    if (c->folds == 0)
        return words_text("%.30s%s", c->message, strlen(c->message) > 30 ? "..." : "");
    if (c->folds > l->folds)
        return words_text("judged on %d deals of folds", c->folds / l->folds);
    return c->folds < l->folds ? words_text("behind after %d of %d folds", c->folds, l->folds) : "";
}

/* What more time would bring: the candidates that were given up, and for how long they lacked. */
static void print_late(sheet *r, const spd_league *l)
{
    words given_up = {0};
    size_t others = 0;
    double seconds = 0.0;
    char time[40];
    for (size_t k = 0; k < l->candidates; k++) {
        const spd_candidate *c = l->candidate[k];
        if (c->late && !isnan(c->left)) {
            words_add(&given_up, c->name);
            seconds = c->left;
        }
        others += c->late && isnan(c->left);
    }
    bar_time(time, sizeof time, seconds);
    if (given_up.count)
        sheet_line(r, "more time", "about %s more would judge %s too%s", time,
                   words_join(&given_up, given_up.count, ", "),
                   others ? words_text("; %zu were not begun", others) : "");
    else if (others)
        sheet_line(r, "more time", "%zu candidates were not begun", others);
}

void show_league(sheet *r, const spd_league *l)
{
    json_t *rows = sheet_json_list();
    for (size_t k = 0; k < l->candidates; k++)
        sheet_json_append(rows, row_json(l->candidate[k]));
    sheet_json(r, "league", rows);
    sheet_real(r, "expected_accuracy", NULL, l->accuracy);
    sheet_real(r, "expected_low", NULL, l->low);
    sheet_real(r, "expected_high", NULL, l->high);
    if (r->object)
        return;
    screen_print("  %-18s %10s  %8s\n", "candidate", "accuracy %", "time s");
    for (size_t k = 0; k < l->candidates; k++) {
        const spd_candidate *c = l->candidate[k];
        const char *mark = k == l->chosen ? "*" : " ", *note = remark(l, c);
        if (c->folds == 0)
            screen_print("%s %-18s %10s  %8s%s%s\n", mark, c->name, "-", "-", note[0] ? "  " : "",
                         note);
        else
            screen_print("%s %-18s %10.1f  %8.2f%s%s\n", mark, c->name, 100.0 * c->accuracy,
                         c->seconds, note[0] ? "  " : "", note);
    }
    sheet_line(r, "expected", "%.1f %% on new samples, 95 %% interval %.1f to %.1f",
               100.0 * l->accuracy, 100.0 * l->low, 100.0 * l->high);
    print_late(r, l);
}
