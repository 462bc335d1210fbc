/* again.h - command lines to be pasted, made from the one that was given. */
#ifndef SPD_CLI_FRAME_AGAIN_H
#define SPD_CLI_FRAME_AGAIN_H

#include "cli/frame/arguments.h"
#include "cli/frame/words.h"

/* Adds the options that were given and that the command `to` has too, as one would type them, but
 * for those named in `without` (NULL at the end) and those that say how to talk: --json, -q, -v,
 * --threads. */
void again_options(const arguments *a, const command *to, const char *const *without, words *w);

/* The whole command line that does the same again. */
char *again_command(const arguments *a);

/* Adds "--name value" for a parameter with a real or whole value, "-n value" where the name is one
 * letter. */
void again_value(const char *name, double value, words *w);

#endif
