/* airm_wide.cu - affine-invariant distances and their derivatives for M > FAST: a block of threads per
 * pair, in squares.
 *
 * S_i = L_i L_i', T = L_j' S_i^-1 L_j has the eigenvalues of (S_j, S_i), and with F = ln T, a sum
 * over poles (spectrum.cu), and U = L_j^-T
 *
 *   d2 = |F|^2,   C_i = -4 U (T F) U',   C_j = 4 U F U'
 *
 * Pairs that are further apart than the poles reach are done by one-sided Jacobi, as in airm.cu. */
#include "cuda/factor.cuh"
#include "cuda/jacobi.cuh"

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

/* ---- by Jacobi ------------------------------------------------------------------------------- */

/* Rotates columns x and y (one warp); true when they were not nearly orthogonal. */
__device__ inline bool rotate_wide(int M, double *x, double *y)
{
    const int lane = threadIdx.x % 32;
    double a = 0.0, b = 0.0, g = 0.0;
    for (int k = lane; k < M; k += 32) {
        a = fma(x[k], x[k], a);
        b = fma(y[k], y[k], b);
        g = fma(x[k], y[k], g);
    }
    a = warp_sum(a);
    b = warp_sum(b);
    g = warp_sum(g);
    if (g == 0.0)
        return false;
    const double zeta = (b - a) / (2.0 * g),
                 t = copysign(1.0, zeta) / (fabs(zeta) + sqrt(fma(zeta, zeta, 1.0)));
    const double c = rsqrt(fma(t, t, 1.0)), s = c * t;
    for (int k = lane; k < M; k += 32) {
        const double u = x[k], v = y[k];
        x[k] = c * u - s * v;
        y[k] = s * u + c * v;
    }
    return !(g * g < lenient::cosine * (a * b));
}

/* Number (r,c), r >= c, of a factor whose transpose lies in squares. */
__device__ inline double lower(const double *K, int r, int c)
{
    return K[square_at(r / SIDE, c / SIDE) + within_square(c % SIDE, r % SIDE)];
}

/* Column c of G by thread c: L^-1 of it, or L^-T. */
__device__ inline void solve_wide(int M, int ld, const double *K, double *G, bool transpose)
{
    for (int c = threadIdx.x; c < M; c += blockDim.x)
        for (int s = 0; s < M; s++) {
            const int r = transpose ? M - 1 - s : s;
            double x = G[c * ld + r];
            for (int k = transpose ? r + 1 : 0; k < (transpose ? M : r); k++)
                x = fma(-(transpose ? lower(K, k, r) : lower(K, r, k)), G[c * ld + k], x);
            G[c * ld + r] = x / lower(K, r, r);
        }
}

/* All columns orthogonal; false when that takes too long. Pairs by the circle method. */
__device__ inline bool orthogonalise(int M, int ld, double *G)
{
    for (int s = 0; s < SWEEPS; s++) {
        int more = 0;
        for (int step = 0; step < M - 1; step++) {
            for (int t = threadIdx.x / 32; t < M / 2; t += blockDim.x / 32) {
                const int a = t ? (step + t) % (M - 1) : M - 1, b = (step + M - 1 - t) % (M - 1);
                more |= rotate_wide(M, G + a * ld, G + b * ld);
            }
            __syncthreads();
        }
        if (!__syncthreads_or(more))
            return true;
    }
    return false;
}

