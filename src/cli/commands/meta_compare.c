/* meta_compare.c - two records of `spdml describe`, set beside each other.
 *
 * Left out is what may differ between matrices that are alike: the map (one set may have gone
 * through `transform`), the number of observations and how tables lie in their files. */
#include "cli/commands/meta_compare.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "cli/frame/sheet.h"
#include "cli/frame/words.h"

#define VALUE_ROOM 120 /* characters of a value */
#define SHOWN      3   /* differences that are named */

/* How the members of a record become the value of an option. */
typedef enum form {
    FORM_NUMBER, /* one, or two that differ */
    FORM_SOME,   /* the same; 0 is none */
    FORM_WORD,   /* a word, unless there are numbers beside it */
    FORM_FLAG,   /* given when true */
    FORM_UNSET,  /* given when false */
    FORM_FRAMES, /* first and last */
    FORM_EPOCH,  /* from and to */
    FORM_BANDS   /* pairs */
} form;

typedef struct row {
    const char *descriptor; /* NULL: all */
    const char *option;     /* NULL: none, the record alone knows it */
    form form;
    const char *key, *second, *third; /* members of the record, or NULL */
} row;

static const row rows[] = {
    {NULL, "size", FORM_NUMBER, "width", "height", NULL},
    {"sift-color", "sift-step", FORM_NUMBER, "step", NULL, NULL},
    {"sift-color", NULL, FORM_NUMBER, "bin", NULL, NULL},
    {"sift-color", NULL, FORM_NUMBER, "smooth", NULL, NULL},
    {"sift-color", "no-color", FORM_UNSET, "color", NULL, NULL},
    {"region", "no-color", FORM_FLAG, "grey", NULL, NULL},
    {"region", "grid", FORM_SOME, "grid_rows", "grid_columns", NULL},
    {"region", "rects", FORM_SOME, "rectangles", NULL, NULL},
    {"gabor", "regions", FORM_WORD, "regions", "grid_rows", "grid_columns"},
    {"gabor", "scales", FORM_NUMBER, "scales", NULL, NULL},
    {"gabor", "orientations", FORM_NUMBER, "orientations", NULL, NULL},
    {"gabor", NULL, FORM_NUMBER, "kmax", NULL, NULL},
    {"gabor", NULL, FORM_NUMBER, "spacing", NULL, NULL},
    {"gabor", NULL, FORM_NUMBER, "sigma", NULL, NULL},
    {"covariance", "rate", FORM_NUMBER, "rate", NULL, NULL},
    {"covariance", "window", FORM_SOME, "window", NULL, NULL},
    {"covariance", "step", FORM_SOME, "step", NULL, NULL},
    {"covariance", "bands", FORM_BANDS, "bands", NULL, NULL},
    {"covariance", "order", FORM_NUMBER, "order", NULL, NULL},
    {"covariance", "channels", FORM_WORD, "channels", NULL, NULL},
    {"covariance", "epoch", FORM_EPOCH, "epoch_from", "epoch_to", NULL},
    {"joints", "center", FORM_WORD, "center", NULL, NULL},
    {"joints", "frames", FORM_FRAMES, "first_frame", "last_frame", NULL},
    {"joints", "temporal-pyramid", FORM_NUMBER, "temporal_pyramid", NULL, NULL},
    {"joints", "overlap", FORM_FLAG, "overlap", NULL, NULL},
    {"joints", "unit-range", FORM_FLAG, "unit_range", NULL, NULL},
    {NULL, "shrinkage", FORM_WORD, "shrinkage", "shrink", NULL},
    {NULL, "regularize", FORM_NUMBER, "regularize", NULL, NULL},
};

/* ---- values ---------------------------------------------------------------------------------- */

/* A member of the descriptor's parameters or of the covariance's; key may be NULL. */
static json_t *member(json_t *record, const char *key)
{
    json_t *found = json_object_get(json_object_get(record, "parameters"), key);
    return found ? found : json_object_get(json_object_get(record, "covariance"), key);
}

