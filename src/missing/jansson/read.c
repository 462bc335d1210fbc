/* read.c - JSON values from text; see jansson.h. Texts must be UTF-8 without NUL, and what they
 * nest is no deeper than DEPTH. */
#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH 2048

typedef struct input {
    const char *at, *end;
    size_t flags, depth;
    int line, failed;
    json_error_t *error;
} input;

/* NOLINTBEGIN(clang-analyzer-valist.Uninitialized): clang-tidy 14 does not see va_start */
__attribute__((format(printf, 2, 3))) static json_t *fail(input *in, const char *format, ...)
{
    va_list arguments;
    if (!in->failed && in->error) {
        va_start(arguments, format);
        vsnprintf(in->error->text, sizeof in->error->text, format, arguments);
        va_end(arguments);
        in->error->line = in->line;
    }
    in->failed = 1;
    return NULL;
}
/* NOLINTEND(clang-analyzer-valist.Uninitialized) */

/* The next byte that is no space, and stays; 0 at the end. */
static char look(input *in)
{
    while (in->at < in->end && strchr(" \t\r\n", *in->at) && *in->at)
        in->line += *in->at++ == '\n';
    return in->at < in->end ? *in->at : '\0';
}

static json_t *unexpected(input *in, const char *what)
{
    if (look(in) == '\0' && in->at == in->end)
        return fail(in, "%s near end of file", what);
    int length = (int)(in->end - in->at);
    return fail(in, "%s near '%.*s'", what, length < 20 ? length : 20, in->at);
}

/* ---- texts ----------------------------------------------------------------------------------- */

static int hex4(const input *in, const char *at, unsigned long *code)
{
    *code = 0;
    if (in->end - at < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        if (!isxdigit((unsigned char)at[i]))
            return -1;
        int letter = tolower((unsigned char)at[i]);
        *code = *code << 4 | (unsigned long)(isdigit(letter) ? letter - '0' : letter - 'a' + 10);
    }
    return 0;
}

static size_t encode(unsigned long code, char *to)
{
    size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned long head[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = length; i-- > 1; code >>= 6)
        to[i] = (char)(0x80 | (code & 0x3f));
    to[0] = (char)(head[length] | code);
    return length;
}

