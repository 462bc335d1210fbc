/* flat_mean.c - the Euclidean mean of arrays, in one pass over the memory. */
#include "ops/flat_mean.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "run/octets.h"
#include "linalg/dense.h"

#define MOST_CHUNKS 256
#define FLAT_BLOCK  1024 /* entries that stay in the nearest cache */
#define TILE        16   /* rows and columns of a matrix whose two triangles are read together */

size_t flat_chunk(size_t p)
{
    return (1 + (p - 1) / (BATCH * MOST_CHUNKS)) * BATCH;
}

/* sum (there) += weight[i] X[i] of the first entries of `count` arrays. Few are read side by side:
 * more fall onto the same cache lines. */
static void add_block(const kernels *k, size_t size, size_t there, size_t count,
                      const double *weight, const double *X, double *sum)
{
    size_t i = 0;
    for (; i + 4 <= count; i += 4)
        k->axpy4(there, weight + i, X + i * size, size, sum);
    for (; i < count; i++)
        k->axpy(there, weight[i], X + i * size, sum);
}

void flat_add(const kernels *k, size_t size, size_t count, const double *weight, const double *X,
              double *sum)
{
    for (size_t at = 0; at < size; at += FLAT_BLOCK)
        add_block(k, size, size - at < FLAT_BLOCK ? size - at : FLAT_BLOCK, count, weight, X + at,
                  sum + at);
}

/* M (there) <- mean of the first entries of all arrays. */
static void block_mean(const kernels *k, size_t p, size_t size, const double *weight, double total,
                       const double *X, size_t there, double *M)
{
    double part[FLAT_BLOCK], share[BATCH];
    memset(M, 0, there * sizeof *M);
    for (size_t first = 0, chunk = flat_chunk(p); first < p; first += chunk) {
        size_t end = first + chunk < p ? first + chunk : p;
        memset(part, 0, there * sizeof *part);
        for (size_t i = first; i < end; i += BATCH) {
            size_t count = end - i < BATCH ? end - i : BATCH;
            for (size_t j = 0; j < count; j++)
                share[j] = (weight ? weight[i + j] : 1.0) / total;
            add_block(k, size, there, count, share, X + i * size, part);
        }
        k->axpy(there, 1.0, part, M);
    }
}

/* Do the triangles of M (n x n) differ in a tile? */
static int tile_differs(size_t n, const double *M, size_t row, size_t column)
{
    int differs = 0;
    for (size_t r = row; r < n && r < row + TILE; r++)
        for (size_t c = column; c < r && c < column + TILE; c++)
            differs |= M[r * n + c] != M[c * n + r];
    return differs;
}

static int is_mirrored(size_t n, const double *M)
{
    for (size_t row = 0; row < n; row += TILE)
        for (size_t column = 0; column <= row; column += TILE)
            if (tile_differs(n, M, row, column))
                return 0;
    return 1;
}

/* Do the triangles of M differ by rounding at most? */
static int is_symmetric(size_t n, const double *M)
{
    double most = 0.0, gap = 0.0;
    for (size_t r = 0; r < n; r++)
        for (size_t c = 0; c <= r; c++) {
            most = fmax(most, fabs(M[r * n + c]));
            gap = fmax(gap, fabs(M[r * n + c] - M[c * n + r]));
        }
    return gap <= 8.0 * DBL_EPSILON * most;
}

void spd_private_flat_mean(size_t p, size_t n, size_t m, const double *weight, const double *X,
                           double *M)
{
    const kernels *k = kernels_get();
    double total = 0.0;
    size_t size = n * m;
    for (size_t i = 0; i < p; i++)
        total += weight ? weight[i] : 1.0;
    for (size_t at = 0; at < size; at += FLAT_BLOCK)
        block_mean(k, p, size, weight, total, X + at,
                   size - at < FLAT_BLOCK ? size - at : FLAT_BLOCK, M + at);
    if (n == m && !is_mirrored(n, M) && is_symmetric(n, M))
        dense_mirror(n, M);
}
