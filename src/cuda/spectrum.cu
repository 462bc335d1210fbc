/* spectrum.cu - affine-invariant distances of pairs of large matrices, without derivatives.
 *
 * S_i = L_i L_i'. With H = L_j' L_i^-T, which is upper triangular, T = H H' has the eigenvalues of
 * (S_j, S_i), and d2 = sum ln^2 lambda_k. Three kernels, a batch of pairs after the other:
 *
 *   H, T        tensor products of squares (squares.cuh); a warp has rows of H, and needs no other
 * n^3/3 tridiagonal Householder reflections, a block of threads per pair; the update by one
 * reflection and the product with the next are one reading of T, in shared memory up to n = 160 of
 * 227 KB           4/3 n^3 eigenvalues a thread per pair: QL iterations on the squares of the
 * off-diagonals, without roots     30 n^2
 *
 * in operations for each pair, of which Jacobi's rotations would take 6 n^3 in every of 8 sweeps.
 * From SUMS_FROM rows on d2 is the squared norm of ln T, a sum over poles (poles.cu), but of the
 * pairs that those miss. */
#include <algorithm>

#include "cuda/jacobi.cuh"
#include "cuda/poles.cuh"
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

/* T (M x M), both halves, from square (a, b) of it, a >= b. */
__device__ inline void put_square(int M, int a, int b, const square &own, double *T)
{
#pragma unroll
    for (int x = 0; x < 8; x++) {
        const int r = SIDE * a + square_row(x % 4), c = SIDE * b + square_column(x / 4, x % 4);
        if (r >= c)
            T[(size_t)r * M + c] = T[(size_t)c * M + r] = own.v[x / 4][x % 4];
    }
}

/* T: full matrices, or squares. */
template <bool SQUARES>
__global__ void __launch_bounds__(512)
    reduce_pairs(int NB, size_t count, const link *pairs, const double *Lf, const double *Kf,
                 double *T, double *scratch)
{
    extern __shared__ __align__(16) double room[];
    const int warp = threadIdx.x / 32, warps = blockDim.x / 32, M = SIDE * NB;
    const size_t size = square_at(NB, 0);
    double *H = scratch ? scratch + blockIdx.x * size : room;
    for (size_t e = blockIdx.x; e < count; e += gridDim.x) {
        const double *L = Lf + pairs[e].i * size, *K = Kf + pairs[e].j * size;
        for (int step = 0; step * warps < NB; step++) { /* there and back: first rows are longer */
            const int c = step * warps + (step % 2 ? warps - 1 - warp : warp);
            if (c < NB)
                reduce_row(NB, c, L, K, H);
        }
        __syncthreads();
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
                    put_square(M, a, b, own, T + e * M * M);
            }
        __syncthreads();
    }
}

/* ---- tridiagonal ----------------------------------------------------------------------------- */

/* The work on one matrix. The last reflection, A - v w' - w v', waits to be done with the product
 * by the next. */
struct reflections {
    double *A; /* rows of ld numbers, both halves */
    int n, ld;
    double *v, *w, *u; /* n each: that reflection, and the next */
    double *partial;   /* of A u, as the warps have them */

    /* One warp: v, w <- the reflection by u, after `pass`. */
    __device__ void tail(int k, double tau)
    {
        const int lane = threadIdx.x % 32, first = k + 1, chunks = (n - first + 31) / 32,
                  groups = blockDim.x / 32 / chunks;
        double s = 0.0;
        for (int c = first + lane; c < n; c += 32) {
            double p = 0.0;
            for (int q = 0; q < groups; q++)
                p += partial[q * 32 * chunks + c - first];
            w[c] = p * tau;
            s = fma(w[c], u[c], s);
        }
        s = 0.5 * tau * warp_sum(s);
        for (int c = first + lane; c < n; c += 32) {
            w[c] = fma(-s, u[c], w[c]);
            v[c] = u[c];
        }
        __syncwarp();
    }

