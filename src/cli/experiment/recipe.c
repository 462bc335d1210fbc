/* recipe.c - reads a recipe, keeps its variables, and makes words of its lines. */
#include "cli/experiment/recipe.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/frame/cli_memory.h"
#include "cli/frame/message.h"
#include "cli/frame/sheet.h"
#include "cli/frame/text_file.h"
#include "base/suggest.h"

#define LARGEST ((size_t)1 << 20)  /* characters of a recipe */
#define LONGEST ((size_t)64 << 10) /* of a line, with values in place of variables */
#define ENDING  ".recipe"

void recipe_fail(const recipe *r, const char *format, ...)
{
    char text[800];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    cli_misuse("%.200s:%zu: %s", r->path, r->at + 1, text);
}

/* ---- where it comes from --------------------------------------------------------------------- */

/* r->text <- the file. */
static void read_file(recipe *r)
{
    size_t length;
    r->text = text_file_read(r->path, LARGEST + 1, &length);
    if (!r->text)
        cli_fail("%s: cannot be read: %s", r->path,
                 errno == EINVAL ? "not a regular file" : strerror(errno));
    if (length > LARGEST || memchr(r->text, '\0', length))
        cli_misuse("%s: not a recipe: it %s", r->path,
                   length > LARGEST ? "is larger than 1 MiB" : "holds a zero byte");
}

static void take_builtin(recipe *r)
{
    suggestion near = suggest_for(r->name);
    words names = {0};
    for (const recipe_builtin *b = recipe_builtins; b->name && !r->text; b++) {
        suggest_offer(&near, b->name);
        words_add(&names, b->name);
        if (strcmp(b->name, r->name) == 0)
            r->text = words_text("%s", (const char *)b->text);
    }
    if (r->text)
        return;
    if (near.best)
        cli_misuse("unknown experiment '%s'; did you mean '%s'?", r->name, near.best);
    cli_misuse("unknown experiment '%s'; there are %s, and files NAME" ENDING, r->name,
               words_join(&names, 0, names.count, ", "));
}

/* A line for each of the file, so that numbers agree; one that goes on in the next is joined to it
 * when it is read. */
static void split_lines(recipe *r)
{
    for (const char *c = r->text; *c;) {
        size_t length = strcspn(c, "\n"), kept = length - (length && c[length - 1] == '\r');
        words_take(&r->line, words_text("%.*s", (int)kept, c));
        c += length + (c[length] == '\n');
    }
}

/* The folder that SPDML_RECIPES names; NULL if it is not set. */
static const char *own_folder(void)
{
    const char *folder = getenv("SPDML_RECIPES");
    struct stat what;
    if (!folder || !folder[0])
        return NULL;
    if (stat(folder, &what) != 0 || !S_ISDIR(what.st_mode))
        cli_misuse("SPDML_RECIPES: '%s' is not a folder; unset it for the recipes of the program",
                   folder);
    return folder;
}

void recipe_load(recipe *r, const char *name)
{
    const char *folder = own_folder(), *slash = strrchr(name, '/');
    const char *base = slash ? slash + 1 : name, *ending = strstr(base, ENDING);
    int is_file = slash || ending;
    *r = (recipe){.name = words_text("%.*s", ending ? (int)(ending - base) : 1000, base)};
    recipe_forget(r);
    r->path = is_file ? words_text("%s", name)
                      : words_text("%s%s%s" ENDING, folder ? folder : "", folder ? "/" : "", name);
    if (is_file || (folder && access(r->path, F_OK) == 0))
        read_file(r);
    else
        take_builtin(r);
    split_lines(r);
}

/* ---- variables ------------------------------------------------------------------------------- */

const char *recipe_value(const recipe *r, const char *name)
{
    return json_string_value(json_object_get(r->value, name));
}

/* Names of files need not be UTF-8. */
static void put(json_t *object, const char *name, json_t *value)
{
    if (json_object_set_new_nocheck(object, name, value) != 0)
        cli_out_of_memory("a variable");
}

void recipe_set(recipe *r, const char *name, const char *value)
{
    if (!json_object_get(r->given, name))
        put(r->value, name, json_string_nocheck(value));
}

