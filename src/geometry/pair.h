/* pair.h - the distance of a single pair: where there is one pair alone, most lanes of an octet
 * would be idle. Both matrices stand in one octet, of which only the first lanes are worked on, or
 * the work is done by BLAS and LAPACK. */
#ifndef SPD_GEOMETRY_PAIR_H
#define SPD_GEOMETRY_PAIR_H

#include <stddef.h>

#include "spdml.h"

/* Scratch of pair_dist2, aligned as memory.h has it. */
size_t pair_work(spd_metric id, size_t n);

/* *d2 <- the squared distance of X and Y (n x n each, of which lower triangles are read). Non-zero
 * where it is not to be had this way, whatever the reason: the general way (metric.h) knows more
 * about rounding, and about what to say. */
int pair_dist2(spd_metric id, size_t n, const double *X, const double *Y, double *d2, double *work);

#endif
