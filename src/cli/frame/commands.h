/* commands.h - the table of commands. */
#ifndef SPD_CLI_FRAME_COMMANDS_H
#define SPD_CLI_FRAME_COMMANDS_H

#include "cli/frame/options.h"

/* In the order of the help, NULL at the end. */
extern const command *const commands[];

/* The section of the help that each of them is in: "data". */
extern const char *const command_sections[];

/* The command of that name or alias, or NULL. */
const command *commands_find(const char *name);

/* Complains about an unknown command, with a suggestion, which may be a topic of the help;
 * CLI_MISUSED. */
int commands_unknown(const char *name, int topics);

#endif
