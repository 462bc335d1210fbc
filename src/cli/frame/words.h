/* words.h - texts and lists of texts: the words of a command line, notes, lines. They are
 * freed when the command has run. */
#ifndef SPD_CLI_FRAME_WORDS_H
#define SPD_CLI_FRAME_WORDS_H

#include <stddef.h>

typedef struct words {
    size_t count, room;
    char **word;
} words;

/* A text as printf would write it. */
char *words_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A text with line breaks for a terminal: it begins in column `at`, later lines are indented. */
#define WORDS_COLUMNS 79
char *words_wrap(const char *text, size_t at, size_t indent);

/* "1 class", "4 classes" */
char *words_count(size_t count, const char *one, const char *many);

/* Adds a text as it is; a copy of one; the pieces of one between separators. */
void words_take(words *w, char *text);
void words_add(words *w, const char *text);
void words_split(words *w, const char *text, const char *separators);

/* The first count words with a separator between. */
char *words_join(const words *w, size_t count, const char *separator);

/* Characters of a text on the screen: UTF-8 code points. */
size_t words_width(const char *text);

int words_has(const words *w, const char *word);

#endif
