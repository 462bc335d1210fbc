/* fields.c - JSON of a struct, member by member. Every value that is written can be read again
 * with the same bits. */
#include "learn/fields.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Enumerations are handled as the unsigned they are stored in. */
_Static_assert(sizeof(spd_metric) == sizeof(unsigned) && sizeof(spd_stop) == sizeof(unsigned) &&
                   sizeof(spd_init) == sizeof(unsigned),
               "enumerations have the size of int");

/* Integers above 2^63 - 1, which JSON readers do not agree on, become texts. */
static json_t *u64_to_json(uint64_t value)
{
    char text[24];
    if (value <= INT64_MAX)
        return json_integer((json_int_t)value);
    snprintf(text, sizeof text, "%" PRIu64, value);
    return json_string(text);
}

/* The JSON value of a member; NULL when it has none or memory is out. */
static json_t *to_json(const field *f, const void *at)
{
    switch (f->type) {
    case FIELD_SIZE:
        return u64_to_json(*(const size_t *)at);
    case FIELD_INT:
        return *(const int *)at < 0 ? NULL : json_integer(*(const int *)at);
    case FIELD_REAL:
        return json_real(*(const double *)at); /* NULL for NaN and Inf */
    case FIELD_U64:
        return u64_to_json(*(const uint64_t *)at);
    case FIELD_NAME:
        break;
    }
    unsigned value;
    memcpy(&value, at, sizeof value);
    return json_string(naming_word(f->names, value)); /* NULL for a value without a word */
}

spd_status fields_write(spd_context *ctx, size_t count, const field *fields, const void *record,
                        json_t *object)
{
    for (size_t i = 0; i < count; i++) {
        json_t *value = to_json(&fields[i], (const char *)record + fields[i].offset);
        if (!value)
            return ctx_fail(ctx, SPD_EINVAL, "cannot be saved: '%s' has no valid value",
                            fields[i].key);
        if (json_object_set_new(object, fields[i].key, value) != 0)
            return ctx_nomem(ctx, "meta.json");
    }
    return SPD_OK;
}

static int u64_from_json(const json_t *value, uint64_t *out)
{
    char *end;
    if (json_is_integer(value)) {
        *out = (uint64_t)json_integer_value(value);
        return json_integer_value(value) < 0;
    }
    const char *text = json_string_value(value);
    if (!text || *text < '0' || *text > '9')
        return 1;
    *out = strtoull(text, &end, 10);
    return *end != '\0';
}

static int int_from_json(const json_t *value, int *out)
{
    json_int_t number = json_integer_value(value);
    if (!json_is_integer(value) || number < 0 || number > INT_MAX)
        return 1;
    *out = (int)number;
    return 0;
}

static int size_from_json(const json_t *value, size_t *out)
{
    uint64_t number;
    if (u64_from_json(value, &number) || number > SIZE_MAX)
        return 1;
    *out = (size_t)number;
    return 0;
}

static int real_from_json(const json_t *value, double *out)
{
    double number = json_number_value(value);
    if (!json_is_number(value) || !isfinite(number))
        return 1;
    *out = number;
    return 0;
}

static int from_json(const field *f, const json_t *value, void *at)
{
    switch (f->type) {
    case FIELD_SIZE:
        return size_from_json(value, at);
    case FIELD_INT:
        return int_from_json(value, at);
    case FIELD_REAL:
        return real_from_json(value, at);
    case FIELD_U64:
        return u64_from_json(value, at);
    case FIELD_NAME:
        break;
    }
    return naming_parse(NULL, f->names, json_string_value(value), at) < 0;
}

spd_status fields_read(spd_context *ctx, size_t count, const field *fields, const json_t *object,
                       void *record)
{
    static const char *const wanted[] = {"a whole number", "a whole number", "a number",
                                         "a whole number", "a known name"};
    for (size_t i = 0; i < count; i++) {
        const json_t *value = json_object_get(object, fields[i].key);
        if (!value && fields[i].later)
            continue;
        if (!value)
            return ctx_fail(ctx, SPD_EFORMAT, "meta.json: '%s' is missing", fields[i].key);
        if (from_json(&fields[i], value, (char *)record + fields[i].offset))
            return ctx_fail(ctx, SPD_EFORMAT, "meta.json: '%s' is not %s", fields[i].key,
                            wanted[fields[i].type]);
    }
    return SPD_OK;
}

spd_status fields_check(spd_context *ctx, size_t count, const field *fields, const void *record)
{
    for (size_t i = 0; i < count; i++) {
        unsigned value;
        if (fields[i].type != FIELD_NAME)
            continue;
        memcpy(&value, (const char *)record + fields[i].offset, sizeof value);
        if (!naming_word(fields[i].names, value))
            return ctx_fail(ctx, SPD_EINVAL, "there is no %s number %u", fields[i].names->kind,
                            value);
    }
    return SPD_OK;
}

const char *fields_differ(size_t count, const field *fields, const void *a, const void *b)
{
    static const size_t sizes[] = {[FIELD_SIZE] = sizeof(size_t),
                                   [FIELD_INT] = sizeof(int),
                                   [FIELD_REAL] = sizeof(double),
                                   [FIELD_U64] = sizeof(uint64_t),
                                   [FIELD_NAME] = sizeof(unsigned)};
    for (size_t i = 0; i < count; i++)
        if (memcmp((const char *)a + fields[i].offset, (const char *)b + fields[i].offset,
                   sizes[fields[i].type]) != 0)
            return fields[i].key;
    return NULL;
}
