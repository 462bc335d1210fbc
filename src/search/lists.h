/* lists.h - lists of the nearest samples: who is admitted to which, and keeping the best. */
#ifndef SPD_SEARCH_LISTS_H
#define SPD_SEARCH_LISTS_H

#include <math.h>
#include <stddef.h>

#define MAX_LISTS 2 /* of a query */

typedef struct neighbour {
    double d2;
    size_t index;
    int fresh; /* for the caller */
} neighbour;

/* Offers x to a list (ascending, ties by lower index) of *count neighbours, which keeps the
 * `wanted` best. Was x taken? */
int list_offer(neighbour *list, size_t *count, size_t wanted, neighbour x);

/* Moves the `count` of `total` samples with the smallest value[sample] to the front, in no order,
 * ties to the lower number: quickselect, a few passes where sorting takes many. */
void select_smallest(size_t *sample, size_t total, size_t count, const double *value);

/* Beyond this distance nothing is taken. */
static inline double list_limit(const neighbour *list, size_t count, size_t wanted)
{
    if (wanted == 0)
        return -INFINITY;
    return count == wanted ? list[wanted - 1].d2 : INFINITY;
}

/* The list of sample i that sample j may be in, -1: none. Without labels there is list 0 alone, of
 * all; with labels list 0 has samples of the same class, list 1 those of other classes. A sample
 * without a label (negative) has a list 0 of all samples, and is in no list of one that has. */
static inline int list_for(const int *label, size_t i, size_t j)
{
    if (!label || label[i] < 0)
        return 0;
    return label[j] < 0 ? -1 : label[i] != label[j];
}

#endif
