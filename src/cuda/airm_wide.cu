/* airm_wide.cu - affine-invariant distances and their derivatives for M > FAST: a block of threads
 * per pair, in squares.
 *
 * S_i = L_i L_i', T = L_j' S_i^-1 L_j has the eigenvalues of (S_j, S_i), and with F = ln T
 * (spectrum.cu) and U = L_j^-T
 *
 *   d2 = |F|^2,   C_i = -4 U (T F) U',   C_j = 4 U F U' */
#include "cuda/factor.cuh"

namespace spd
{

/* ---- derivatives ----------------------------------------------------------------------------- */

/* Square (r,c) of a symmetric matrix, or its transpose from the lower half. */
__device__ inline square symmetric_square(const double *S, int r, int c)
{
    if (r >= c)
        return take_square(S + square_at(r, c));
    square s;
    const double *at = S + square_at(c, r);
#pragma unroll
    for (int x = 0; x < 8; x++)
        s.v[x / 4][x % 4] = at[within_square(square_column(x / 4, x % 4), square_row(x % 4))];
    return s;
}

/* One warp: C (lower triangle by columns), row r of squares, <- factor A U', where `row` holds
 * A(r,.). */
__device__ inline void finish_row(int M, int NB, int r, double factor, const double *row,
                                  const double *U, double *C)
{
    for (int c = 0; c <= r; c++) {
        square sum = {};
        for (int k = c; k < NB; k++)
            add_product(sum, take_square(row + k * AREA), take_square(U + square_at(k, c)));
#pragma unroll
        for (int x = 0; x < 8; x++) {
            const int a = SIDE * r + square_row(x % 4), b = SIDE * c + square_column(x / 4, x % 4);
            if (a < M && b <= a)
                C[tri_at(M, a, b)] = factor * sum.v[x / 4][x % 4];
        }
    }
    __syncwarp();
}

/* U in shared memory, and two rows of squares for every warp that does rows: the first `active`. */
static __global__ void __launch_bounds__(256)
    derivatives_kernel(int M, int NB, int active, size_t count, size_t first, size_t all,
                       const link *pairs, const double *Lf, const double *T, const double *F,
                       double *C)
{
    extern __shared__ __align__(16) double U[];
    const int warp = threadIdx.x / 32, size = square_at(NB, 0);
    double *one = U + size + (size_t)warp * 2 * NB * AREA, *two = one + NB * AREA;
    for (size_t e = blockIdx.x; e < count; e += gridDim.x) {
        const double *L = Lf + (size_t)pairs[e].j * size, *Te = T + e * size, *Fe = F + e * M * M;
        double *Ci = C + (first + e) * tri(M), *Cj = C + (all + first + e) * tri(M);
        for (int x = threadIdx.x; x < size; x += blockDim.x)
            U[x] = L[x];
        __syncthreads();
        invert_squares(NB, U);
        for (int r = warp; r < NB && warp < active; r += active) {
            for (int c = 0; c < NB; c++) { /* U T */
                square sum = {};
                for (int k = r; k < NB; k++)
                    add_product(sum, take_square(U + square_at(k, r)), symmetric_square(Te, c, k));
                give_square(one + c * AREA, sum);
            }
            __syncwarp();
            for (int c = 0; c < NB; c++) { /* U T F */
                square sum = {};
                for (int k = 0; k < NB; k++)
                    add_product(sum, take_square(one + k * AREA),
                                full_square(M, Fe, nullptr, 0.0, c, k));
                give_square(two + c * AREA, sum);
            }
            __syncwarp();
            finish_row(M, NB, r, -4.0, two, U, Ci);
            for (int c = 0; c < NB; c++) { /* U F */
                square sum = {};
                for (int k = r; k < NB; k++)
                    add_product(sum, take_square(U + square_at(k, r)),
                                full_square(M, Fe, nullptr, 0.0, c, k));
                give_square(one + c * AREA, sum);
            }
            __syncwarp();
            finish_row(M, NB, r, 4.0, one, U, Cj);
        }
        __syncthreads();
    }
}

/* ---- outside --------------------------------------------------------------------------------- */

void airm_wide_room(const shape &s, size_t pairs, spectrum_room &room)
{
    shape small = s;
    small.n = s.M;
    room.make(small, pairs);
}

void airm_wide_samples(const shape &s, const double *S, double *L, double *K, outcome *o)
{
    shape small = s;
    small.n = s.M;
    squares_spread(small, s.p, 1.0, S, K);
    squares_factors(small, K, L, K, o);
}

/* C <- of a batch. */
static void derivatives(const shape &s, const spectrum_room &room, size_t count, size_t first,
                        size_t all, const link *pairs, const double *L, double *C)
{
    const int M = s.M, NB = squares_of(M), warps = (NB + 1) / 2;
    const int held = (int)squares_size(NB) * 8, each = 2 * NB * AREA * 8; /* bytes */
    const int active = std::clamp((s.shared - held) / each, 1, warps), bytes = held + active * each;
    const size_t blocks = std::clamp(s.shared / (bytes + 1024), 1, 8);
    const unsigned grid = (unsigned)std::min(count, s.processors * blocks);
    const double *T = room.T.at, *F = room.logs.at;
    allow_shared(derivatives_kernel, bytes, "AIRM pairs");
    derivatives_kernel<<<grid, 32 * warps, bytes, s.stream>>>(M, NB, active, count, first, all,
                                                              pairs, L, T, F, C);
    launched("AIRM pairs");
}

void airm_wide_pairs(const shape &s, spectrum_room &room, size_t count, const link *pairs,
                     const double *L, const double *K, double *d2, double *C)
{
    shape small = s;
    small.n = s.M;
    for (size_t at = 0; at < count; at += room.batch) {
        const size_t some = std::min(room.batch, count - at);
        squares_logs(small, room, some, pairs + at, L, K, C, d2 + at);
        if (C)
            derivatives(s, room, some, at, count, pairs + at, L, C);
    }
}

} /* namespace spd */
