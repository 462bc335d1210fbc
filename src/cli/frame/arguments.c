/* arguments.c - parsing of the command line.
 *
 * Every word is a long option, a cluster of short ones, or an
 * operand; the option table says which of them take a value. */
#include "cli/frame/arguments.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/frame/cli_memory.h"
#include "cli/frame/message.h"
#include "base/suggest.h"
#include "io/slashes.h"

/* Says what is wrong, and where help is. */
__attribute__((format(printf, 2, 3))) static int misused(const arguments *a, const char *format,
                                                         ...)
{
    char what[300];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    const char *join = what[strlen(what) - 1] == '?' ? " See" : "; see";
    return cli_refuse("%s%s 'spdml %s --help'", what, join, a->command->name);
}

static int unknown_long(const arguments *a, const char *name, size_t length)
{
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)(length < 60 ? length : 60), name);
    suggestion near = suggest_for(word);
    const option *o;
    for (size_t i = 0; (o = command_option(a->command, i)); i++)
        suggest_offer(&near, o->name);
    if (near.best)
        return misused(a, "unknown option --%s; did you mean --%s?", word, near.best);
    return misused(a, "unknown option --%s", word);
}

/* The value that follows an option; NULL when there is none. An option that may stand bare takes
 * the next word only if that is one of its choices: it may as well be an operand. */
static const char *next_value(arguments *a, const option *o)
{
    const char *next = a->at < a->words ? a->word[a->at] : NULL;
    if (o->bare && !(next && option_is_choice(o, next)))
        return o->bare;
    if (next)
        a->at++;
    return next;
}

/* Records one option; value is NULL when no text was attached to it. */
static int take(arguments *a, const option *o, const char *value)
{
    argument_given given = {o, NULL};
    if (o->type == OPTION_FLAG && value)
        return misused(a, "--%s takes no value", o->name);
    if (o->type != OPTION_FLAG) {
        if (!value)
            value = next_value(a, o);
        if (!value)
            return misused(a, "--%s needs a value: %s", o->name, o->argument);
        if (o->type == OPTION_FILE)
            path_slashes((char *)(uintptr_t)value, strlen(value));
        int code = option_check(o, value, &given.text);
        if (code)
            return code;
    }
    a->given[a->given_count++] = given;
    return CLI_GOOD;
}

static int parse_long(arguments *a, const char *word)
{
    size_t length = strcspn(word, "=");
    const option *o = command_option_named(a->command, word, length);
    if (!o)
        return unknown_long(a, word, length);
    return take(a, o, word[length] ? word + length + 1 : NULL);
}

/* -qv is -q -v; the rest of the word after a letter that takes a value is that value. */
static int parse_short(arguments *a, const char *letters)
{
    for (; *letters; letters++) {
        const option *o = command_option_lettered(a->command, *letters);
        if (!o)
            return misused(a, "unknown option -%c", *letters);
        a->brief |= o->type == OPTION_FLAG && strcmp(o->name, "help") == 0;
        int takes_rest = o->type != OPTION_FLAG && letters[1];
        int code = take(a, o, takes_rest ? letters + 1 : NULL);
        if (code || takes_rest)
            return code;
    }
    return CLI_GOOD;
}

static int parse_words(arguments *a)
{
    int code = CLI_GOOD, options_ended = 0;
    while (!code && a->at < a->words) {
        char *word = a->word[a->at++];
        if (options_ended || word[0] != '-' || !word[1]) {
            path_slashes(word, strlen(word));
            a->operands[a->operand_count++] = word;
        } else if (strcmp(word, "--") == 0)
            options_ended = 1;
        else if (word[1] == '-')
            code = parse_long(a, word + 2);
        else
            code = parse_short(a, word + 1);
    }
    return code;
}

/* How many operands there must and may be, as the command's text of them says. */
static void count_operands(const char *text, size_t *least, size_t *most)
{
    *least = *most = 0;
    for (; *text; text += strcspn(text, " "), text += strspn(text, " ")) {
        *least += *text != '[';
        ++*most;
    }
    if (*most && text[-1] == '.')
        *most = SIZE_MAX;
}

static int check_complete(const arguments *a)
{
    const command *c = a->command;
    const char *operands = c->operands[0] ? c->operands : "no operand";
    size_t least, most;
    count_operands(c->operands, &least, &most);
    if (a->operand_count < least)
        return misused(a, "%s needs %s", c->name, operands);
    if (a->operand_count > most)
        return misused(a, "unexpected operand '%.100s': %s takes %s", a->operands[most], c->name,
                       operands);
    const option *o;
    for (size_t i = 0; (o = command_option(c, i)); i++)
        if (o->required && !arguments_count(a, o->name))
            return misused(a, "%s needs --%s %s", c->name, o->name, o->argument);
    return CLI_GOOD;
}

