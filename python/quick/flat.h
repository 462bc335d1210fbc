/* flat.h - Euclidean distances of arrays of any shape, in one pass over the memory. */
#ifndef SPDML_QUICK_FLAT_H
#define SPDML_QUICK_FLAT_H

#include <stddef.h>

typedef double two __attribute__((vector_size(16), aligned(8), may_alias));

#define FLAT_UNROLL _Pragma("GCC unroll 8")

/* |a - b|^2 of arrays of `size` doubles. */
static double flat_apart(size_t size, const double *a, const double *b)
{
    two sum[8] = {{0.0}, {0.0}, {0.0}, {0.0}, {0.0}, {0.0}, {0.0}, {0.0}};
    double rest = 0.0;
    size_t e = 0;
    for (; e + 16 <= size; e += 16) {
        FLAT_UNROLL
        for (size_t k = 0; k < 8; k++) {
            two x = *(const two *)(a + e + 2 * k) - *(const two *)(b + e + 2 * k);
            sum[k] += x * x;
        }
    }
    for (; e < size; e++)
        rest += (a[e] - b[e]) * (a[e] - b[e]);
    two all = ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
    return all[0] + all[1] + rest;
}

/* Are all finite? */
static int flat_finite(size_t count, const double *x)
{
    two zero[4] = {{0.0, 0.0}, {0.0, 0.0}, {0.0, 0.0}, {0.0, 0.0}};
    double rest = 0.0;
    size_t e = 0;
    for (; e + 8 <= count; e += 8) {
        FLAT_UNROLL
        for (size_t k = 0; k < 4; k++)
            zero[k] += 0.0 * *(const two *)(x + e + 2 * k);
    }
    for (; e < count; e++)
        rest += 0.0 * x[e];
    two all = (zero[0] + zero[1]) + (zero[2] + zero[3]);
    return all[0] + all[1] + rest == 0.0;
}

/* g <- (1 - t) a + t b; is all of it finite? */
static int flat_between(size_t size, const double *a, const double *b, double t, double *g)
{
    two zero[4] = {{0.0, 0.0}, {0.0, 0.0}, {0.0, 0.0}, {0.0, 0.0}};
    double s = 1.0 - t, rest = 0.0;
    size_t e = 0;
    for (; e + 8 <= size; e += 8) {
        FLAT_UNROLL
        for (size_t k = 0; k < 4; k++) {
            two x = s * *(const two *)(a + e + 2 * k) + t * *(const two *)(b + e + 2 * k);
            *(two *)(g + e + 2 * k) = x;
            zero[k] += 0.0 * x;
        }
    }
    for (; e < size; e++) {
        g[e] = s * a[e] + t * b[e];
        rest += 0.0 * g[e];
    }
    two all = (zero[0] + zero[1]) + (zero[2] + zero[3]);
    return all[0] + all[1] + rest == 0.0;
}

#endif
