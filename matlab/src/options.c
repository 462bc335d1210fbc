/* options.c - positional arguments and options: pairs of name and value, or structs with the names as
 * fields. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "gateway.h"

void plain(const char *name, char *text, size_t room)
{
    size_t length = 0;
    for (; *name && length + 1 < room; name++)
        if (isalnum((unsigned char)*name))
            text[length++] = (char)tolower((unsigned char)*name);
    text[length] = '\0';
}

static void add_pair(call *c, const char *name, const mxArray *value)
{
    pair *p = &c->pair[c->pairs];
    if (c->pairs == MAX_PAIRS)
        call_fail("invalidArgument", "%s: more than %d options", c->command, MAX_PAIRS);
    plain(name, p->name, sizeof p->name);
    for (size_t i = 0; i < c->pairs; i++)
        if (strcmp(c->pair[i].name, p->name) == 0)
            call_fail("invalidArgument", "%s: the option '%s' is given twice", c->command, name);
    p->value = value;
    p->used = 0;
    c->pairs++;
}

static void add_struct(call *c, const mxArray *options)
{
    for (int f = 0; f < mxGetNumberOfFields(options); f++) {
        const mxArray *value = mxGetFieldByNumber(options, 0, f);
        if (value)
            add_pair(c, mxGetFieldNameByNumber(options, f), value);
    }
}

void call_arguments(call *c, int least, int most)
{
    int count = c->inputs, at = 0;
    while (at < count && at < most &&
           (at < least || !(text_take(c->input[at]) || mxIsStruct(c->input[at]))))
        at++;
    c->inputs = at;
    if (at < least)
        call_fail("invalidArgument", "%s: %d argument%s needed at least; see 'help spdml.%s'",
                  c->command, least, least == 1 ? " is" : "s are", c->command);
    while (at < count) {
        char *name = text_take(c->input[at]);
        if (!name && mxIsStruct(c->input[at]) && mxGetNumberOfElements(c->input[at]) == 1) {
            add_struct(c, c->input[at++]);
            continue;
        }
        if (!name)
            call_fail("invalidArgument",
                      "%s: argument %d must be the name of an option or a struct of options",
                      c->command, at + 1);
        if (at + 1 == count)
            call_fail("invalidArgument", "%s: the option '%s' has no value", c->command, name);
        add_pair(c, name, c->input[at + 1]);
        at += 2;
    }
    call_context(c);
    c->symmetrize = option_flag(c, "symmetrize");
    c->regularize = option_real(c, "regularize", 0.0);
    if (!(c->regularize >= 0.0))
        call_fail("invalidArgument", "%s: 'Regularize' must be at least 0", c->command);
}

/* ---- one option ------------------------------------------------------------------------------ */

const mxArray *option_value(call *c, const char *name)
{
    if (c->known < MAX_KNOWN)
        c->known_name[c->known++] = name;
    for (size_t i = 0; i < c->pairs; i++)
        if (strcmp(c->pair[i].name, name) == 0) {
            c->pair[i].used = 1;
            return c->pair[i].value;
        }
    return NULL;
}

static double real_of(const call *c, const char *name, const mxArray *value)
{
    int right = (mxIsNumeric(value) || mxIsLogical(value)) && !mxIsComplex(value) &&
                mxGetNumberOfElements(value) == 1;
    double number = right ? mxGetScalar(value) : (double)NAN;
    if (isnan(number))
        call_fail("invalidArgument", "%s: the option '%s' must be a number", c->command, name);
    return number;
}

static double whole_of(const call *c, const char *name, const mxArray *value, double most)
{
    double number = real_of(c, name, value);
    if (number != floor(number) || number < 0.0 || number > most)
        call_fail("invalidArgument",
                  "%s: the option '%s' must be a whole number from 0 to %.0f, not %g", c->command,
                  name, most, number);
    return number;
}

double option_real(call *c, const char *name, double otherwise)
{
    const mxArray *value = option_value(c, name);
    return value ? real_of(c, name, value) : otherwise;
}

int option_flag(call *c, const char *name)
{
    return option_real(c, name, 0.0) != 0.0;
}

char *option_text(call *c, const char *name)
{
    const mxArray *value = option_value(c, name);
    return value ? text_need(value, name) : NULL;
}

static int word_of(call *c, const char *name, spd_enum of, const mxArray *value)
{
    int number = spd_parse(c->ctx, of, text_need(value, name));
    if (number < 0)
        call_fail("invalidArgument", "%s: the option '%s': %s", c->command, name,
                  spd_context_error(c->ctx)->message);
    return number;
}

int option_word(call *c, const char *name, spd_enum of, int otherwise)
{
    const mxArray *value = option_value(c, name);
    return value ? word_of(c, name, of, value) : otherwise;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void take_one(call *c, const option *o, const mxArray *value, void *into)
{
    void *at = (char *)into + o->offset;
    switch (o->type) {
    case REAL:
        *(double *)at = real_of(c, o->name, value);
        break;
    case SIZE:
        *(size_t *)at = (size_t)whole_of(c, o->name, value, 1e9);
        break;
    case INT:
        *(int *)at = (int)whole_of(c, o->name, value, 2e9);
        break;
    case SEED:
        *(uint64_t *)at = (uint64_t)whole_of(c, o->name, value, 0x1p53);
        break;
    case FLAG:
        *(int *)at = real_of(c, o->name, value) != 0.0;
        break;
    case WORD:
        *(int *)at = word_of(c, o->name, o->of, value);
        break;
    case TEXT:
        *(const char **)at = text_need(value, o->name);
        break;
    }
}

void options_take(call *c, size_t count, const option *table, void *into)
{
    for (size_t i = 0; i < count; i++) {
        const mxArray *value = option_value(c, table[i].name);
        if (value)
            take_one(c, &table[i], value, into);
    }
}

void options_done(call *c)
{
    char list[1000] = "";
    size_t used = 0;
    for (size_t k = 0; k < c->known && used < sizeof list; k++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", k ? ", " : "",
                                 c->known_name[k]);
    for (size_t i = 0; i < c->pairs; i++)
        if (!c->pair[i].used)
            call_fail("unknownOption", "%s: no option '%s'; there are %s", c->command,
                      c->pair[i].name, list);
}
