/* kinds.h - commands whose first operand says what kind of thing they do: `describe gabor`. */
#ifndef SPD_CLI_FRAME_KINDS_H
#define SPD_CLI_FRAME_KINDS_H

#include "cli/frame/session.h"

/* *kind <- that of the first operand, by the names of the kinds; an exit status after a message
 * when there is none of that name, or when an option was given that does not serve it: under a
 * heading such as "Images (textures, faces)" stand options of these kinds alone. word is what a
 * kind is called: "descriptor". */
int kinds_take(session *s, const char *word, option_choice_fn name, size_t *kind);

#endif
