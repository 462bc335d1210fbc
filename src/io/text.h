/* text.h - UTF-8 in and out of the encodings that files use, and safe words for messages. */
#ifndef SPD_IO_TEXT_H
#define SPD_IO_TEXT_H

#include <locale.h>
#include <stddef.h>
#include <stdint.h>

#include "base/plain.h"

/* Writes a code point as UTF-8 (at most 4 bytes); the number of bytes, 0 for no code point. */
size_t utf8_put(uint32_t code, char *out);

/* Code points in a text that ends with NUL, or SIZE_MAX when it is not UTF-8. */
size_t utf8_length(const char *text);

/* Copies a text, NUL included, with '?' for every byte that is not part of UTF-8; its bytes. */
size_t utf8_copy(const char *text, char *out);

/* A copy of text fit for a one-line message (base/plain.h); what does not fit into size ends with
 * "...". Returns plain. */
const char *text_plain(const char *text, char *plain, size_t size);

/* How a file starts, quoted and escaped: "PK\x03\x04". Returns quoted (40 bytes suffice for 8
 * bytes of input, more input is not shown). */
const char *text_quote(const unsigned char *bytes, size_t size, char *quoted, size_t room);

/* Numbers in files have points, whatever the language of the program: between enter and leave the
 * calling thread prints numbers as C does. Non-zero when out of memory. */
typedef struct text_locale {
    locale_t c, before;
} text_locale;
int text_enter_c_locale(text_locale *saved);
void text_leave_c_locale(const text_locale *saved);

/* *value <- the number that size bytes spell, all of them, with a point whatever the language; zero
 * when they spell none. */
int text_number(const char *from, size_t size, double *value);

/* Equal but for the case of ASCII letters. */
int text_same(const char *a, const char *b);

/* The part of a path behind its last slash; the ending of that, with its dot, or "". */
const char *path_base(const char *path);
const char *path_ending(const char *path);

/* Is the ending of a path one of these, a list that ends with NULL? */
int path_ends_in(const char *path, const char *const *endings);

#endif
