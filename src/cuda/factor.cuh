/* factor.cuh - Cholesky factors and inverses of matrices in squares (squares.cuh) by a block of
 * threads.
 *
 * Left-looking: column k of squares is what the matrix has there less the products of the columns
 * before, held in registers; one warp factors and inverts the square on the diagonal, by whose
 * inverse the others are multiplied.
 *
 *      k            warp w holds the squares (k + w, k) and (k + w + warps, k)
 *   L  .            (r,k) <- (S(r,k) - sum_j L(r,j) L(k,j)') inverse(k,k)'
 *   L  k  .
 *   L  r  .  .      L lies in shared memory as far as that goes (n up to 224 of 227 KB), then in
 * global memory
 *
 * Inverses: U = L^-T takes the place of L, row by row of L, then S^-1 = U U'. Both are sums of
 * products A B', as all is here. */
#pragma once
#include <algorithm>

#include "cuda/squares.cuh"

namespace spd
{

constexpr int WORKSPACE = SIDE * (SIDE + 1); /* doubles that factor_square needs */

/* One warp: inverse <- of the Cholesky factor of a square, and if wanted, transposed <- that
 * factor's transpose. Lanes below 16 hold a row of the square each, the others a column of the
 * inverse: the same steps do for both. */
__device__ inline void factor_square(const square &own, double *workspace, double *inverse,
                                     double *transposed, det &d)
{
    const int lane = threadIdx.x % 32, r = lane % SIDE;
    double v[SIDE];
#pragma unroll
    for (int x = 0; x < 8; x++)
        workspace[square_row(x % 4) * (SIDE + 1) + square_column(x / 4, x % 4)] =
            own.v[x / 4][x % 4];
    __syncwarp();
#pragma unroll
    for (int c = 0; c < SIDE; c++)
        v[c] = lane < SIDE ? workspace[r * (SIDE + 1) + c] : c == r ? 1.0 : 0.0;
    __syncwarp();
#pragma unroll
    for (int k = 0; k < SIDE; k++) {
        double *column = workspace + k % 2 * SIDE;
        const double pivot = from(v[k], k), l = v[k] * rsqrt(pivot);
        d.times(pivot);
        v[k] = l;
        if (lane < SIDE)
            column[r] = l;
        __syncwarp();
#pragma unroll
        for (int c = k + 1; c < SIDE; c++)
            v[c] = fma(-l, column[c], v[c]);
    }
#pragma unroll
    for (int c = 0; c < SIDE; c++) {
        if (lane >= SIDE)
            inverse[within_square(c, r)] = v[c];
        else if (transposed)
            transposed[within_square(c, r)] = c <= r ? v[c] : 0.0;
    }
    __syncwarp();
}

/* L <- the factor, with inverses on the diagonal, of the matrix whose squares `source` gives; K, if
 * wanted, as above. d, which all lanes of the first warp then have, <- its determinant. */
template <class Source>
__device__ inline void factor_squares(int NB, const Source &source, double *L, double *K,
                                      double *workspace, det &d)
{
    const int warp = threadIdx.x / 32, warps = blockDim.x / 32;
    for (int k = 0; k < NB; k++) {
        square own[HELD];
#pragma unroll
        for (int q = 0; q < HELD; q++)
            if (k + warp + q * warps < NB)
                own[q] = minus(source(k + warp + q * warps, k));
        for (int j = 0; j < k; j++) {
            const square B = take_square(L + square_at(k, j));
#pragma unroll
            for (int q = 0; q < HELD; q++)
                if (k + warp + q * warps < NB)
                    add_product(own[q], take_square(L + square_at(k + warp + q * warps, j)), B);
        }
        if (warp == 0)
            factor_square(minus(own[0]), workspace, L + square_at(k, k),
                          K ? K + square_at(k, k) : nullptr, d);
        __syncthreads();
        const square B = minus(take_square(L + square_at(k, k)));
#pragma unroll
        for (int q = 0; q < HELD; q++) {
            const int r = k + warp + q * warps;
            if (r > k && r < NB) {
                const square l = product(own[q], B);
                give_square(L + square_at(r, k), l);
                for (int x = 0; x < 8 && K; x++)
                    K[square_at(r, k) + within_square(square_column(x / 4, x % 4),
                                                      square_row(x % 4))] = l.v[x / 4][x % 4];
            }
        }
        __syncthreads();
    }
}

/* One warp: a square <- its transpose. */
__device__ inline void transpose_square(double *at)
{
    const square s = take_square(at);
    __syncwarp();
#pragma unroll
    for (int x = 0; x < 8; x++)
        at[within_square(square_column(x / 4, x % 4), square_row(x % 4))] = s.v[x / 4][x % 4];
}

/* L, as factor_squares leaves it, <- its inverse transposed: U(c,r) = - sum_j U(c,j) L(r,j)'
 * L(r,r)^-T, c <= j < r, in the place of L(r,c). */
__device__ inline void invert_squares(int NB, double *L)
{
    const int warp = threadIdx.x / 32, warps = blockDim.x / 32;
    for (int r = 0; r < NB; r++) {
        square own[HELD];
#pragma unroll
        for (int q = 0; q < HELD; q++) {
            const int c = warp + q * warps;
            square sum = {};
            for (int j = c; j < r; j++)
                add_product(sum, take_square(L + square_at(j, c)),
                            take_square(L + square_at(r, j)));
            if (c < r)
                own[q] = product(sum, minus(take_square(L + square_at(r, r))));
        }
        __syncthreads(); /* row r of L is read */
#pragma unroll
        for (int q = 0; q < HELD; q++)
            if (warp + q * warps < r)
                give_square(L + square_at(r, warp + q * warps), own[q]);
        if (warp == 0)
            transpose_square(L + square_at(r, r));
        __syncthreads();
    }
}

/* The square (a,b) of the inverse, a >= b, of what invert_squares has left; one warp. */
__device__ inline square inverse_square(int NB, const double *U, int a, int b)
{
    square sum = {};
    for (int r = a; r < NB; r++)
        add_product(sum, take_square(U + square_at(r, a)), take_square(U + square_at(r, b)));
    return sum;
}

/* Square (r,c) of A, M x M with both triangles and M even, or of its average with B; padded as A +
 * pad I. */
__device__ inline square full_square(int M, const double *A, const double *B, double pad, int r,
                                     int c)
{
    square s;
#pragma unroll
    for (int x = 0; x < 8; x += 2) {
        const int a = SIDE * r + square_row(x % 4), b = SIDE * c + square_column(x / 4, x % 4);
        double2 two = make_double2(a == b ? pad : 0.0, a == b + 1 ? pad : 0.0);
        if (a < M && b < M) {
            two = *(const double2 *)(A + (size_t)a * M + b);
            if (B) {
                const double2 other = *(const double2 *)(B + (size_t)a * M + b);
                two = make_double2(0.5 * (two.x + other.x), 0.5 * (two.y + other.y));
            }
        }
        s.v[x / 4][x % 4] = two.x;
        s.v[x / 4][x % 4 + 1] = two.y;
    }
    return s;
}

/* take(r, c, x) of all numbers x of the inverse with c <= r < n. */
template <class Take>
__device__ inline void each_of_inverse(int n, int NB, const double *U, const Take &take)
{
    const int warp = threadIdx.x / 32, warps = blockDim.x / 32;
    for (int a = 0, b = warp; a < NB; b += warps) {
        while (b > a && a < NB)
            b -= ++a;
        if (a >= NB)
            break;
        const square sum = inverse_square(NB, U, a, b);
#pragma unroll
        for (int x = 0; x < 8; x++) {
            const int r = SIDE * a + square_row(x % 4), c = SIDE * b + square_column(x / 4, x % 4);
            if (r < n && c <= r)
                take(r, c, sum.v[x / 4][x % 4]);
        }
    }
}

/* ---- launches -------------------------------------------------------------------------------- */

/* How many blocks of how many threads, and where their factors lie: in shared memory, or in
 * scratch, which must outlive the kernel. */
struct squares_launch {
    int NB, warps, bytes;
    size_t grid;
    array<double> scratch;
    squares_launch(const shape &s, size_t count) : NB(squares_of(s.n)), warps(squares_warps(NB))
    {
        const int held = (WORKSPACE + (int)squares_size(NB)) * 8;
        bytes = held <= s.shared ? held : WORKSPACE * 8;
        const size_t at_once =
            std::max(1, std::min({s.shared / (bytes + 1024), 2048 / (32 * warps), 24}));
        grid = std::min(count, s.processors * (held <= s.shared ? at_once : 2));
        if (held > s.shared)
            scratch.make(grid * squares_size(NB));
    }
    void settle(const shape &s, const char *what) const
    {
        launched(what);
        if (scratch.at)
            check(cudaStreamSynchronize(s.stream), what);
    }
};

} /* namespace spd */
