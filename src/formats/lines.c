/* lines.c - text files as lines of words, and words as numbers. */
#include "formats/lines.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "io/text.h"

void lines_start(lines *walk, spd_context *ctx, const char *text, size_t size, char comment)
{
    static const char mark[] = "\xef\xbb\xbf";
    const char *from = size >= 3 && memcmp(text, mark, 3) == 0 ? text + 3 : text;
    *walk = (lines){ctx, SPD_OK, from, from, from, text + size, comment, 0};
}

void lines_fail(lines *walk, size_t line, const char *format, ...)
{
    char text[400], where[40] = "";
    va_list args;
    if (walk->status < 0)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (line)
        snprintf(where, sizeof where, "line %zu: ", line);
    walk->status = ctx_fail(walk->ctx, SPD_EFORMAT, "%s%s", where, text);
}

static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\0' || c == '\v' || c == '\f';
}

/* To the next word of the line; zero when there is none. */
static int find_word(lines *walk)
{
    if (walk->status < 0)
        return 0;
    while (walk->at < walk->stop && is_blank(*walk->at))
        walk->at++;
    if (walk->at < walk->stop && walk->comment && *walk->at == walk->comment)
        walk->at = walk->stop;
    return walk->at < walk->stop;
}

int lines_next(lines *walk)
{
    while (walk->status == SPD_OK && walk->next < walk->end) {
        const char *p = walk->next;
        while (p < walk->end && *p != '\n' && *p != '\r')
            p++;
        walk->at = walk->next;
        walk->stop = p;
        if (p + 1 < walk->end && p[0] == '\r' && p[1] == '\n')
            p++;
        walk->next = p < walk->end ? p + 1 : p;
        walk->line++;
        if (find_word(walk))
            return 1;
    }
    walk->at = walk->stop = walk->end;
    return 0;
}

int lines_word(lines *walk, word *out)
{
    if (!find_word(walk))
        return 0;
    out->from = walk->at;
    while (walk->at < walk->stop && !is_blank(*walk->at))
        walk->at++;
    out->size = (size_t)(walk->at - out->from);
    return 1;
}

int lines_any_word(lines *walk, word *out)
{
    return lines_word(walk, out) || (lines_next(walk) && lines_word(walk, out));
}

int lines_rest(lines *walk, char until, word *out)
{
    if (!find_word(walk))
        return 0;
    out->from = walk->at;
    while (walk->at < walk->stop && *walk->at != until)
        walk->at++;
    out->size = (size_t)(walk->at - out->from);
    while (out->size && is_blank(out->from[out->size - 1]))
        out->size--;
    return out->size > 0;
}

void lines_numbers(lines *walk, const char *what, size_t count, double *out)
{
    for (size_t i = 0; i < count; i++) {
        word w;
        if (!lines_word(walk, &w)) {
            lines_fail(walk, walk->line, "%s: %zu of %zu numbers", what, i, count);
            return;
        }
        if (!word_number(&w, &out[i]))
            lines_fail(walk, walk->line, "%s: '%s' is not a finite number", what,
                       word_show(&w).text);
    }
}

void lines_end(lines *walk, const char *what)
{
    word w;
    if (lines_word(walk, &w))
        lines_fail(walk, walk->line, "unexpected '%s' after %s", word_show(&w).text, what);
}

static char lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

int word_is(const word *w, const char *text)
{
    for (size_t i = 0; i < w->size; i++)
        if (text[i] == '\0' || lower(w->from[i]) != lower(text[i]))
            return 0;
    return text[w->size] == '\0';
}

/* strtod knows further ways to write numbers, infinities among them. */
int word_number(const word *w, double *value)
{
    double number;
    for (size_t i = 0; i < w->size; i++)
        if (!memchr("0123456789+-.eE", w->from[i], 15))
            return 0;
    if (!text_number(w->from, w->size, &number) || !isfinite(number))
        return 0;
    *value = number;
    return 1;
}

int word_count(const word *w, size_t *value)
{
    size_t count = 0;
    for (size_t i = 0; i < w->size; i++) {
        if (w->from[i] < '0' || w->from[i] > '9' || count > SIZE_MAX / 10)
            return 0;
        count = 10 * count + (size_t)(w->from[i] - '0');
    }
    *value = count;
    return 1;
}

char *text_from_bytes(const char *bytes)
{
    if (utf8_length(bytes) != SIZE_MAX)
        return mem_text(bytes);
    size_t size = strlen(bytes), used = 0;
    char *text = mem_alloc(2 * size + 1, 1);
    for (size_t i = 0; text && i < size; i++)
        used += utf8_put((unsigned char)bytes[i], text + used);
    if (text)
        text[used] = '\0';
    return text;
}

word_shown word_show(const word *w)
{
    word_shown shown;
    size_t room = sizeof shown.text, size = w->size < room ? w->size : room - 1;
    for (size_t i = 0; i < size; i++)
        shown.text[i] = (char)(w->from[i] < 0x20 || w->from[i] > 0x7e ? '?' : w->from[i]);
    shown.text[size] = '\0';
    if (size < w->size)
        memcpy(shown.text + room - 4, "...", 4);
    return shown;
}

word_shown word_show_text(const char *text)
{
    const word w = {text, strlen(text)};
    return word_show(&w);
}