int arguments_parse(arguments *a, const command *c, int argc, char **argv)
{
    /* A word gives at most as many options as it has letters. */
    size_t most = 1;
    for (int i = 0; i < argc; i++)
        most += strlen(argv[i]);
    *a = (arguments){.command = c, .word = argv, .words = argc};
    a->given = cli_alloc(most, sizeof *a->given, "the command line");
    a->operands = cli_alloc((size_t)argc + 1, sizeof *a->operands, "the command line");
    int code = parse_words(a);
    if (code || arguments_flag(a, "help"))
        return code;
    return check_complete(a);
}

arguments *arguments_copy(const arguments *a)
{
    arguments *copy = cli_alloc(1, sizeof *copy, "the command line");
    *copy = *a;
    return copy;
}

void arguments_add(arguments *a, const char *name, const char *text)
{
    argument_given *given = cli_alloc(a->given_count + 1, sizeof *given, "the command line");
    for (size_t i = 0; i < a->given_count; i++)
        given[i] = a->given[i];
    given[a->given_count++] =
        (argument_given){command_option_named(a->command, name, strlen(name)), text};
    a->given = given;
}

size_t arguments_count(const arguments *a, const char *name)
{
    size_t count = 0;
    assert(command_option_named(a->command, name, strlen(name)));
    for (size_t i = 0; i < a->given_count; i++)
        count += strcmp(a->given[i].option->name, name) == 0;
    return count;
}

const char *arguments_nth(const arguments *a, const char *name, size_t i)
{
    for (size_t g = 0; g < a->given_count; g++)
        if (strcmp(a->given[g].option->name, name) == 0 && i-- == 0)
            return a->given[g].text;
    return NULL;
}

int arguments_flag(const arguments *a, const char *name)
{
    return arguments_count(a, name) > 0;
}

const char *arguments_text(const arguments *a, const char *name)
{
    size_t count = arguments_count(a, name);
    if (count)
        return arguments_nth(a, name, count - 1);
    const option *o = command_option_named(a->command, name, strlen(name));
    return o ? o->standard : NULL;
}

int64_t arguments_int(const arguments *a, const char *name)
{
    const char *text = arguments_text(a, name);
    int64_t value = 0;
    if (text)
        option_parse_int(text, &value);
    return value;
}

double arguments_real(const arguments *a, const char *name)
{
    const char *text = arguments_text(a, name);
    double value = 0;
    if (text)
        option_parse_real(text, &value);
    return value;
}

static void fill_one(const arguments *a, const option *o, void *at)
{
    const char *text = arguments_text(a, o->name);
    const int64_t whole = o->type == OPTION_FLAG     ? 1
                          : o->type == OPTION_CHOICE ? option_value(o, text)
                                                     : arguments_int(a, o->name);
    if (o->type == OPTION_TEXT || o->type == OPTION_FILE)
        *(const char **)at = text;
    else if (o->type == OPTION_REAL)
        *(double *)at = arguments_real(a, o->name);
    else if (o->width == sizeof(int))
        *(int *)at = (int)whole;
    else
        *(size_t *)at = (size_t)whole;
}

void arguments_fill(const arguments *a, const char *type, void *to)
{
    const option *o;
    for (size_t i = 0; (o = command_option(a->command, i)); i++)
        if (o->into && strcmp(o->into, type) == 0 && arguments_count(a, o->name))
            fill_one(a, o, (char *)to + o->at);
}

/* ---- kinds ----------------------------------------------------------------------------------- */

/* Is a kind among those in the heading's parentheses? "(all kinds)" or none: all are. */
static int is_served(const char *heading, const char *kind)
{
    const char *at = strchr(heading, '(');
    if (!at || strcmp(at, "(all kinds)") == 0)
        return 1;
    while (*at) {
        at += strspn(at, "(, )");
        size_t length = strcspn(at, ",)");
        if (length == strlen(kind) && strncmp(at, kind, length) == 0)
            return 1;
        at += length;
    }
    return 0;
}

static int check_options(const arguments *args, const char *kind)
{
    const option_group *groups = args->command->groups;
    for (size_t g = 0; g < COMMAND_GROUPS && groups[g].options; g++)
        for (const option *o = groups[g].options; o->name; o++)
            if (arguments_count(args, o->name) && !is_served(groups[g].title, kind))
                return cli_refuse("--%s does not belong to %s; see 'spdml %s --help'", o->name,
                                  kind, args->command->name);
    return CLI_GOOD;
}

int arguments_kind(const arguments *a, const char *word, spd_enum names, unsigned *kind)
{
    const char *given = a->operands[0];
    suggestion near = suggest_for(given);
    const words kinds = option_names(names);
    for (*kind = 0; *kind < kinds.count; ++*kind) {
        if (strcmp(given, kinds.word[*kind]) == 0)
            return check_options(a, given);
        suggest_offer(&near, kinds.word[*kind]);
    }
    if (near.best)
        return cli_refuse("unknown %s '%s'; did you mean '%s'?", word, given, near.best);
    return cli_refuse("unknown %s '%s'; the first operand must be %s", word, given,
                      option_list(&kinds));
}
