/* plain.c - see plain.h. */
#include "base/plain.h"

#include <stdio.h>
#include <string.h>

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

int plain_is_unsafe(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || /* C0, DEL, C1 */
           (code >= 0x2028 && code <= 0x202e) ||           /* line breaks, embeddings, overrides */
           (code >= 0x2066 && code <= 0x2069);             /* isolates */
}

size_t plain_text(const char *text, const char *keep, char *plain, size_t room)
{
    size_t left = strlen(text), length = 0, used = 0;
    while (left) {
        char shown[12];
        uint32_t code = 0;
        size_t took = utf8_get(text, left, &code), size = took;
        if (took && (!plain_is_unsafe(code) || (code < 0x80 && strchr(keep, (int)code))))
            memcpy(shown, text, took);
        else
            size = (size_t)snprintf(shown, sizeof shown, code < 0x80 ? "\\x%02x" : "\\u%04x",
                                    (unsigned)(took ? code : (unsigned char)*text));
        took = took ? took : 1;
        if (length + size < room && used == length) {
            memcpy(plain + length, shown, size);
            used += size;
        }
        length += size;
        text += took;
        left -= took;
    }
    if (room)
        plain[used] = '\0';
    return length;
}

int plain_is_formula(const char *text)
{
    text += strspn(text, "'");
    if (*text == '+' || *text == '-')
        return text[strspn(text, "0123456789.eE+-")] != '\0';
    if (text[0] == '\xef' && text[1] == '\xbc') /* = + - @ of full width: U+FF1D, 0B, 0D, 20 */
        return text[2] && strchr("\x9d\x8b\x8d\xa0", text[2]);
    return *text && strchr("=@\t\r\n", *text);
}
