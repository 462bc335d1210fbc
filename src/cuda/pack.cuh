/* pack.cuh - where the numbers of a packed sample are.
 *
 * X is cut into NB x NB blocks of 16 x 16. Of the two blocks (B,D) and (D,B) one is kept, ordered
 * by wrapped diagonals: diagonal d holds the blocks (B, (B+d) mod NB), B = 0..NB-1, for d = 0 ..
 * NB/2 (the last one only half of them when NB is even). So every row of blocks meets two blocks of
 * every diagonal, one as it is and one transposed, and the warps of the data pass have equal work.
 *
 *   NB = 5     0 1 2 . .        the digit is the diagonal that keeps the block
 *              . 0 1 2 .
 *              . . 0 1 2
 *              2 . . 0 1
 *              1 2 . . 0
 *
 * A block is four tiles of 8 x 8; of a block on the diagonal the tile below it is left out. In a
 * tile, element (r,c) sits where reading along rows and along columns are both free of bank
 * conflicts.
 *
 * On its way to the device a sample is its upper half: of row r the columns from 16 (r/16) on. */
#pragma once
#include <cstddef>
#include <cstring>

namespace spd
{

__host__ __device__ inline int tile_at(int r, int c)
{
    return 8 * (((r >> 1) & 1) | ((r & 1) << 1) | (r & 4)) + (c ^ (r & 5));
}
__host__ __device__ inline int diagonals(int NB)
{
    return NB / 2 + 1;
}
__host__ __device__ inline int blocks_of(int NB, int d)
{
    return d > 0 && 2 * d == NB ? NB / 2 : NB;
}
__host__ __device__ inline int diagonal_at(int NB, int d)
{
    return d == 0 ? 0 : NB * 192 + (d - 1) * NB * 256;
}
__host__ __device__ inline int diagonal_size(int NB, int d)
{
    return d == 0 ? NB * 192 : blocks_of(NB, d) * 256;
}
__host__ __device__ inline int packed_doubles(int NB)
{
    return NB * 192 + NB * (NB - 1) / 2 * 256;
}

/* Where column 0 of row r of an upper half would be, and the doubles of a half. */
__host__ __device__ inline int upper_at(int n, int r)
{
    const int b = r / 16;
    return 16 * (b * n - 8 * b * (b - 1)) + r % 16 * (n - 16 * b) - 16 * b;
}
__host__ __device__ inline int upper_doubles(int n)
{
    return upper_at(n, n - 1) + n;
}
inline void take_upper(size_t n, const double *A, double *to)
{
    for (size_t r = 0; r < n; r++) {
        const size_t c = r / 16 * 16;
        memcpy(to, A + r * n + c, (n - c) * sizeof(double));
        to += n - c;
    }
}

} /* namespace spd */
