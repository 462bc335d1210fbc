/* options.c - questions to the option tables: look-up, ranges, checks of one value. */
#define _POSIX_C_SOURCE 200809L

#include "cli/frame/options.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/frame/message.h"
#include "cli/frame/suggest.h"

const option *command_option(const command *c, size_t i)
{
    for (size_t g = 0; g < COMMAND_GROUPS && c->groups[g].options; g++)
        for (const option *o = c->groups[g].options; o->name; o++)
            if (i-- == 0)
                return o;
    return NULL;
}

const option *command_option_named(const command *c, const char *name, size_t length)
{
    const option *o;
    for (size_t i = 0; (o = command_option(c, i)); i++)
        if (strlen(o->name) == length && strncmp(o->name, name, length) == 0)
            return o;
    return NULL;
}

const option *command_option_lettered(const command *c, char letter)
{
    const option *o;
    for (size_t i = 0; (o = command_option(c, i)); i++)
        if (letter && o->letter == letter)
            return o;
    return NULL;
}

int option_parse_int(const char *text, int64_t *value)
{
    char *end;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (end == text || *end || errno)
        return 1;
    *value = number;
    return 0;
}

int option_parse_real(const char *text, double *value)
{
    char *end;
    double number = strtod(text, &end);
    if (end == text || *end || !isfinite(number))
        return 1;
    *value = number;
    return 0;
}

/* text <- "at least 1", "between 0 and 1024". */
static void range_text(const option *o, char *text, size_t size)
{
    if (isinf(o->max))
        snprintf(text, size, "at least %.15g", o->min);
    else
        snprintf(text, size, "between %.15g and %.15g", o->min, o->max);
}

void option_list(option_choice_fn choice, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; choice(i) && used < size; i++) {
        const char *before = i == 0 ? "" : choice(i + 1) ? ", " : " or ";
        int wrote = snprintf(text + used, size - used, "%s%s", before, choice(i));
        used += wrote > 0 ? (size_t)wrote : 0;
    }
}

void option_text(const option *o, char *text, size_t size)
{
    char accepts[300] = "";
    if (o->choice)
        option_list(o->choice, accepts, sizeof accepts);
    else if (o->type == OPTION_INT || o->type == OPTION_REAL)
        range_text(o, accepts, sizeof accepts);
    const char *stop = accepts[0] && o->standard ? "; " : "";
    const char *intro = o->standard ? "default " : "";
    const char *standard = o->standard ? o->standard : "";
    const char *repeat = o->repeatable ? "; may be repeated" : "";
    if (accepts[0] || o->standard)
        snprintf(text, size, "%s (%s%s%s%s)%s", o->help, accepts, stop, intro, standard, repeat);
    else
        snprintf(text, size, "%s%s", o->help, repeat);
}

static int check_number(const option *o, const char *text)
{
    int whole = o->type == OPTION_INT;
    int64_t count = 0;
    double number = 0;
    char range[100];
    int bad = whole ? option_parse_int(text, &count) : option_parse_real(text, &number);
    number = whole ? (double)count : number;
    if (!bad && number >= o->min && number <= o->max)
        return CLI_GOOD;
    range_text(o, range, sizeof range);
    return cli_misuse("--%s %s: must be %s %s", o->name, text,
                      whole ? "a whole number" : "a number", range);
}

int option_is_choice(const option *o, const char *text)
{
    for (size_t i = 0; o->choice(i); i++)
        if (strcmp(text, o->choice(i)) == 0)
            return 1;
    return 0;
}

static int check_choice(const option *o, const char *text, const char **value)
{
    char list[300];
    suggestion near = suggest_for(text);
    if (option_is_choice(o, text))
        return CLI_GOOD;
    for (size_t i = 0; o->choice(i); i++)
        suggest_offer(&near, o->choice(i));
    const char *canonical = o->alias ? o->alias(text) : NULL;
    if (canonical) {
        *value = canonical;
        return CLI_GOOD;
    }
    option_list(o->choice, list, sizeof list);
    if (near.best)
        return cli_misuse("--%s %s: did you mean %s? It must be %s", o->name, text, near.best,
                          list);
    return cli_misuse("--%s %s: must be %s", o->name, text, list);
}

int option_has_ending(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcasecmp(path + length - tail, ending) == 0;
}

/* A file to write is known by its ending. */
static int check_ending(const option *o, const char *text)
{
    char list[100];
    for (size_t i = 0; o->choice(i); i++)
        if (option_has_ending(text, o->choice(i)))
            return CLI_GOOD;
    option_list(o->choice, list, sizeof list);
    return cli_misuse("--%s %s: the name must end in %s", o->name, text, list);
}

int option_check(const option *o, const char *text, const char **value)
{
    *value = text;
    switch (o->type) {
    case OPTION_INT:
    case OPTION_REAL:
        return check_number(o, text);
    case OPTION_CHOICE:
        return check_choice(o, text, value);
    case OPTION_FILE:
        return o->choice ? check_ending(o, text) : CLI_GOOD;
    case OPTION_FLAG:
    case OPTION_TEXT:
        break;
    }
    return CLI_GOOD;
}
