/* eigen.cu - eigenvalues and eigenvectors of many symmetric matrices.
 *
 *   2^e X + c I = L L',   L V = [g_1 .. g_M] with orthogonal columns:
 *   eigenvalues |g_k|^2, vectors g_k/|g_k|
 *
 * One-sided Jacobi on the Cholesky factor, whose columns lie in the registers of a warp
 * (jacobi.cuh): V is never formed, and small eigenvalues of a positive definite X keep their
 * digits. c is 0 unless X may be indefinite. Above M = 32 cuSOLVER does it (cusolver.cu). */
#include <algorithm>

#include "cuda/eigen.cuh"
#include "cuda/jacobi.cuh"

namespace spd
{

/* ---- before ---------------------------------------------------------------------------------- */

/* The largest, or the sum, of what the threads have; in one order. */
template <bool SUM, int PLACERS> __device__ inline double of_block(double x, double *room)
{
    __syncthreads();
    room[threadIdx.x] = x;
    for (int step = PLACERS / 2; step; step >>= 1) {
        __syncthreads();
        if ((int)threadIdx.x < step) {
            const double other = room[threadIdx.x + step];
            room[threadIdx.x] = SUM ? room[threadIdx.x] + other : fmax(room[threadIdx.x], other);
        }
    }
    __syncthreads();
    return room[0];
}

/* Its norm bounds the eigenvalues; the shift leaves a tenth of all of them positive. */
template <int PLACERS>
__global__ void __launch_bounds__(PLACERS)
    place_kernel(size_t p, int n, int M, bool any, const double *X, const uint32_t *which,
                 double *S, placed *how)
{
    __shared__ double room[PLACERS];
    for (size_t i = blockIdx.x; i < p; i += gridDim.x) {
        const double *A = X + (which ? which[i] : i) * n * n;
        double most = 0.0, squares = 0.0;
        int exponent = 0;
        for (int x = threadIdx.x; x < n * n; x += PLACERS)
            most = x % n <= x / n ? fmax(most, fabs(A[x])) : most;
        most = of_block<false, PLACERS>(most, room);
        if (most > 0.0 && most < INFINITY)
            frexp(most, &exponent);
        for (int x = threadIdx.x; x < n * n && any; x += PLACERS)
            if (x % n <= x / n) {
                const double a = ldexp(A[x], -exponent);
                squares = fma(a, x % n < x / n ? 2.0 * a : a, squares);
            }
        const double norm = any ? sqrt(of_block<true, PLACERS>(squares, room)) : 0.0;
        const double shift = any ? (norm > 0.0 ? 1.25 * norm : 1.0) : 0.0;
        for (int x = threadIdx.x; x < M * M; x += PLACERS) {
            const int a = x / M, b = x % M, r = a > b ? a : b, c = a > b ? b : a;
            const double own = r < n ? ldexp(A[r * n + c], -exponent) : r == c ? 1.0 : 0.0;
            S[i * M * M + x] = r == c && r < n ? own + shift : own;
        }
        if (threadIdx.x == 0)
            how[i] = {-(double)exponent, shift};
    }
}

void place(const shape &s, bool any, const double *X, const uint32_t *which, double *S, placed *how)
{
    const size_t grid = std::min(s.p, (size_t)s.processors * 32);
    if (s.n <= SMALL_ROWS)
        place_kernel<32><<<(unsigned)grid, 32, 0, s.stream>>>(s.p, s.n, s.M, any, X, which, S, how);
    else
        place_kernel<128>
            <<<(unsigned)grid, 128, 0, s.stream>>>(s.p, s.n, s.M, any, X, which, S, how);
    launched("placing the matrices");
}

/* ---- registers ------------------------------------------------------------------------------- */

/* U may not be L. */
template <int M, int NC, int MINB>
__global__ void __launch_bounds__(128, MINB)
    eigen_small(size_t count, int n, const double *Lf, double *U, double *lambda, outcome *o)
{
    constexpr int L = M / NC, G = 32 / L;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const bool on = lane < L * G; /* spare lanes shadow lane 0 */
    const int g = on ? lane / L : 0, l = on ? lane % L : 0;
    for (size_t b = ((size_t)blockIdx.x * 4 + warp) * G; b < count;
         b += (size_t)gridDim.x * 4 * G) {
        const size_t e = b + g < count ? b + g : count - 1;
        double v[NC][M];
        scaled K[NC];
        load_columns<M, NC>(v, Lf + e * M * M, l);
        const bool ok = orthogonalise<M, NC, strict<M>>(v, K, g * L, l);
        if (!on || b + g >= count)
            continue;
        if (!ok)
            atomicMin(&o->bad, (unsigned long long)e);
#pragma unroll
        for (int c = 0; c < NC; c++) {
            const double inverse = 1.0 / sqrt(K[c].n);
            bool own = false; /* padding has only zeros in the matrix's rows */
#pragma unroll
            for (int k = 0; k < M; k++)
                own = own || (k < n && v[c][k] != 0.0);
            lambda[e * M + NC * l + c] = own ? K[c].n : 0.0;
#pragma unroll
            for (int k = 0; k < M; k += 2)
                *(double2 *)(U + (e * M + NC * l + c) * M + k) =
                    make_double2(v[c][k] * inverse, v[c][k + 1] * inverse);
        }
    }
}

/* ---- which one ------------------------------------------------------------------------------- */

template <int M, int NC, int MINB>
static void launch_small(const shape &s, const double *L, double *U, double *lambda, outcome *o)
{
    constexpr size_t G = 32 / (M / NC);
    const size_t need = (s.p + 4 * G - 1) / (4 * G), grid = (size_t)s.processors * MINB;
    eigen_small<M, NC, MINB>
        <<<(unsigned)std::min(need, grid), 128, 0, s.stream>>>(s.p, s.n, L, U, lambda, o);
}

void eigen_of_factors(const shape &s, double *U, const double *L, double *lambda, outcome *o)
{
    switch (s.M) {
        SIZE_CASE(8, launch_small<8, 4, 4>(s, L, U, lambda, o));
        SIZE_CASE(16, launch_small<16, 4, 2>(s, L, U, lambda, o));
        SIZE_CASE(20, launch_small<20, 4, 2>(s, L, U, lambda, o));
        SIZE_CASE(24, launch_small<24, 2, 2>(s, L, U, lambda, o));
        SIZE_CASE(30, launch_small<30, 2, 2>(s, L, U, lambda, o));
        SIZE_CASE(32, launch_small<32, 2, 2>(s, L, U, lambda, o));
    default:
        throw fault{CUDA_FAULT_SIZE, "eigenvalues of this size are cuSOLVER's", cudaSuccess};
    }
    launched("eigenvalues");
}

void eigen(const shape &s, bool vectors, double *S, double *L, double *Li, double *lambda,
           outcome *o)
{
    if (s.n > FAST)
        return cusolver_eigen(s, vectors, S, lambda);
    airm_samples(s, S, L, Li, o);
    eigen_of_factors(s, S, L, lambda, o);
}

} /* namespace spd */
