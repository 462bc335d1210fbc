/* flat_mean.h - the Euclidean mean of arrays: a weighted sum, entry by entry.
 *
 * Arrays are summed in chunks whose size depends on their number alone, and the sums of the chunks
 * are added in order: means.c has threads do the chunks, and the mean has the same bits. */
#ifndef SPD_OPS_FLAT_MEAN_H
#define SPD_OPS_FLAT_MEAN_H

#include "linalg/kernels.h"
#include "spdml.h"

/* Arrays in a chunk of p. */
size_t flat_chunk(size_t p);

/* sum (size) += weight[i] X[i] for `count` arrays X. */
void flat_add(const kernels *k, size_t size, size_t count, const double *weight, const double *X,
              double *sum);

/* M (n x m) <- the mean of p arrays X, with weights from 0 on or NULL: the Python package calls it,
 * where matrices need not be symmetric. If M is but for rounding, its lower triangle counts, as
 * everywhere. NaN and infinity are not looked for. */
SPD_API void spd_private_flat_mean(size_t p, size_t n, size_t m, const double *weight,
                                   const double *X, double *M);

#endif
