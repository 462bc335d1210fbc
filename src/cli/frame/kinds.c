/* kinds.c - the kind in a command's first operand, and which options belong to it. */
#include "cli/frame/kinds.h"

#include <string.h>

#include "cli/frame/suggest.h"

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
            if (arguments_count(args, o->name) && !is_served(groups[g].title, kind)) {
                cli_error("--%s does not belong to %s; see 'spdml %s --help'", o->name, kind,
                          args->command->name);
                return CLI_MISUSED;
            }
    return CLI_GOOD;
}

int kinds_take(session *s, const char *word, option_choice_fn name, size_t *kind)
{
    const char *given = s->args->operands[0];
    suggestion near = suggest_for(given);
    char all[256];
    for (*kind = 0; name(*kind); ++*kind) {
        if (strcmp(given, name(*kind)) == 0)
            return check_options(s->args, given);
        suggest_offer(&near, name(*kind));
    }
    option_list(name, all, sizeof all);
    if (near.best)
        cli_error("unknown %s '%s'; did you mean '%s'?", word, given, near.best);
    else
        cli_error("unknown %s '%s'; the first operand must be %s", word, given, all);
    return CLI_MISUSED;
}
