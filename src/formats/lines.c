/* lines.c - text files as lines of words, and words as numbers.
 *
 * A decimal number d 10^e with an integer d <= 2^53 and |e| <= 22 is one product or quotient of
 * two doubles that are exact, so it is rounded once and correctly (Clinger 1990). Nearly all
 * numbers in files are of this kind; the others go the way of strtod. */
#include "formats/lines.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "formats/csv.h"
#include "io/text.h"

void lines_start(lines *walk, const char *text, size_t size, char comment)
{
    static const char mark[] = "\xef\xbb\xbf";
    const char *from = size >= 3 && memcmp(text, mark, 3) == 0 ? text + 3 : text;
    *walk = (lines){from, from, from, text + size, comment, 0};
}

static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\0' || c == '\v' || c == '\f';
}

static int is_break(char c)
{
    return c == '\n' || c == '\r';
}

/* To the next word of the line; zero when there is none. */
static int find_word(lines *walk)
{
    while (walk->at < walk->stop && is_blank(*walk->at))
        walk->at++;
    if (walk->at < walk->stop && walk->comment && *walk->at == walk->comment)
        walk->at = walk->stop;
    return walk->at < walk->stop;
}

int lines_next(lines *walk)
{
    while (walk->next < walk->end) {
        const char *p = walk->next;
        while (p < walk->end && !is_break(*p))
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

spd_status lines_numbers(spd_context *ctx, lines *walk, const char *what, size_t count, double *out)
{
    for (size_t i = 0; i < count; i++) {
        word w;
        if (!lines_word(walk, &w))
            return ctx_fail(ctx, SPD_EFORMAT, "line %zu: %s: %zu of %zu numbers", walk->line, what,
                            i, count);
        if (!word_number(&w, &out[i]))
            return ctx_fail(ctx, SPD_EFORMAT, "line %zu: %s: '%s' is not a finite number",
                            walk->line, what, word_show(&w).text);
    }
    return SPD_OK;
}

spd_status lines_end(spd_context *ctx, lines *walk, const char *what)
{
    word w;
    if (!lines_word(walk, &w))
        return SPD_OK;
    return ctx_fail(ctx, SPD_EFORMAT, "line %zu: unexpected '%s' after %s", walk->line,
                    word_show(&w).text, what);
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

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* A number as it is written: sign, digits without leading zeros as an integer, power of ten. */
typedef struct decimal {
    int negative;
    uint64_t digits;
    long power;
    int large; /* does not fit here: ask strtod */
} decimal;

/* Digits at p, behind the point when fraction is 1; where they end. */
static const char *take_digits(const char *p, const char *end, int fraction, decimal *d)
{
    for (; p < end && is_digit(*p); p++) {
        if (d->digits > (((uint64_t)1 << 53) - 9) / 10)
            d->large = 1;
        else
            d->digits = 10 * d->digits + (uint64_t)(*p - '0');
        d->power -= fraction;
    }
    return p;
}

/* Optional exponent at p; where it ends, NULL when it has no digits. */
static const char *take_exponent(const char *p, const char *end, decimal *d)
{
    if (p == end || (*p != 'e' && *p != 'E'))
        return p;
    p++;
    int negative = p < end && *p == '-';
    p += p < end && (*p == '-' || *p == '+');
    if (p == end)
        return NULL;
    decimal exponent = {0};
    p = take_digits(p, end, 0, &exponent);
    if (exponent.large || exponent.digits > 10000)
        d->large = 1;
    else
        d->power += negative ? -(long)exponent.digits : (long)exponent.digits;
    return p;
}

/* Is the whole word a decimal number? */
static int take_decimal(const word *w, decimal *d)
{
    const char *p = w->from, *end = w->from + w->size;
    *d = (decimal){*p == '-', 0, 0, 0};
    p += *p == '-' || *p == '+';
    const char *first = p;
    p = take_digits(p, end, 0, d);
    size_t digits = (size_t)(p - first);
    if (p < end && *p == '.') {
        first = ++p;
        p = take_digits(p, end, 1, d);
        digits += (size_t)(p - first);
    }
    return digits && take_exponent(p, end, d) == end;
}

int word_number(const word *w, double *value)
{
    static const double ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    decimal d;
    if (!take_decimal(w, &d))
        return 0;
    if (d.large || d.power < -22 || d.power > 22) {
        const csv_cell cell = {.from = w->from, .size = w->size};
        double number;
        if (!csv_number(&cell, &number) || !isfinite(number))
            return 0;
        *value = number;
        return 1;
    }
    double number = (double)d.digits;
    number = d.power < 0 ? number / ten[-d.power] : number * ten[d.power];
    *value = d.negative ? -number : number;
    return 1;
}

int word_count(const word *w, size_t *value)
{
    size_t count = 0;
    for (size_t i = 0; i < w->size; i++) {
        if (!is_digit(w->from[i]) || count > (SIZE_MAX) / 10)
            return 0;
        count = 10 * count + (size_t)(w->from[i] - '0');
    }
    *value = count;
    return 1;
}

char *word_copy(const word *w)
{
    char *copy = mem_alloc(w->size + 1, 1);
    if (copy) {
        memcpy(copy, w->from, w->size);
        copy[w->size] = '\0';
    }
    return copy;
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
