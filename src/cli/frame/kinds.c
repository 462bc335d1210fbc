/* kinds.c - the kind in a command's first operand, and which options belong to it. */
#include "cli/frame/kinds.h"

#include <string.h>

#include "base/suggest.h"

static int check_options(session *s, const kind_table *table, size_t kind)
{
    for (const kind_options *g = table->group; g->options; g++)
        for (const option *o = g->options; o->name; o++)
            if (arguments_count(s->args, o->name) && !(g->kinds & KIND(kind))) {
                cli_error("--%s does not belong to %s; see 'spdml %s --help'", o->name,
                          table->name(kind), s->args->command->name);
                return CLI_MISUSED;
            }
    return CLI_GOOD;
}

int kinds_take(session *s, const kind_table *table, size_t *kind)
{
    const char *name = s->args->operands[0];
    suggestion near = suggest_for(name);
    char all[256];
    for (size_t k = 0; table->name(k); k++) {
        if (strcmp(name, table->name(k)) == 0) {
            *kind = k;
            return check_options(s, table, k);
        }
        suggest_offer(&near, table->name(k));
    }
    option_list(table->name, all, sizeof all);
    if (near.best)
        cli_error("unknown %s '%s'; did you mean '%s'?", table->word, name, near.best);
    else
        cli_error("unknown %s '%s'; the first operand must be %s", table->word, name, all);
    return CLI_MISUSED;
}
