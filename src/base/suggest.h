/* suggest.h - "did you mean": the candidate nearest to a mistyped word. */
#ifndef SPD_BASE_SUGGEST_H
#define SPD_BASE_SUGGEST_H

#include <stddef.h>

typedef struct suggestion {
    const char *word; /* what was typed */
    const char *best; /* nearest candidate so far, NULL when none is near */
    size_t distance;  /* edits from word to best */
} suggestion;

/* Nothing offered yet. */
suggestion suggest_for(const char *word);

/* Keeps candidate if it is near enough and nearer than the best so far. */
void suggest_offer(suggestion *s, const char *candidate);

#endif
