/* manual.h - every form of documentation that is made from the option tables. */
#ifndef SPD_CLI_FRAME_MANUAL_H
#define SPD_CLI_FRAME_MANUAL_H

#include <stdio.h>

#include "cli/frame/options.h"

/* What `spdml --help` and `spdml COMMAND --help` print; c NULL for the first. */
void manual_help(FILE *out, const command *c);

/* What `spdml COMMAND -h` prints: the options that most people use, and two examples. */
void manual_brief(FILE *out, const command *c);

/* What `spdml help TOPIC` explains in addition to commands: their names, and one of them; non-zero if there is
 * no such topic. */
#define MANUAL_TOPICS 3
extern const char *const manual_topics[MANUAL_TOPICS];
int manual_topic(FILE *out, const char *name);

/* roff of spdml.1 (c NULL) or spdml-COMMAND.1. */
void manual_roff(FILE *out, const command *c);

/* completion.c: a completion script for a shell, by its place in this list. */
#define MANUAL_SHELLS "bash|zsh|fish"
void manual_completion(FILE *out, unsigned shell);

#endif
