/* text_file.c - what a function prints becomes a file, whole or not at all; quoting. */
#define _POSIX_C_SOURCE 200809L

#include "cli/frame/text_file.h"

#include <ctype.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cli/frame/cli_memory.h"
#include "cli/frame/message.h"
#include "spdml.h"

int text_file_write(const char *path, text_file_fn print, const void *what)
{
    char *text = NULL;
    size_t length = 0;
    FILE *f = open_memstream(&text, &length);
    if (!f)
        cli_out_of_memory("a file");
    print(f, what);
    int whole = !ferror(f); /* closing does not remember that the text has a gap */
    if (fclose(f) != 0 || !whole) {
        free(text);
        cli_out_of_memory("a file");
    }
    spd_context *ctx = spd_context_new();
    spd_status status = ctx ? spd_text_write(ctx, path, text, length) : SPD_ENOMEM;
    if (status < 0)
        cli_error("%s", ctx ? spd_context_error(ctx)->message : spd_status_text(status));
    spd_context_free(ctx);
    free(text);
    if (status < 0)
        cli_leave(CLI_FAILED);
    return CLI_GOOD;
}

void text_file_json(FILE *f, const void *what)
{
    if (json_dumpf(what, f, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) != 0 && !ferror(f))
        cli_out_of_memory("the JSON report");
    fputc('\n', f);
}

void text_file_csv(FILE *f, const char *text)
{
    int quoted = strpbrk(text, ",\"\n\r") != NULL;
    if (!quoted) {
        fputs(text, f);
        return;
    }
    fputc('"', f);
    for (; *text; text++)
        fprintf(f, *text == '"' ? "%c\"" : "%c", *text);
    fputc('"', f);
}

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
