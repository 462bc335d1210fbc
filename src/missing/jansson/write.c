/* write.c - JSON values as text; see jansson.h. */
#include <jansson.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct output {
    char *text;
    size_t room, size, flags;
} output;

static void put(output *o, const char *bytes, size_t size)
{
    if (o->size < o->room)
        memcpy(o->text + o->size, bytes, size < o->room - o->size ? size : o->room - o->size);
    o->size += size;
}

static void put_text(output *o, const char *text)
{
    put(o, text, strlen(text));
}

static void put_string(output *o, const char *text, size_t size)
{
    static const char plain[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    put_text(o, "\"");
    for (size_t i = 0; i < size; i++) {
        char escape[8];
        const char *found = text[i] ? strchr(plain, text[i]) : NULL;
        if (found)
            snprintf(escape, sizeof escape, "\\%c", letters[found - plain]);
        else if ((unsigned char)text[i] < 0x20)
            snprintf(escape, sizeof escape, "\\u%04X", (unsigned)text[i]);
        else
            snprintf(escape, sizeof escape, "%c", text[i]);
        put_text(o, escape);
    }
    put_text(o, "\"");
}

/* 1e+07 -> 1e7, 1e-07 -> 1e-7 */
static void shorten_exponent(char *text)
{
    char *from = strchr(text, 'e');
    if (!from)
        return;
    char *to = ++from;
    if (*from == '-')
        to++;
    from++; /* there always is a sign */
    while (*from == '0')
        from++;
    memmove(to, from, strlen(from) + 1);
}

static void put_real(output *o, double value)
{
    char text[64];
    int digits = (int)(o->flags >> 11 & 31);
    snprintf(text, sizeof text - 4, "%.*g", digits ? digits : 17, value);
    char *point = strstr(text, localeconv()->decimal_point);
    if (point)
        *point = '.';
    else if (!strchr(text, 'e'))
        memcpy(text + strlen(text), ".0", 3);
    shorten_exponent(text);
    put_text(o, text);
}

static void put_value(output *o, const json_t *value, size_t depth);

/* A new line, or what stands between items on one line. */
static void put_break(output *o, size_t depth, const char *otherwise)
{
    size_t indent = o->flags & 31;
    put_text(o, indent ? "\n" : otherwise);
    for (size_t i = 0; i < depth * indent; i++)
        put_text(o, " ");
}

static void put_inside(output *o, const json_t *whole, size_t depth)
{
    int compact = (o->flags & JSON_COMPACT) != 0, object = whole->type == JSON_OBJECT;
    put_text(o, object ? "{" : "[");
    for (size_t i = 0; i < whole->count; i++) {
        if (i > 0)
            put_text(o, ",");
        put_break(o, depth + 1, i == 0 || compact ? "" : " ");
        if (object) {
            put_string(o, whole->member[i].key, strlen(whole->member[i].key));
            put_text(o, compact ? ":" : ": ");
        }
        put_value(o, object ? whole->member[i].value : whole->item[i], depth + 1);
    }
    if (whole->count)
        put_break(o, depth, "");
    put_text(o, object ? "}" : "]");
}

static void put_value(output *o, const json_t *value, size_t depth)
{
    static const char *const words[] = {
        [JSON_TRUE] = "true", [JSON_FALSE] = "false", [JSON_NULL] = "null"};
    char number[32];
    switch (value->type) {
    case JSON_OBJECT:
    case JSON_ARRAY:
        put_inside(o, value, depth);
        break;
    case JSON_STRING:
        put_string(o, value->text, value->count);
        break;
    case JSON_INTEGER:
        snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT, value->integer);
        put_text(o, number);
        break;
    case JSON_REAL:
        put_real(o, value->real);
        break;
    default:
        put_text(o, words[value->type]);
    }
}

size_t json_dumpb(const json_t *value, char *text, size_t room, size_t flags)
{
    output o = {.text = text, .room = room, .flags = flags};
    if (!value || (value->type > JSON_ARRAY && !(flags & JSON_ENCODE_ANY)))
        return 0;
    put_value(&o, value, 0);
    return o.size;
}

char *json_dumps(const json_t *value, size_t flags)
{
    size_t size = json_dumpb(value, NULL, 0, flags);
    char *text = size ? malloc(size + 1) : NULL;
    if (!text)
        return NULL;
    json_dumpb(value, text, size, flags);
    text[size] = '\0';
    return text;
}
