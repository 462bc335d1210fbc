/* plain.cu - metrics whose pairs need no matrices of their own: Jeffrey and log-Euclidean.
 *
 *   Jeffrey         d2 = tr((S_i - S_j)(S_j^-1 - S_i^-1))/2
 *                   Z_i = sum c (S_j^-1 - S_i^-1) - S_i^-1 (sum c (S_j - S_i)) S_i^-1
 *   log-Euclidean   d2 = |log S_i - log S_j|^2
 *                   Z_i = D log(S_i)[-4 sum c (log S_j - log S_i)]
 *
 * (math.md, eq. 4; the first in a form that loses nothing when S_i and S_j are close.) A distance
 * is an inner product of differences of triangles, and what a sample adds up are differences of its
 * neighbours' triangles and its own (gather_plain in pairs.cu); the products come once for each
 * sample. D log, with S = U' diag(lambda) U, U by rows:
 *
 *   D log(S)[G] = U'(F . U G U') U,   F_ab = (ln lambda_a - ln lambda_b)/(lambda_a - lambda_b) */
#include <algorithm>

#include "cuda/plain.cuh"

namespace spd
{

constexpr int THREADS = 256;

/* ---- samples --------------------------------------------------------------------------------- */

static __global__ void triangles_kernel(size_t count, int M, const double *A, double *T)
{
    for (size_t e = blockIdx.x * (size_t)blockDim.x + threadIdx.x; e < count;
         e += (size_t)gridDim.x * blockDim.x) {
        const size_t i = e / (M * M);
        const int c = (int)(e / M % M), r = (int)(e % M); /* symmetric: along rows of A */
        if (r >= c)
            T[i * tri(M) + tri_at(M, r, c)] = A[e];
    }
}

void triangles(const shape &s, const double *A, double *T)
{
    triangles_kernel<<<s.processors * 8, 256, 0, s.stream>>>(s.p * s.M * s.M, s.M, A, T);
    launched("triangles");
}

static __global__ void logarithms_kernel(size_t count, int M, const double *lambda, double *value,
                                         outcome *o)
{
    for (size_t e = blockIdx.x * (size_t)blockDim.x + threadIdx.x; e < count;
         e += (size_t)gridDim.x * blockDim.x) {
        value[e] = log(lambda[e]);
        if (!(fabs(value[e]) < INFINITY))
            atomicMin(&o->bad, (unsigned long long)(e / M));
    }
}

/* The samples have their padding already: to the kernels of eigenvalues they are M x M. */
void log_samples(const shape &s, const double *S, const spectral &e, double *T, outcome *o)
{
    shape whole = s;
    whole.n = s.M;
    const size_t count = s.p * s.M;
    if (s.M > FAST) {
        check(cudaMemcpyAsync(e.U, S, count * s.M * sizeof(double), cudaMemcpyDeviceToDevice,
                              s.stream),
              "logarithms");
        cusolver_eigen(whole, true, e.U, e.lambda);
    } else {
        airm_samples(whole, S, e.L, e.Li, o);
        eigen_of_factors(whole, e.U, e.L, e.lambda, o);
    }
    logarithms_kernel<<<s.processors * 8, 256, 0, s.stream>>>(count, s.M, e.lambda, e.value, o);
    launched("logarithms");
    rebuild(whole, e.U, e.value, e.L);
    triangles(s, e.L, T);
}

/* ---- pairs ----------------------------------------------------------------------------------- */

/* A warp per pair. B: NULL for log-Euclidean, where it would be A. Off the diagonal everything
 * counts twice. */
static __global__ void plain_kernel(size_t count, int M, const link *pairs, const double *A,
                                    const double *B, double *d2)
{
    const int lane = threadIdx.x % 32, T = tri(M), warps = blockDim.x / 32;
    for (size_t e = blockIdx.x * (size_t)warps + threadIdx.x / 32; e < count;
         e += (size_t)gridDim.x * warps) {
        const size_t i = pairs[e].i * (size_t)T, j = pairs[e].j * (size_t)T;
        double all = 0.0, diagonal = 0.0;
        for (int k = lane; k < T; k += 32) {
            const double x = A[j + k] - A[i + k];
            all = fma(x, B ? B[i + k] - B[j + k] : x, all);
        }
        for (int c = lane; c < M; c += 32) {
            const int k = tri_at(M, c, c);
            const double x = A[j + k] - A[i + k];
            diagonal = fma(x, B ? B[i + k] - B[j + k] : x, diagonal);
        }
        double sum = B ? all - 0.5 * diagonal : 2.0 * all - diagonal;
        for (int o = 16; o; o >>= 1)
            sum += __shfl_xor_sync(~0u, sum, o);
        if (lane == 0)
            d2[e] = sum;
    }
}

void plain_pairs(const shape &s, size_t count, const link *pairs, const double *A, const double *B,
                 double *d2)
{
    const size_t need = (count + 7) / 8, grid = (size_t)s.processors * 16;
    if (count)
        plain_kernel<<<(unsigned)std::min(need, grid), THREADS, 0, s.stream>>>(count, s.M, pairs, A,
                                                                               B, d2);
    launched("pairs");
}

/* ---- weights --------------------------------------------------------------------------------- */

/* body(r, c, (A Q)_rc), or of A Q': A is M x M, Q in shared memory, its rows M + 1 apart. */
template <bool TRANS, class F>
__device__ inline void product(int M, const double *A, const double *Q, F body)
{
    for (int x = threadIdx.x; x < M * M; x += blockDim.x) {
        const int r = x / M, c = x % M;
        double sum = 0.0;
        for (int k = 0; k < M; k++)
            sum = fma(A[r * M + k], TRANS ? Q[c * (M + 1) + k] : Q[k * (M + 1) + c], sum);
        body(r, c, sum);
    }
    __syncthreads();
}

/* Q <- a matrix of M x M numbers, from a triangle or from all of them. */
__device__ inline void hold(int M, const double *triangle, const double *whole, double *Q)
{
    for (int x = threadIdx.x; x < M * M; x += blockDim.x) {
        const int r = x / M, c = x % M;
        Q[r * (M + 1) + c] =
            whole ? whole[x] : triangle[r >= c ? tri_at(M, r, c) : tri_at(M, c, r)];
    }
    __syncthreads();
}

/* Z <- Z - I B I, all M x M, the inverses I as triangles. A block of threads per sample; half: M x
 * M for each block. */
static __global__ void __launch_bounds__(THREADS)
    jeffrey_kernel(size_t p, int M, const double *inverse, const double *B, double *Z, double *half)
{
    extern __shared__ __align__(16) double Q[];
    double *h = half + (size_t)blockIdx.x * M * M;
    for (size_t i = blockIdx.x; i < p; i += gridDim.x) {
        double *z = Z + i * M * M;
        hold(M, inverse + i * tri(M), nullptr, Q);
        product<false>(M, B + i * M * M, Q,
                       [=](int r, int c, double x) { h[c * M + r] = x; }); /* I B */
        product<false>(M, h, Q, [=](int r, int c, double x) {
            if (r >= c)
                z[r * M + c] = z[c * M + r] = z[r * M + c] - x;
        });
    }
}

/* (ln a - ln b)/(a - b), all digits however close they are: as linalg/kernels_divided.c has it. */
__device__ inline double log_divided(double a, double b)
{
    const double large = fmax(a, b), small = fmin(a, b), gap = large - small, x = gap / small;
    if (gap == 0.0)
        return 1.0 / large;
    return (x < INFINITY ? log1p(x) : log(large) - log(small)) / gap;
}

/* Z <- -4 D log(S)[Z], the same way. */
static __global__ void __launch_bounds__(THREADS)
    log_kernel(size_t p, int M, const double *U, const double *lambda, double *Z, double *half)
{
    extern __shared__ __align__(16) double Q[];
    double *h = half + (size_t)blockIdx.x * M * M;
    for (size_t i = blockIdx.x; i < p; i += gridDim.x) {
        double *z = Z + i * M * M;
        const double *own = lambda + i * M;
        hold(M, nullptr, U + i * M * M, Q);
        product<true>(M, z, Q, [=](int r, int c, double x) { h[c * M + r] = x; }); /* U G */
        product<true>(M, h, Q, [=](int r, int c, double x) {
            z[r * M + c] = x * log_divided(own[r], own[c]);
        });
        product<false>(M, z, Q, [=](int r, int c, double x) { h[c * M + r] = x; });
        product<false>(M, h, Q, [=](int r, int c, double x) {
            if (r >= c)
                z[r * M + c] = z[c * M + r] = -4.0 * x;
        });
    }
}

size_t plain_room(const shape &s)
{
    return std::min(s.p, (size_t)s.processors * 8) * s.M * s.M;
}

void jeffrey_weights(const shape &s, const double *inverse, const double *B, double *Z,
                     double *half)
{
    const int bytes = s.M * (s.M + 1) * 8;
    allow_shared(jeffrey_kernel, bytes, "weights");
    if (s.p)
        jeffrey_kernel<<<(unsigned)std::min(s.p, (size_t)s.processors * 8), THREADS, bytes,
                         s.stream>>>(s.p, s.M, inverse, B, Z, half);
    launched("weights");
}

void log_weights(const shape &s, const double *U, const double *lambda, double *Z, double *half)
{
    const int bytes = s.M * (s.M + 1) * 8;
    allow_shared(log_kernel, bytes, "weights");
    if (s.p)
        log_kernel<<<(unsigned)std::min(s.p, (size_t)s.processors * 8), THREADS, bytes, s.stream>>>(
            s.p, s.M, U, lambda, Z, half);
    launched("weights");
}

} /* namespace spd */
