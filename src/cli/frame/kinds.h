/* kinds.h - commands whose first operand says what kind of thing they do: `describe gabor`. */
#ifndef SPD_CLI_FRAME_KINDS_H
#define SPD_CLI_FRAME_KINDS_H

#include "cli/frame/session.h"

#define KIND(kind) (1u << (kind))

/* Options that serve certain kinds only. */
typedef struct kind_options {
    const option *options;
    unsigned kinds; /* a sum of KIND(...) */
} kind_options;

typedef struct kind_table {
    const char *word;          /* what a kind is called: "descriptor" */
    option_choice_fn name;     /* of the kinds */
    const kind_options *group; /* options NULL ends the list */
} kind_table;

/* *kind <- that of the first operand; an exit status after a message when there is none of that
 * name, or when an option was given that does not serve it. */
int kinds_take(session *s, const kind_table *table, size_t *kind);

#endif
