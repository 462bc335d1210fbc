/* meta_report.c - the descriptor and its parameters, one line each. */
#include "cli/meta_report.h"

#include <stdlib.h>

/* The members of an object that are set, "name value" a line, below the label. */
static void report_members(report *r, const char *label, json_t *object)
{
    const char *key, *before = label;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(6));
        const char *plain = json_is_string(value) ? json_string_value(value) : text;
        report_line(r, before, "%s %s", key, plain ? plain : "");
        before = "";
        free(text);
    }
}

void meta_report(report *r, const char *meta)
{
    json_t *object = meta ? json_loads(meta, 0, NULL) : NULL;
    if (!json_is_object(object)) {
        json_decref(object);
        return;
    }
    const char *name = json_string_value(json_object_get(object, "descriptor"));
    const char *version = json_string_value(json_object_get(object, "version"));
    if (name) {
        report_line(r, "descriptor", "%s, by spdml %s", name, version ? version : "?");
        report_members(r, "parameters", json_object_get(object, "parameters"));
        report_members(r, "covariance", json_object_get(object, "covariance"));
    }
    report_json(r, "meta", object);
}
