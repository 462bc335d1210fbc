/* eigen.cu - eigenvalues and eigenvectors of many symmetric matrices.
 *
 *   2^e X + c I = L L',   L V = [g_1 .. g_M] with orthogonal columns:  eigenvalues |g_k|^2, vectors
 * g_k/|g_k|
 *
 * One-sided Jacobi on the Cholesky factor: V is never formed, and small eigenvalues of a positive
 * definite X keep their digits. c is 0 unless X may be indefinite. Up to M = 32 the columns lie in
 * the registers of a warp (jacobi.cuh); up to 160 in shared memory, a block of threads per matrix;
 * above that two strips of 16 columns at a time do.
 *
 * In shared memory a warp takes two pairs of neighbouring columns at a time into its registers, a
 * row in each lane, and rotates each of the one pair against each of the other. */
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
    place_kernel(size_t p, int n, int M, bool any, const double *X, double *S, placed *how)
{
    __shared__ double room[PLACERS];
    for (size_t i = blockIdx.x; i < p; i += gridDim.x) {
        const double *A = X + i * n * n;
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

void place(const shape &s, bool any, const double *X, double *S, placed *how)
{
    const size_t grid = std::min(s.p, (size_t)s.processors * 32);
    if (s.n <= SMALL_ROWS)
        place_kernel<32><<<(unsigned)grid, 32, 0, s.stream>>>(s.p, s.n, s.M, any, X, S, how);
    else
        place_kernel<128><<<(unsigned)grid, 128, 0, s.stream>>>(s.p, s.n, s.M, any, X, S, how);
    launched("placing the matrices");
}

/* ---- large factors --------------------------------------------------------------------------- */

constexpr int PANEL = 16;

/* acc <- row r of columns first .. of S less what the columns before say of it; by columns. */
__device__ inline void panel_row(int M, const double *A, int first, int r, double (&acc)[PANEL])
{
#pragma unroll
    for (int c = 0; c < PANEL; c++)
        acc[c] = A[(size_t)(first + c) * M + r];
    for (int j = 0; j < first; j++) {
        const double *column = A + (size_t)j * M, l = column[r];
#pragma unroll
        for (int c = 0; c < PANEL; c++)
            acc[c] = fma(-l, column[first + c], acc[c]);
    }
}

/* S <- L by columns, zeros above the diagonal: a block of M threads per matrix, a thread per row,
 * PANEL columns at a time. M is a multiple of PANEL. */
static __global__ void __launch_bounds__(512) factor_panels(int M, size_t p, double *S, outcome *o)
{
    __shared__ double top[PANEL][PANEL]; /* column, row of the panel's uppermost square */
    __shared__ double pivots[PANEL];
    const int r = threadIdx.x;
    for (size_t i = blockIdx.x; i < p; i += gridDim.x) {
        double *A = S + i * M * M;
        bool ok = true;
        for (int first = 0; first < M; first += PANEL) {
            double acc[PANEL];
            __syncthreads(); /* the columns before are written */
            panel_row(M, A, first, r, acc);
#pragma unroll
            for (int c = 0; c < PANEL; c++) {
                if (r == first + c)
                    pivots[c] = acc[c];
                __syncthreads();
                const double pivot = pivots[c], root = sqrt(pivot),
                             l = r == first + c ? root : acc[c] / root;
                ok = ok && pivot > 0.0;
                acc[c] = r < first + c ? 0.0 : l;
                if (r >= first && r < first + PANEL)
                    top[c][r - first] = l;
                __syncthreads();
#pragma unroll
                for (int k = c + 1; k < PANEL; k++)
                    acc[k] = fma(-l, top[c][k], acc[k]);
            }
#pragma unroll
            for (int c = 0; c < PANEL; c++)
                A[(size_t)(first + c) * M + r] = acc[c];
        }
        if (r == 0 && !ok)
            atomicMin(&o->bad, (unsigned long long)i);
        __syncthreads();
    }
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

/* ---- shared memory --------------------------------------------------------------------------- */

/* The sums over the warp of a and of b. */
__device__ inline double2 two_sums(double a, double b)
{
    const bool low = threadIdx.x % 32 < 16;
    const double away = __shfl_xor_sync(~0u, low ? b : a, 16);
    double own = (low ? a : b) + away;
    for (int o = 8; o; o >>= 1)
        own += __shfl_xor_sync(~0u, own, o);
    const double other = __shfl_xor_sync(~0u, own, 16);
    return low ? make_double2(own, other) : make_double2(other, own);
}

/* Rotates a against b and c against d. */
template <int E>
__device__ inline void rotate_two(double (&a)[E], double (&b)[E], scaled &A, scaled &B,
                                  double (&c)[E], double (&d)[E], scaled &C, scaled &D, bool &ok)
{
    double x = 0.0, y = 0.0;
#pragma unroll
    for (int e = 0; e < E; e++) {
        x = fma(a[e], b[e], x);
        y = fma(c[e], d[e], y);
    }
    const double2 dot = two_sums(x, y);
    const double2 first = rotate<strict<32 * E>>(dot.x, A, B, false, ok),
                  second = rotate<strict<32 * E>>(dot.y, C, D, false, ok);
    blend<E>(a, b, first);
    blend<E>(c, d, second);
}

/* What a block of threads holds: columns of 32 E numbers. */
template <int E> struct columns {
    double *V;
    scaled *K;

    __device__ void take(int at, double (&v)[2][E], scaled (&k)[2]) const
    {
#pragma unroll
        for (int c = 0; c < 2; c++) {
            k[c] = K[at + c];
#pragma unroll
            for (int e = 0; e < E; e++)
                v[c][e] = V[(at + c) * 32 * E + 32 * e + threadIdx.x % 32];
        }
    }
    __device__ void put(int at, const double (&v)[2][E], const scaled (&k)[2])
    {
        __syncwarp(); /* all have read the scales */
#pragma unroll
        for (int c = 0; c < 2; c++) {
            if (threadIdx.x % 32 == 0)
                K[at + c] = k[c];
#pragma unroll
            for (int e = 0; e < E; e++)
                V[(at + c) * 32 * E + 32 * e + threadIdx.x % 32] = v[c][e];
        }
    }
    /* Columns a, a + 1 against b, b + 1; inside: and each against its neighbour. */
    __device__ void visit(int a, int b, bool inside, bool &ok)
    {
        double x[2][E], y[2][E];
        scaled X[2], Y[2];
        take(a, x, X);
        take(b, y, Y);
        if (inside)
            rotate_two<E>(x[0], x[1], X[0], X[1], y[0], y[1], Y[0], Y[1], ok);
        rotate_two<E>(x[0], y[0], X[0], Y[0], x[1], y[1], X[1], Y[1], ok);
        rotate_two<E>(x[0], y[1], X[0], Y[1], x[1], y[0], X[1], Y[0], ok);
        put(a, x, X);
        put(b, y, Y);
    }
    /* All pairs of `count` columns, a multiple of 4: the circle method over pairs of columns. */
    __device__ void all_pairs(int count, bool &ok)
    {
        const int D = count / 2;
        for (int step = 0; step < D - 1; step++) {
            for (int t = threadIdx.x / 32; t < D / 2; t += blockDim.x / 32) {
                const int a = t ? (step + t) % (D - 1) : D - 1, b = (step + D - 1 - t) % (D - 1);
                visit(2 * a, 2 * b, step == 0, ok);
            }
            __syncthreads();
        }
    }
    /* The columns of one strip against those of the other. */
    __device__ void across(bool &ok)
    {
        constexpr int D = STRIP / 2;
        for (int step = 0; step < D; step++) {
            for (int t = threadIdx.x / 32; t < D; t += blockDim.x / 32)
                visit(2 * t, STRIP + 2 * ((t + step) % D), false, ok);
            __syncthreads();
        }
    }
    /* Unit scales and fresh norms. */
    __device__ void renew(int count)
    {
        for (int c = threadIdx.x / 32; c < count; c += blockDim.x / 32) {
            double *v = V + c * 32 * E + threadIdx.x % 32, a = 0.0;
            const double by = K[c].s;
#pragma unroll
            for (int e = 0; e < E; e++) {
                const double x = v[32 * e] * by;
                v[32 * e] = x;
                a = fma(x, x, a);
            }
            a = warp_sum(a);
            __syncwarp(); /* all have read the scale */
            if (threadIdx.x % 32 == 0)
                K[c] = {a, 1.0, 1.0};
        }
        __syncthreads();
    }
};

/* A block of threads per matrix, all of it in shared memory. */
template <int E>
__global__ void __launch_bounds__(640)
    eigen_whole(int M, int n, size_t count, const double *Lf, double *U, double *lambda, outcome *o)
{
    extern __shared__ __align__(16) double room[];
    columns<E> h = {room, (scaled *)(room + M * 32 * E)};
    const int lane = threadIdx.x % 32, warps = blockDim.x / 32;
    for (size_t i = blockIdx.x; i < count; i += gridDim.x) {
        const double *L = Lf + i * M * M;
        for (int x = threadIdx.x; x < M * 32 * E; x += blockDim.x)
            h.V[x % M * 32 * E + x / M] = x < M * M ? L[x] : 0.0;
        for (int c = threadIdx.x; c < M; c += blockDim.x)
            h.K[c] = {0.0, 1.0, 1.0};
        __syncthreads();
        int more = 1;
        for (int s = 0; s < SWEEPS && more; s++) {
            bool ok = true;
            h.renew(M);
            h.all_pairs(M, ok);
            more = __syncthreads_or(!ok);
        }
        h.renew(M);
        if (threadIdx.x == 0 && more)
            atomicMin(&o->bad, (unsigned long long)i);
        for (int c = threadIdx.x / 32; c < M; c += warps) {
            const double a = h.K[c].n, inverse = 1.0 / sqrt(a);
            if (lane == 0)
                lambda[i * M + c] = c < n ? a : 0.0;
            for (int k = lane; k < M; k += 32)
                U[(i * M + c) * M + k] = h.V[c * 32 * E + k] * inverse;
        }
        __syncthreads();
    }
}

/* ---- two strips at a time -------------------------------------------------------------------- */

/* Strips a and b of A, which lies by columns, to h. */
template <int E>
__device__ inline void load_strips(const columns<E> &h, int M, const double *A, const double *norm,
                                   int a, int b)
{
    const int lane = threadIdx.x % 32;
    for (int c = threadIdx.x / 32; c < 2 * STRIP; c += blockDim.x / 32) {
        const int column = c < STRIP ? a * STRIP + c : b * STRIP + c - STRIP;
#pragma unroll
        for (int e = 0; e < E; e++)
            h.V[c * 32 * E + 32 * e + lane] =
                32 * e + lane < M ? A[(size_t)column * M + 32 * e + lane] : 0.0;
        if (lane == 0)
            h.K[c] = {norm[column], 1.0, 1.0};
    }
    __syncthreads();
}

template <int E>
__device__ inline void store_strips(const columns<E> &h, int M, double *A, double *norm, int a,
                                    int b)
{
    const int lane = threadIdx.x % 32;
    for (int c = threadIdx.x / 32; c < 2 * STRIP; c += blockDim.x / 32) {
        const int column = c < STRIP ? a * STRIP + c : b * STRIP + c - STRIP;
        const double by = h.K[c].s;
#pragma unroll
        for (int e = 0; e < E; e++)
            if (32 * e + lane < M)
                A[(size_t)column * M + 32 * e + lane] = h.V[c * 32 * E + 32 * e + lane] * by;
        if (lane == 0)
            norm[column] = h.K[c].n;
    }
    __syncthreads();
}

/* Every strip against every other; in the first round, where each is met once, against itself too.
 */
template <int E> __device__ inline bool sweep_strips(columns<E> &h, int M, double *A, double *norm)
{
    const int N = M / STRIP;
    bool ok = true;
    for (int round = 0; round < N - 1; round++)
        for (int t = 0; t < N / 2; t++) {
            const int a = t ? (round + t) % (N - 1) : N - 1, b = (round + N - 1 - t) % (N - 1);
            load_strips<E>(h, M, A, norm, a, b);
            if (round == 0) {
                h.renew(2 * STRIP);
                h.all_pairs(2 * STRIP, ok);
            } else
                h.across(ok);
            store_strips<E>(h, M, A, norm, a, b);
        }
    return ok;
}

template <int E>
__global__ void __launch_bounds__(256)
    eigen_strips(int M, int n, size_t count, double *U, double *lambda, outcome *o)
{
    extern __shared__ __align__(16) double room[];
    columns<E> h = {room, (scaled *)(room + 2 * STRIP * 32 * E)};
    double *norm = room + 2 * STRIP * (32 * E + 3);
    const int lane = threadIdx.x % 32;
    for (size_t i = blockIdx.x; i < count; i += gridDim.x) {
        double *A = U + i * M * M;
        int more = 1;
        for (int c = threadIdx.x; c < M; c += blockDim.x)
            norm[c] = 0.0;
        __syncthreads();
        for (int s = 0; s < SWEEPS && more; s++)
            more = __syncthreads_or(!sweep_strips<E>(h, M, A, norm));
        if (threadIdx.x == 0 && more)
            atomicMin(&o->bad, (unsigned long long)i);
        for (int c = threadIdx.x / 32; c < M; c += blockDim.x / 32) {
            double *column = A + (size_t)c * M, a = 0.0;
            for (int k = lane; k < M; k += 32)
                a = fma(column[k], column[k], a);
            a = warp_sum(a);
            if (lane == 0)
                lambda[i * M + c] = c < n ? a : 0.0;
            for (int k = lane; k < M; k += 32)
                column[k] *= 1.0 / sqrt(a);
        }
        __syncthreads();
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

template <int E>
static void launch_whole(const shape &s, const double *L, double *U, double *lambda, outcome *o)
{
    const int bytes = s.M * (32 * E + 3) * 8, quads = s.M / 4, turns = (quads + 19) / 20;
    const int warps = (quads + turns - 1) / turns;
    allow_shared(eigen_whole<E>, bytes, "eigenvalues");
    const size_t grid = std::min(s.p, (size_t)s.processors * 8);
    eigen_whole<E><<<(unsigned)grid, 32 * warps, bytes, s.stream>>>(s.M, s.n, s.p, L, U, lambda, o);
}

template <int E> static void launch_strips(const shape &s, double *U, double *lambda, outcome *o)
{
    const int bytes = (2 * STRIP * (32 * E + 3) + s.M) * 8;
    allow_shared(eigen_strips<E>, bytes, "eigenvalues");
    const size_t grid = std::min(s.p, (size_t)s.processors * 4);
    eigen_strips<E><<<(unsigned)grid, 256, bytes, s.stream>>>(s.M, s.n, s.p, U, lambda, o);
}

static void eigen_large(const shape &s, double *S, const double *L, double *lambda, outcome *o)
{
    switch ((s.M + 31) / 32) {
        SIZE_CASE(2, launch_whole<2>(s, L, S, lambda, o));
        SIZE_CASE(3, launch_whole<3>(s, L, S, lambda, o));
        SIZE_CASE(4, launch_whole<4>(s, L, S, lambda, o));
        SIZE_CASE(5, launch_whole<5>(s, L, S, lambda, o));
        SIZE_CASE(6, launch_strips<6>(s, S, lambda, o));
        SIZE_CASE(7, launch_strips<8>(s, S, lambda, o));
        SIZE_CASE(8, launch_strips<8>(s, S, lambda, o));
        SIZE_CASE(9, launch_strips<10>(s, S, lambda, o));
        SIZE_CASE(10, launch_strips<10>(s, S, lambda, o));
        SIZE_CASE(11, launch_strips<12>(s, S, lambda, o));
        SIZE_CASE(12, launch_strips<12>(s, S, lambda, o));
    default:
        launch_strips<16>(s, S, lambda, o);
    }
}

void eigen_of_factors(const shape &s, double *S, const double *L, double *lambda, outcome *o)
{
    switch (s.M) {
        SIZE_CASE(8, launch_small<8, 4, 4>(s, L, S, lambda, o));
        SIZE_CASE(16, launch_small<16, 4, 2>(s, L, S, lambda, o));
        SIZE_CASE(20, launch_small<20, 4, 2>(s, L, S, lambda, o));
        SIZE_CASE(24, launch_small<24, 2, 2>(s, L, S, lambda, o));
        SIZE_CASE(30, launch_small<30, 2, 2>(s, L, S, lambda, o));
        SIZE_CASE(32, launch_small<32, 2, 2>(s, L, S, lambda, o));
    default:
        eigen_large(s, S, L, lambda, o);
    }
    launched("eigenvalues");
}

void spectral_factors(const shape &s, double *S, double *L, double *Li, outcome *o)
{
    if (s.M <= WHOLE)
        airm_samples(s, S, L, Li, o);
    else
        factor_panels<<<(unsigned)std::min(s.p, (size_t)s.processors * 4), s.M, 0, s.stream>>>(
            s.M, s.p, S, o);
    launched("factors");
}

void eigen(const shape &s, bool vectors, double *S, double *L, double *Li, double *lambda,
           outcome *o)
{
    if (cusolver_takes(s.n))
        return cusolver_eigen(s, vectors, S, lambda, o);
    spectral_factors(s, S, L, Li, o);
    eigen_of_factors(s, S, L, lambda, o);
}

} /* namespace spd */
