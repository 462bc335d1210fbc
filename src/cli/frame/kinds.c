/* kinds.c - the kind in a command's first operand, and which options belong to it. */
#include "cli/frame/kinds.h"

#include <stdio.h>
#include <string.h>

#include "cli/frame/suggest.h"

static int check_options(session *s, const kind_table *table, size_t kind)
{
    for (size_t g = 0; g < table->groups; g++)
        for (const option *o = table->group[g].options; o->name; o++)
            if (arguments_count(s->args, o->name) && !(table->group[g].kinds & KIND(kind))) {
                cli_error("--%s does not belong to %s; see 'spdml %s --help'", o->name,
                          table->name(kind), table->command);
                return CLI_MISUSED;
            }
    return CLI_GOOD;
}

/* text <- "a, b or c" */
static void list(const kind_table *table, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t k = 0; k < table->count && used < size; k++) {
        const char *between = k == 0 ? "" : k + 1 == table->count ? " or " : ", ";
        int length = snprintf(text + used, size - used, "%s%s", between, table->name(k));
        used += length > 0 ? (size_t)length : 0;
    }
}

int kinds_take(session *s, const kind_table *table, size_t *kind)
{
    const char *name = s->args->operands[0];
    suggestion near = suggest_for(name);
    for (size_t k = 0; k < table->count; k++) {
        if (strcmp(name, table->name(k)) == 0) {
            *kind = k;
            return check_options(s, table, k);
        }
        suggest_offer(&near, table->name(k));
    }
    char all[256];
    list(table, all, sizeof all);
    if (near.best)
        cli_error("unknown %s '%s'; did you mean '%s'?", table->word, name, near.best);
    else
        cli_error("unknown %s '%s'; the first operand must be %s", table->word, name, all);
    return CLI_MISUSED;
}
