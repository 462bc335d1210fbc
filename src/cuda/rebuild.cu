/* rebuild.cu - functions of eigenvalues, and matrices built again of eigenvalues and vectors. */
#include <algorithm>

#include "cuda/eigen.cuh"

namespace spd
{

__device__ inline double value_of(int f, double power, double x)
{
    switch (f) {
    case SPD_FUNCTION_LOG:
        return log(x);
    case SPD_FUNCTION_EXP:
        return exp(x);
    case SPD_FUNCTION_SQRT:
        return sqrt(x);
    case SPD_FUNCTION_INVSQRT:
        return 1.0 / sqrt(x);
    case SPD_FUNCTION_POWER:
        return pow(x, power);
    default:
        return x;
    }
}

static __global__ void values_kernel(size_t p, int n, int M, int f, double power, const placed *how,
                                     double *lambda, outcome *o)
{
    const bool any = f == SPD_FUNCTION_EXP || f == ITSELF;
    for (size_t e = blockIdx.x * (size_t)blockDim.x + threadIdx.x; e < p * M;
         e += (size_t)gridDim.x * blockDim.x) {
        const placed h = how[e / M];
        if (M > n && lambda[e] == 0.0) { /* padding */
            if (f == ITSELF)
                lambda[e] = __longlong_as_double(-1);
            continue;
        }
        const double x = ldexp(lambda[e] - h.shift, -(int)h.exponent);
        const double y = any || x >= 0x1p-1022 ? value_of(f, power, x) : __longlong_as_double(-1);
        if (!(fabs(y) < INFINITY))
            atomicMin(&o->bad, (unsigned long long)(e / M));
        lambda[e] = y;
    }
}

void spectral_values(const shape &s, int f, double power, const placed *how, double *lambda,
                     outcome *o)
{
    values_kernel<<<s.processors * 8, 256, 0, s.stream>>>(s.p, s.n, s.M, f, power, how, lambda, o);
    launched("functions");
}

/* ---- F = U' diag(value) U -------------------------------------------------------------------- */

constexpr int SIDE = 32, DEPTH = 16; /* of a tile, and how many vectors are taken at a time */

/* 64 threads per tile on or below the diagonal, 4 x 4 numbers each. */
static __global__ void __launch_bounds__(64)
    rebuild_kernel(size_t count, int tiles, int n, int M, const double *U, const double *value,
                   const uint32_t *which, double *F)
{
    __shared__ __align__(16) double left[DEPTH][SIDE], right[DEPTH][SIDE];
    const int a = threadIdx.x / 8 * 4, b = threadIdx.x % 8 * 4;
    for (size_t w = blockIdx.x; w < count * tiles; w += gridDim.x) {
        const size_t i = w / tiles;
        int R = 0, C = (int)(w % tiles);
        for (; C > R; R++)
            C -= R + 1;
        const double *V = U + i * M * M, *f = value + i * M;
        double *to = F + (which ? which[i] : i) * n * n;
        double sum[4][4] = {};
        for (int first = 0; first < M; first += DEPTH) {
            __syncthreads();
            for (int x = threadIdx.x; x < DEPTH * SIDE; x += 64) {
                const int k = first + x / SIDE, r = SIDE * R + x % SIDE, c = SIDE * C + x % SIDE;
                left[x / SIDE][x % SIDE] = k < M && r < n ? V[(size_t)k * M + r] * f[k] : 0.0;
                right[x / SIDE][x % SIDE] = k < M && c < n ? V[(size_t)k * M + c] : 0.0;
            }
            __syncthreads();
#pragma unroll 4
            for (int k = 0; k < DEPTH; k++)
#pragma unroll
                for (int x = 0; x < 4; x++)
#pragma unroll
                    for (int y = 0; y < 4; y++)
                        sum[x][y] = fma(left[k][a + x], right[k][b + y], sum[x][y]);
        }
#pragma unroll
        for (int x = 0; x < 4; x++)
#pragma unroll
            for (int y = 0; y < 4; y++) {
                const int r = SIDE * R + a + x, c = SIDE * C + b + y;
                if (r < n && c <= r) {
                    to[(size_t)r * n + c] = sum[x][y];
                    to[(size_t)c * n + r] = sum[x][y];
                }
            }
    }
}

/* A thread per number on or below the diagonal. */
static __global__ void __launch_bounds__(256)
    rebuild_small(size_t count, int n, int M, const double *U, const double *value, double *F)
{
    const int each = n * (n + 1) / 2;
    for (size_t e = blockIdx.x * (size_t)blockDim.x + threadIdx.x; e < count * each;
         e += (size_t)gridDim.x * blockDim.x) {
        const size_t i = e / each;
        const double *V = U + i * M * M, *f = value + i * M;
        int r = 0, c = (int)(e % each);
        for (; c > r; r++)
            c -= r + 1;
        double sum = 0.0;
        for (int k = 0; k < M; k++)
            sum = fma(V[k * M + r] * f[k], V[k * M + c], sum);
        F[(i * n + r) * n + c] = sum;
        F[(i * n + c) * n + r] = sum;
    }
}

void rebuild(const shape &s, const double *U, const double *value, double *F, const uint32_t *which)
{
    const int side = (s.n + SIDE - 1) / SIDE, tiles = side * (side + 1) / 2;
    if (s.n <= SMALL_ROWS) {
        rebuild_small<<<s.processors * 8, 256, 0, s.stream>>>(s.p, s.n, s.M, U, value, F);
        return launched("building the matrices");
    }
    const size_t grid = std::min(s.p * tiles, (size_t)s.processors * 64);
    rebuild_kernel<<<(unsigned)grid, 64, 0, s.stream>>>(s.p, tiles, s.n, s.M, U, value, which, F);
    launched("building the matrices");
}

} /* namespace spd */
