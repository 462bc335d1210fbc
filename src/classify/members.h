/* members.h - training samples by class. */
#ifndef SPD_CLASSIFY_MEMBERS_H
#define SPD_CLASSIFY_MEMBERS_H

#include "classify/classifier.h"

/* Class c holds the samples order[first[c]] .. order[first[c + 1] - 1], ascending; it may be empty.
 */
typedef struct members {
    size_t classes;
    size_t *order; /* p */
    size_t *first; /* classes + 1 */
} members;

/* m <- the members of all classes. Freed with members_free, always. */
spd_status members_sort(spd_context *ctx, const samples *train, members *m);
void members_free(members *m);

size_t members_count(const members *m, size_t c);

#endif
