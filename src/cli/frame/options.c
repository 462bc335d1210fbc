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
#include "base/suggest.h"

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

/* "at least 1", "between 0 and 1024" */
static const char *range_text(const option *o)
{
    return isinf(o->max) ? words_text("at least %.15g", o->min)
                         : words_text("between %.15g and %.15g", o->min, o->max);
}

words option_names(spd_enum of)
{
    words w = {0};
    for (unsigned i = 0; spd_name(of, i); i++)
        words_add(&w, spd_name(of, i));
    return w;
}

words option_choices(const option *o)
{
    words w = {0};
    if (o->choice)
        words_split(&w, o->choice, "|");
    return o->type == OPTION_CHOICE && !o->choice ? option_names(o->names) : w;
}

const char *option_list(const words *w)
{
    if (w->count < 2)
        return w->count ? w->word[0] : "";
    return words_text("%s or %s", words_join(w, w->count - 1, ", "), w->word[w->count - 1]);
}

const char *option_text(const option *o)
{
    const char *accepts = "", *repeat = o->repeatable ? "; may be repeated" : "";
    const words choices = option_choices(o);
    if (choices.count)
        accepts = option_list(&choices);
    else if (o->type == OPTION_INT || o->type == OPTION_REAL)
        accepts = range_text(o);
    if (!accepts[0] && !o->standard)
        return words_text("%s%s", o->help, repeat);
    return words_text("%s (%s%s%s%s)%s", o->help, accepts, accepts[0] && o->standard ? "; " : "",
                      o->standard ? "default " : "", o->standard ? o->standard : "", repeat);
}

static int check_number(const option *o, const char *text)
{
    int whole = o->type == OPTION_INT;
    int64_t count = 0;
    double number = 0;
    int bad = whole ? option_parse_int(text, &count) : option_parse_real(text, &number);
    number = whole ? (double)count : number;
    if (!bad && number >= o->min && number <= o->max)
        return CLI_GOOD;
    return cli_refuse("--%s %s: must be %s %s", o->name, text,
                      whole ? "a whole number" : "a number", range_text(o));
}

int option_is_choice(const option *o, const char *text)
{
    const words choices = option_choices(o);
    return words_has(&choices, text);
}

unsigned option_value(const option *o, const char *text)
{
    const words choices = option_choices(o);
    unsigned i = 0;
    if (!o->choice || o->names)
        return (unsigned)spd_parse(NULL, o->names, text);
    while (i < choices.count && strcmp(choices.word[i], text) != 0)
        i++;
    return i;
}

/* *value <- the word itself: an enumeration may know other spellings. */
static int check_choice(const option *o, const char *text, const char **value)
{
    const words choices = option_choices(o);
    int number = !o->choice || o->names ? spd_parse(NULL, o->names, text) : -1;
    if (words_has(&choices, text))
        return CLI_GOOD;
    if (number >= 0 && words_has(&choices, spd_name(o->names, (unsigned)number))) {
        *value = spd_name(o->names, (unsigned)number);
        return CLI_GOOD;
    }
    suggestion near = suggest_for(text);
    for (size_t i = 0; i < choices.count; i++)
        suggest_offer(&near, choices.word[i]);
    if (near.best)
        return cli_refuse("--%s %s: did you mean %s? It must be %s", o->name, text, near.best,
                          option_list(&choices));
    return cli_refuse("--%s %s: must be %s", o->name, text, option_list(&choices));
}

int option_has_ending(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcasecmp(path + length - tail, ending) == 0;
}

/* A file to write is known by its ending. */
static int check_ending(const option *o, const char *text)
{
    const words endings = option_choices(o);
    if (o->to_stdout && strcmp(text, "-") == 0)
        return CLI_GOOD;
    for (size_t i = 0; i < endings.count; i++)
        if (option_has_ending(text, endings.word[i]))
            return CLI_GOOD;
    const char *png = words_has(&endings, ".svg") && option_has_ending(text, ".png")
                          ? "; 'rsvg-convert -o FILE.png FILE.svg' makes .png"
                          : "";
    return cli_refuse("--%s %s: the name must end in %s%s%s", o->name, text, option_list(&endings),
                      o->to_stdout ? ", or be -" : "", png);
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
