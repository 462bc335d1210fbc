/* select.h - the most promising of many candidates. */
#ifndef SPD_ENGINE_SELECT_H
#define SPD_ENGINE_SELECT_H

#include <stddef.h>

/* Moves the `count` of `total` candidates with the smallest bound[candidate] to the front, in no
 * order; ties go to the lower number. */
void select_smallest(size_t *candidate, size_t total, size_t count, const double *bound);

#endif
