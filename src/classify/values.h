/* values.h - medians, lengths, and rows of matrices. */
#ifndef SPD_CLASSIFY_VALUES_H
#define SPD_CLASSIFY_VALUES_H

#include "base/arena.h"

/* *median <- of the entries above the diagonal of D (p x p); 1 where there are none or it is 0, so
 * that it always is a scale. SPD_ENOMEM. */
spd_status values_median_above(spd_context *ctx, size_t p, const double *D, double *median);

/* Sum of a_k b_k, in an order that depends on count alone: BLAS may sum by the address too. */
double values_dot(size_t count, const double *a, const double *b);

/* x (count) <- x / |x|; zero stays. */
void values_to_unit(size_t count, double *x);

/* K (p x p, symmetric) <- (I - 11'/p) K (I - 11'/p), exactly symmetric; mean (p) <- the means of
 * the rows before. */
void values_centre(size_t p, double *K, double *mean);

/* The largest sum of |entries| of a row of A (p x p): no eigenvalue is larger. */
double values_row_sum(size_t p, const double *A);

/* Rows of Z (count x size) <- orthonormal, each against those before it; one that adds less than
 * 1e-10 of itself to them becomes zero. */
void values_orthonormal(size_t count, size_t size, double *Z);

#endif
