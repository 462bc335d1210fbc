/* show_trained.c - trained methods: from files, and in words. */
#include "cli/methods/aligning.h"

#include <math.h>
#include <string.h>

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
