/* commands.c - the table of commands.
 *
 * To add a command `x`:
 *   1. Write cli/commands/cmd_x.c. It holds a static option table (rows of options.h, closed by
 *      OPTION_END), paragraphs and examples for help and man page, the function that runs it
 *      (int run(session *s), returning an exit status of message.h), and at its end
 *      `COMMAND(x, ...)` (options.h) whose groups name the option tables: its own, then
 *      options_data if it reads data sets, then options_common.
 *   2. Add its name below, under the section of the help that it belongs to.
 * Parsing, range checks, suggestions, --help, the man page and completion follow from the
 * tables; the build takes the file and the man page from here. The session loads, writes and shows
 * (session.h), and frees what it loaded; cmd_mean.c is a good start. Tests live in tests/cli. */
#include "cli/frame/commands.h"

#include <string.h>

#include "cli/frame/manual.h"
#include "cli/frame/message.h"
#include "base/suggest.h"

/* clang-format off */
#define COMMANDS(X) \
    X("start here", info) X("start here", synth) \
    X("data", describe) X("data", convert) X("data", join) \
    X("learn", fit) X("learn", transform) X("learn", explain) \
    X("recognise", train) X("recognise", predict) X("recognise", classify) \
    X("compare", evaluate) X("compare", compare) \
    X("geometry", distance) X("geometry", mean) X("geometry", neighbours) X("geometry", embed) \
    X("more", cost) X("more", version) X("more", help)
/* clang-format on */

#define DECLARE(section, id) extern const command command_##id;
#define ROW(section, id)     &command_##id,
#define SECTION(section, id) section,
COMMANDS(DECLARE)
const command *const commands[] = {COMMANDS(ROW) NULL};
const char *const command_sections[] = {COMMANDS(SECTION) NULL};

const command *commands_find(const char *name)
{
    const command *const *c = commands;
    while (*c && strcmp((*c)->name, name) != 0 && !((*c)->alias && strcmp((*c)->alias, name) == 0))
        c++;
    return *c;
}

int commands_unknown(const char *name, int topics)
{
    suggestion near = suggest_for(name);
    for (const command *const *c = commands; *c; c++) {
        suggest_offer(&near, (*c)->name);
        if ((*c)->alias)
            suggest_offer(&near, (*c)->alias);
    }
    for (size_t i = 0; i < MANUAL_TOPICS && topics; i++)
        suggest_offer(&near, manual_topics[i]);
    if (near.best)
        return cli_refuse("unknown command '%s'; did you mean '%s'?", name, near.best);
    return cli_refuse("unknown command '%s'; 'spdml help' lists the commands", name);
}
