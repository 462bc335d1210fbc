/* flat.cu - matrices as vectors, and all distances or products of two sets of vectors. Distances
 * are sums of squared differences: norms less products would cancel where vectors are close. */
#include <algorithm>

#include "cuda/flat.cuh"

namespace spd
{

constexpr double ROOT2 = 1.4142135623730951;
/* As in geometry/flat.c: where all are smaller, squares are lost. */
constexpr double SMALL_ENTRY = 0x1p-400;

static __global__ void __launch_bounds__(128)
    flatten_kernel(size_t p, int n, size_t size, size_t first, const double *X, double *F,
                   outcome *o)
{
    for (size_t i = blockIdx.x; i < p; i += gridDim.x) {
        const double *A = X + i * n * n;
        double *f = F + i * size;
        int lost = 0, some = 0, large = 0;
        for (int x = threadIdx.x; x < n * n; x += blockDim.x) {
            const int r = x / n, c = x % n;
            if (c > r)
                continue;
            const double a = A[x];
            f[r * (r + 1) / 2 + c] = r == c ? a : ROOT2 * a;
            lost |= !(fabs(a) < INFINITY);
            some |= a != 0.0;
            large |= fabs(a) >= SMALL_ENTRY;
        }
        for (size_t x = (size_t)n * (n + 1) / 2 + threadIdx.x; x < size; x += blockDim.x)
            f[x] = 0.0;
        lost = __syncthreads_or(lost);
        some = __syncthreads_or(some);
        large = __syncthreads_or(large);
        if (threadIdx.x == 0 && (lost || (some && !large)))
            atomicMin(&o->bad, (unsigned long long)(first + i));
    }
}

void flatten(const shape &s, size_t first, const double *X, double *F, outcome *o)
{
    const size_t grid = std::min(s.p, (size_t)s.processors * 16);
    flatten_kernel<<<(unsigned)grid, 128, 0, s.stream>>>(s.p, s.n, flat_size(s.n), first, X, F, o);
    launched("vectors");
}

/* ---- tiles ----------------------------------------------------------------------------------- */

constexpr int SIDE = 64; /* pairs of a block of 16 x 16 threads, which have 4 x 4 each, 16 apart */

/* SIDE vectors from number `at` on, below `end`, FLAT_DEPTH numbers of each. */
__device__ inline void load_part(size_t at, size_t end, size_t size, const double *F,
                                 double (&to)[FLAT_DEPTH][SIDE + 1])
{
    for (int x = threadIdx.x; x < SIDE * FLAT_DEPTH; x += 256) {
        const int v = x / FLAT_DEPTH, k = x % FLAT_DEPTH;
        to[k][v] = at + v < end ? F[(at + v) * size + k] : 0.0;
    }
}

template <bool PRODUCTS>
__global__ void __launch_bounds__(256)
    pairs_kernel(tile t, size_t size, const double *F, double *d2)
{
    __shared__ double left[FLAT_DEPTH][SIDE + 1], right[FLAT_DEPTH][SIDE + 1];
    const size_t across = (t.columns + SIDE - 1) / SIDE, down = (t.rows + SIDE - 1) / SIDE;
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    for (size_t w = blockIdx.x; w < across * down; w += gridDim.x) {
        const size_t a = w / across * SIDE, b = w % across * SIDE;
        if (t.within && b + SIDE <= t.first + a + 1)
            continue; /* below the diagonal */
        double sum[4][4] = {};
        for (size_t k = 0; k < size; k += FLAT_DEPTH) {
            __syncthreads();
            load_part(t.begin + t.first + a, t.begin + t.first + t.rows, size, F + k, left);
            load_part(t.left + b, t.left + t.columns, size, F + k, right);
            __syncthreads();
#pragma unroll 4
            for (int q = 0; q < FLAT_DEPTH; q++)
#pragma unroll
                for (int x = 0; x < 4; x++)
#pragma unroll
                    for (int y = 0; y < 4; y++) {
                        const double l = left[q][ty + 16 * x], r = right[q][tx + 16 * y];
                        const double gap = l - r;
                        sum[x][y] = PRODUCTS ? fma(l, r, sum[x][y]) : fma(gap, gap, sum[x][y]);
                    }
        }
#pragma unroll
        for (int x = 0; x < 4; x++)
#pragma unroll
            for (int y = 0; y < 4; y++) {
                const size_t row = a + ty + 16 * x, j = b + tx + 16 * y,
                             from = t.within ? t.first + row + 1 : 0;
                if (row < t.rows && j < t.columns && j >= from)
                    d2[place(t, row) + j - from] = sum[x][y];
            }
    }
}

void flat_pairs(const shape &s, const tile &t, bool products, const double *F, double *d2)
{
    const size_t tiles = ((t.columns + SIDE - 1) / SIDE) * ((t.rows + SIDE - 1) / SIDE);
    const unsigned grid = (unsigned)std::min(tiles, (size_t)s.processors * 64);
    if (products)
        pairs_kernel<true><<<grid, 256, 0, s.stream>>>(t, flat_size(s.n), F, d2);
    else
        pairs_kernel<false><<<grid, 256, 0, s.stream>>>(t, flat_size(s.n), F, d2);
    launched("distances");
}

} /* namespace spd */
