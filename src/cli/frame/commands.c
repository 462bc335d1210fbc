/* commands.c - the table of commands.
 *
 * To add a command `x`:
 *   1. Write cli/commands/cmd_x.c. It holds a static option table (rows of options.h, closed by
 *      OPTION_END), paragraphs and examples for help and man page, the function that runs it
 *      (int run(session *s), returning an exit status of message.h), and at its end
 *      `COMMAND(x, ...)` (options.h) whose groups name the option tables: its own, then
 *      options_data where it reads data sets, then options_common.
 *   2. Add its name below.
 * Parsing, range checks, suggestions, --help, the man page and completion follow from the
 * tables; the build takes the file and the man page from here. The session loads, writes and shows
 * (session.h), and frees what it loaded; cmd_mean.c is a good start. Tests live in tests/cli. */
#include "cli/frame/commands.h"

#include <string.h>

#include "cli/frame/message.h"
#include "base/suggest.h"

/* clang-format off */
#define COMMANDS(X) \
    X(info) X(describe) X(fit) X(transform) X(train) X(predict) \
    X(update) X(explain) X(classify) X(evaluate) X(compare) X(cost) \
    X(distance) X(mean) X(neighbours) X(embed) X(convert) X(join) \
    X(synth) X(observations) X(experiment) X(version) X(help)
/* clang-format on */

#define DECLARE(id) extern const command command_##id;
#define ROW(id)     &command_##id,
COMMANDS(DECLARE)
const command *const commands[] = {COMMANDS(ROW) NULL};

const command *commands_find(const char *name)
{
    const command *const *c = commands;
    while (*c && strcmp((*c)->name, name) != 0 && !((*c)->alias && strcmp((*c)->alias, name) == 0))
        c++;
    return *c;
}

int commands_unknown(const char *name)
{
    suggestion near = suggest_for(name);
    for (const command *const *c = commands; *c; c++) {
        suggest_offer(&near, (*c)->name);
        if ((*c)->alias)
            suggest_offer(&near, (*c)->alias);
    }
    if (near.best)
        return cli_refuse("unknown command '%s'; did you mean '%s'?", name, near.best);
    return cli_refuse("unknown command '%s'; 'spdml help' lists the commands", name);
}