    /* One warp: u <- what reflects row k to its first two numbers, which are returned; tau <-
     * 2/u'u. */
    __device__ double2 head(int k, double &tau)
    {
        const int lane = threadIdx.x % 32;
        const double vk = v[k], wk = w[k];
        double sigma = 0.0;
        for (int c = k + lane; c < n; c += 32) {
            const double x = fma(-vk, w[c], fma(-wk, v[c], A[(size_t)k * ld + c]));
            u[c] = x;
            sigma = c > k + 1 ? fma(x, x, sigma) : sigma;
        }
        sigma = warp_sum(sigma);
        __syncwarp();
        const double d = u[k], x = k + 1 < n ? u[k + 1] : 0.0, norm = sqrt(fma(x, x, sigma));
        const bool any = sigma > 0.0;
        tau = any ? 1.0 / (norm * (norm + fabs(x))) : 0.0;
        __syncwarp();
        for (int c = k + 1 + lane; c < n; c += 32)
            u[c] = !any ? 0.0 : c == k + 1 ? x + copysign(norm, x) : u[c];
        __syncwarp();
        return make_double2(d, any ? -copysign(norm, x) : x);
    }

    /* All warps: what waits is done to rows and columns from k + 1 on, and multiplied by u. */
    __device__ void pass(int k)
    {
        const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, first = k + 1;
        const int chunks = (n - first + 31) / 32, groups = blockDim.x / 32 / chunks;
        const int q = warp / chunks, c = first + 32 * (warp % chunks) + lane;
        if (q >= groups || c >= n)
            return;
        const double vc = v[c], wc = w[c];
        double p = 0.0, *at = A + c;
#pragma unroll 4
        for (int r = first + q; r < n; r += groups) {
            const double a = fma(-v[r], wc, fma(-w[r], vc, at[(size_t)r * ld]));
            at[(size_t)r * ld] = a;
            p = fma(a, u[r], p);
        }
        partial[warp * 32 + lane] = p;
    }
};

/* bands (2 n x stride) <- diagonals, then squares of what is beside them; a pair in a column. In
 * shared memory, or in T itself. */
static __global__ void __launch_bounds__(512)
    tridiagonals(int n, int M, bool here, size_t count, double *T, double *bands, size_t stride)
{
    extern __shared__ __align__(16) double room[];
    reflections h = {
        room + 3 * M + blockDim.x, n, here ? n : M, room, room + M, room + 2 * M, room + 3 * M};
    for (size_t e = blockIdx.x; e < count; e += gridDim.x) {
        double *own = T + e * M * M, tau = 0.0;
        if (!here)
            h.A = own;
        for (int x = threadIdx.x; x < n * n && here; x += blockDim.x)
            h.A[x] = own[x / n * M + x % n];
        for (int c = threadIdx.x; c < n; c += blockDim.x)
            h.v[c] = h.w[c] = 0.0;
        __syncthreads();
        for (int k = 0; k < n; k++) {
            if (threadIdx.x < 32) {
                if (k)
                    h.tail(k - 1, tau);
                const double2 both = h.head(k, tau);
                if (threadIdx.x == 0) {
                    bands[k * stride + e] = both.x;
                    bands[(n + k) * stride + e] = both.y * both.y;
                }
            }
            __syncthreads();
            if (k + 1 < n)
                h.pass(k);
            __syncthreads();
        }
    }
}

/* ---- eigenvalues ----------------------------------------------------------------------------- */

constexpr int PATIENCE = 60; /* iterations for one eigenvalue; 2 are usual */

/* A tridiagonal matrix of one thread: every `step`th number. */
struct bands_of {
    double *diagonal, *square;
    int n, step;
    __device__ double &d(int k) const
    {
        return diagonal[k * step];
    }
    __device__ double &e(int k) const
    {
        return square[k * step];
    }

    /* The first place from l on where the matrix falls apart. */
    __device__ int end_of(int l) const
    {
        int m = l;
        while (m < n - 1 && e(m) > 0x1p-104 * fabs(d(m) * d(m + 1)))
            m++;
        return m;
    }
    /* One iteration on l .. m, shifted by an eigenvalue of the first two. */
    __device__ void iterate(int l, int m) const
    {
        const double root = sqrt(e(l)), half = (d(l + 1) - d(l)) / (2.0 * root);
        const double shift = d(l) - root / (half + copysign(sqrt(fma(half, half, 1.0)), half));
        double c = 1.0, s = 0.0, g = d(m) - shift, p = g * g;
        for (int i = m - 1; i >= l; i--) {
            const double b = e(i), r = p + b, before = c, old = g, a = d(i), inverse = 1.0 / r;
            if (i < m - 1)
                e(i + 1) = s * r;
            c = p * inverse;
            s = b * inverse;
            g = c * (a - shift) - s * old;
            d(i + 1) = old + (a - g);
            p = c != 0.0 ? g * g / c : before * b;
        }
        e(l) = s * p;
        d(l) = shift + g;
    }
    /* d <- eigenvalues; false where that takes too long. */
    __device__ bool solve() const
    {
        for (int l = 0; l < n; l++)
            for (int step = 0;; step++) {
                const int m = end_of(l);
                if (m < n - 1)
                    e(m) = 0.0;
                if (m == l)
                    break;
                if (step == PATIENCE)
                    return false;
                iterate(l, m);
            }
        return true;
    }
};

