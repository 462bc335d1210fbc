/* cmd_info.c - `spdml info`: what is in a data set and what is wrong with it, or how a model, the
 * checkpoint of a fit or a trained method came about. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/frame/cli_memory.h"
#include "cli/methods/show_model.h"
#include "cli/methods/groups.h"
#include "cli/methods/show_trained.h"

#define CLASSES_SHOWN 10
#define NO_COVARIANCE 0.1 /* asymmetry that is not a matter of rounding */

/* ---- how the matrices were made -------------------------------------------------------------- */

static int is_zero(json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) && !(json_number_value(value) > 0.0);
}

/* Words for a zero that is no value: a part that is not taken, an end that is open. NULL: it is
 * what it is. */
static const char *words_for_zero(json_t *object, const char *key)
{
    int some = !is_zero(object, "first_frame") || !is_zero(object, "last_frame");
    if (!is_zero(object, key))
        return NULL;
    if (strcmp(key, "window") == 0)
        return "none";
    if (strcmp(key, "step") == 0)
        return is_zero(object, "window") ? "none" : "the window";
    if (strcmp(key, "first_frame") == 0)
        return some ? NULL : "all";
    if (strcmp(key, "last_frame") == 0)
        return some ? "the end" : "all";
    return NULL;
}

/* The members of an object that are set, "name value" a line, below the label. */
static void show_members(sheet *r, const char *label, json_t *object)
{
    const char *key, *before = label;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        const char *special = words_for_zero(object, key);
        sheet_line(r, before, "%s %s", key,
                   special ? special : sheet_json_say(value, JSON_COMPACT));
        before = "";
    }
}

/* Names of channels in one line, cut where it becomes long. */
static void show_channels(sheet *r, json_t *list)
{
    char text[70] = "";
    size_t used = 0;
    for (size_t k = 0; k < json_array_size(list) && used + 24 < sizeof text; k++) {
        const char *name = json_string_value(json_array_get(list, k));
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%.16s", k ? ", " : "",
                                 name ? name : "?");
    }
    if (used)
        sheet_line(r, "channels", "%zu: %s%s", json_array_size(list), text,
                   used + 24 < sizeof text ? "" : ", ...");
}

/* Shows the JSON text that came with a data set; NULL or a text that is not JSON: nothing. */
static void show_meta(sheet *r, const char *meta)
{
    json_t *object = meta ? sheet_json_parse(meta) : NULL;
    if (!object)
        return;
    const char *name = json_string_value(json_object_get(object, "descriptor"));
    const char *version = json_string_value(json_object_get(object, "version"));
    if (name) {
        sheet_line(r, "descriptor", "%s, by spdml %s", name, version ? version : "?");
        show_channels(r, json_object_get(json_object_get(object, "rows"), "channels"));
        show_members(r, "parameters", json_object_get(object, "parameters"));
        show_members(r, "covariance", json_object_get(object, "covariance"));
        show_members(r, "few observations", json_object_get(object, "few_observations"));
    }
    sheet_json(r, "meta", object);
}

/* ---- data sets ------------------------------------------------------------------------------- */

static void show_classes(sheet *r, const spd_data *data)
{
    sheet_count(r, "classes", NULL, data->classes, "");
    if (!data->classes) {
        const char *hint = labels_hint(data);
        if (hint[0])
            sheet_line(r, "labels", "none (%s)", hint);
        else
            sheet_line(r, "labels", "none");
        return;
    }
    size_t *count = cli_alloc(data->classes, sizeof *count, "class counts");
    for (size_t i = 0; i < data->p; i++)
        count[data->label[i]]++;
    json_t *list = sheet_json_list();
    for (size_t c = 0; c < data->classes; c++) {
        json_t *name = sheet_json_text(data->class_name[c]);
        sheet_json_append(list,
                          json_pack("{s:o,s:I}", "label", name, "count", (json_int_t)count[c]));
    }
    sheet_json(r, "class_counts", list);
    sheet_line(r, "labels", "%zu class%s", data->classes, data->classes == 1 ? "" : "es");
    const size_t shown = data->classes > CLASSES_SHOWN + 1 ? CLASSES_SHOWN : data->classes;
    for (size_t c = 0; c < shown; c++)
        sheet_line(r, "", "%zu x %s", count[c], data->class_name[c]);
    if (data->classes > shown) /* at least two: one has room in that line itself */
        sheet_line(r, "", "and %zu more", data->classes - shown);
}

