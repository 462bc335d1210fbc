/* values.h - small things about lists of numbers: ranks, the median, length. */
#ifndef SPD_CLASSIFY_VALUES_H
#define SPD_CLASSIFY_VALUES_H

#include "base/arena.h"

/* The rank-th largest of x (count >= 1, reordered), rank from 0. */
double values_largest(size_t count, double *x, size_t rank);

/* *median <- of the entries above the diagonal of D (p x p); 1 where there are none or it is 0, so
 * that it always is a scale. SPD_ENOMEM. */
spd_status values_median_above(spd_context *ctx, size_t p, const double *D, double *median);

/* x (count) <- x / |x|; zero stays. */
void values_to_unit(size_t count, double *x);

#endif
