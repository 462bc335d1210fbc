/* jansson.h - stands in for Jansson's header in builds without it: the part of its interface that
 * spdml uses, with the same names, ownership and texts. Objects keep the order of their keys. */
#ifndef SPD_MISSING_JANSSON_H
#define SPD_MISSING_JANSSON_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h> /* both as Jansson does */

typedef long long json_int_t;
#define JSON_INTEGER_FORMAT "lld"

typedef enum json_type {
    JSON_OBJECT,
    JSON_ARRAY,
    JSON_STRING,
    JSON_INTEGER,
    JSON_REAL,
    JSON_TRUE,
    JSON_FALSE,
    JSON_NULL
} json_type;

struct json_member;

typedef struct json_t {
    json_type type;
    size_t references; /* 0: one of true, false and null, which last for ever */
    size_t count;      /* items, members, or bytes of a text */
    size_t room;
    union {
        json_int_t integer;
        double real;
        char *text;
        struct json_t **item;
        struct json_member *member;
    };
    size_t *slot; /* of an object: 2 room places, 1 + a member's number where its key belongs */
} json_t;

typedef struct json_member {
    char *key;
    json_t *value;
    size_t hash;
} json_member;

enum json_error_code { json_error_unknown, json_error_out_of_memory, json_error_invalid_utf8 };

typedef struct json_error_t {
    int line, column, position;
    char source[8];
    char text[160];
    enum json_error_code code;
} json_error_t;

static inline enum json_error_code json_error_code(const json_error_t *error)
{
    return error->code;
}

/* ---- values (values.c); what is called _new takes the value over, also when it fails -----------
 */

json_t *json_object(void);
json_t *json_array(void);
json_t *json_string(const char *text); /* NULL for text that is not UTF-8 */
json_t *json_string_nocheck(const char *text);
json_t *json_sprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));
json_t *json_integer(json_int_t value);
json_t *json_real(double value); /* NULL for what is not finite */
json_t *json_true(void);
json_t *json_false(void);
json_t *json_null(void);
#define json_boolean(value) ((value) ? json_true() : json_false())

json_t *json_incref(json_t *value);
void json_decref(json_t *value);
int json_equal(const json_t *a, const json_t *b);

#define json_typeof(value)     ((value)->type)
#define json_is_object(value)  ((value) && json_typeof(value) == JSON_OBJECT)
#define json_is_array(value)   ((value) && json_typeof(value) == JSON_ARRAY)
#define json_is_string(value)  ((value) && json_typeof(value) == JSON_STRING)
#define json_is_integer(value) ((value) && json_typeof(value) == JSON_INTEGER)
#define json_is_real(value)    ((value) && json_typeof(value) == JSON_REAL)
#define json_is_number(value)  (json_is_integer(value) || json_is_real(value))
#define json_is_true(value)    ((value) && json_typeof(value) == JSON_TRUE)
#define json_is_false(value)   ((value) && json_typeof(value) == JSON_FALSE)
#define json_is_boolean(value) (json_is_true(value) || json_is_false(value))
#define json_is_null(value)    ((value) && json_typeof(value) == JSON_NULL)

const char *json_string_value(const json_t *value);
json_int_t json_integer_value(const json_t *value);
double json_real_value(const json_t *value);
double json_number_value(const json_t *value);

json_t *json_object_get(const json_t *object, const char *key);
int json_object_set_new(json_t *object, const char *key, json_t *value);
int json_object_set_new_nocheck(json_t *object, const char *key, json_t *value);
int json_object_update_new(json_t *object, json_t *other);
int json_object_del(json_t *object, const char *key);
size_t json_object_size(const json_t *object);
#define json_object_foreach(object, name, it)                                                      \
    for (size_t json_at = 0; json_at < json_object_size(object) &&                                 \
                             ((name) = (object)->member[json_at].key,                              \
                             (it) = (object)->member[json_at].value, (void)(it), 1);               \
         json_at++)

size_t json_array_size(const json_t *array);
json_t *json_array_get(const json_t *array, size_t index);
int json_array_append_new(json_t *array, json_t *value);
#define json_array_foreach(array, index, value)                                                    \
    for ((index) = 0;                                                                              \
         (index) < json_array_size(array) && ((value) = json_array_get(array, index), 1);          \
         (index)++)

/* ---- values from a format (pack.c): { } [ ] s i I f b o O, and s* o* O*, left out for NULL -----
 */

json_t *json_pack(const char *format, ...);
json_t *json_pack_ex(json_error_t *error, size_t flags, const char *format, ...);

/* ---- text (read.c, write.c) ---------------------------------------------------------------------
 */

#define JSON_REJECT_DUPLICATES ((size_t)1)
#define JSON_INDENT(n)         ((size_t)(n)&31)
#define JSON_COMPACT           ((size_t)32)
#define JSON_ENCODE_ANY        ((size_t)0x200)
#define JSON_REAL_PRECISION(n) (((size_t)(n)&31) << 11)

json_t *json_loads(const char *text, size_t flags, json_error_t *error);
json_t *json_loadb(const char *text, size_t size, size_t flags, json_error_t *error);

/* The size of the whole text, of which as much is written as there is room for; 0 on failure. */
size_t json_dumpb(const json_t *value, char *text, size_t room, size_t flags);
char *json_dumps(const json_t *value, size_t flags); /* new, for free() */

const char *jansson_version_str(void);

/* Length of the UTF-8 sequence at text, of which `left` bytes are there; 0 if it is none. */
size_t json_sequence(const char *text, size_t left);

#endif
