/* show_meta.c - the descriptor and its parameters, one line each. */
#include "cli/commands/show_meta.h"

#include <stdlib.h>
#include <string.h>

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
        char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(6));
        const char *plain = json_is_string(value) ? json_string_value(value) : text;
        const char *words = words_for_zero(object, key);
        sheet_line(r, before, "%s %s", key, words ? words : plain ? plain : "");
        before = "";
        free(text);
    }
}

void show_meta(sheet *r, const char *meta)
{
    json_t *object = meta ? json_loads(meta, 0, NULL) : NULL;
    if (!json_is_object(object)) {
        json_decref(object);
        return;
    }
    const char *name = json_string_value(json_object_get(object, "descriptor"));
    const char *version = json_string_value(json_object_get(object, "version"));
    if (name) {
        sheet_line(r, "descriptor", "%s, by spdml %s", name, version ? version : "?");
        show_members(r, "parameters", json_object_get(object, "parameters"));
        show_members(r, "covariance", json_object_get(object, "covariance"));
    }
    sheet_json(r, "meta", object);
}
