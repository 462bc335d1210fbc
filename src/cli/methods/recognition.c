/* recognition.c - methods, samples and classes as the command line and files give them. */
#include "cli/methods/recognition.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/methods/groups.h"
#include "cli/frame/words.h"

#define SIZES 1000000 /* more than any size or count that makes sense */

const option options_sizes[] = {
    {"m", 'm', OPTION_INT, "N", NULL, 1, SIZES, .common = 1,
     .help = "Size of the matrices after the map; if m equals n, the map is off"},
    {"k", 'k', OPTION_INT, "N", NULL, 1, SIZES, .help = "Neighbours of knn and of the embeddings"},
    OPTION_END};

const option options_pairs[] = {
    {"nu-w", 0, OPTION_INT, "N", NULL, 1, SIZES,
     .help = "Learned map: neighbours within the class of a sample, with softmax candidates, "
             "see 'spdml fit'"},
    {"nu-b", 0, OPTION_INT, "N", NULL, 1, SIZES, .help = "Learned map: the same in other classes"},
    {"objective", 0, OPTION_CHOICE, "NAME", .names = SPD_ENUM_OBJECTIVE,
     .help = "Learned map: the objective of the fit, see 'spdml fit'"},
    OPTION_END};

/* ---- methods and values ---------------------------------------------------------------------- */

void recognition_parse(session *s, const char *name, spd_method *method)
{
    *method = (spd_method)SPD_STRUCT(spd_method);
    if (spd_method_parse(s->ctx, name, method) != SPD_OK)
        cli_misuse("%s", spd_context_error(s->ctx)->message);
}

json_t *recognition_value(spd_parameter parameter, double value)
{
    if (isnan(value))
        return json_null();
    if (parameter == SPD_PARAMETER_OBJECTIVE)
        return sheet_json_text(spd_name(SPD_ENUM_OBJECTIVE, (spd_objective)value));
    int whole = value == floor(value) && fabs(value) < 0x1p53;
    return whole ? sheet_json_whole((json_int_t)value) : sheet_json_real(value);
}

static int has_value(const spd_method *method, const double *value, int p)
{
    return spd_method_uses(method, (spd_parameter)p) && !isnan(value[p]);
}

json_t *recognition_json(const spd_method *method, const double *value)
{
    json_t *object = sheet_json_object();
    for (int p = 0; p < SPD_PARAMETERS; p++)
        if (has_value(method, value, p))
            sheet_json_set(object, spd_name(SPD_ENUM_PARAMETER, (spd_parameter)p),
                           recognition_value((spd_parameter)p, value[p]));
    return object;
}

char *recognition_text(const spd_method *method, const double *value)
{
    words list = {0};
    for (unsigned p = 0; p < SPD_PARAMETERS; p++) {
        const char *name = spd_name(SPD_ENUM_PARAMETER, p);
        if (has_value(method, value, (int)p))
            words_take(&list, p == SPD_PARAMETER_OBJECTIVE
                                  ? words_text("%s %s", name,
                                               spd_name(SPD_ENUM_OBJECTIVE, (unsigned)value[p]))
                                  : words_text("%s %.6g", name, value[p]));
    }
    return words_join(&list, list.count, ", ");
}

/* ---- samples --------------------------------------------------------------------------------- */

static void take_numbers(const spd_array *a, recognition_set *set)
{
    size_t each = set->samples.height * set->samples.width;
    set->V = cli_alloc_table(a->shape[0], each, sizeof *set->V, "entries of vectors");
    for (size_t e = 0; e < a->count; e++) {
        set->V[e] = a->type == SPD_TYPE_INT64 ? (double)a->i64[e] : a->f64[e];
        if (!isfinite(set->V[e]))
            cli_fail("%s: %s[%zu] holds NaN or Inf", set->data->source, a->name ? a->name : "X",
                     e / each);
    }
}

/* Can the array that was read as matrices be images? When it was not found by its name X. */
static int may_be_images(const session *s, const spd_data *data)
{
    const char *name = data->x->name;
    return arguments_text(s->args, "x") || !name || strcmp(name, "X") != 0;
}

