/* hits.h - the few nearest of many: a list that is offered samples and keeps the best. */
#ifndef SPD_ENGINE_HITS_H
#define SPD_ENGINE_HITS_H

#include <stddef.h>

typedef struct hit {
    double d2;
    size_t index;
    int fresh; /* for the caller */
} hit;

/* best (ascending, ties by lower index) keeps the `wanted` best of what is offered; *count of them
 * are there. Was h taken? */
int hits_offer(hit *best, size_t *count, size_t wanted, hit h);

#endif
