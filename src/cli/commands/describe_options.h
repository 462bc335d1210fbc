/* describe_options.h - from the command line of `spdml describe` to the library's options. */
#ifndef SPD_CLI_COMMANDS_DESCRIBE_OPTIONS_H
#define SPD_CLI_COMMANDS_DESCRIBE_OPTIONS_H

#include "cli/frame/session.h"

/* The words of KIND. */
words describe_kinds(void);

/* *kind <- that of the first operand; o <- what the options say; files of --model and --rects are
 * read. What o points to belongs to the session. An exit status. */
int describe_options_take(session *s, spd_descriptor *kind, spd_describe_options *o);

#endif