static void take_vectors(const session *s, int matrices, recognition_set *set)
{
    const spd_data *data = set->data;
    spd_array stand_in = {.type = SPD_TYPE_FLOAT64,
                          .ndim = 3,
                          .shape = {data->p, data->n, data->n},
                          .count = data->p * data->n * data->n,
                          .f64 = data->X};
    const spd_array *a = column_named(data, "images");
    if (!a && !matrices && !data->hermitian && may_be_images(s, data))
        a = &stand_in;
    if (!a)
        cli_fail("%s: has no array 'images' with an image or a vector for each sample; 'spdml "
                 "describe --keep-images' keeps images",
                 data->source);
    /* Images keep their shape, vectors have height 1. */
    if (a->type == SPD_TYPE_TEXT || a->ndim > 3 || a->count == 0)
        cli_fail("%s: %s cannot be read as vectors; expected numbers p x h x w or p x d",
                 data->source, a->name ? a->name : "the array");
    set->samples.height = a->ndim == 3 ? a->shape[1] : 1;
    set->samples.width = a->ndim == 1 ? 1 : a->shape[a->ndim - 1];
    take_numbers(a, set);
    set->samples.V = set->V;
}

void recognition_take(session *s, int matrices, int vectors, recognition_set *set)
{
    const spd_data *data = set->data;
    spd_data_samples(data, &set->samples, sizeof set->samples);
    set->samples.X = matrices ? data->X : NULL;
    if (vectors)
        take_vectors(s, matrices, set);
}

void recognition_load(session *s, const char *path, const char *labels, int matrices, int vectors,
                      recognition_set *set)
{
    set->data = session_load_labels(s, path, labels, !matrices);
    recognition_take(s, matrices, vectors, set);
}

void recognition_remark(session *s, const spd_method *method, const recognition_set *set)
{
    const int aligned = method->normalize != SPD_NORMALIZATION_NONE ||
                        method->recenter != SPD_RECENTERING_NONE; /* means of what was before */
    if (method->map == SPD_MAP_PCA &&
        (aligned || !(set->samples.mean && set->samples.observations)))
        session_remark(s, RECOGNITION_POOLED, set->data->source);
}

spd_metadata recognition_notes(const spd_data *data)
{
    spd_metadata notes = SPD_STRUCT(spd_metadata);
    notes.classes = data->classes;
    notes.class_name = data->class_name;
    notes.label_type = data->y->type;
    notes.made = data->meta;
    return notes;
}

/* ---- classes --------------------------------------------------------------------------------- */

int *recognition_match(const spd_data *train, const spd_data *test, size_t *classes, size_t *unseen)
{
    int *number = cli_alloc(test->classes, sizeof *number, "class numbers");
    int *truth = cli_alloc(test->p, sizeof *truth, "class numbers");
    *classes = train->classes;
    *unseen = 0;
    for (size_t c = 0; c < test->classes; c++) {
        size_t k = 0;
        while (k < train->classes && strcmp(test->class_name[c], train->class_name[k]) != 0)
            k++;
        number[c] = (int)(k < train->classes ? k : (*classes)++);
    }
    for (size_t i = 0; i < test->p; i++) {
        truth[i] = number[test->label[i]];
        *unseen += (size_t)truth[i] >= train->classes;
    }
    return truth;
}

spd_array recognition_labels(const spd_data *data, const char *name, size_t count, const int *label)
{
    spd_array out = session_array_i64(name, count, 1, NULL);
    out.ndim = 1;
    out.type = data->y->type;
    if (out.type == SPD_TYPE_TEXT)
        out.text = cli_alloc(count, sizeof *out.text, "labels");
    else if (out.type == SPD_TYPE_INT64)
        out.i64 = cli_alloc(count, sizeof *out.i64, "labels");
    else
        out.f64 = cli_alloc(count, sizeof *out.f64, "labels");
    for (size_t i = 0; i < count; i++) {
        const char *class_name = data->class_name[label ? (size_t)label[i] : i];
        if (out.type == SPD_TYPE_TEXT)
            out.text[i] = class_name;
        else if (out.type == SPD_TYPE_INT64)
            out.i64[i] = strtoll(class_name, NULL, 10);
        else
            out.f64[i] = (double)strtoll(class_name, NULL, 10);
    }
    return out;
}
