/* flat.cuh - matrices as vectors, and distances and products of these (flat.cu).
 *
 * A vector is a lower triangle by rows, off-diagonals times sqrt 2 (geometry/flat.h), then zeros up
 * to flat_size. */
#pragma once
#include "cuda/kernels.cuh"

namespace spd
{

constexpr int FLAT_DEPTH = 16;
inline size_t flat_size(int n)
{
    return ((size_t)n * (n + 1) / 2 + FLAT_DEPTH - 1) / FLAT_DEPTH * FLAT_DEPTH;
}

/* F (p x flat_size) <- X (p x n x n) by its lower triangle. Notes in o what is not finite, or so
 * small that squares of it are lost; the numbers count from `first`. */
void flatten(const shape &s, size_t first, const double *X, double *F, outcome *o);

/* Pairs of rows with columns: row a is sample begin + first + a, of `columns` samples from `left`
 * on; within one set only with those above it, of all. place: where the pairs of row a begin. */
struct tile {
    size_t first, rows, columns, begin;
    bool within;
    size_t left;
};
__host__ __device__ inline size_t place(const tile &t, size_t a)
{
    return t.within ? a * (t.columns - 1 - t.first) - a * (a - 1) / 2 : a * t.columns;
}

/* d2 (place) <- squared distances of the pairs of a tile, or their products. */
void flat_pairs(const shape &s, const tile &t, bool products, const double *F, double *d2);

} /* namespace spd */
