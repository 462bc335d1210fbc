/* words.c - texts and lists of texts. */
#include "cli/frame/words.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/frame/cli_memory.h"

char *words_text(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(NULL, 0, format, args); /* < 0: longer than 2 GiB */
    size_t room = length < 0 ? 1 : (size_t)length + 1;
    va_end(args);
    char *text = cli_alloc(room, 1, "a text");
    va_start(args, format);
    vsnprintf(text, room, format, args);
    va_end(args);
    return text;
}

char *words_count(size_t count, const char *one, const char *many)
{
    return words_text("%zu %s", count, count == 1 ? one : many);
}

void words_take(words *w, char *text)
{
    if (w->count == w->room) {
        char **more = cli_alloc(2 * w->room + 8, sizeof *more, "words");
        if (w->count)
            memcpy(more, w->word, w->count * sizeof *more);
        cli_free(w->word);
        w->word = more;
        w->room = 2 * w->room + 8;
    }
    w->word[w->count++] = text;
}

void words_add(words *w, const char *text)
{
    words_take(w, words_text("%s", text));
}

void words_split(words *w, const char *text, const char *separators)
{
    while (*text) {
        size_t length = strcspn(text, separators);
        if (length)
            words_take(w, words_text("%.*s", (int)length, text));
        text += length + strspn(text + length, separators);
    }
}

char *words_join(const words *w, size_t count, const char *separator)
{
    char *text = words_text("%s", count ? w->word[0] : "");
    for (size_t i = 1; i < count; i++) {
        char *longer = words_text("%s%s%s", text, separator, w->word[i]);
        cli_free(text);
        text = longer;
    }
    return text;
}

size_t words_width(const char *text)
{
    size_t width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

int words_has(const words *w, const char *word)
{
    for (size_t i = 0; i < w->count; i++)
        if (strcmp(w->word[i], word) == 0)
            return 1;
    return 0;
}

char *words_wrap(const char *text, size_t at, size_t indent)
{
    char *wrapped = cli_alloc((indent + 2) * strlen(text) + 1, 1, "a text"), *end = wrapped;
    for (size_t length; *text; text += length, text += strspn(text, " ")) {
        length = strcspn(text, " ");
        if (end > wrapped && at + 1 + length > WORDS_COLUMNS) {
            *end++ = '\n';
            memset(end, ' ', indent);
            end += indent;
            at = indent;
        } else if (end > wrapped) {
            *end++ = ' ';
            at++;
        }
        memcpy(end, text, length);
        end += length;
        at += length;
    }
    return wrapped;
}
