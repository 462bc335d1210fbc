/* squares.cu - Cholesky factors, determinants and inverses by tensor products (factor.cuh), a block
 * of threads per matrix. Only lower triangles are written and read: with a condition of 1e8 two
 * would not stay each other's mirror.
 */
#include <algorithm>

#include "cuda/factor.cuh"
#include "linalg/margin.h"

namespace spd
{

/* ---- loading --------------------------------------------------------------------------------- */

static __global__ void spread_squares(size_t squares, int n, int NB, double scale, const double *X,
                                      double *S)
{
    const int each = square_at(NB, 0) / AREA, lane = threadIdx.x % 32;
    const size_t warps = (size_t)gridDim.x * (blockDim.x / 32);
    for (size_t t = (size_t)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32; t < squares;
         t += warps) {
        const size_t i = t / each;
        const int at = (int)(t % each);
        int R = 0;
        while (square_at(R + 1, 0) / AREA <= at)
            R++;
        const int C = at - square_at(R, 0) / AREA;
        for (int x = lane; x < AREA; x += 32) {
            const int a = SIDE * R + x / SIDE, b = SIDE * C + x % SIDE, r = a > b ? a : b,
                      c = a > b ? b : a;
            S[t * AREA + within_square(x / SIDE, x % SIDE)] = r < n ? scale * X[(i * n + r) * n + c]
                                                              : r == c ? 1.0
                                                                       : 0.0;
        }
    }
}

/* ---- one matrix ------------------------------------------------------------------------------ */

/* The largest diagonal entry of n x n matrices, which bounds the others; every warp finds it for
 * itself. */
__device__ inline double largest_entry(int n, const double *A, const double *B)
{
    double most = 0.0;
    for (int k = threadIdx.x % 32; k < n; k += 32) {
        most = fmax(most, A[(size_t)k * (n + 1)]);
        most = B ? fmax(most, B[(size_t)k * (n + 1)]) : most;
    }
    for (int o = 16; o; o >>= 1)
        most = fmax(most, __shfl_xor_sync(~0u, most, o));
    return most;
}

/* Square (r,c) of 2^-exponent A, or of its average with B, n x n by their lower triangles. */
__device__ inline square cut_square(int n, const double *A, const double *B, int exponent, int r,
                                    int c)
{
    square s;
#pragma unroll
    for (int x = 0; x < 8; x++) {
        const int a = SIDE * r + square_row(x % 4), b = SIDE * c + square_column(x / 4, x % 4);
        const int row = a > b ? a : b, column = a > b ? b : a, at = row * n + column;
        double v = row == column ? 1.0 : 0.0;
        if (row < n)
            v = B ? 0.5 * (ldexp(A[at], -exponent) + ldexp(B[at], -exponent))
                  : ldexp(A[at], -exponent);
        s.v[x / 4][x % 4] = v;
    }
    return s;
}

/* ---- kernels --------------------------------------------------------------------------------- */

/* dets (count x 2) <- determinants of X (n x n), or, with a point, C[triangle] <- ln det of the
 * average less half of that of X; C (count x stride) <- the inverse. */
static __global__ void __launch_bounds__(512)
    inverses_by_squares(int n, int NB, size_t count, const double *X, const double *point,
                        double *dets, size_t stride, double *C, double *scratch, outcome *o)
{
    extern __shared__ __align__(16) double room[];
    double *L = scratch ? scratch + (size_t)blockIdx.x * square_at(NB, 0) : room + WORKSPACE;
    for (size_t i = blockIdx.x; i < count; i += gridDim.x) {
        const double *A = X + i * n * n;
        const double most = largest_entry(n, A, point);
        double *to = C + i * stride;
        int exponent = 0;
        det d;
        if (most > 0.0 && most < INFINITY)
            frexp(most, &exponent);
        factor_squares(
            NB, [=](int r, int c) { return cut_square(n, A, point, exponent, r, c); }, L, nullptr,
            room, d);
        invert_squares(NB, L);
        each_of_inverse(n, NB, L,
                        [=](int r, int c, double x) { to[tri(r) + c] = ldexp(x, -exponent); });
        if (threadIdx.x == 0) {
            const double power = d.exponent + (double)n * exponent;
            if (!d.ok || !(most < INFINITY))
                atomicMin(&o->bad, (unsigned long long)i);
            if (point)
                to[tri(n)] = fma(power - 0.5 * dets[2 * i + 1], 0.69314718055994530942,
                                 log(d.mantissa) - 0.5 * log(dets[2 * i]));
            else {
                dets[2 * i] = d.mantissa;
                dets[2 * i + 1] = power;
            }
        }
        __syncthreads();
    }
}

/* The same of a square of X - margin D, D the diagonal of X. */
__device__ inline square shrunk_square(int n, const double *A, int exponent, int r, int c)
{
    square s = cut_square(n, A, nullptr, exponent, r, c);
#pragma unroll
    for (int x = 0; x < 8; x++)
        if (r == c && square_row(x % 4) == square_column(x / 4, x % 4))
            s.v[x / 4][x % 4] *= 1.0 - DEFINITE_MARGIN(n);
    return s;
}

static __global__ void __launch_bounds__(512)
    definite_by_squares(int n, int NB, size_t first, size_t count, const double *X, double *scratch,
                        outcome *o)
{
    extern __shared__ __align__(16) double room[];
    double *L = scratch ? scratch + (size_t)blockIdx.x * square_at(NB, 0) : room + WORKSPACE;
    for (size_t i = blockIdx.x; i < count; i += gridDim.x) {
        const double *A = X + i * n * n;
        const double most = largest_entry(n, A, nullptr);
        int exponent = 0;
        det d;
        if (most > 0.0 && most < INFINITY)
            frexp(most, &exponent);
        factor_squares(
            NB, [=](int r, int c) { return shrunk_square(n, A, exponent, r, c); }, L, nullptr, room,
            d);
        if (threadIdx.x == 0 && !(d.ok && most < INFINITY))
            atomicMin(&o->bad, (unsigned long long)(first + i));
        __syncthreads();
    }
}

/* scratch: a factor for every block, where shared memory does not hold it. */
template <bool SELF>
static __global__ void __launch_bounds__(512)
    stein_squares(int NB, size_t count, const link *pairs, const double *S, double *dets,
                  double *d2, double *scratch, outcome *o)
{
    extern __shared__ __align__(16) double room[];
    const size_t size = square_at(NB, 0);
    double *L = scratch ? scratch + blockIdx.x * size : room + WORKSPACE;
    for (size_t e = blockIdx.x; e < count; e += gridDim.x) {
        const link ij = SELF ? link{(uint32_t)e, (uint32_t)e} : pairs[e];
        const double *Si = S + ij.i * size, *Sj = S + ij.j * size;
        det d;
        factor_squares(
            NB,
            [=](int r, int c) {
                square a = take_square(Si + square_at(r, c));
                if (SELF)
                    return a;
                const square b = take_square(Sj + square_at(r, c));
#pragma unroll
                for (int x = 0; x < 8; x++)
                    a.v[x / 4][x % 4] = 0.5 * (a.v[x / 4][x % 4] + b.v[x / 4][x % 4]);
                return a;
            },
            L, nullptr, room, d);
        if (threadIdx.x == 0)
            note<SELF>(d, e, ij, dets, d2, o);
    }
}

static __global__ void __launch_bounds__(512)
    factors_of_squares(int NB, size_t p, const double *S, double *L, double *K, outcome *o)
{
    __shared__ double workspace[WORKSPACE];
    const size_t size = square_at(NB, 0);
    for (size_t i = blockIdx.x; i < p; i += gridDim.x) {
        det d;
        const double *Si = S + i * size;
        factor_squares(
            NB, [=](int r, int c) { return take_square(Si + square_at(r, c)); }, L + i * size,
            K ? K + i * size : nullptr, workspace, d);
        if (threadIdx.x == 0 && !d.ok)
            atomicMin(&o->bad, (unsigned long long)i);
    }
}

/* ---- launches -------------------------------------------------------------------------------- */

void squares_spread(const shape &s, size_t count, double scale, const double *X, double *S)
{
    const int NB = squares_of(s.n);
    spread_squares<<<s.processors * 8, 256, 0, s.stream>>>(count * squares_size(NB) / AREA, s.n, NB,
                                                           scale, X, S);
    launched("loading the matrices");
}

template <bool SELF>
static void launch(const shape &s, size_t count, const link *pairs, const double *S, double *det,
                   double *d2, outcome *o)
{
    const squares_launch at(s, count);
    double *to = at.scratch.at;
    const int NB = at.NB;
    allow_shared(stein_squares<SELF>, at.bytes, "Stein pairs");
    stein_squares<SELF><<<(unsigned)at.grid, 32 * at.warps, at.bytes, s.stream>>>(
        NB, count, pairs, S, det, d2, to, o);
    at.settle(s, "Stein pairs");
}

void squares_inverses(const shape &s, const double *X, const double *point, double *dets,
                      size_t stride, double *C, outcome *o)
{
    const squares_launch at(s, s.p);
    double *to = at.scratch.at;
    const int NB = at.NB, n = s.n;
    const size_t p = s.p;
    allow_shared(inverses_by_squares, at.bytes, "inverses");
    inverses_by_squares<<<(unsigned)at.grid, 32 * at.warps, at.bytes, s.stream>>>(
        n, NB, p, X, point, dets, stride, C, to, o);
    at.settle(s, "inverses");
}

void squares_definite(const shape &s, size_t first, const double *X, outcome *o)
{
    const squares_launch at(s, s.p);
    double *to = at.scratch.at;
    const int NB = at.NB, n = s.n;
    const size_t p = s.p;
    allow_shared(definite_by_squares, at.bytes, "checking");
    definite_by_squares<<<(unsigned)at.grid, 32 * at.warps, at.bytes, s.stream>>>(n, NB, first, p,
                                                                                  X, to, o);
    at.settle(s, "checking");
}

void squares_determinants(const shape &s, const double *S, double *det, outcome *o)
{
    launch<true>(s, s.p, nullptr, S, det, nullptr, o);
}

void squares_stein(const shape &s, size_t count, const link *pairs, const double *S,
                   const double *det, double *d2)
{
    if (count)
        launch<false>(s, count, pairs, S, (double *)det, d2, nullptr);
}

void squares_factors(const shape &s, const double *S, double *L, double *K, outcome *o)
{
    const int NB = squares_of(s.n), warps = squares_warps(NB);
    const size_t grid = std::min(s.p, (size_t)s.processors * 4);
    factors_of_squares<<<(unsigned)grid, 32 * warps, 0, s.stream>>>(NB, s.p, S, L, K, o);
    launched("factors");
}

} /* namespace spd */
