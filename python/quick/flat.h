/* flat.h - what the Euclidean metric needs of arrays of any shape, in one pass over the memory: sums
 * over the first dimension, and squared norms of differences. */
#ifndef SPDML_QUICK_FLAT_H
#define SPDML_QUICK_FLAT_H

#include <stddef.h>

typedef double two __attribute__((vector_size(16), aligned(8), may_alias));

#define FLAT_PIECE   1024 /* entries whose sums stay in the nearest cache */
#define FLAT_AT_ONCE 4    /* arrays that are read side by side: more fall onto the same cache lines */
#define FLAT_UNROLL  _Pragma("GCC unroll 8")

/* M (count) += x[0] + ... + x[3], each of `size` doubles after the other. */
static inline void flat_add_four(size_t count, const double *x, size_t size, double *M)
{
    size_t e = 0;
    for (; e + 2 <= count; e += 2) {
        two s[FLAT_AT_ONCE];
        FLAT_UNROLL
        for (size_t k = 0; k < FLAT_AT_ONCE; k++)
            s[k] = *(const two *)(x + k * size + e);
        *(two *)(M + e) += (s[0] + s[1]) + (s[2] + s[3]);
    }
    for (; e < count; e++) {
        double sum = 0.0;
        for (size_t k = 0; k < FLAT_AT_ONCE; k++)
            sum += x[k * size + e];
        M[e] += sum;
    }
}

/* M (size) <- mean of p arrays X. */
static void flat_mean(size_t p, size_t size, const double *X, double *M)
{
    for (size_t first = 0; first < size; first += FLAT_PIECE) {
        size_t i = 0, count = size - first < FLAT_PIECE ? size - first : FLAT_PIECE;
        double *m = M + first;
        memset(m, 0, count * sizeof *m);
        for (; i + FLAT_AT_ONCE <= p; i += FLAT_AT_ONCE)
            flat_add_four(count, X + i * size + first, size, m);
        for (; i < p; i++)
            for (size_t e = 0; e < count; e++)
                m[e] += X[i * size + first + e];
        for (size_t e = 0; e < count; e++)
            m[e] /= (double)p;
    }
}

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
    double zero = 0.0;
    for (size_t e = 0; e < count; e++)
        zero += 0.0 * x[e];
    return zero == 0.0;
}

#endif
