/* values.c - JSON values in memory; see jansson.h. */
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *jansson_version_str(void)
{
    return "none, code of spdml in its place";
}

/* ---- text ------------------------------------------------------------------------------------ */

size_t json_sequence(const char *text, size_t left)
{
    static const unsigned long least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *byte = (const unsigned char *)text;
    if (left == 0 || byte[0] < 0x80)
        return left > 0;
    size_t length = byte[0] >= 0xf0 ? 4 : byte[0] >= 0xe0 ? 3 : 2;
    if (byte[0] < 0xc2 || byte[0] > 0xf4 || length > left)
        return 0;
    unsigned long code = byte[0] & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if ((byte[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (byte[i] & 0x3f);
    }
    int surrogate = code >= 0xd800 && code < 0xe000;
    return code < least[length] || surrogate || code > 0x10ffff ? 0 : length;
}

static int is_text(const char *text)
{
    size_t left = text ? strlen(text) : 0, length;
    while (left && (length = json_sequence(text, left)) > 0) {
        text += length;
        left -= length;
    }
    return text && left == 0;
}

/* ---- making ---------------------------------------------------------------------------------- */

static json_t *make(json_type type)
{
    json_t *value = calloc(1, sizeof *value);
    if (value) {
        value->type = type;
        value->references = 1;
    }
    return value;
}

json_t *json_object(void)
{
    return make(JSON_OBJECT);
}

json_t *json_array(void)
{
    return make(JSON_ARRAY);
}

json_t *json_string_nocheck(const char *text)
{
    json_t *value = text ? make(JSON_STRING) : NULL;
    if (!value)
        return NULL;
    value->count = strlen(text);
    value->text = malloc(value->count + 1);
    if (!value->text) {
        free(value);
        return NULL;
    }
    memcpy(value->text, text, value->count + 1);
    return value;
}

json_t *json_string(const char *text)
{
    return is_text(text) ? json_string_nocheck(text) : NULL;
}

/* NOLINTBEGIN(clang-analyzer-valist.Uninitialized): clang-tidy 14 does not see va_start */
json_t *json_sprintf(const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return json_string(text);
}
/* NOLINTEND(clang-analyzer-valist.Uninitialized) */

json_t *json_integer(json_int_t number)
{
    json_t *value = make(JSON_INTEGER);
    if (value)
        value->integer = number;
    return value;
}

json_t *json_real(double number)
{
    json_t *value = isfinite(number) ? make(JSON_REAL) : NULL;
    if (value)
        value->real = number;
    return value;
}

json_t *json_true(void)
{
    static json_t value = {.type = JSON_TRUE};
    return &value;
}

json_t *json_false(void)
{
    static json_t value = {.type = JSON_FALSE};
    return &value;
}

json_t *json_null(void)
{
    static json_t value = {.type = JSON_NULL};
    return &value;
}

json_t *json_incref(json_t *value)
{
    if (value && value->references)
        value->references++;
    return value;
}

void json_decref(json_t *value)
{
    if (!value || value->references == 0 || --value->references > 0)
        return;
    for (size_t i = 0; i < value->count && value->type == JSON_ARRAY; i++)
        json_decref(value->item[i]);
    for (size_t i = 0; i < value->count && value->type == JSON_OBJECT; i++) {
        free(value->member[i].key);
        json_decref(value->member[i].value);
    }
    if (value->type <= JSON_STRING)
        free(value->text); /* or the items, or the members */
    free(value->slot);
    free(value);
}

/* ---- asking ---------------------------------------------------------------------------------- */

const char *json_string_value(const json_t *value)
{
    return json_is_string(value) ? value->text : NULL;
}

json_int_t json_integer_value(const json_t *value)
{
    return json_is_integer(value) ? value->integer : 0;
}

double json_real_value(const json_t *value)
{
    return json_is_real(value) ? value->real : 0.0;
}

double json_number_value(const json_t *value)
{
    return json_is_integer(value) ? (double)value->integer : json_real_value(value);
}

size_t json_object_size(const json_t *object)
{
    return json_is_object(object) ? object->count : 0;
}

size_t json_array_size(const json_t *array)
{
    return json_is_array(array) ? array->count : 0;
}

json_t *json_array_get(const json_t *array, size_t index)
{
    return index < json_array_size(array) ? array->item[index] : NULL;
}

static int equal_objects(const json_t *a, const json_t *b)
{
    for (size_t i = 0; i < a->count; i++)
        if (!json_equal(a->member[i].value, json_object_get(b, a->member[i].key)))
            return 0;
    return 1;
}

static int equal_arrays(const json_t *a, const json_t *b)
{
    for (size_t i = 0; i < a->count; i++)
        if (!json_equal(a->item[i], b->item[i]))
            return 0;
    return 1;
}

int json_equal(const json_t *a, const json_t *b)
{
    if (!a || !b || a->type != b->type || a->count != b->count)
        return 0;
    switch (a->type) {
    case JSON_OBJECT:
        return equal_objects(a, b);
    case JSON_ARRAY:
        return equal_arrays(a, b);
    case JSON_STRING:
        return memcmp(a->text, b->text, a->count) == 0;
    case JSON_INTEGER:
        return a->integer == b->integer;
    case JSON_REAL:
        return !(a->real < b->real) && !(a->real > b->real);
    default:
        return 1;
    }
}

/* ---- arrays ---------------------------------------------------------------------------------- */

int json_array_append_new(json_t *array, json_t *value)
{
    if (!json_is_array(array) || !value || array == value) {
        json_decref(value);
        return -1;
    }
    if (array->count == array->room) {
        size_t room = array->room ? 2 * array->room : 4;
        json_t **item = realloc(array->item, room * sizeof *item);
        if (!item) {
            json_decref(value);
            return -1;
        }
        array->item = item;
        array->room = room;
    }
    array->item[array->count++] = value;
    return 0;
}

/* ---- objects: members in order, and a table of where their keys are ----------------------------
 */

/* Each object has a hash of its own: where it lies is what the writer of a file cannot know, who
 * would make all keys fall on one place. */
static size_t hash_of(const json_t *object, const char *key)
{
    uint64_t hash = (uint64_t)(uintptr_t)object * 0x9e3779b97f4a7c15u;
    for (; *key; key++) { /* FNV-1a, with the high bits brought down */
        hash = (hash ^ (unsigned char)*key) * 1099511628211u;
        hash ^= hash >> 32;
    }
    return (size_t)hash;
}

/* The place in the table that holds the key, or where it belongs; room > 0. */
static size_t *find(const json_t *object, const char *key, size_t hash)
{
    size_t places = 2 * object->room, at = hash % places;
    while (object->slot[at]) {
        const json_member *member = &object->member[object->slot[at] - 1];
        if (member->hash == hash && strcmp(member->key, key) == 0)
            break;
        at = (at + 1) % places;
    }
    return &object->slot[at];
}

/* The table anew, for all members. */
static void enter_all(json_t *object)
{
    memset(object->slot, 0, 2 * object->room * sizeof *object->slot);
    for (size_t i = 0; i < object->count; i++)
        *find(object, object->member[i].key, object->member[i].hash) = i + 1;
}

static int grow(json_t *object)
{
    size_t room = object->room ? 2 * object->room : 4;
    size_t *slot = malloc(2 * room * sizeof *slot);
    json_member *member = slot ? realloc(object->member, room * sizeof *member) : NULL;
    if (!member) {
        free(slot);
        return -1;
    }
    free(object->slot);
    object->slot = slot;
    object->member = member;
    object->room = room;
    enter_all(object);
    return 0;
}

json_t *json_object_get(const json_t *object, const char *key)
{
    if (json_object_size(object) == 0 || !key)
        return NULL;
    size_t slot = *find(object, key, hash_of(object, key));
    return slot ? object->member[slot - 1].value : NULL;
}

static int add(json_t *object, const char *key, json_t *value)
{
    if (object->count == object->room && grow(object) != 0)
        return -1;
    size_t length = strlen(key) + 1;
    json_member member = {.key = malloc(length), .value = value, .hash = hash_of(object, key)};
    if (!member.key)
        return -1;
    memcpy(member.key, key, length);
    *find(object, key, member.hash) = object->count + 1;
    object->member[object->count++] = member;
    return 0;
}

int json_object_set_new_nocheck(json_t *object, const char *key, json_t *value)
{
    size_t slot = 0;
    int failed = !json_is_object(object) || !key || !value || object == value;
    if (!failed && object->count)
        slot = *find(object, key, hash_of(object, key));
    if (slot) {
        json_decref(object->member[slot - 1].value);
        object->member[slot - 1].value = value;
        return 0;
    }
    if (!failed)
        failed = add(object, key, value) != 0;
    if (failed)
        json_decref(value);
    return failed ? -1 : 0;
}

int json_object_set_new(json_t *object, const char *key, json_t *value)
{
    if (is_text(key))
        return json_object_set_new_nocheck(object, key, value);
    json_decref(value);
    return -1;
}

int json_object_update_new(json_t *object, json_t *other)
{
    int failed = !json_is_object(object) || !json_is_object(other);
    for (size_t i = 0; !failed && i < other->count; i++)
        failed = json_object_set_new_nocheck(object, other->member[i].key,
                                             json_incref(other->member[i].value));
    json_decref(other);
    return failed ? -1 : 0;
}

int json_object_del(json_t *object, const char *key)
{
    size_t slot = json_object_size(object) && key ? *find(object, key, hash_of(object, key)) : 0;
    if (!slot)
        return -1;
    json_member *member = &object->member[slot - 1];
    free(member->key);
    json_decref(member->value);
    memmove(member, member + 1, (object->count - slot) * sizeof *member);
    object->count--;
    enter_all(object);
    return 0;
}
