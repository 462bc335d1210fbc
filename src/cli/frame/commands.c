/* commands.c - the table of commands.
 *
 * To add a command `x`:
 *   1. Write cli/commands/cmd_x.c. It holds a static option table (rows of options.h, closed by
 *      OPTION_END), paragraphs and examples for help and man page, the function that runs it
 *      (int run(session *s), returning an exit status of message.h), and at its end
 *      `const command command_x = {...}` whose groups name the option tables: its own, then
 *      options_data where it reads data sets, then options_common.
 *   2. Add its two lines below.
 * Parsing, range checks, suggestions, --help, the man page and completion follow from the
 * tables; the build takes the file and the man page from here. The session loads, writes and shows
 * (session.h), and frees what it loaded; cmd_mean.c is a good start. Tests live in tests/cli. */
#include "cli/frame/commands.h"

#include <string.h>

#include "cli/frame/message.h"
#include "base/suggest.h"

extern const command command_info;
extern const command command_describe;
extern const command command_fit;
extern const command command_transform;
extern const command command_train;
extern const command command_predict;
extern const command command_update;
extern const command command_explain;
extern const command command_classify;
extern const command command_evaluate;
extern const command command_compare;
extern const command command_cost;
extern const command command_distance;
extern const command command_mean;
extern const command command_neighbours;
extern const command command_embed;
extern const command command_convert;
extern const command command_join;
extern const command command_synth;
extern const command command_observations;
extern const command command_experiment;
extern const command command_version;
extern const command command_help;

const command *const commands[] = {
    &command_info,       &command_describe, &command_fit,        &command_transform,
    &command_train,      &command_predict,  &command_update,     &command_explain,
    &command_classify,   &command_evaluate, &command_compare,    &command_cost,
    &command_distance,   &command_mean,     &command_neighbours, &command_embed,
    &command_convert,    &command_join,     &command_synth,      &command_observations,
    &command_experiment, &command_version,  &command_help,       NULL,
};

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
