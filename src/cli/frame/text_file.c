/* text_file.c - what a function prints becomes a file, whole or not at all; quoting. */
#define _GNU_SOURCE /* fopencookie */

#include "cli/frame/text_file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/plain.h"
#include "cli/frame/cli_memory.h"
#include "cli/frame/message.h"
#include "cli/frame/number.h"
#include "cli/frame/words.h"
#include "spdml.h"

/* A text in memory. Not open_memstream, which does not say that it had no memory for a part. */
typedef struct growing {
    char *text;
    size_t length, room;
    int given_up; /* the command ends while it is printed, and text is freed */
} growing;

static void give_up(void *text)
{
    growing *g = text;
    g->given_up = 1;
}

static ssize_t take(void *cookie, const char *bytes, size_t size)
{
    growing *g = cookie;
    if (g->given_up) /* exit flushes what is left */
        return (ssize_t)size;
    if (size > g->room - g->length) {
        g->room = 2 * (g->length + size);
        char *larger = cli_alloc(g->room, 1, "a file");
        if (g->length)
            memcpy(larger, g->text, g->length);
        cli_free(g->text);
        g->text = larger;
    }
    memcpy(g->text + g->length, bytes, size);
    g->length += size;
    return (ssize_t)size;
}

void text_file_write(const char *path, text_file_fn print, const void *what)
{
    void *mark = cli_mark();
    growing g = {0};
    cli_keep(&g, give_up);
    FILE *f = fopencookie(&g, "w", (cookie_io_functions_t){.write = take});
    if (!f)
        cli_out_of_memory("a file");
    print(f, what);
    fclose(f);
    spd_context *ctx = spd_context_new();
    spd_status status = ctx ? spd_text_write(ctx, path, g.text, g.length) : SPD_ENOMEM;
    if (status < 0)
        cli_error("%s", ctx ? spd_context_error(ctx)->message : spd_status_text(status));
    spd_context_free(ctx);
    cli_release(mark);
    if (status < 0)
        cli_leave(CLI_FAILED);
}

char *text_file_in(const char *folder, const char *name)
{
    char *path = words_text("%s/%s", folder, name);
    struct stat info;
    if (lstat(path, &info) == 0 && S_ISLNK(info.st_mode))
        (void)unlink(path);
    return path;
}

/* Opens a regular file; -1 with errno set when it is none. *most <- no more than its size. */
static int open_regular(const char *path, size_t *most)
{
    struct stat info;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0)
        return -1;
    int why = fstat(file, &info) != 0  ? errno
              : S_ISDIR(info.st_mode)  ? EISDIR
              : !S_ISREG(info.st_mode) ? EINVAL
                                       : 0;
    if (!why && (size_t)info.st_size < *most)
        *most = (size_t)info.st_size;
    if (!why)
        return file;
    close(file);
    errno = why;
    return -1;
}

char *text_file_read(const char *path, size_t most, size_t *length)
{
    int file = open_regular(path, &most);
    if (file < 0)
        return NULL;
    char *text = cli_alloc(most + 1, 1, "a file");
    ssize_t got = 1;
    *length = 0;
    while (*length < most && (got > 0 || (got < 0 && errno == EINTR))) {
        got = read(file, text + *length, most - *length);
        *length += got > 0 ? (size_t)got : 0;
    }
    int why = errno;
    close(file);
    if (got >= 0)
        return text;
    cli_free(text);
    errno = why;
    return NULL;
}

/* Characters of a word in quotes, with them. */
static size_t quoted_length(const char *text)
{
    size_t length = 1;
    while (text[length] && text[length] != '"')
        length += text[length] == '\\' && text[length + 1] ? 2 : 1;
    return text[length] ? length + 1 : length;
}

/* A real number of 17 digits in its shortest form; it stays a real one. */
static void put_number(FILE *f, const char *text, size_t length)
{
    char shortest[NUMBER_TEXT];
    if (length == strspn(text, "-0123456789")) {
        fwrite(text, 1, length, f);
        return;
    }
    number_text(strtod(text, NULL), shortest);
    fprintf(f, "%s%s", shortest, strpbrk(shortest, ".e") ? "" : ".0");
}

/* jansson writes 17 digits where fewer would do: 1.0000000000000001e-5. */
void text_file_json(FILE *f, const void *what)
{
    const size_t flags = JSON_INDENT(2) | JSON_REAL_PRECISION(17);
    size_t size = json_dumpb(what, NULL, 0, flags);
    char *text = cli_alloc(size + 1, 1, "the JSON report");
    if (size == 0 || json_dumpb(what, text, size, flags) != size)
        cli_out_of_memory("the JSON report");
    for (const char *at = text; *at;) {
        size_t number = strspn(at, "-+0123456789.eE");
        size_t length = *at == '"' ? quoted_length(at) : number ? number : 1;
        if (*at != '"' && strchr("-0123456789", *at))
            put_number(f, at, length);
        else
            fwrite(at, 1, length, f);
        at += length;
    }
    cli_free(text);
    fputc('\n', f);
}

void text_file_csv(FILE *f, const char *text)
{
    const char *mark = plain_is_formula(text) ? "'" : "";
    size_t length = strlen(text);
    int quoted = strpbrk(text, ",;\t\"\n\r") || *text == '#' || *text == ' ' ||
                 (length && text[length - 1] == ' ');
    if (!quoted) {
        fprintf(f, "%s%s", mark, text);
        return;
    }
    fprintf(f, "\"%s", mark);
    for (; *text; text++)
        fprintf(f, *text == '"' ? "%c\"" : "%c", *text);
    fputc('"', f);
}

void text_file_latex(FILE *f, const char *text)
{
    for (; *text; text++)
        fprintf(f,
                strchr("\\~^", *text)      ? "\\char`\\%c{}"
                : strchr("_%&#${}", *text) ? "\\%c"
                                           : "%c",
                *text);
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
