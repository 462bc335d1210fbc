/* naming.h - the words of an enumeration: one table names its values and parses them. */
#ifndef SPD_BASE_NAMING_H
#define SPD_BASE_NAMING_H

#include "base/context.h"

#define NAMING_MOST    32
#define NAMING_ALIASES 8

typedef struct naming {
    const char *kind;              /* what the values are, for messages: "metric" */
    const char *word[NAMING_MOST]; /* in the order of the header, NULL after the last */
    struct {
        const char *word;
        unsigned value;
    } alias[NAMING_ALIASES]; /* further words that are understood */
} naming;

/* The word of a value; NULL for one that has none. */
const char *naming_word(const naming *names, unsigned value);

/* The value of a word. SPD_EINVAL, with a message that lists the words and suggests the nearest
 * one, if it is not among them. */
int naming_parse(spd_context *ctx, const naming *names, const char *word);

/* The words of an enumeration of the public headers. */
const naming *naming_of(spd_enum of);

#endif
