/* poles.cu - logarithms and roots as sums over poles (linalg/poles.h), a block of threads per matrix:
 *
 *   f(X) = C I + sum w_j (X + s_j I)^-1
 *
 * where the inverses are products of squares (factor.cuh), some 2 n^3 operations each, and the
 * poles those for an interval that holds the eigenvalues: up to the largest sum of a row of X, from
 * the reciprocal of that of X^-1 on. Eigenvectors take more operations and, above all, slower ones.
 * What is further apart than the poles reach, or not positive definite, is left to the caller. */
#include "cuda/poles.cuh"

#include <vector>

#include "cuda/factor.cuh"
#include "cuda/queue.cuh"
#include "linalg/poles.c" /* the module is a library of its own */

namespace spd
{

constexpr int RANGES = POLES_RANGES, MOST = POLES_MOST;
constexpr double MARGIN = 1e-6;                          /* of the bounds, which are rounded */
constexpr double SMALLEST = 0x1p-900, LARGEST = 0x1p900; /* eigenvalues */

/* The poles of one function for all ranges. */
struct pole_table {
    int f, count[RANGES];
    double reach[RANGES], constant[RANGES], shift[RANGES][MOST], weight[RANGES][MOST];
};

/* Those for one matrix: f(X) = constant I + factor sum weight_j unit (X + unit shift_j I)^-1. */
struct pole_sum {
    int range;
    double unit, factor, constant;
};

__device__ inline pole_sum choose_poles(const pole_table &t, double low, double high)
{
    pole_sum s = {0, low, 1.0, 0.0};
    while (s.range < RANGES && !(high <= t.reach[s.range] * low))
        s.range++;
    if (s.range == RANGES || !(low > SMALLEST && high < LARGEST)) {
        s.range = RANGES;
        return s;
    }
    if (t.f == POLES_SQRT) /* its constant is a multiple of the largest root that is reached */
        s.unit = high / t.reach[s.range];
    if (t.f == POLES_LOG)
        s.constant = t.constant[s.range] + log(s.unit);
    else {
        s.factor = t.f == POLES_SQRT ? sqrt(s.unit) : 1.0 / sqrt(s.unit);
        s.constant = s.factor * t.constant[s.range];
    }
    return s;
}

/* ---- bounds ---------------------------------------------------------------------------------- */

/* The largest of what the threads have; some: a number per warp. */
__device__ inline double block_most(double x, double *some)
{
    for (int o = 16; o; o >>= 1)
        x = fmax(x, __shfl_xor_sync(~0u, x, o));
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        some[threadIdx.x / 32] = x;
    __syncthreads();
    for (int w = 0; w < (int)blockDim.x / 32; w++)
        x = fmax(x, some[w]);
    return x;
}

/* The largest sum of the absolute values of a row, infinite if one is not a number; entry gives
 * those of a symmetric matrix. */
template <class Entry> __device__ inline double row_norm(int n, const Entry &entry, double *some)
{
    double most = 0.0;
    for (int r = threadIdx.x; r < n; r += blockDim.x) {
        double sum = 0.0;
#pragma unroll 4
        for (int c = 0; c < n; c++)
            sum += fabs(entry(r, c));
        most = sum < INFINITY ? fmax(most, sum) : INFINITY;
    }
    return block_most(most, some);
}

/* ---- one pole -------------------------------------------------------------------------------- */

/* A square of X + shift I. */
__device__ inline square shifted_square(const double *S, double shift, int r, int c)
{
    square s = take_square(S + square_at(r, c));
#pragma unroll
    for (int x = 0; x < 8; x++)
        if (r == c && square_row(x % 4) == square_column(x / 4, x % 4))
            s.v[x / 4][x % 4] += shift;
    return s;
}

/* F (n x n) <- what is there, unless this is the first, + weight U U' + constant I; both triangles
 * if this is the last. */
__device__ inline void add_inverse(int n, int NB, const double *U, double weight, double constant,
                                   bool first, bool last, double *F)
{
    each_of_inverse(n, NB, U, [=](int r, int c, double x) {
        double v = weight * x;
        v += first ? 0.0 : F[(size_t)r * n + c];
        v += r == c ? constant : 0.0;
        F[(size_t)r * n + c] = v;
        if (last && c < r)
            F[(size_t)c * n + r] = v;
    });
}

/* ---- all ------------------------------------------------------------------------------------- */

/* missed (count) <- is the matrix left to the caller?, and behind them, is any? So many threads of
 * so many blocks at once. */
template <int THREADS, int BLOCKS>
__global__ void __launch_bounds__(THREADS, BLOCKS)
    poles_kernel(int n, int NB, size_t count, pole_table t, const double *S, double *F,
                 double *width, int *missed, double *scratch)
{
    extern __shared__ __align__(16) double room[];
    __shared__ double some[16];
    const size_t size = square_at(NB, 0);
    double *L = scratch ? scratch + blockIdx.x * size : room + WORKSPACE;
    for (size_t i = blockIdx.x; i < count; i += gridDim.x) {
        const double *own = S + i * size;
        double *to = F + i * n * n;
        const auto invert = [=](double shift) {
            det d;
            factor_squares(
                NB, [=](int r, int c) { return shifted_square(own, shift, r, c); }, L, nullptr,
                room, d);
            invert_squares(NB, L);
        };
        const double high = row_norm(
            n,
            [=](int r, int c) {
                const int a = r > c ? r : c, b = r > c ? c : r;
                return own[square_at(a / SIDE, b / SIDE) + within_square(a % SIDE, b % SIDE)];
            },
            some);
        invert(0.0);
        add_inverse(n, NB, L, 1.0, 0.0, true, true, to);
        __syncthreads();
        const double low = 1.0 / row_norm(
                                     n, [=](int r, int c) { return to[(size_t)c * n + r]; }, some);
        const pole_sum p = choose_poles(t, (1.0 - MARGIN) * low, (1.0 + MARGIN) * high);
        if (threadIdx.x == 0) {
            if (width)
                width[i] = log(high / low);
            missed[i] = p.range == RANGES;
            if (p.range == RANGES)
                missed[count] = 1;
        }
        const int poles = p.range == RANGES ? 0 : t.count[p.range];
        for (int j = 0; j < poles; j++) {
            const bool last = j + 1 == poles;
            invert(p.unit * t.shift[p.range][j]);
            add_inverse(n, NB, L, p.factor * p.unit * t.weight[p.range][j], last ? p.constant : 0.0,
                        j == 0, last, to);
            __syncthreads();
        }
    }
}

static int number_of(spd_function f)
{
    return f == SPD_FUNCTION_LOG ? POLES_LOG : f == SPD_FUNCTION_SQRT ? POLES_SQRT : POLES_INVSQRT;
}

bool poles_take(int n, int f)
{
    return n >= POLES_FROM &&
           (f == SPD_FUNCTION_LOG || f == SPD_FUNCTION_SQRT || f == SPD_FUNCTION_INVSQRT);
}

static pole_table table_of(int f)
{
    pole_table t{};
    poles found;
    t.f = number_of((spd_function)f);
    for (int range = 0; range < RANGES; range++) {
        poles_get((poles_function)t.f, (size_t)range, &found);
        t.reach[range] = found.reach;
        t.count[range] = (int)found.count;
        t.constant[range] = found.constant;
        std::copy_n(found.shift, found.count, t.shift[range]);
        std::copy_n(found.weight, found.count, t.weight[range]);
    }
    return t;
}

/* which <- the numbers of those that are missed; returns how many. */
static size_t list_missed(const shape &s, const array<int> &missed, array<uint32_t> &which)
{
    int any;
    check(cudaMemcpyAsync(&any, missed.at + s.p, sizeof any, cudaMemcpyDeviceToHost, s.stream),
          "results");
    check(cudaStreamSynchronize(s.stream), "sums over poles");
    if (!any)
        return 0;
    std::vector<int> is(s.p);
    std::vector<uint32_t> list;
    copy_now(is.data(), missed.at, s.p * sizeof(int), "results");
    for (size_t i = 0; i < s.p; i++)
        if (is[i])
            list.push_back((uint32_t)i);
    which.make(list.size());
    copy_now(which.at, list.data(), list.size() * sizeof(uint32_t), "results");
    return list.size();
}

size_t sum_poles(const shape &s, int f, const double *S, double *F, double *width,
                 array<uint32_t> &which)
{
    const pole_table t = table_of(f);
    array<int> missed;
    missed.make(s.p + 1);
    const squares_launch at(s, s.p);
    double *scratch = at.scratch.at;
    int *left = missed.at;
    const int NB = at.NB, n = s.n;
    const size_t p = s.p;
    const until_done wait{s.stream};
    const auto kernel = at.warps == 2 ? poles_kernel<64, 6> : poles_kernel<512, 1>;
    allow_shared(kernel, at.bytes, "sums over poles");
    check(cudaMemsetAsync(left + p, 0, sizeof *left, s.stream), "sums over poles");
    kernel<<<(unsigned)at.grid, 32 * at.warps, at.bytes, s.stream>>>(n, NB, p, t, S, F, width, left,
                                                                     scratch);
    at.settle(s, "sums over poles");
    return list_missed(s, missed, which);
}

} /* namespace spd */
