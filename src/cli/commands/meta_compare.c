/* meta_compare.c - two records of `spdml describe`, set beside each other: members of both
 * that differ. */
#include "cli/commands/meta_compare.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "cli/frame/sheet.h"
#include "cli/frame/words.h"

#define SHOWN      3  /* differences that are named */
#define VALUE_ROOM 60 /* characters of a value */

/* What may differ between matrices that are alike: a map (one set may have gone through `transform`),
 * the number of observations, how tables lie in their files, and which events were taken. */
static const char *const ignored[] = {"projected_to", "observations", "channels_first",
                                      "group",        "event_names",  "events"};

static int is_ignored(const char *key)
{
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        if (strcmp(key, ignored[i]) == 0)
            return 1;
    return 0;
}

static void put_value(json_t *value, char text[VALUE_ROOM])
{
    const size_t form = JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(10);
    size_t length = json_dumpb(value, text, VALUE_ROOM - 1, form);
    text[length < VALUE_ROOM ? length : VALUE_ROOM - 1] = '\0';
}

/* Adds "key value against value" for each member that differs; *found counts them. */
static void compare_members(json_t *first, json_t *second, size_t *found, char *text, size_t size)
{
    const char *key;
    json_t *a;
    json_object_foreach(first, key, a)
    {
        json_t *b = json_object_get(second, key);
        if (!b || is_ignored(key) || json_equal(a, b))
            continue;
        char one[VALUE_ROOM], other[VALUE_ROOM];
        put_value(a, one);
        put_value(b, other);
        size_t at = strlen(text);
        if (++*found <= SHOWN)
            snprintf(text + at, size - at, "%s%.30s %s against %s", at ? ", " : "", key, one,
                     other);
    }
}

static void compare_values(json_t *first, json_t *second, char *text, size_t size)
{
    static const char *const part[] = {"parameters", "covariance"};
    size_t found = 0;
    for (size_t i = 0; i < 2; i++)
        compare_members(json_object_get(first, part[i]), json_object_get(second, part[i]), &found,
                        text, size);
    if (found > SHOWN)
        strncat(text, ", ...", size - strlen(text) - 1);
}

static const char *descriptor_of(json_t *record)
{
    return json_string_value(json_object_get(record, "descriptor"));
}

const char *meta_compare(const char *first, const char *second)
{
    char text[600] = "";
    json_t *a = first ? sheet_json_parse(first) : NULL;
    json_t *b = second ? sheet_json_parse(second) : NULL;
    const char *descriptor = descriptor_of(a), *other = descriptor_of(b);
    if (descriptor && other && strcmp(descriptor, other) != 0)
        snprintf(text, sizeof text, "%.40s against %.40s", descriptor, other);
    else if (descriptor && other && spd_parse(NULL, SPD_ENUM_DESCRIPTOR, descriptor) >= 0)
        compare_values(a, b, text, sizeof text);
    json_decref(a);
    json_decref(b);
    return text[0] ? words_text("%s", text) : NULL;
}
