/* scale.h - sets whose squares would leave the range of numbers.
 *
 * Multiplying by a power of two is exact. Sets of a usual size are left as they are and keep their
 * bits. */
#ifndef SPD_OPS_SCALE_H
#define SPD_OPS_SCALE_H

#include <stddef.h>

/* Exponents up to which products of two entries are no matter. */
#define SCALE_USUAL 200

/* The largest |x|; 0 when count is 0, NaN when one is NaN. */
double scale_largest(size_t count, const double *x);

/* An even e for which largest 2^-e is of the size of one; 0 where it lies between 2^-usual and
 * 2^usual, and for zero, NaN and Inf. */
int scale_exponent(double largest, int usual);

/* y (count) <- x 2^e; y may be x. */
void scale_by(size_t count, const double *x, int e, double *y);

/* Are the largest entries of all p matrices X (n x n), or zero, between 2^-400 and 2^400? *low and
 * *high <- the smallest and the largest of them. */
int scale_is_usual(size_t n, size_t p, const double *X, double *low, double *high);

#endif
