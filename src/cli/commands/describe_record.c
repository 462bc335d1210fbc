/* describe_record.c - from the record of a description to the library's options. */
#include "cli/commands/describe_record.h"

#include <stddef.h>
#include <string.h>

#include "cli/frame/sheet.h"

/* A member of a record that is a number of the options. */
typedef struct number {
    const char *key;
    size_t offset;
    enum { COUNT, REAL, FLAG } type;
    int of; /* the descriptor; -1: any */
} number;

#define ANY (-1)

static const number numbers[] = {
    {"width", offsetof(spd_describe_options, width), COUNT, ANY},
    {"height", offsetof(spd_describe_options, height), COUNT, ANY},
    {"observations", offsetof(spd_describe_options, observations), COUNT, ANY},
    {"grid_rows", offsetof(spd_describe_options, grid_rows), COUNT, ANY},
    {"grid_columns", offsetof(spd_describe_options, grid_columns), COUNT, ANY},
    {"step", offsetof(spd_describe_options, step), COUNT, SPD_DESCRIPTOR_SIFT_COLOR},
    {"grey", offsetof(spd_describe_options, grey), FLAG, SPD_DESCRIPTOR_REGION},
    {"scales", offsetof(spd_describe_options, scales), COUNT, SPD_DESCRIPTOR_GABOR},
    {"orientations", offsetof(spd_describe_options, orientations), COUNT, SPD_DESCRIPTOR_GABOR},
    {"first_frame", offsetof(spd_describe_options, first_frame), COUNT, SPD_DESCRIPTOR_JOINTS},
    {"last_frame", offsetof(spd_describe_options, last_frame), COUNT, SPD_DESCRIPTOR_JOINTS},
    {"temporal_pyramid", offsetof(spd_describe_options, pyramid), COUNT, SPD_DESCRIPTOR_JOINTS},
    {"overlap", offsetof(spd_describe_options, overlap), FLAG, SPD_DESCRIPTOR_JOINTS},
    {"unit_range", offsetof(spd_describe_options, unit_range), FLAG, SPD_DESCRIPTOR_JOINTS},
    {"rate", offsetof(spd_describe_options, rate), REAL, SPD_DESCRIPTOR_COVARIANCE},
    {"window", offsetof(spd_describe_options, window), REAL, SPD_DESCRIPTOR_COVARIANCE},
    {"step", offsetof(spd_describe_options, stride), REAL, SPD_DESCRIPTOR_COVARIANCE},
    {"epoch_from", offsetof(spd_describe_options, epoch_from), REAL, SPD_DESCRIPTOR_COVARIANCE},
    {"epoch_to", offsetof(spd_describe_options, epoch_to), REAL, SPD_DESCRIPTOR_COVARIANCE},
    {"order", offsetof(spd_describe_options, order), COUNT, SPD_DESCRIPTOR_COVARIANCE},
    {"channels_first", offsetof(spd_describe_options, channels_first), FLAG,
     SPD_DESCRIPTOR_COVARIANCE},
};

static void take_number(const number *row, const json_t *value, spd_describe_options *o)
{
    void *at = (char *)o + row->offset;
    double given = json_number_value(value);
    if (row->type == FLAG && json_is_boolean(value))
        *(int *)at = json_is_true(value);
    else if (row->type == REAL && json_is_number(value))
        *(double *)at = given;
    else if (row->type == COUNT && json_is_number(value) && given >= 0.0 && given <= 1e9)
        *(size_t *)at = (size_t)given;
}

static const char *word(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* A copy that belongs to the session. */
static const char *kept(const char *text)
{
    return cli_text(text, strlen(text));
}

static void take_words(const json_t *parameters, spd_describe_options *o)
{
    const json_t *color = json_object_get(parameters, "color");
    if (json_is_boolean(color))
        o->grey = json_is_false(color);
    o->center_root = strcmp(word(parameters, "center"), "root") == 0;
    int regions = spd_parse(NULL, SPD_ENUM_REGIONS, word(parameters, "regions"));
    if (regions >= 0)
        o->regions = (spd_regions)regions;
    if (*word(parameters, "group"))
        o->group = kept(word(parameters, "group"));
    if (*word(parameters, "channels"))
        o->channels = kept(word(parameters, "channels"));
    if (*word(parameters, "events"))
        o->events = kept(word(parameters, "events"));
    if (*word(parameters, "event_names"))
        o->event_names = kept(word(parameters, "event_names"));
}

static void take_bands(const json_t *bands, spd_describe_options *o)
{
    o->bands = json_array_size(bands);
    if (o->bands == 0)
        return;
    double *edge = cli_alloc_table(o->bands, 2, sizeof *edge, "bands");
    for (size_t b = 0; b < 2 * o->bands; b++)
        edge[b] = json_number_value(json_array_get(json_array_get(bands, b / 2), b % 2));
    o->band = edge;
}

static const char *take(const json_t *record, spd_descriptor *kind, spd_describe_options *o)
{
    const json_t *parameters = json_object_get(record, "parameters");
    const json_t *covariance = json_object_get(record, "covariance");
    if (!*word(record, "descriptor"))
        return "the training matrices do not say how they were made";
    int known = spd_parse(NULL, SPD_ENUM_DESCRIPTOR, word(record, "descriptor"));
    if (known < 0)
        return "this version does not know the descriptor of the training matrices";
    if (json_object_get(covariance, "projected_to"))
        return "the training matrices were projected by a model; describe with --model first";
    if (json_number_value(json_object_get(parameters, "rectangles")) > 0.0)
        return "the training matrices are of certain rectangles; describe with --rects first";
    *kind = (spd_descriptor)known;
    spd_describe_defaults(*kind, o, sizeof *o);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const json_t *value = json_object_get(parameters, numbers[i].key);
        if (value && (numbers[i].of == ANY || numbers[i].of == (int)*kind))
            take_number(&numbers[i], value, o);
    }
    take_words(parameters, o);
    take_bands(json_object_get(parameters, "bands"), o);
    const json_t *regularize = json_object_get(covariance, "regularize");
    int shrinkage = spd_parse(NULL, SPD_ENUM_SHRINKAGE, word(covariance, "shrinkage"));
    if (shrinkage >= 0)
        o->covariance.shrinkage = (spd_shrinkage)shrinkage;
    o->covariance.shrink = json_number_value(json_object_get(covariance, "shrink"));
    if (json_is_number(regularize))
        o->covariance.regularize = json_number_value(regularize);
    return NULL;
}

const char *describe_record_take(const char *made, spd_descriptor *kind, spd_describe_options *o)
{
    json_t *record = made ? sheet_json_parse(made) : NULL;
    const char *why = take(record, kind, o);
    json_decref(record);
    return why;
}
