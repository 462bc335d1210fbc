/* spectrum.cu - affine-invariant distances, and logarithms, of pairs of large matrices.
 *
 * S_i = L_i L_i'. With H = L_j' L_i^-T, which is upper triangular, T = H H' has the eigenvalues of
 * (S_j, S_i), and d2 = sum ln^2 lambda_k = |ln T|^2. A batch of pairs after the other:
 *
 *   H, T    n^3/3 operations: tensor products of squares (squares.cuh); a warp has rows of H, and
 *           needs no other
 *   ln T    a sum over poles (poles.cu); of the pairs that those miss, by cuSOLVER */
#include <algorithm>

#include "cuda/eigen.cuh"
#include "cuda/poles.cuh"
#include "cuda/queue.cuh"
#include "cuda/squares.cuh"

namespace spd
{

/* ---- products -------------------------------------------------------------------------------- */

/* Row c of H by one warp. What a lane reads of H it has written itself. */
__device__ inline void reduce_row(int NB, int c, const double *L, const double *K, double *H)
{
    for (int r = c; r < NB; r++) {
        square own = minus(take_square(K + square_at(r, c)));
        for (int t = c; t < r; t++)
            add_product(own, take_square(H + square_at(t, c)), take_square(L + square_at(r, t)));
        give_square(H + square_at(r, c), product(own, minus(take_square(L + square_at(r, r)))));
    }
}

/* T (n x n), both halves, from square (a, b) of it, a >= b. */
__device__ inline void put_square(int n, int a, int b, const square &own, double *T)
{
#pragma unroll
    for (int x = 0; x < 8; x++) {
        const int r = SIDE * a + square_row(x % 4), c = SIDE * b + square_column(x / 4, x % 4);
        if (c <= r && r < n)
            T[(size_t)r * n + c] = T[(size_t)c * n + r] = own.v[x / 4][x % 4];
    }
}

/* T: squares, or whole matrices, and then above the diagonal H too, unless `upper` is NULL. which: the
 * numbers of the pairs, or NULL. */
template <bool SQUARES>
__global__ void __launch_bounds__(512)
    reduce_pairs(int n, int NB, size_t count, const link *pairs, const uint32_t *which,
                 const double *Lf, const double *Kf, double *T, double *upper, double *scratch)
{
    extern __shared__ __align__(16) double room[];
    const int warp = threadIdx.x / 32, warps = blockDim.x / 32;
    const size_t size = square_at(NB, 0);
    double *H = scratch ? scratch + blockIdx.x * size : room;
    for (size_t e = blockIdx.x; e < count; e += gridDim.x) {
        const link ij = pairs[which ? which[e] : e];
        const double *L = Lf + ij.i * size, *K = Kf + ij.j * size;
        for (int step = 0; step * warps < NB; step++) { /* there and back: first rows are longer */
            const int c = step * warps + (step % 2 ? warps - 1 - warp : warp);
            if (c < NB)
                reduce_row(NB, c, L, K, H);
        }
        __syncthreads();
        for (int x = threadIdx.x; x < n * n && upper; x += blockDim.x) {
            const int r = x / n, c = x % n;
            if (r <= c)
                upper[e * n * n + x] =
                    H[square_at(c / SIDE, r / SIDE) + within_square(r % SIDE, c % SIDE)];
        }
        for (int x = warp, a = 0; a < NB; a++)
            for (; x < (a + 1) * (a + 2) / 2; x += warps) {
                const int b = x - a * (a + 1) / 2;
                square own = {};
                for (int t = a; t < NB; t++)
                    add_product(own, take_square(H + square_at(t, a)),
                                take_square(H + square_at(t, b)));
                if (SQUARES)
                    give_square(T + e * size + square_at(a, b), own);
                else
                    put_square(n, a, b, own, T + e * n * n);
            }
        __syncthreads();
    }
}

/* ---- logarithms ------------------------------------------------------------------------------ */

constexpr int NORMERS = 128;

/* d2 <- squared norms of symmetric matrices. */
static __global__ void __launch_bounds__(NORMERS)
    norms_kernel(int n, size_t count, const double *F, double *d2)
{
    __shared__ double room[NORMERS];
    const int me = threadIdx.x;
    for (size_t e = blockIdx.x; e < count; e += gridDim.x) {
        const double *own = F + e * n * n;
        double sum = 0.0;
        for (int x = me; x < n * n; x += NORMERS)
            sum = fma(own[x], own[x], sum);
        room[me] = sum;
        for (int step = NORMERS / 2; step; step >>= 1) {
            __syncthreads();
            if (me < step)
                room[me] += room[me + step];
        }
        if (me == 0)
            d2[e] = room[0];
        __syncthreads();
    }
}

/* A (n x n) <- T^-1 = X'X of X = H^-1; H and X: above the diagonal. */
static __global__ void __launch_bounds__(128)
    invert_pairs(int n, size_t count, const double *H, double *X, double *A)
{
    for (size_t e = blockIdx.x; e < count; e += gridDim.x) {
        const double *h = H + e * n * n;
        double *x = X + e * n * n, *to = A + e * n * n;
        for (int c = threadIdx.x; c < n; c += blockDim.x)
            for (int r = c; r >= 0; r--) {
                double sum = r == c;
                for (int k = r + 1; k <= c; k++)
                    sum = fma(-h[r * n + k], x[k * n + c], sum);
                x[r * n + c] = sum / h[r * n + r];
            }
        __syncthreads();
        for (int y = threadIdx.x; y < n * n; y += blockDim.x) {
            const int a = y / n, b = y % n;
            double sum = 0.0;
            for (int k = 0; k <= (a < b ? a : b); k++)
                sum = fma(x[k * n + a], x[k * n + b], sum);
            to[y] = sum;
        }
        __syncthreads();
    }
}

/* v <- what of it is orthogonal to u, which has the length 1. One warp. */
__device__ inline void take_away(int n, const double *u, double *v)
{
    double g = 0.0;
    for (int r = threadIdx.x % 32; r < n; r += 32)
        g = fma(u[r], v[r], g);
    for (int o = 16; o; o >>= 1)
        g += __shfl_xor_sync(~0u, g, o);
    for (int r = threadIdx.x % 32; r < n; r += 32)
        v[r] = fma(-g, u[r], v[r]);
}

/* The lower half of lambda and, unless V is NULL, of the eigenvectors in rows V <- of T^-1, which
 * has the reciprocals mu: those keep the digits that small eigenvalues lose beside large ones. Of
 * these vectors the upper half is exact where the lower one is not. */
static __global__ void __launch_bounds__(128)
    join_halves(int n, size_t count, const double *mu, const double *Q, double *lambda, double *V)
{
    for (size_t e = blockIdx.x; e < count; e += gridDim.x) {
        const double *m = mu + e * n, *q = Q + e * n * n;
        double *own = lambda + e * n;
        const double middle = sqrt(own[n - 1]) / sqrt(m[n - 1]), any = own[0] + m[0] + middle;
        int lower = 1;
        while (lower < n - 1 && m[n - 1 - lower] * middle > 1.0)
            lower++;
        __syncthreads();
        for (int k = threadIdx.x; k < lower; k += blockDim.x)
            own[k] = fma(0.0, any, 1.0 / m[n - 1 - k]); /* NaN stays */
        for (int k = threadIdx.x / 32; k < lower && V; k += 4) {
            double *v = V + (e * n + k) * n;
            for (int r = threadIdx.x % 32; r < n; r += 32)
                v[r] = q[(n - 1 - k) * n + r];
            for (int u = n - 1; u >= lower; u--)
                take_away(n, V + (e * n + u) * n, v);
        }
        __syncthreads();
    }
}

/* lambda (count x n) <- their logarithms; d2, width <- of the pairs that `which` says. */
static __global__ void logarithms_kernel(int n, size_t count, const uint32_t *which, double *lambda,
                                         double *d2, double *width)
{
    for (size_t e = blockIdx.x * (size_t)blockDim.x + threadIdx.x; e < count;
         e += (size_t)gridDim.x * blockDim.x) {
        double *own = lambda + e * n, sum = 0.0, low = INFINITY, high = -INFINITY;
        for (int k = 0; k < n; k++) {
            own[k] = log(own[k]);
            sum = fma(own[k], own[k], sum);
            low = fmin(low, own[k]);
            high = fmax(high, own[k]);
        }
        d2[which[e]] = sum;
        width[which[e]] = high - low;
    }
}

/* ---- launches -------------------------------------------------------------------------------- */

constexpr size_t ROOM = (size_t)1 << 25;   /* doubles of the matrices of a batch, */
constexpr size_t MISSED = (size_t)1 << 22; /* and of those at a time that poles miss */

void spectrum_room::make(const shape &s, size_t pairs)
{
    const size_t nn = (size_t)s.n * s.n, size = squares_size(squares_of(s.n));
    batch = std::min(pairs, ROOM / nn + 1);
    T.make(batch * size);
    logs.make(batch * nn);
    width.make(batch);
    if (size * 8 > (size_t)s.shared)
        scratch.make((size_t)s.processors * 2 * size);
}

template <bool SQUARES>
static void reduce(const shape &s, const spectrum_room &room, size_t count, const link *pairs,
                   const uint32_t *which, const double *L, const double *K, double *T,
                   double *upper)
{
    const int n = s.n, NB = squares_of(n), warps = squares_warps(NB),
              held = (int)squares_size(NB) * 8;
    const int bytes = room.scratch.at ? 0 : held;
    double *scratch = room.scratch.at;
    const size_t grid =
        std::min(count, (size_t)s.processors * (scratch ? 2 : std::clamp(s.shared / held, 1, 8)));
    allow_shared(reduce_pairs<SQUARES>, bytes, "AIRM pairs");
    reduce_pairs<SQUARES><<<(unsigned)grid, 32 * warps, bytes, s.stream>>>(
        n, NB, count, pairs, which, L, K, T, upper, scratch);
    launched("AIRM pairs");
}

/* The pairs that poles have missed, a few at a time. */
static void take_missed(const shape &s, const spectrum_room &room, size_t count,
                        const uint32_t *which, const link *pairs, const double *L, const double *K,
                        bool logs, double *d2)
{
    const int n = s.n;
    const size_t nn = (size_t)n * n, each = std::min(count, MISSED / nn + 1);
    array<double> T, H, X, A, lambda, mu;
    shape t = s;
    t.M = n;
    for (auto *a : {&T, &H, &X, &A})
        a->make(each * nn);
    for (auto *a : {&lambda, &mu})
        a->make(each * n);
    const until_done wait{s.stream};
    const unsigned grid = s.processors * 8;
    const double *h = H.at, *q = A.at, *reciprocals = mu.at;
    double *x = X.at, *inverses = A.at, *vectors = logs ? T.at : nullptr, *values = lambda.at,
           *width = room.width.at;
    for (size_t at = 0; at < count; at += each) {
        const size_t some = t.p = std::min(each, count - at);
        const uint32_t *own = which + at;
        reduce<false>(s, room, some, pairs, own, L, K, T.at, H.at);
        invert_pairs<<<grid, 128, 0, s.stream>>>(n, some, h, x, inverses);
        cusolver_eigen(t, logs, T.at, values);
        cusolver_eigen(t, logs, A.at, mu.at);
        join_halves<<<grid, 128, 0, s.stream>>>(n, some, reciprocals, q, values, vectors);
        logarithms_kernel<<<s.processors, 64, 0, s.stream>>>(n, some, own, values, d2, width);
        launched("AIRM pairs");
        if (logs)
            rebuild(t, T.at, values, room.logs.at, own);
    }
}

void squares_logs(const shape &s, spectrum_room &room, size_t count, const link *pairs,
                  const double *L, const double *K, bool logs, double *d2)
{
    const int n = s.n;
    const unsigned grid = (unsigned)std::min(count, (size_t)s.processors * 16);
    const double *F = room.logs.at;
    array<uint32_t> which;
    shape t = s;
    t.p = count;
    reduce<true>(s, room, count, pairs, nullptr, L, K, room.T.at, nullptr);
    const size_t missed =
        sum_poles(t, SPD_FUNCTION_LOG, room.T.at, room.logs.at, room.width.at, which);
    norms_kernel<<<grid, NORMERS, 0, s.stream>>>(n, count, F, d2);
    launched("AIRM pairs");
    if (missed)
        take_missed(s, room, missed, which.at, pairs, L, K, logs, d2);
}

void squares_airm(const shape &s, spectrum_room &room, size_t count, const link *pairs,
                  const double *L, const double *K, double *d2)
{
    for (size_t at = 0; at < count; at += room.batch)
        squares_logs(s, room, std::min(room.batch, count - at), pairs + at, L, K, false, d2 + at);
}

} /* namespace spd */
