/* shell_word.c - quoting for lines that are shown and can be typed again. */
#define _POSIX_C_SOURCE 200809L

#include "cli/frame/shell_word.h"

#include <ctype.h>
#include <string.h>

#include "cli/frame/cli_memory.h"

static int is_plain(const char *word)
{
    for (const char *c = word; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("-_./,:=+@%", *c))
            return 0;
    return word[0] != '\0';
}

/* A quote within becomes '\''. */
char *shell_word(const char *word)
{
    char *quoted = cli_alloc(4 * strlen(word) + 3, 1, "a word"), *end = quoted;
    if (is_plain(word)) {
        memcpy(quoted, word, strlen(word));
        return quoted;
    }
    *end++ = '\'';
    for (const char *c = word; *c; c++)
        if (*c == '\'')
            end = stpcpy(end, "'\\''");
        else
            *end++ = *c;
    *end = '\'';
    return quoted;
}