static void show_columns(sheet *r, const spd_data *data)
{
    json_t *list = sheet_json_list();
    for (size_t i = 0; i < data->columns; i++) {
        const spd_array *column = data->column[i];
        const char *name = column->name ? column->name : "";
        const char *type = column->type == SPD_TYPE_TEXT    ? "text"
                           : column->type == SPD_TYPE_INT64 ? "integer"
                                                            : "real";
        size_t width = data->p ? column->count / data->p : 0;
        sheet_json_append(list, sheet_json_text(name));
        sheet_line(r, i ? "" : "columns", "%s (%s, %zu per matrix)", name, type, width);
    }
    sheet_json(r, "columns", list);
}

/* One problem: how many matrices have it, the first of them, and what helps, which the rest says
 * with the punctuation before it. */
static void add_problem(sheet *r, json_t *list, const spd_data *data, size_t count, size_t first,
                        const char *what, const char *rest)
{
    char text[500], label[120] = "";
    if (!count)
        return;
    if (data->label)
        snprintf(label, sizeof label, " of class %.80s", data->class_name[data->label[first]]);
    snprintf(text, sizeof text, "%zu %s %s, first X[%zu]%s%s", count,
             count == 1 ? "matrix" : "matrices", what, first, label, rest);
    sheet_line(r, json_array_size(list) ? "" : "problems", "%s", text);
    sheet_json_append(list, sheet_json_text(text));
}

static void show_problems(sheet *r, const spd_data *data, const spd_survey *survey)
{
    json_t *list = sheet_json_list();
    char indefinite[200], remedy[120];
    advice_words(survey->remedy, survey->remedy_value, remedy, sizeof remedy);
    snprintf(indefinite, sizeof indefinite, " (smallest eigenvalue %.2g); %s",
             survey->first_eigenvalue, remedy);
    add_problem(r, list, data, survey->not_finite, survey->first_not_finite, "with NaN or Inf",
                "; 'spdml convert --drop-nan' leaves such matrices out");
    add_problem(r, list, data, survey->not_symmetric, survey->first_not_symmetric,
                data->hermitian ? "not Hermitian" : "not symmetric",
                survey->max_asymmetry <= NO_COVARIANCE ? "; try --symmetrize"
                : survey->not_symmetric == data->p
                    ? "; if these are images, 'spdml describe' makes matrices of them"
                    : "; this is more than rounding: check how they were made");
    add_problem(r, list, data, survey->not_definite, survey->first_not_definite,
                "not positive definite", indefinite);
    add_problem(r, list, data, survey->singular, survey->first_singular,
                "of a condition above 1e15", "; try --regularize 1e-6");
    if (!json_array_size(list))
        sheet_line(r, "problems", "none");
    sheet_json(r, "problems", list);
}

static void show_all(sheet *r, const char *path, const spd_data *data, const spd_survey *survey)
{
    sheet_text(r, "file", "file", path);
    sheet_set(r, data->p, shown_n(data), data->hermitian);
    show_classes(r, data);
    show_columns(r, data);
    show_meta(r, data->meta);
    sheet_real(r, "min_eigenvalue", NULL, survey->min_eigenvalue);
    sheet_real(r, "max_eigenvalue", NULL, survey->max_eigenvalue);
    sheet_line(r, "eigenvalues", "%.6g to %.6g", survey->min_eigenvalue, survey->max_eigenvalue);
    sheet_real(r, "max_condition", "largest condition", survey->max_condition);
    sheet_real(r, "max_asymmetry", "largest asymmetry", survey->max_asymmetry);
    show_problems(r, data, survey);
}

/* ---- models and checkpoints ------------------------------------------------------------------ */

static void show_fit(session *s, const char *path, spd_kind kind)
{
    const spd_model *model = session_fitted(s, path, kind);
    sheet *r = session_sheet(s);
    sheet_text(r, "file", "file", path);
    sheet_text(r, "kind", "kind", kind == SPD_KIND_CHECKPOINT ? "checkpoint" : "model");
    sheet_text(r, "version", "made by spdml", model->version);
    show_model(r, model);
    show_model_history(r, model);
    show_model_map(r, model);
}

/* ---- trained methods ------------------------------------------------------------------------- */