/* to <- the character of \uXXXX, or of two of them; in->at stands behind the u. */
static size_t unicode(input *in, char *to)
{
    unsigned long code, low;
    if (hex4(in, in->at, &code) != 0)
        return fail(in, "invalid escape"), 0;
    in->at += 4;
    if (code >= 0xd800 && code < 0xe000) {
        int pair = code < 0xdc00 && in->end - in->at >= 6 && in->at[0] == '\\' && in->at[1] == 'u';
        if (!pair || hex4(in, in->at + 2, &low) != 0 || low < 0xdc00 || low > 0xdfff)
            return fail(in, "invalid Unicode '\\u%04lX'", code), 0;
        in->at += 6;
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    if (code == 0)
        fail(in, "\\u0000 is not allowed without JSON_ALLOW_NUL");
    return code ? encode(code, to) : 0;
}

/* to <- the next character of a text, which takes no more bytes than it had. */
static size_t character(input *in, char *to)
{
    static const char letters[] = "\"\\/bfnrt", plain[] = "\"\\/\b\f\n\r\t";
    if (*in->at == '\\' && in->end - in->at > 1) {
        const char *found = in->at[1] ? strchr(letters, in->at[1]) : NULL;
        in->at += 2;
        if (in->at[-1] == 'u')
            return unicode(in, to);
        if (!found)
            return fail(in, "invalid escape"), 0;
        *to = plain[found - letters];
        return 1;
    }
    size_t length = json_sequence(in->at, (size_t)(in->end - in->at));
    if (length == 0)
        return fail(in, "unable to decode byte 0x%x", (unsigned)(unsigned char)*in->at), 0;
    if ((unsigned char)*in->at < 0x20)
        return fail(in, "control character 0x%x", (unsigned)*in->at), 0;
    memcpy(to, in->at, length);
    in->at += length;
    return length;
}

/* The text that begins here, new; NULL after a fault. */
static char *read_text(input *in)
{
    const char *close = ++in->at;
    while (close < in->end && *close != '"')
        close += *close == '\\' && close + 1 < in->end ? 2 : 1;
    char *text = malloc((size_t)(close - in->at) + 5);
    size_t size = 0;
    if (!text)
        return fail(in, "out of memory"), NULL;
    while (!in->failed && in->at < in->end && *in->at != '"')
        size += character(in, text + size);
    if (!in->failed && in->at >= in->end)
        fail(in, "premature end of input");
    if (in->failed) {
        free(text);
        return NULL;
    }
    in->at++;
    text[size] = '\0';
    return text;
}

static json_t *read_string(input *in)
{
    char *text = read_text(in);
    json_t *value = json_string_nocheck(text);
    free(text);
    return value || in->failed ? value : fail(in, "out of memory");
}

/* ---- numbers --------------------------------------------------------------------------------- */

static size_t digits(const input *in, const char *at)
{
    const char *from = at;
    while (at < in->end && *at >= '0' && *at <= '9')
        at++;
    return (size_t)(at - from);
}

/* How many bytes a number takes; 0 where there is none. *real: has it a point or an exponent? */
static size_t number_length(const input *in, int *real)
{
    const char *at = in->at + (in->at < in->end && *in->at == '-');
    size_t whole = digits(in, at);
    *real = 0;
    if (whole == 0 || (*at == '0' && whole > 1))
        return 0;
    at += whole;
    if (at < in->end && *at == '.') {
        size_t part = digits(in, at + 1);
        if (part == 0)
            return 0;
        at += 1 + part;
        *real = 1;
    }
    if (at < in->end && (*at == 'e' || *at == 'E')) {
        at++;
        at += at < in->end && (*at == '+' || *at == '-');
        size_t part = digits(in, at);
        if (part == 0)
            return 0;
        at += part;
        *real = 1;
    }
    return (size_t)(at - in->at);
}

static json_t *read_number(input *in)
{
    int real;
    size_t length = number_length(in, &real);
    char *text = length ? malloc(length + 1) : NULL;
    if (!text)
        return length ? fail(in, "out of memory") : unexpected(in, "invalid token");
    memcpy(text, in->at, length);
    text[length] = '\0';
    char *point = strchr(text, '.');
    if (point)
        *point = *localeconv()->decimal_point;
    errno = 0;
    double value = real ? strtod(text, NULL) : 0.0;
    json_int_t whole = real ? 0 : strtoll(text, NULL, 10);
    int overflow = errno == ERANGE && (!real || fabs(value) > 1.0);
    free(text);
    if (overflow)
        return fail(in, real ? "real number overflow" : "too big integer");
    in->at += length;
    json_t *number = real ? json_real(value) : json_integer(whole);
    return number ? number : fail(in, "out of memory");
}

/* ---- all values ------------------------------------------------------------------------------ */

static json_t *read_value(input *in);

/* Steps over a comma, or says that the list ends; a fault otherwise. */
static int goes_on(input *in, char close)
{
    char found = look(in);
    if (found == ',') {
        in->at++;
        return 1;
    }
    if (found == close)
        in->at++;
    else
        unexpected(in, close == '}' ? "'}' expected" : "']' expected");
    return 0;
}

static void read_member(input *in, json_t *object)
{
    if (look(in) != '"') {
        unexpected(in, "string or '}' expected");
        return;
    }
    char *key = read_text(in);
    if (key && (in->flags & JSON_REJECT_DUPLICATES) && json_object_get(object, key))
        fail(in, "duplicate object key near '\"%.40s\"'", key);
    if (key && !in->failed && look(in) != ':')
        unexpected(in, "':' expected");
    in->at += !in->failed;
    json_t *value = in->failed ? NULL : read_value(in);
    if (value && json_object_set_new_nocheck(object, key, value) != 0)
        fail(in, "out of memory");
    free(key);
}

static json_t *read_inside(input *in, char close)
{
    json_t *whole = close == '}' ? json_object() : json_array();
    in->at++;
    if (!whole)
        return fail(in, "out of memory");
    if (++in->depth > DEPTH)
        fail(in, "maximum parsing depth reached");
    int more = !in->failed && look(in) != close;
    in->at += !in->failed && !more;
    while (more && !in->failed) {
        if (close == '}') {
            read_member(in, whole);
        } else {
            json_t *value = read_value(in);
            if (value && json_array_append_new(whole, value) != 0)
                fail(in, "out of memory");
        }
        more = !in->failed && goes_on(in, close);
    }
    in->depth--;
    if (!in->failed)
        return whole;
    json_decref(whole);
    return NULL;
}

static json_t *read_word(input *in)
{
    static const char *const words[] = {"true", "false", "null"};
    json_t *const values[] = {json_true(), json_false(), json_null()};
    for (size_t i = 0; i < 3; i++) {
        size_t length = strlen(words[i]);
        if ((size_t)(in->end - in->at) >= length && memcmp(in->at, words[i], length) == 0) {
            in->at += length;
            return values[i];
        }
    }
    return unexpected(in, "invalid token");
}

static json_t *read_value(input *in)
{
    switch (look(in)) {
    case '{':
        return read_inside(in, '}');
    case '[':
        return read_inside(in, ']');
    case '"':
        return read_string(in);
    case 't':
    case 'f':
    case 'n':
        return read_word(in);
    default:
        return read_number(in);
    }
}

json_t *json_loadb(const char *text, size_t size, size_t flags, json_error_t *error)
{
    input in = {.at = text, .end = text + size, .flags = flags, .line = 1, .error = error};
    if (error)
        *error = (json_error_t){.line = -1};
    char first = look(&in);
    json_t *value =
        first == '{' || first == '[' ? read_value(&in) : unexpected(&in, "'[' or '{' expected");
    if (value && (look(&in) || in.at < in.end)) {
        unexpected(&in, "end of file expected");
        json_decref(value);
        return NULL;
    }
    return value;
}

json_t *json_loads(const char *text, size_t flags, json_error_t *error)
{
    return json_loadb(text, strlen(text), flags, error);
}