void recipe_give(recipe *r, const char *name, const char *value)
{
    recipe_set(r, name, value);
    put(r->given, name, json_true());
}

void recipe_forget(recipe *r)
{
    r->value = sheet_json_keep(json_object());
    r->given = sheet_json_keep(json_object());
    r->used = sheet_json_keep(json_object());
}

/* ---- words ----------------------------------------------------------------------------------- */

static size_t name_length(const char *at)
{
    size_t n = 0;
    while (isalnum((unsigned char)at[n]) || (at[n] && strchr("-_", at[n])))
        n++;
    return n;
}

static void check_length(const recipe *r, size_t length)
{
    if (length > LONGEST)
        recipe_fail(r, "the line is longer than %zu characters", LONGEST);
}

/* The value of the variable that stands at `at`, behind its $; *length <- of the name with its
 * braces. NULL when no name stands there. */
static const char *value_at(recipe *r, const char *at, size_t *length)
{
    const size_t brace = at[0] == '{', n = name_length(at + brace);
    if (n == 0 || (brace && at[n + 1] != '}'))
        return NULL;
    char *name = words_text("%.*s", (int)n, at + brace);
    const char *value = recipe_value(r, name);
    if (!value)
        recipe_fail(r, "no variable '%s'; `set %s = VALUE` makes one", name, name);
    put(r->used, name, json_true());
    cli_free(name);
    *length = n + 2 * brace;
    return value;
}

/* *word <- the same with values in place of variables; *empty <- was one of them? */
static void substitute(recipe *r, char **word, int *empty)
{
    if (!strchr(*word, '$'))
        return;
    char *made = cli_alloc(LONGEST + 1, 1, "a word");
    size_t used = 0, passed = 0;
    for (const char *at = *word; *at; at += passed) {
        const char *value = *at == '$' ? value_at(r, at + 1, &passed) : NULL;
        const size_t size = value ? strlen(value) : 1;
        check_length(r, used + size);
        memcpy(made + used, value ? value : at, size);
        used += size;
        passed = value ? passed + 1 : 1;
        *empty |= value && size == 0;
    }
    cli_free(*word);
    *word = words_text("%s", made);
    cli_free(made);
}

/* The next word of a line, or NULL at its end; quotes are dropped, *at moves on. */
static char *next_word(const char **at)
{
    const char *c = *at + strspn(*at, " \t");
    if (!*c || *c == '#')
        return NULL;
    size_t length = 0;
    for (int quoted = 0; c[length] && (quoted || !strchr(" \t", c[length])); length++)
        quoted ^= c[length] == '"';
    char *word = cli_alloc(length + 1, 1, "a word"), *end = word;
    for (*at = c + length; c < *at; c++)
        if (*c != '"')
            *end++ = *c;
    return word;
}

/* The current line with those that it goes on in; r->next <- the one after them. */
static char *whole_line(recipe *r)
{
    char *line = words_text("%s", r->line.word[r->at]);
    size_t length = strlen(line);
    r->next = r->at + 1;
    while (length && line[length - 1] == '\\' && r->next < r->line.count) {
        char *before = line;
        line = words_text("%.*s%s", (int)length - 1, before, r->line.word[r->next++]);
        length = strlen(line);
        cli_free(before);
        check_length(r, length);
    }
    check_length(r, length);
    return line;
}

void recipe_words(recipe *r, words *w)
{
    const char *at = whole_line(r);
    char *word;
    int optional = 0, empty = 0;
    size_t before = 0;
    while ((word = next_word(&at))) {
        size_t length = strlen(word);
        int opens = word[0] == '[';
        int closes = length && (optional || opens) && word[length - 1] == ']';
        if (opens) {
            before = w->count;
            optional = 1;
            empty = 0;
        }
        word[closes ? length - 1 : length] = '\0';
        memmove(word, word + opens, strlen(word + opens) + 1);
        substitute(r, &word, &empty);
        words_take(w, word);
        if (closes && empty)
            w->count = before;
        optional = optional && !closes;
    }
    if (optional)
        recipe_fail(r, "a ] is missing");
}
