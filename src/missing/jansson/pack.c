/* pack.c - JSON values from a format and arguments; see jansson.h. A fault frees what was made and
 * what the arguments after it hand over. */
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* NOLINTBEGIN(clang-analyzer-valist.Uninitialized): clang-tidy 14 does not see va_start */

typedef struct packing {
    const char *at; /* in the format */
    int failed;
    json_error_t *error;
    va_list arguments;
} packing;

static char next(packing *p)
{
    while (*p->at && strchr(" ,:\t\n", *p->at))
        p->at++;
    return *p->at ? *p->at++ : '\0';
}

static int optional(packing *p)
{
    int is = *p->at == '*';
    p->at += is;
    return is;
}

static void fail(packing *p, enum json_error_code code, const char *why)
{
    if (!p->failed && p->error) {
        p->error->code = code;
        snprintf(p->error->text, sizeof p->error->text, "%s", why);
    }
    p->failed = 1;
}

static json_t *pack_text(packing *p)
{
    const char *text = va_arg(p->arguments, const char *);
    if (!text && optional(p))
        return NULL;
    optional(p);
    json_t *value = json_string(text), *any = value ? NULL : json_string_nocheck(text);
    if (!value)
        fail(p, any ? json_error_invalid_utf8 : json_error_unknown, "not a text");
    json_decref(any);
    return value;
}

static json_t *pack_given(packing *p, int borrowed)
{
    json_t *value = va_arg(p->arguments, json_t *);
    if (!optional(p) && !value)
        fail(p, json_error_unknown, "NULL object");
    return borrowed ? json_incref(value) : value;
}

static json_t *pack_number(packing *p, char letter)
{
    json_t *value = letter == 'i'   ? json_integer(va_arg(p->arguments, int))
                    : letter == 'I' ? json_integer(va_arg(p->arguments, json_int_t))
                                    : json_real(va_arg(p->arguments, double));
    if (!value)
        fail(p, json_error_unknown, "a number that is not finite");
    return value;
}

static json_t *pack(packing *p, char letter);

/* Everything up to the closing bracket. What is optional and NULL is left out. */
static json_t *pack_inside(packing *p, char close)
{
    json_t *whole = close == '}' ? json_object() : json_array();
    for (char letter = next(p); letter && letter != close; letter = next(p)) {
        const char *key = close == '}' ? va_arg(p->arguments, const char *) : NULL;
        json_t *value = pack(p, key ? next(p) : letter);
        if (!value)
            continue;
        int failed =
            key ? json_object_set_new(whole, key, value) : json_array_append_new(whole, value);
        if (failed)
            fail(p, json_error_out_of_memory, "out of memory");
    }
    return whole;
}

static json_t *pack(packing *p, char letter)
{
    switch (letter) {
    case '{':
        return pack_inside(p, '}');
    case '[':
        return pack_inside(p, ']');
    case 's':
        return pack_text(p);
    case 'b':
        return json_boolean(va_arg(p->arguments, int));
    case 'o':
        return pack_given(p, 0);
    case 'O':
        return pack_given(p, 1);
    default:
        return pack_number(p, letter);
    }
}

static json_t *pack_all(packing *p)
{
    json_t *value = pack(p, next(p));
    if (!p->failed)
        return value;
    json_decref(value);
    return NULL;
}

json_t *json_pack(const char *format, ...)
{
    packing p = {.at = format};
    va_start(p.arguments, format);
    json_t *value = pack_all(&p);
    va_end(p.arguments);
    return value;
}

json_t *json_pack_ex(json_error_t *error, size_t flags, const char *format, ...)
{
    packing p = {.at = format, .error = error};
    (void)flags;
    *error = (json_error_t){.code = json_error_unknown};
    va_start(p.arguments, format);
    json_t *value = pack_all(&p);
    va_end(p.arguments);
    return value;
}

/* NOLINTEND(clang-analyzer-valist.Uninitialized) */
