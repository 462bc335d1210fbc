/* squares.cu - Cholesky factors and determinants by tensor products, a block of threads per matrix.
 *
 * Left-looking: column k of squares is what the matrix has there less the products of the columns before, held in
 * registers; one warp factors and inverts the square on the diagonal, by whose inverse the others are multiplied.
 *
 *      k            warp w holds the squares (k + w, k) and (k + w + warps, k)
 *   L  .            (r,k) <- (S(r,k) - sum_j L(r,j) L(k,j)') inverse(k,k)'
 *   L  k  .
 *   L  r  .  .      L lies in shared memory as far as that goes (n up to 224 of 227 KB), then in global memory
 */
#include <algorithm>

#include "engine/cuda/squares.cuh"

namespace spd {

/* ---- loading ---------------------------------------------------------------------------------- */

static __global__ void spread_squares(size_t squares, int n, int NB, double scale, const double *X, double *S)
{
    const int each = square_at(NB, 0) / AREA, lane = threadIdx.x % 32;
    const size_t warps = (size_t)gridDim.x * (blockDim.x / 32);
    for (size_t t = (size_t)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32; t < squares; t += warps) {
        const size_t i = t / each;
        const int at = (int)(t % each);
        int R = 0;
        while (square_at(R + 1, 0) / AREA <= at)
            R++;
        const int C = at - square_at(R, 0) / AREA;
        for (int x = lane; x < AREA; x += 32) {
            const int a = SIDE * R + x / SIDE, b = SIDE * C + x % SIDE, r = a > b ? a : b, c = a > b ? b : a;
            S[t * AREA + within_square(x / SIDE, x % SIDE)] = r < n ? scale * X[(i * n + r) * n + c] : r == c ? 1.0 : 0.0;
        }
    }
}

/* ---- one matrix --------------------------------------------------------------------------------- */

constexpr int DESK = SIDE * (SIDE + 1); /* doubles that factor_square needs */

/* One warp: inverse <- of the Cholesky factor of a square, and if wanted, transposed <- that factor's transpose. Lanes
 * below 16 hold a row of the square each, the others a column of the inverse: the same steps do for both. */
__device__ inline void factor_square(const square &own, double *desk, double *inverse, double *transposed, det &d)
{
    const int lane = threadIdx.x % 32, r = lane % SIDE;
    double v[SIDE];
#pragma unroll
    for (int x = 0; x < 8; x++)
        desk[square_row(x % 4) * (SIDE + 1) + square_column(x / 4, x % 4)] = own.v[x / 4][x % 4];
    __syncwarp();
#pragma unroll
    for (int c = 0; c < SIDE; c++)
        v[c] = lane < SIDE ? desk[r * (SIDE + 1) + c] : c == r ? 1.0 : 0.0;
    __syncwarp();
#pragma unroll
    for (int k = 0; k < SIDE; k++) {
        double *column = desk + k % 2 * SIDE;
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

/* L <- the factor, with inverses on the diagonal, of the matrix whose squares `source` gives; K, if wanted, as above.
 * d, which all lanes of the first warp then have, <- its determinant. */
template <class Source>
__device__ inline void factor_squares(int NB, const Source &source, double *L, double *K, double *desk, det &d)
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
            factor_square(minus(own[0]), desk, L + square_at(k, k), K ? K + square_at(k, k) : nullptr, d);
        __syncthreads();
        const square B = minus(take_square(L + square_at(k, k)));
#pragma unroll
        for (int q = 0; q < HELD; q++) {
            const int r = k + warp + q * warps;
            if (r > k && r < NB) {
                const square l = product(own[q], B);
                give_square(L + square_at(r, k), l);
                for (int x = 0; x < 8 && K; x++)
                    K[square_at(r, k) + within_square(square_column(x / 4, x % 4), square_row(x % 4))] = l.v[x / 4][x % 4];
            }
        }
        __syncthreads();
    }
}

/* ---- kernels ------------------------------------------------------------------------------------ */

/* scratch: a factor for every block, where shared memory does not hold it. */
template <bool SELF>
static __global__ void __launch_bounds__(512) stein_squares(int NB, size_t count, const link *pairs, const double *S,
                                                            double *dets, double *d2, double *scratch, outcome *o)
{
    extern __shared__ __align__(16) double room[];
    const size_t size = square_at(NB, 0);
    double *L = scratch ? scratch + blockIdx.x * size : room + DESK;
    for (size_t e = blockIdx.x; e < count; e += gridDim.x) {
        const link ij = SELF ? link{(uint32_t)e, (uint32_t)e} : pairs[e];
        const double *Si = S + ij.i * size, *Sj = S + ij.j * size;
        det d;
        factor_squares(NB, [=](int r, int c) {
            square a = take_square(Si + square_at(r, c));
            if (SELF)
                return a;
            const square b = take_square(Sj + square_at(r, c));
#pragma unroll
            for (int x = 0; x < 8; x++)
                a.v[x / 4][x % 4] = 0.5 * (a.v[x / 4][x % 4] + b.v[x / 4][x % 4]);
            return a;
        }, L, nullptr, room, d);
        if (threadIdx.x == 0)
            note<SELF>(d, e, ij, dets, d2, o);
    }
}

static __global__ void __launch_bounds__(512)
    factors_of_squares(int NB, size_t p, const double *S, double *L, double *K, outcome *o)
{
    __shared__ double desk[DESK];
    const size_t size = square_at(NB, 0);
    for (size_t i = blockIdx.x; i < p; i += gridDim.x) {
        det d;
        const double *Si = S + i * size;
        factor_squares(NB, [=](int r, int c) { return take_square(Si + square_at(r, c)); }, L + i * size, K + i * size,
                       desk, d);
        if (threadIdx.x == 0 && !d.ok)
            atomicMin(&o->bad, (unsigned long long)i);
    }
}

/* ---- launches ----------------------------------------------------------------------------------- */

void squares_spread(const shape &s, size_t count, double scale, const double *X, double *S)
{
    const int NB = squares_of(s.n);
    spread_squares<<<s.processors * 8, 256, 0, s.stream>>>(count * squares_size(NB) / AREA, s.n, NB, scale, X, S);
    launched("loading the matrices");
}

template <bool SELF>
static void launch(const shape &s, size_t count, const link *pairs, const double *S, double *det, double *d2, outcome *o)
{
    const int NB = squares_of(s.n), warps = squares_warps(NB);
    const int held = (DESK + (int)squares_size(NB)) * 8, bytes = held <= s.shared ? held : DESK * 8;
    const size_t at_once = std::max(1, std::min({s.shared / (bytes + 1024), 2048 / (32 * warps), 16}));
    const size_t grid = std::min(count, s.processors * (held <= s.shared ? at_once : 2));
    array<double> scratch;
    if (held > s.shared)
        scratch.make(grid * squares_size(NB));
    double *to = scratch.at;
    check(cudaFuncSetAttribute(stein_squares<SELF>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes), "Stein pairs");
    stein_squares<SELF><<<(unsigned)grid, 32 * warps, bytes, s.stream>>>(NB, count, pairs, S, det, d2, to, o);
    launched("Stein pairs");
    if (to) /* it must outlive the kernel */
        check(cudaStreamSynchronize(s.stream), "Stein pairs");
}

void squares_determinants(const shape &s, const double *S, double *det, outcome *o)
{
    launch<true>(s, s.p, nullptr, S, det, nullptr, o);
}

void squares_stein(const shape &s, size_t count, const link *pairs, const double *S, const double *det, double *d2)
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
