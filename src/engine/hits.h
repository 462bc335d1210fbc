/* hits.h - the k best of what is found in a search. */
#ifndef SPD_ENGINE_HITS_H
#define SPD_ENGINE_HITS_H

#include <stddef.h>

typedef struct hit {
    double d2;
    size_t index;
} hit;

/* Keeps the `wanted` best of what is offered, ascending; ties by lower index. */
void hit_offer(hit *best, size_t *count, size_t wanted, hit h);

#endif