/* Of the pairs that `wanted` says. */
static __global__ void __launch_bounds__(256)
    airm_block(int M, int NB, size_t count, size_t first, size_t all, const link *pairs,
               const int *wanted, const double *K, double *d2, double *C)
{
    /* M columns of M + 1, then lambda and two weights each */
    extern __shared__ __align__(16) double G[];
    const int ld = M + 1, T = tri(M);
    double *lambda = G + M * ld, *wi = lambda + M, *wj = wi + M;
    for (size_t e = blockIdx.x; e < count; e += gridDim.x) {
        if (!wanted[e])
            continue;
        const double *Li = K + (size_t)pairs[e].i * square_at(NB, 0),
                     *Lj = K + (size_t)pairs[e].j * square_at(NB, 0);
        for (int x = threadIdx.x; x < M * M; x += blockDim.x)
            G[x % M * ld + x / M] = x % M <= x / M ? lower(Lj, x / M, x % M) : 0.0;
        __syncthreads();
        solve_wide(M, ld, Li, G, false);
        __syncthreads();
        const bool done = orthogonalise(M, ld, G);
        for (int c = threadIdx.x / 32; c < M; c += blockDim.x / 32) {
            double a = 0.0;
            for (int k = threadIdx.x % 32; k < M; k += 32)
                a = fma(G[c * ld + k], G[c * ld + k], a);
            a = warp_sum(a);
            if (threadIdx.x % 32 == 0) {
                const double la = log(a);
                lambda[c] = a > 0x1p-1022 && done ? la : __longlong_as_double(-1);
                wi[c] = -4.0 * la / a;
                wj[c] = 4.0 * la / a / a;
            }
        }
        __syncthreads();
        if (C)
            solve_wide(M, ld, Li, G, true);
        if (threadIdx.x == 0) {
            double sum = 0.0;
            for (int k = 0; k < M; k++)
                sum = fma(lambda[k], lambda[k], sum);
            d2[e] = sum;
        }
        __syncthreads();
        for (int x = threadIdx.x; x < M * M && C; x += blockDim.x) {
            const int r = x % M, c = x / M;
            if (r < c)
                continue;
            double si = 0.0, sj = 0.0;
            for (int k = 0; k < M; k++) {
                const double t = G[k * ld + r] * G[k * ld + c];
                si = fma(wi[k], t, si);
                sj = fma(wj[k], t, sj);
            }
            C[(first + e) * T + tri_at(M, r, c)] = si;
            C[(all + first + e) * T + tri_at(M, r, c)] = sj;
        }
        __syncthreads();
    }
}

/* ---- outside --------------------------------------------------------------------------------- */

constexpr size_t ROOM = (size_t)1 << 25; /* doubles of the matrices of a batch */

void airm_wide_room(const shape &s, size_t pairs, spectrum_room &room)
{
    shape small = s;
    small.n = s.M;
    room.make_logs(small, std::min(pairs, ROOM / ((size_t)s.M * s.M)));
}

void airm_wide_samples(const shape &s, const double *S, double *L, double *K, outcome *o)
{
    shape small = s;
    small.n = s.M;
    squares_spread(small, s.p, 1.0, S, K);
    squares_factors(small, K, L, K, o);
}

/* The derivatives of a batch, then distances and derivatives of the pairs that were missed. */
static void finish_batch(const shape &s, const spectrum_room &room, size_t count, size_t first,
                         size_t all, const link *pairs, const double *L, const double *K,
                         double *d2, double *C)
{
    const int M = s.M, NB = squares_of(M), warps = (NB + 1) / 2, *missed = room.missed.at;
    const int held = (int)squares_size(NB) * 8, each = 2 * NB * AREA * 8; /* bytes */
    const int active = std::clamp((s.shared - held) / each, 1, warps), bytes = held + active * each,
              wide = (M * (M + 1) + 3 * M) * 8;
    const size_t blocks = std::clamp(s.shared / (bytes + 1024), 1, 8);
    const unsigned grid = (unsigned)std::min(count, s.processors * blocks),
                   wide_grid = (unsigned)std::min(count, (size_t)s.processors * 8);
    const double *T = room.T.at, *F = room.logs.at;
    if (C) {
        allow_shared(derivatives_kernel, bytes, "AIRM pairs");
        derivatives_kernel<<<grid, 32 * warps, bytes, s.stream>>>(M, NB, active, count, first, all,
                                                                  pairs, L, T, F, C);
        launched("AIRM pairs");
    }
    allow_shared(airm_block, wide, "AIRM pairs");
    airm_block<<<wide_grid, 256, wide, s.stream>>>(M, NB, count, first, all, pairs, missed, K, d2,
                                                   C);
    launched("AIRM pairs");
}

void airm_wide_pairs(const shape &s, const spectrum_room &room, size_t count, const link *pairs,
                     const double *L, const double *K, double *d2, double *C)
{
    shape small = s;
    small.n = s.M;
    for (size_t at = 0; at < count; at += room.batch) {
        const size_t some = std::min(room.batch, count - at);
        squares_logs(small, room, some, pairs + at, L, K, d2 + at);
        finish_batch(s, room, some, at, count, pairs + at, L, K, d2 + at, C);
    }
}

} /* namespace spd */