/* A thread per pair, its matrix in shared memory. Scaled by a power of two, so that squares stay in
 * range. */
static __global__ void log_spectra(int n, size_t count, const double *bands, size_t stride,
                                   const int *wanted, double *d2)
{
    extern __shared__ __align__(16) double room[];
    const int step = blockDim.x;
    const bands_of b = {room + threadIdx.x, room + n * step + threadIdx.x, n, step};
    for (size_t e = (size_t)blockIdx.x * step + threadIdx.x; e < count;
         e += (size_t)gridDim.x * step) {
        double most = 0.0, sum = 0.0;
        int exponent = 0;
        if (wanted && !wanted[e])
            continue;
        for (int k = 0; k < n; k++)
            most = fmax(most, fabs(bands[k * stride + e]));
        if (most < INFINITY)
            frexp(most, &exponent);
        for (int k = 0; k < n; k++) {
            b.d(k) = ldexp(bands[k * stride + e], -exponent);
            b.e(k) = ldexp(bands[(n + k) * stride + e], -2 * exponent);
        }
        bool ok = b.solve();
        for (int k = 0; k < n; k++) {
            const double l = log(ldexp(b.d(k), exponent));
            ok = ok && b.d(k) > 0.0;
            sum = fma(l, l, sum);
        }
        d2[e] = ok ? sum : __longlong_as_double(-1);
    }
}

/* ---- logarithms ------------------------------------------------------------------------------ */

constexpr int NORMERS = 128;

/* d2 <- squared norms of symmetric matrices, but of those that were missed. */
static __global__ void __launch_bounds__(NORMERS)
    norms_kernel(int n, size_t count, const double *F, const int *missed, double *d2)
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
        if (me == 0 && !missed[e])
            d2[e] = room[0];
        __syncthreads();
    }
}

/* ---- launches -------------------------------------------------------------------------------- */

constexpr size_t ROOM = (size_t)1 << 27; /* doubles, of either array */
constexpr int SUMS_FROM = 81;

static void make_scratch(const shape &s, array<double> &scratch)
{
    const size_t size = squares_size(squares_of(s.n));
    if (size * 8 > (size_t)s.shared)
        scratch.make((size_t)s.processors * 2 * size);
}

void spectrum_room::make_logs(const shape &s, size_t pairs)
{
    const size_t M = (size_t)SIDE * squares_of(s.n);
    batch = pairs;
    T.make(batch * M * M);
    logs.make(batch * s.n * s.n);
    missed.make(batch + 1);
    make_scratch(s, scratch);
}

void spectrum_room::make(const shape &s, size_t pairs)
{
    const size_t M = (size_t)SIDE * squares_of(s.n);
    batch = std::min(pairs, ROOM / (M * M));
    chunk = std::min(pairs, std::min((size_t)1 << 17, ROOM / (2 * M)));
    if (s.n >= SUMS_FROM) {
        chunk = std::min(batch, ROOM / 2 / (M * M));
        make_logs(s, chunk);
    } else {
        T.make(batch * M * M);
        make_scratch(s, scratch);
    }
    bands.make(chunk * 2 * s.n);
}

template <bool SQUARES>
static void reduce(const shape &s, const spectrum_room &room, size_t count, const link *pairs,
                   const double *L, const double *K)
{
    const int NB = squares_of(s.n), warps = squares_warps(NB), held = (int)squares_size(NB) * 8;
    const int bytes = room.scratch.at ? 0 : held;
    double *T = room.T.at, *scratch = room.scratch.at;
    const size_t grid =
        std::min(count, (size_t)s.processors * (scratch ? 2 : std::clamp(s.shared / held, 1, 8)));
    allow_shared(reduce_pairs<SQUARES>, bytes, "AIRM pairs");
    reduce_pairs<SQUARES>
        <<<(unsigned)grid, 32 * warps, bytes, s.stream>>>(NB, count, pairs, L, K, T, scratch);
    launched("AIRM pairs");
}