/* One number, or two with a sign between them. */
static void put_numbers(json_t *first, json_t *second, char text[VALUE_ROOM])
{
    int length = snprintf(text, VALUE_ROOM, "%.10g", json_number_value(first));
    if (second)
        snprintf(text + length, VALUE_ROOM - (size_t)length, "x%.10g", json_number_value(second));
}

static void put_frames(double first, double last, char text[VALUE_ROOM])
{
    if (last > 0.0)
        snprintf(text, VALUE_ROOM, "%.10g:%.10g", first, last);
    else if (first > 0.0)
        snprintf(text, VALUE_ROOM, "%.10g:", first);
    else
        snprintf(text, VALUE_ROOM, "all");
}

static void put_bands(json_t *bands, char text[VALUE_ROOM])
{
    size_t at = 0;
    snprintf(text, VALUE_ROOM, "none");
    for (size_t b = 0; b < json_array_size(bands) && at < VALUE_ROOM; b++) {
        json_t *band = json_array_get(bands, b);
        at += (size_t)snprintf(text + at, VALUE_ROOM - at, "%s%.10g-%.10g", b ? "," : "",
                               json_number_value(json_array_get(band, 0)),
                               json_number_value(json_array_get(band, 1)));
    }
}

/* text <- the option's value in a record; empty where the record does not say. */
static void put_value(json_t *record, const row *r, char text[VALUE_ROOM])
{
    json_t *value = member(record, r->key), *other = member(record, r->second);
    double a = json_number_value(value), b = json_number_value(other);
    text[0] = '\0';
    if (!value)
        return;
    switch (r->form) {
    case FORM_NUMBER:
        put_numbers(value, a < b || a > b ? other : NULL, text);
        break;
    case FORM_SOME:
        if (a > 0.0)
            put_numbers(value, other, text);
        else
            snprintf(text, VALUE_ROOM, "none");
        break;
    case FORM_WORD:
        if (other)
            put_numbers(other, member(record, r->third), text);
        else
            snprintf(text, VALUE_ROOM, "%s", json_is_string(value) ? json_string_value(value) : "");
        break;
    case FORM_FLAG:
    case FORM_UNSET:
        snprintf(text, VALUE_ROOM, "%s",
                 json_is_true(value) == (r->form == FORM_FLAG) ? "given" : "not given");
        break;
    case FORM_FRAMES:
        put_frames(a, b, text);
        break;
    case FORM_EPOCH:
        snprintf(text, VALUE_ROOM, "%.10g:%.10g", a, b);
        break;
    case FORM_BANDS:
        put_bands(value, text);
        break;
    }
}

/* ---- differences ----------------------------------------------------------------------------- */

static const char *descriptor_of(json_t *record)
{
    return json_string_value(json_object_get(record, "descriptor"));
}

/* The parameters of two records of one descriptor. */
static void compare_values(json_t *first, json_t *second, char *text, size_t size)
{
    size_t at = 0, found = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows && found <= SHOWN && at < size; i++) {
        char a[VALUE_ROOM], b[VALUE_ROOM];
        if (rows[i].descriptor && strcmp(rows[i].descriptor, descriptor_of(first)) != 0)
            continue;
        put_value(first, &rows[i], a);
        put_value(second, &rows[i], b);
        if (!a[0] || !b[0] || strcmp(a, b) == 0)
            continue;
        if (found++ < SHOWN)
            at += (size_t)snprintf(text + at, size - at, "%s%s%s %s against %s", at ? ", " : "",
                                   rows[i].option ? "--" : "",
                                   rows[i].option ? rows[i].option : rows[i].key, a, b);
        else
            snprintf(text + at, size - at, ", ...");
    }
}

const char *meta_compare(const char *first, const char *second)
{
    char text[400] = "";
    json_t *a = first ? sheet_json_parse(first) : NULL;
    json_t *b = second ? sheet_json_parse(second) : NULL;
    const char *descriptor = descriptor_of(a), *other = descriptor_of(b);
    if (descriptor && other && strcmp(descriptor, other) != 0)
        snprintf(text, sizeof text, "%.40s against %.40s", descriptor, other);
    else if (descriptor && other)
        compare_values(a, b, text, sizeof text);
    json_decref(a);
    json_decref(b);
    return text[0] ? words_text("%s", text) : NULL;
}
