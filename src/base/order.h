/* order.h - the smaller of two sizes, the larger; numbers in order, their ranks and median. */
#ifndef SPD_BASE_ORDER_H
#define SPD_BASE_ORDER_H

#include <stddef.h>

static inline size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static inline size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Compares two doubles, for qsort: the smallest first. */
int order_ascending(const void *a, const void *b);

/* The number that has `rank` (0 .. count-1) in x with the largest first. Reorders x. */
double order_largest(size_t count, double *x, size_t rank);

/* The median of count > 0 numbers, between two the mean of both. Reorders x. */
double order_median(size_t count, double *x);

#endif
