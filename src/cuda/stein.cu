/* stein.cu - inverses and determinants for the Stein divergence.
 *
 *   C_e = ((S_i + S_j)/2)^-1,   d2_e = ln det((S_i+S_j)/2) - (ln det S_i + ln det S_j)/2
 *
 * Symmetric sweep (Gauss-Jordan) without pivoting, all of a matrix in registers: L lanes with R
 * rows each, G matrices per warp. The pivot row is read as the pivot column, so each lane publishes
 * R numbers per step. The samples are scaled so that pivots are at most 1: then the pivot row needs
 * no case of its own, a - (1 - 1/p) a has no cancellation. Row q of lane l is row R l + q of S, so
 * that lanes read neighbouring numbers, but has index q L + l in the sweep, so that they publish to
 * neighbouring banks. Determinants are kept as mantissa and exponent, which cancel before the
 * logarithm is taken. Larger matrices: one block of threads each (factor.cuh). */
#include "cuda/factor.cuh"

namespace spd
{

/* 1/p to about an ulp. */
__device__ inline double reciprocal(double p)
{
    const double r = rough_reciprocal(p);
    double e = fma(-p, r, 1.0);
    e = fma(e, e, e);
    return fma(r, e, r);
}

/* A <- -A^-1: my R rows, columns in the order of the sweep. buf: 2 M doubles of my matrix; on: this
 * lane has rows of its own to publish. */
template <int M, int L>
__device__ inline void sweep(double (&A)[M / L][M], int l, bool on, double *buf, det &d)
{
    constexpr int R = M / L;
    constexpr bool ALL = 32 % L == 0;
#pragma unroll
    for (int q = 0; q < R; q++)
        if (ALL || on)
            buf[q * L + l] = A[q][0];
#pragma unroll
    for (int k = 0; k < M; k++) {
        const double *B = buf + (k & 1) * M;
        double *next = buf + (~k & 1) * M, row[M], f[R];
        __syncwarp();
#pragma unroll
        for (int c = 0; c < M; c += 2) {
            double2 v = *(const double2 *)(B + c);
            row[c] = v.x;
            row[c + 1] = v.y;
        }
        const double r = reciprocal(row[k]);
        const bool mine = l == k % L;
        d.times(row[k]);
#pragma unroll
        for (int q = 0; q < R; q++) {
            f[q] = A[q][k] * r;
            A[q][k] = f[q];
            if (q == k / L) {
                f[q] = mine ? 1.0 - r : f[q];
                A[q][k] = mine ? -r : A[q][k];
            }
        }
        if (k + 1 < M) {
#pragma unroll
            for (int q = 0; q < R; q++) {
                A[q][k + 1] = fma(-f[q], row[k + 1], A[q][k + 1]);
                if (ALL || on)
                    next[q * L + l] = A[q][k + 1];
            }
        }
#pragma unroll
        for (int c = 0; c < M; c++)
#pragma unroll
            for (int q = 0; q < R; q++)
                if (c != k && c != k + 1)
                    A[q][c] = fma(-f[q], row[c], A[q][c]);
    }
    __syncwarp();
}

/* A (+)= my rows of S, read along rows of S by symmetry. */
template <int M, int L, bool ADD>
__device__ inline void load_rows(double (&A)[M / L][M], const double *S, int l)
{
    constexpr int R = M / L;
#pragma unroll
    for (int c = 0; c < M; c++) {
        const double *s = S + (R * (c % L) + c / L) * M + R * l;
        double v[R];
        if constexpr (R == 2) {
            double2 two = *(const double2 *)s;
            v[0] = two.x;
            v[1] = two.y;
        } else
            v[0] = s[0];
#pragma unroll
        for (int q = 0; q < R; q++)
            A[q][c] = ADD ? 0.5 * (A[q][c] + v[q]) : v[q];
    }
}

template <int M, int L, int MINB, bool SELF>
__global__ void __launch_bounds__(128, MINB)
    stein_kernel(size_t count, const link *pairs, const double *S, double *dets, double *d2,
                 double *C, outcome *o)
{
    constexpr int R = M / L, G = 32 / L;
    __shared__ __align__(16) double buf[4][G][2 * M + 2];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const bool on = lane < L * G; /* spare lanes shadow lane 0 */
    const int g = on ? lane / L : 0, l = on ? lane % L : 0;
    for (size_t b = ((size_t)blockIdx.x * 4 + warp) * G; b < count;
         b += (size_t)gridDim.x * 4 * G) {
        const size_t e = b + g < count ? b + g : count - 1;
        const link ij = SELF ? link{(uint32_t)e, (uint32_t)e} : pairs[e];
        double A[R][M];
        det d;
        load_rows<M, L, false>(A, S + (size_t)ij.i * M * M, l);
        if (!SELF)
            load_rows<M, L, true>(A, S + (size_t)ij.j * M * M, l);
        sweep<M, L>(A, l, on, buf[warp][g], d);
        if (!on || b + g >= count)
            continue;
        double *to = C + e * tri(M);
#pragma unroll
        for (int c = 0; c < M && C; c++)
#pragma unroll
            for (int q = 0; q < R; q++)
                if (R * l + q >= R * (c % L) + c / L)
                    to[tri_at(M, R * l + q, R * (c % L) + c / L)] = -A[q][c];
        if (l == 0)
            note<SELF>(d, e, ij, dets, d2, o);
    }
}

/* Any M: a block of threads per matrix, by tensor products. */
template <bool SELF>
__global__ void __launch_bounds__(256)
    stein_block(int M, int NB, size_t count, const link *pairs, const double *S, double *dets,
                double *d2, double *C, double *scratch, outcome *o)
{
    extern __shared__ __align__(16) double room[];
    double *L = scratch ? scratch + (size_t)blockIdx.x * square_at(NB, 0) : room + WORKSPACE;
    for (size_t e = blockIdx.x; e < count; e += gridDim.x) {
        const link ij = SELF ? link{(uint32_t)e, (uint32_t)e} : pairs[e];
        const double *Si = S + (size_t)ij.i * M * M,
                     *Sj = SELF ? nullptr : S + (size_t)ij.j * M * M;
        double *to = C + e * tri(M);
        det d;
        factor_squares(
            NB, [=](int r, int c) { return full_square(M, Si, Sj, 1.0, r, c); }, L, nullptr, room,
            d);
        if (C) {
            invert_squares(NB, L);
            each_of_inverse(M, NB, L, [=](int r, int c, double x) { to[tri_at(M, r, c)] = x; });
        }
        if (threadIdx.x == 0)
            note<SELF>(d, e, ij, dets, d2, o);
        __syncthreads();
    }
}

/* Distances alone: a matrix lies in the registers of A x B lanes, lane (a, b) has the rows a, a +
 * A, ... and the columns b, b + B, ..., of which only the lower half counts; G matrices per warp. L
 * D L', of which only D is wanted: every step publishes a column. */
template <int M, int A, int B>
__global__ void __launch_bounds__(128)
    stein_apart(size_t count, const link *pairs, const double *S, const double *dets, double *d2)
{
    constexpr int R = M / A, K = M / B, G = 32 / (A * B);
    __shared__ double column[4][G][2 * M + 4];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const bool on = lane < A * B * G; /* spare lanes shadow lane 0 */
    const int g = on ? lane / (A * B) : 0, a = on ? lane % (A * B) / B : 0, b = on ? lane % B : 0;
    for (size_t first = ((size_t)blockIdx.x * 4 + warp) * G; first < count;
         first += (size_t)gridDim.x * 4 * G) {
        const size_t e = first + g < count ? first + g : count - 1;
        const link ij = pairs[e];
        const double *Si = S + (size_t)ij.i * M * M, *Sj = S + (size_t)ij.j * M * M;
        double X[R][K];
        det d;
#pragma unroll
        for (int i = 0; i < R; i++)
#pragma unroll
            for (int q = 0; q < K; q++)
                if (A * i + A > B * q) {
                    const int at = (A * i + a) * M + B * q + b;
                    X[i][q] = 0.5 * (Si[at] + Sj[at]);
                }
#pragma unroll
        for (int kk = 0; kk < K; kk++)
#pragma unroll 1
            for (int kb = 0; kb < B; kb++) {
                double *col = column[warp][g] + (B * kk + kb) % 2 * M;
                if (on && b == kb)
#pragma unroll
                    for (int i = B * kk / A; i < R; i++)
                        col[A * i + a] = X[i][kk];
                __syncwarp();
                const double pivot = col[B * kk + kb], r = reciprocal(pivot);
                d.times(pivot);
                double own[K];
#pragma unroll
                for (int q = kk; q < K; q++)
                    own[q] = col[B * q + b] * r;
#pragma unroll
                for (int i = B * kk / A; i < R; i++) {
                    const double v = col[A * i + a];
#pragma unroll
                    for (int q = kk; q < K; q++)
                        if (A * i + A > B * q)
                            X[i][q] = fma(-v, own[q], X[i][q]);
                }
            }
        if (on && a == 0 && b == 0 && first + g < count)
            note<false>(d, e, ij, (double *)dets, d2, nullptr);
        __syncwarp();
    }
}

template <int M, int A, int B>
static void launch_apart(const shape &s, size_t count, const link *pairs, const double *S,
                         const double *dets, double *d2)
{
    constexpr size_t G = 32 / (A * B);
    size_t need = (count + 4 * G - 1) / (4 * G), grid = (size_t)s.processors * 16;
    stein_apart<M, A, B>
        <<<(unsigned)(need < grid ? need : grid), 128, 0, s.stream>>>(count, pairs, S, dets, d2);
}

template <int M, int L, int MINB, bool SELF>
static void launch(const shape &s, size_t count, const link *pairs, const double *S, double *dets,
                   double *d2, double *C, outcome *o)
{
    constexpr int G = 32 / L;
    size_t need = (count + 4 * G - 1) / (4 * G), grid = (size_t)s.processors * MINB;
    stein_kernel<M, L, MINB, SELF><<<(unsigned)(need < grid ? need : grid), 128, 0, s.stream>>>(
        count, pairs, S, dets, d2, C, o);
}

template <bool SELF>
static void choose(const shape &s, size_t count, const link *pairs, const double *S, double *dets,
                   double *d2, double *C, outcome *o)
{
    if (count == 0)
        return;
    switch (s.M) {
        SIZE_CASE(8, launch<8, 4, 8, SELF>(s, count, pairs, S, dets, d2, C, o));
        SIZE_CASE(16, launch<16, 8, 4, SELF>(s, count, pairs, S, dets, d2, C, o));
        SIZE_CASE(20, launch<20, 10, 3, SELF>(s, count, pairs, S, dets, d2, C, o));
        SIZE_CASE(24, launch<24, 12, 2, SELF>(s, count, pairs, S, dets, d2, C, o));
        SIZE_CASE(30, launch<30, 30, 3, SELF>(s, count, pairs, S, dets, d2, C, o));
        SIZE_CASE(32, launch<32, 32, 3, SELF>(s, count, pairs, S, dets, d2, C, o));
    default: {
        shape small = s;
        small.n = s.M;
        const squares_launch at(small, count);
        double *scratch = at.scratch.at;
        const int M = s.M, NB = at.NB;
        allow_shared(stein_block<SELF>, at.bytes, "Stein pairs");
        stein_block<SELF><<<(unsigned)at.grid, 32 * at.warps, at.bytes, s.stream>>>(
            M, NB, count, pairs, S, dets, d2, C, scratch, o);
        at.settle(s, "Stein pairs");
    }
    }
    launched("Stein pairs");
}

void stein_samples(const shape &s, const double *S, double *dets, double *C, outcome *o)
{
    choose<true>(s, s.p, nullptr, S, dets, nullptr, C, o);
}

void stein_pairs(const shape &s, size_t count, const link *pairs, const double *S,
                 const double *dets, double *d2, double *C)
{
    const int apart = C || count == 0 ? 0 : s.M;
    switch (apart) {
        SIZE_CASE(8, launch_apart<8, 2, 2>(s, count, pairs, S, dets, d2));
        SIZE_CASE(16, launch_apart<16, 4, 2>(s, count, pairs, S, dets, d2));
        SIZE_CASE(20, launch_apart<20, 4, 2>(s, count, pairs, S, dets, d2));
        SIZE_CASE(24, launch_apart<24, 4, 4>(s, count, pairs, S, dets, d2));
        SIZE_CASE(30, launch_apart<30, 5, 3>(s, count, pairs, S, dets, d2));
        SIZE_CASE(32, launch_apart<32, 4, 4>(s, count, pairs, S, dets, d2));
        SIZE_CASE(40, launch_apart<40, 8, 4>(s, count, pairs, S, dets, d2));
        SIZE_CASE(48, launch_apart<48, 8, 4>(s, count, pairs, S, dets, d2));
        SIZE_CASE(56, launch_apart<56, 8, 4>(s, count, pairs, S, dets, d2));
        SIZE_CASE(64, launch_apart<64, 8, 4>(s, count, pairs, S, dets, d2));
    default:
        choose<false>(s, count, pairs, S, (double *)dets, d2, C, nullptr);
    }
    launched("Stein pairs");
}

} /* namespace spd */
