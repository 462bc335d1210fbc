/* text.c - UTF-8 conversions and text for messages. */
#include "io/text.h"

#include <stdio.h>
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

size_t utf8_get(const char *text, size_t size, uint32_t *code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char first = (unsigned char)text[0];
    if (first < 0x80) {
        *code = first;
        return 1;
    }
    size_t bytes = (first & 0xe0) == 0xc0 ? 2 : (first & 0xf0) == 0xe0 ? 3 : 4;
    if ((first & 0xc0) != 0xc0 || first >= 0xf8 || bytes > size)
        return 0;
    uint32_t value = first & (0xffu >> (bytes + 1));
    for (size_t i = 1; i < bytes; i++) {
        unsigned char next = (unsigned char)text[i];
        if ((next & 0xc0) != 0x80)
            return 0;
        value = value << 6 | (next & 0x3f);
    }
    if (value < least[bytes] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000))
        return 0;
    *code = value;
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
    size_t i = 0;
    for (; text[i] && i + 1 < size; i++)
        plain[i] = (unsigned char)text[i] < 0x20 || text[i] == 0x7f ? '?' : text[i];
    plain[i] = '\0';
    if (text[i] && size > 4)
        memcpy(plain + size - 4, "...", 4);
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