static void make_tridiagonal(const shape &s, const spectrum_room &room, size_t count, double *bands)
{
    const int M = SIDE * squares_of(s.n), threads = M <= 64 ? 128 : M <= 128 ? 256 : 512;
    const int vectors = (3 * M + threads) * 8, held = vectors + s.n * s.n * 8;
    const bool here = held <= s.shared;
    const size_t stride = room.chunk;
    double *T = room.T.at;
    const int bytes = here ? held : vectors;
    const size_t grid = std::min(
        count, (size_t)s.processors * (here ? std::clamp(s.shared / (held + 1024), 1, 8) : 3));
    allow_shared(tridiagonals, bytes, "AIRM pairs");
    tridiagonals<<<(unsigned)grid, threads, bytes, s.stream>>>(s.n, M, here, count, T, bands,
                                                               stride);
    launched("AIRM pairs");
}

static void add_logarithms(const shape &s, const spectrum_room &room, size_t count,
                           const int *wanted, double *d2)
{
    int threads = 128;
    while (threads > 16 && 2 * s.n * threads * 8 > s.shared)
        threads /= 2;
    const int bytes = 2 * s.n * threads * 8;
    const size_t need = (count + threads - 1) / threads, stride = room.chunk;
    const double *bands = room.bands.at;
    const size_t grid = std::min(need, (size_t)s.processors * std::clamp(s.shared / bytes, 1, 8));
    allow_shared(log_spectra, bytes, "AIRM pairs");
    log_spectra<<<(unsigned)grid, threads, bytes, s.stream>>>(s.n, count, bands, stride, wanted,
                                                              d2);
    launched("AIRM pairs");
}

/* By tridiagonal matrices; of the pairs that `wanted` says, unless it is NULL. */
static void take_spectra(const shape &s, spectrum_room &room, size_t count, const link *pairs,
                         const double *L, const double *K, const int *wanted, double *d2)
{
    for (size_t at = 0; at < count; at += room.chunk) {
        const size_t some = std::min(room.chunk, count - at);
        for (size_t first = 0; first < some; first += room.batch) {
            const size_t few = std::min(room.batch, some - first);
            reduce<false>(s, room, few, pairs + at + first, L, K);
            make_tridiagonal(s, room, few, room.bands.at + first);
        }
        add_logarithms(s, room, some, wanted, d2 + at);
    }
}

void squares_logs(const shape &s, const spectrum_room &room, size_t count, const link *pairs,
                  const double *L, const double *K, double *d2)
{
    const int n = s.n, *missed = room.missed.at;
    const unsigned grid = (unsigned)std::min(count, (size_t)s.processors * 16);
    double *logs = room.logs.at;
    shape t = s;
    t.p = count;
    reduce<true>(s, room, count, pairs, L, K);
    sum_poles(t, SPD_FUNCTION_LOG, room.T.at, logs, room.missed.at);
    norms_kernel<<<grid, NORMERS, 0, s.stream>>>(n, count, logs, missed, d2);
    launched("AIRM pairs");
}

/* By poles, a batch. */
static void take_norms(const shape &s, spectrum_room &room, size_t count, const link *pairs,
                       const double *L, const double *K, double *d2)
{
    const int *missed = room.missed.at;
    int some;
    squares_logs(s, room, count, pairs, L, K, d2);
    check(cudaMemcpyAsync(&some, missed + count, sizeof some, cudaMemcpyDeviceToHost, s.stream),
          "AIRM pairs");
    check(cudaStreamSynchronize(s.stream), "AIRM pairs");
    if (some)
        take_spectra(s, room, count, pairs, L, K, missed, d2);
}

void squares_airm(const shape &s, spectrum_room &room, size_t count, const link *pairs,
                  const double *L, const double *K, double *d2)
{
    if (s.n < SUMS_FROM)
        return take_spectra(s, room, count, pairs, L, K, nullptr, d2);
    for (size_t at = 0; at < count; at += room.batch)
        take_norms(s, room, std::min(room.batch, count - at), pairs + at, L, K, d2 + at);
}

} /* namespace spd */