static void show_method_file(session *s, const char *path)
{
    trained_method t;
    trained_load(s, path, &t);
    const spd_model *model = spd_classifier_model(t.classifier);
    sheet *r = session_sheet(s);
    sheet_text(r, "file", "file", path);
    sheet_text(r, "kind", "kind", "trained method");
    sheet_text(r, "version", "made by spdml", spd_classifier_metadata(t.classifier)->version);
    show_trained(r, t.classifier);
    show_meta(r, spd_classifier_metadata(t.classifier)->made);
    if (model)
        sheet_line(r, "learned map", "%s, cost %.6g after %d iterations",
                   spd_name(SPD_ENUM_OBJECTIVE, model->options->objective), model->cost,
                   model->iterations);
}

/* ---- data sets ------------------------------------------------------------------------------- */

static void show_data(session *s, const char *path)
{
    spd_data *data = session_load(s, path, 1);
    spd_survey survey = SPD_STRUCT(spd_survey);
    session_check(s, spd_data_survey(s->ctx, data, &survey));
    session_talk(s, "surveyed %s", path);
    show_all(session_sheet(s), path, data, &survey);
}

/* ---- what is no data set yet ----------------------------------------------------------------- */

typedef struct raw_kind {
    const char *what, *describe;
    const char *ending[12];
} raw_kind;

static const raw_kind raw_kinds[] = {
    {"a recording", "describe covariance", {".edf", ".bdf"}},
    {"motion capture", "describe joints", {".amc", ".bvh", ".c3d", ".asf"}},
    {"an image",
     "describe sift-color, gabor or region",
     {".png", ".jpg", ".jpeg", ".tif", ".tiff", ".pgm", ".ppm", ".pnm", ".webp", ".gif", ".bmp"}},
    {"an archive",
     "describe KIND",
     {".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz", ".tar.zst", ".zip"}},
};

/* The kind of inputs of 'describe' that a path names, or NULL. */
static const raw_kind *raw_kind_of(const char *path)
{
    static const raw_kind folder = {"a folder", "describe KIND", {NULL}};
    struct stat st;
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        return &folder;
    for (size_t k = 0; k < sizeof raw_kinds / sizeof *raw_kinds; k++)
        for (size_t e = 0; e < 12 && raw_kinds[k].ending[e]; e++)
            if (option_has_ending(path, raw_kinds[k].ending[e]))
                return &raw_kinds[k];
    return NULL;
}

static int run(session *s)
{
    const char *path = s->args->operands[0];
    const raw_kind *raw = raw_kind_of(path);
    if (raw)
        cli_fail("%s: is %s, not a data set: 'spdml %s' makes matrices of it, and info shows those",
                 path, raw->what, raw->describe);
    spd_kind kind = spd_file_kind(path);
    /* What is called a model is read as one, so that a damaged one is named as such. */
    if (kind == SPD_KIND_METHOD)
        show_method_file(s, path);
    else if (kind == SPD_KIND_CHECKPOINT || kind == SPD_KIND_MODEL ||
             option_has_ending(path, ".spdml"))
        show_fit(s, path, kind);
    else
        show_data(s, path);
    return CLI_GOOD;
}

static const char *const paragraphs[] = {
    "Shows what is in a data set: the number of matrices and their size, the labels with the count "
    "of each class, further columns, the range of the eigenvalues, the largest condition number "
    "and, if 'spdml describe' made it, the descriptor and its parameters.",
    "Matrices that are not SPD are counted and the first of each kind is named, with a remedy; so "
    "are matrices that are SPD only by rounding, whose distances may not exist. Such problems are "
    "part of the result: the exit status is 0 if the file could be read.",
    "For a model (.spdml) or a checkpoint, shows the size of the map, the options and how the fit "
    "went. For a trained method, shows its parameters and how they were chosen, its classes, and "
    "whether the file holds training samples.",
    "Recordings, motion capture, images, archives and folders are no data sets yet: 'spdml "
    "describe' makes one of them.",
    NULL};

static const command_example examples[] = {
    {"spdml info data.npz", "Describe a data set."},
    {"spdml info covs.mat --x covs --y labels --json", "The same for a MATLAB file, as JSON."},
    {"spdml info model.spdml", "How a model was learned."},
    {"spdml info method.spdml", "What 'spdml train' has kept."},
    {NULL, NULL}};

COMMAND(info, "show what is in a data set, a model or a trained method", "FILE",
        .groups = {{"Reading data", options_data}, {"Common options", options_common}});
