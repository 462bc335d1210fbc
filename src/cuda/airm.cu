/* airm.cu - affine-invariant distances and their derivatives, by one-sided Jacobi.
 *
 * S_i = L_i L_i'. The columns of G = L_i^-1 L_j are rotated until orthogonal: G V = [g_1 .. g_M];
 * lambda_k = |g_k|^2 are the eigenvalues of (S_j, S_i). With h_k = L_i^-T g_k
 *
 *   d2 = sum ln^2 lambda_k
 *   C_i = -4 sum (ln lambda_k/lambda_k) h_k h_k',   C_j = 4 sum (ln lambda_k/lambda_k^2) h_k h_k'
 *
 * All of it in the registers of a warp (jacobi.cuh); larger ones: airm_wide.cu. */
#include "cuda/jacobi.cuh"
#include "cuda/kernels.cuh"

namespace spd
{

/* ---- factors --------------------------------------------------------------------------------- */

/* A warp per sample; lane r holds row r of S and column r of L^-1. */
template <int M>
__global__ void __launch_bounds__(128)
    factor_kernel(size_t p, const double *S, double *Lf, double *Li, outcome *o)
{
    __shared__ __align__(16) double col[4][2][M];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, r = lane < M ? lane : M - 1;
    for (size_t i = (size_t)blockIdx.x * 4 + warp; i < p; i += (size_t)gridDim.x * 4) {
        double A[M], x[M];
        bool ok = true;
#pragma unroll
        for (int c = 0; c < M; c++) {
            A[c] = S[(i * M + c) * M + r];
            x[c] = c == r;
        }
#pragma unroll
        for (int k = 0; k < M; k++) {
            double *B = col[warp][k & 1], pivot = __shfl_sync(~0u, A[k], k), d = rsqrt(pivot),
                   l = A[k] * d;
            ok = ok && pivot > 0.0;
            A[k] = l;
            x[k] *= d;
            if (lane < M)
                B[r] = l;
            __syncwarp();
#pragma unroll
            for (int c = k + 1; c < M; c++) {
                double v = B[c];
                A[c] = fma(-l, v, A[c]);
                x[c] = fma(-x[k], v, x[c]);
            }
        }
        if (lane < M) {
#pragma unroll
            for (int c = 0; c < M; c += 2)
                *(double2 *)(Lf + (i * M + r) * M + c) =
                    make_double2(c <= r ? A[c] : 0.0, c + 1 <= r ? A[c + 1] : 0.0);
#pragma unroll
            for (int c = 0; c < M; c++)
                Li[(i * M + c) * M + r] = c >= r ? x[c] : 0.0;
        }
        if (lane == 0 && !ok)
            atomicMin(&o->bad, (unsigned long long)i);
        __syncwarp();
    }
}

/* ---- one warp, several pairs ----------------------------------------------------------------- */

/* v <- L^-1 v (in place from the last row), or L^-T v (from the first). */
template <int M, int NC, bool TRANSPOSE>
__device__ inline void apply(double (&v)[NC][M], const double *Li)
{
#pragma unroll
    for (int s = 0; s < M; s++) {
        const int r = TRANSPOSE ? s : M - 1 - s;
        double u[NC] = {};
#pragma unroll
        for (int k = 0; k < M; k++)
            if (TRANSPOSE ? k >= r : k <= r) {
                const double t = TRANSPOSE ? Li[k * M + r] : Li[r * M + k];
#pragma unroll
                for (int c = 0; c < NC; c++)
                    u[c] = fma(t, v[c][k], u[c]);
            }
#pragma unroll
        for (int c = 0; c < NC; c++)
            v[c][r] = u[c];
    }
}

/* C <- sum_k w_k h_k h_k', rows NC l .., from H (M x M rows h_k, then pairs of weights). */
template <int M, int NC>
__device__ inline void rebuild(const double *H, int side, int l, bool keep, double *C)
{
    double out[NC][M] = {};
#pragma unroll 1
    for (int k = 0; k < M; k++) {
        const double w = H[M * M + 2 * k + side];
        double own[NC];
#pragma unroll
        for (int c = 0; c < NC; c++)
            own[c] = w * H[k * M + NC * l + c];
#pragma unroll
        for (int c = 0; c < M; c += 2) {
            const double2 t = *(const double2 *)(H + k * M + c);
#pragma unroll
            for (int q = 0; q < NC; q++) {
                out[q][c] = fma(own[q], t.x, out[q][c]);
                out[q][c + 1] = fma(own[q], t.y, out[q][c + 1]);
            }
        }
    }
    if (!keep)
        return;
#pragma unroll
    for (int c = 0; c < M; c++)
#pragma unroll
        for (int q = 0; q < NC; q++)
            if (NC * l + q >= c)
                C[tri_at(M, NC * l + q, c)] = out[q][c];
}

template <int M, int NC, int MINB>
__global__ void __launch_bounds__(128, MINB)
    airm_kernel(size_t count, const link *pairs, const double *Lf, const double *Li, double *d2,
                double *C)
{
    constexpr int L = M / NC, G = 32 / L;
    extern __shared__ __align__(16) double room[];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const bool on = lane < L * G; /* spare lanes shadow lane 0 */
    const int g = on ? lane / L : 0, l = on ? lane % L : 0;
    double *H = room + (warp * G + g) * (M * M + 2 * M + 4);
    for (size_t b = ((size_t)blockIdx.x * 4 + warp) * G; b < count;
         b += (size_t)gridDim.x * 4 * G) {
        const size_t e = b + g < count ? b + g : count - 1;
        const link ij = pairs[e];
        const double *Lj = Lf + (size_t)ij.j * M * M, *Lx = Li + (size_t)ij.i * M * M;
        const bool keep = on && b + g < count;
        double v[NC][M], f = 0.0;
        scaled K[NC];
        load_columns<M, NC>(v, Lj, l);
        apply<M, NC, false>(v, Lx);
        const bool done = orthogonalise<M, NC, lenient>(v, K, g * L, l);
#pragma unroll
        for (int c = 0; c < NC; c++) {
            const double a = K[c].n, la = log(a), w = 4.0 * la / a;
            f = a > 0x1p-1022 && done ? fma(la, la, f) : __longlong_as_double(-1);
            if (on) {
                H[M * M + 2 * (NC * l + c)] = -w;
                H[M * M + 2 * (NC * l + c) + 1] = w / a;
            }
        }
        if (C) {
            apply<M, NC, true>(v, Lx);
            if (on) {
#pragma unroll
                for (int c = 0; c < NC; c++)
#pragma unroll
                    for (int k = 0; k < M; k += 2)
                        *(double2 *)(H + (NC * l + c) * M + k) = make_double2(v[c][k], v[c][k + 1]);
            }
            __syncwarp();
            rebuild<M, NC>(H, 0, l, keep, C + e * tri(M));
            rebuild<M, NC>(H, 1, l, keep, C + (count + e) * tri(M));
        }
        double sum = f;
        for (int o = 1; o < L; o++)
            sum += __shfl_sync(~0u, f, g * L + (l + o) % L);
        if (keep && l == 0)
            d2[e] = sum;
        __syncwarp();
    }
}

/* ---- which one ------------------------------------------------------------------------------- */

template <int M>
static void factor_launch(const shape &s, const double *S, double *L, double *Li, outcome *o)
{
    size_t need = (s.p + 3) / 4, grid = (size_t)s.processors * 3;
    factor_kernel<M><<<(unsigned)(need < grid ? need : grid), 128, 0, s.stream>>>(s.p, S, L, Li, o);
}

void airm_samples(const shape &s, const double *S, double *L, double *Li, outcome *o)
{
    switch (s.M) {
        SIZE_CASE(8, factor_launch<8>(s, S, L, Li, o));
        SIZE_CASE(16, factor_launch<16>(s, S, L, Li, o));
        SIZE_CASE(20, factor_launch<20>(s, S, L, Li, o));
        SIZE_CASE(24, factor_launch<24>(s, S, L, Li, o));
        SIZE_CASE(30, factor_launch<30>(s, S, L, Li, o));
        SIZE_CASE(32, factor_launch<32>(s, S, L, Li, o));
    default:
        throw fault{CUDA_FAULT_SIZE, "factors of this size are those of squares", cudaSuccess};
    }
    launched("factors");
}

template <int M, int NC, int MINB>
static void launch(const shape &s, size_t count, const link *pairs, const double *L,
                   const double *Li, double *d2, double *C)
{
    constexpr int G = 32 / (M / NC), bytes = 4 * G * (M * M + 2 * M + 4) * 8;
    auto kernel = airm_kernel<M, NC, MINB>;
    allow_shared(kernel, bytes, "AIRM pairs");
    size_t need = (count + 4 * G - 1) / (4 * G), grid = (size_t)s.processors * MINB;
    kernel<<<(unsigned)(need < grid ? need : grid), 128, bytes, s.stream>>>(count, pairs, L, Li, d2,
                                                                            C);
}

void airm_pairs(const shape &s, size_t count, const link *pairs, const double *L, const double *Li,
                double *d2, double *C)
{
    if (count == 0)
        return;
    switch (s.few ? -s.M : s.M) { /* of few pairs more lanes for each */
        SIZE_CASE(-8, launch<8, 2, 2>(s, count, pairs, L, Li, d2, C));
        SIZE_CASE(-16, launch<16, 2, 2>(s, count, pairs, L, Li, d2, C));
        SIZE_CASE(-20, launch<20, 2, 2>(s, count, pairs, L, Li, d2, C));
        SIZE_CASE(8, launch<8, 4, 4>(s, count, pairs, L, Li, d2, C));
        SIZE_CASE(16, launch<16, 4, 2>(s, count, pairs, L, Li, d2, C));
        SIZE_CASE(20, launch<20, 4, 2>(s, count, pairs, L, Li, d2, C));
        SIZE_CASE(-24, launch<24, 2, 2>(s, count, pairs, L, Li, d2, C));
        SIZE_CASE(24, launch<24, 2, 2>(s, count, pairs, L, Li, d2, C));
        SIZE_CASE(-30, launch<30, 2, 2>(s, count, pairs, L, Li, d2, C));
        SIZE_CASE(30, launch<30, 2, 2>(s, count, pairs, L, Li, d2, C));
        SIZE_CASE(-32, launch<32, 2, 2>(s, count, pairs, L, Li, d2, C));
        SIZE_CASE(32, launch<32, 2, 2>(s, count, pairs, L, Li, d2, C));
    default:
        throw fault{CUDA_FAULT_SIZE, "AIRM pairs of this size are airm_wide's", cudaSuccess};
    }
    launched("AIRM pairs");
}

} /* namespace spd */
