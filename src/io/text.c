/* text.c - UTF-8 conversions and text for messages. */
#define _GNU_SOURCE /* strtod_l */
#include "io/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t utf8_put(uint32_t code, char *out)
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        return 0;
    size_t bytes = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = bytes; i-- > 1; code >>= 6)
        out[i] = (char)(0x80 | (code & 0x3f));
    out[0] = (char)(lead[bytes] | code);
    return bytes;
}

size_t utf8_length(const char *text)
{
    size_t left = strlen(text), length = 0;
    while (left) {
        uint32_t code;
        size_t took = utf8_get(text, left, &code);
        if (took == 0)
            return SIZE_MAX;
        text += took;
        left -= took;
        length++;
    }
    return length;
}

size_t utf8_copy(const char *text, char *out)
{
    size_t size = strlen(text);
    for (size_t i = 0, step; i < size; i += step) {
        uint32_t code;
        size_t good = utf8_get(text + i, size - i, &code);
        step = good ? good : 1;
        memcpy(out + i, good ? text + i : "?", step);
    }
    out[size] = '\0';
    return size;
}

const char *text_plain(const char *text, char *plain, size_t size)
{
    if (plain_text(text, "", plain, size) < size || size <= 4)
        return plain;
    size_t end = strlen(plain) < size - 4 ? strlen(plain) : size - 4;
    while (end && (plain[end] & 0xc0) == 0x80)
        end--; /* not in the middle of a character */
    memcpy(plain + end, "...", 4);
    return plain;
}

const char *text_quote(const unsigned char *bytes, size_t size, char *quoted, size_t room)
{
    size_t used = 0;
    quoted[used++] = '"';
    for (size_t i = 0; i < size && i < 8 && used + 6 < room; i++) {
        int printable = bytes[i] >= 0x20 && bytes[i] < 0x7f && bytes[i] != '"' && bytes[i] != '\\';
        used +=
            (size_t)snprintf(quoted + used, room - used, printable ? "%c" : "\\x%02x", bytes[i]);
    }
    quoted[used++] = '"';
    quoted[used] = '\0';
    return quoted;
}

int text_enter_c_locale(text_locale *saved)
{
    saved->c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!saved->c)
        return 1;
    saved->before = uselocale(saved->c);
    return 0;
}

void text_leave_c_locale(const text_locale *saved)
{
    uselocale(saved->before);
    freelocale(saved->c);
}

/* Up to 15 digits with a point, as nearly all numbers in files are: both parts of the quotient are
 * exact, so it is rounded once, and correctly (Clinger 1990). Zero when it is not of this kind. */
static int short_number(const char *from, size_t size, double *value)
{
    const int negative = size > 0 && *from == '-';
    uint64_t digits = 0, scale = 1;
    int count = 0, point = 0;
    for (size_t i = (size_t)negative; i < size; i++) {
        if (from[i] == '.' && !point) {
            point = 1;
            continue;
        }
        if (from[i] < '0' || from[i] > '9' || ++count > 15)
            return 0;
        digits = 10 * digits + (uint64_t)(from[i] - '0');
        scale *= point ? 10 : 1;
    }
    const double number = (double)digits / (double)scale;
    if (count)
        *value = negative ? -number : number;
    return count;
}

int text_number(const char *from, size_t size, double *value)
{
    char text[128], *end;
    if (short_number(from, size, value))
        return 1;
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0); /* made once, by the C library */
    if (size == 0 || size >= sizeof text || !c)
        return 0;
    memcpy(text, from, size);
    text[size] = '\0';
    double number = strtod_l(text, &end, c);
    freelocale(c);
    if (*end || end == text)
        return 0;
    *value = number;
    return 1;
}

static int lower(int c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

int text_same(const char *a, const char *b)
{
    while (*a && lower((unsigned char)*a) == lower((unsigned char)*b)) {
        a++;
        b++;
    }
    return lower((unsigned char)*a) == lower((unsigned char)*b);
}

const char *path_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *path_ending(const char *path)
{
    const char *base = path_base(path), *dot = strrchr(base, '.');
    return dot && dot != base ? dot : "";
}

int path_ends_in(const char *path, const char *const *endings)
{
    const char *ending = path_ending(path);
    while (*endings && !text_same(ending, *endings))
        endings++;
    return *endings != NULL;
}
