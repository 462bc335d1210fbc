/* step.cu - what an iteration needs besides the data pass and the pairs.
 *
 *   rotate     S_i <- V'S_i V
 *   trial      S_i(t) = C S_i C + C Qwu S + S Qwu' C + S Quu S       C, S = diag(cos), diag(sin)
 *   slope      f'(t) = sum_i tr(Z_i dS_i/dt)/2
 *   point      W <- W V, then W cos + U sin
 *   gradient   Y_i <- Y_i T + P_i diag(sin), and G = sum_i Y_i Z_i, with Y, P, Z read once */
#include "cuda/kernels.cuh"

namespace spd
{

/* That sum the gradient: two blocks of 8 on each of 132 processors; fixed, as SUMS is. */
constexpr int WARPS = 2112;

/* ---- small matrices -------------------------------------------------------------------------- */

static __global__ void first_kernel(size_t count, int m, int M, const double *Q, double *S)
{
    for (size_t e = blockIdx.x * (size_t)blockDim.x + threadIdx.x; e < count;
         e += (size_t)gridDim.x * blockDim.x) {
        const size_t i = e / (M * M);
        const int a = e / M % M, b = e % M, r = a > b ? a : b, c = a > b ? b : a;
        S[e] = r < m ? Q[(i * 2 * M + r) * M + c] : r == c;
    }
}

void first_small(const shape &s, const double *Q, double *S)
{
    if (s.p)
        first_kernel<<<s.processors * 8, 256, 0, s.stream>>>(s.p * s.M * s.M, s.m, s.M, Q, S);
    launched("first products");
}

/* A warp per sample. V' stays in registers as left operands. The accumulators of V'S are, by the
 * symmetry of S, the right operands of V'(S V). */
template <int MT>
__global__ void __launch_bounds__(128) rotate_kernel(size_t p, int M, const double *V, double *S)
{
    constexpr int RT = (MT + 1) / 2;
    const int lane = threadIdx.x % 32, g = lane / 4, b = lane % 4;
    double v[RT][MT][4];
#pragma unroll
    for (int q = 0; q < RT; q++)
#pragma unroll
        for (int t = 0; t < MT; t++)
#pragma unroll
            for (int x = 0; x < 4; x++) {
                const int r = 8 * t + 2 * b + x / 2, c = 16 * q + g + 8 * (x % 2);
                v[q][t][x] = r < M && c < M ? V[r * M + c] : 0.0;
            }
    for (size_t i = (size_t)blockIdx.x * 4 + threadIdx.x / 32; i < p; i += (size_t)gridDim.x * 4) {
        double *Si = S + i * M * M, half[RT][MT][4] = {};
#pragma unroll
        for (int u = 0; u < MT; u++)
#pragma unroll
            for (int t = 0; t < MT; t++) {
                const int r = 8 * u + g, c = 8 * t + 2 * b;
                const double2 x =
                    r < M && c < M ? *(const double2 *)(Si + r * M + c) : make_double2(0.0, 0.0);
#pragma unroll
                for (int q = 0; q < RT; q++)
                    mma(half[q][u], v[q][t], x.x, x.y);
            }
#pragma unroll
        for (int q = 0; q < RT; q++)
#pragma unroll
            for (int u = 0; u < MT; u++) {
                double whole[4] = {};
#pragma unroll
                for (int t = 0; t < MT; t++)
                    mma(whole, v[q][t], half[u / 2][t][u % 2 * 2], half[u / 2][t][u % 2 * 2 + 1]);
                const int r = 16 * q + g, c = 8 * u + 2 * b;
                if (r < M && c < M)
                    *(double2 *)(Si + r * M + c) = make_double2(whole[0], whole[1]);
                if (r + 8 < M && c < M)
                    *(double2 *)(Si + (r + 8) * M + c) = make_double2(whole[2], whole[3]);
            }
    }
}

/* Any M: a block of threads per sample, S V in shared memory. */
static __global__ void __launch_bounds__(256)
    rotate_block(int M, size_t p, const double *V, double *S)
{
    extern __shared__ __align__(16) double T[];
    for (size_t i = blockIdx.x; i < p; i += gridDim.x) {
        double *Si = S + i * M * M;
        for (int x = threadIdx.x; x < M * M; x += blockDim.x) {
            double a = 0.0;
            for (int k = 0; k < M; k++)
                a = fma(Si[x / M * M + k], V[k * M + x % M], a);
            T[x] = a;
        }
        __syncthreads();
        for (int x = threadIdx.x; x < M * M; x += blockDim.x) {
            double a = 0.0;
            for (int k = 0; k < M; k++)
                a = fma(V[k * M + x / M], T[k * M + x % M], a);
            Si[x] = a;
        }
        __syncthreads();
    }
}

template <int MT> static void rotate_launch(const shape &s, const double *V, double *S)
{
    size_t need = (s.p + 3) / 4, grid = (size_t)s.processors * 4;
    rotate_kernel<MT><<<(unsigned)(need < grid ? need : grid), 128, 0, s.stream>>>(s.p, s.M, V, S);
}

void rotate_small(const shape &s, const double *V, double *S)
{
    if (s.p == 0)
        return;
    switch ((s.M + 7) / 8) {
        SIZE_CASE(1, rotate_launch<1>(s, V, S));
        SIZE_CASE(2, rotate_launch<2>(s, V, S));
        SIZE_CASE(3, rotate_launch<3>(s, V, S));
        SIZE_CASE(4, rotate_launch<4>(s, V, S));
    default:
        allow_shared(rotate_block, s.M * s.M * 8, "rotation");
        rotate_block<<<(unsigned)(s.p < 4096 ? s.p : 4096), 256, s.M * s.M * 8, s.stream>>>(
            s.M, s.p, V, S);
    }
    launched("rotation");
}

/* A thread per element; both triangles from the lower one, so that S is symmetric to the bit. */
static __global__ void trial_kernel(size_t count, int M, const double *angles, const double *S0,
                                    const double *Q, double *S)
{
    for (size_t e = blockIdx.x * (size_t)blockDim.x + threadIdx.x; e < count;
         e += (size_t)gridDim.x * blockDim.x) {
        const size_t i = e / (M * M);
        const int x = (int)(e - i * (M * M)), a = x / M, b = x % M, r = a > b ? a : b,
                  c = a > b ? b : a;
        const double *Quu = Q + i * 2 * M * M, *Qwu = Quu + M * M;
        const double cr = angles[r], sr = angles[M + r], cc = angles[c], sc = angles[M + c];
        S[e] = cr * cc * S0[i * M * M + r * M + c] + cr * sc * Qwu[r * M + c] +
               sr * cc * Qwu[c * M + r] + sr * sc * Quu[r * M + c];
    }
}

void trial(const shape &s, const double *angles, const double *S0, const double *Q, double *S)
{
    size_t count = s.p * s.M * s.M, need = (count + 255) / 256, grid = (size_t)s.processors * 16;
    if (count)
        trial_kernel<<<(unsigned)(need < grid ? need : grid), 256, 0, s.stream>>>(count, s.M,
                                                                                  angles, S0, Q, S);
    launched("trial point");
}

/* LANES threads per sample, 32 or the whole block. Z is symmetric, so d(c_a c_b) counts as 2 dc_a
 * c_b. */
template <int LANES>
__global__ void __launch_bounds__(256)
    slope_kernel(size_t p, int M, const double *angles, const double *S0, const double *Q,
                 const double *Z, double *d)
{
    __shared__ double sums[8];
    const int lane = threadIdx.x % LANES;
    const size_t i = blockIdx.x * (size_t)(256 / LANES) + threadIdx.x / LANES;
    if (i >= p)
        return;
    const double *s0 = S0 + i * M * M, *Quu = Q + i * 2 * M * M, *Qwu = Quu + M * M,
                 *z = Z + i * M * M;
    double sum = 0.0;
#pragma unroll 4
    for (int k = lane; k < M * M; k += LANES) {
        const int a = k / M, b = k % M;
        const double ca = angles[a], sa = angles[M + a], cb = angles[b], sb = angles[M + b];
        const double dc = -angles[2 * M + a] * sa, ds = angles[2 * M + a] * ca;
        sum = fma(z[k],
                  dc * cb * s0[k] + ds * sb * Quu[k] +
                      (dc * sb + ca * angles[2 * M + b] * cb) * Qwu[k],
                  sum);
    }
    for (int o = 16; o; o >>= 1)
        sum += __shfl_xor_sync(~0u, sum, o);
    if (LANES > 32) {
        if (lane % 32 == 0)
            sums[lane / 32] = sum;
        __syncthreads();
        for (int w = 1; w < LANES / 32 && lane == 0; w++)
            sum += sums[w];
    }
    if (lane == 0)
        d[i] = sum;
}

void slope(const shape &s, const double *angles, const double *S0, const double *Q, const double *Z,
           double *d)
{
    if (s.p && s.few)
        slope_kernel<256><<<(unsigned)s.p, 256, 0, s.stream>>>(s.p, s.M, angles, S0, Q, Z, d);
    else if (s.p)
        slope_kernel<32>
            <<<(unsigned)((s.p + 7) / 8), 256, 0, s.stream>>>(s.p, s.M, angles, S0, Q, Z, d);
    launched("slope");
}

/* ---- the point ------------------------------------------------------------------------------- */

/* W <- W V, a row per block. */
static __global__ void rotate_point_kernel(int M, const double *V, double *W)
{
    __shared__ double row[128];
    const int c = threadIdx.x;
    double *at = W + (size_t)blockIdx.x * M + c, sum = 0.0;
    row[c] = *at;
    __syncthreads();
    for (int k = 0; k < M; k++)
        sum = fma(row[k], V[k * M + c], sum);
    *at = sum;
}

void rotate_point(const shape &s, const double *V, double *W)
{
    rotate_point_kernel<<<s.n, s.M, 0, s.stream>>>(s.M, V, W);
    launched("rotation of the point");
}

static __global__ void move_point_kernel(int M, const double *angles, const double *U, double *W)
{
    const int c = threadIdx.x;
    const size_t at = (size_t)blockIdx.x * M + c;
    W[at] = W[at] * angles[c] + U[at] * angles[M + c];
}

void move_point(const shape &s, const double *angles, const double *U, double *W)
{
    move_point_kernel<<<s.n, s.M, 0, s.stream>>>(s.M, angles, U, W);
    launched("step of the point");
}

/* ---- tall matrices --------------------------------------------------------------------------- */

/* D <- P diag(sine) of two rows, zero for those that do not exist. */
__device__ inline void rotate_start(double (&D)[4], bool in0, bool in1, const double *P0,
                                    const double *P1, const double *sine)
{
    const double2 zero = make_double2(0.0, 0.0), s = in0 || in1 ? *(const double2 *)sine : zero;
    const double2 q0 = in0 ? *(const double2 *)P0 : zero, q1 = in1 ? *(const double2 *)P1 : zero;
    D[0] = q0.x * s.x;
    D[1] = q0.y * s.y;
    D[2] = q1.x * s.x;
    D[3] = q1.y * s.y;
}

/* D <- Y of two rows. */
__device__ inline void rotate_none(double (&D)[4], double2 y0, double2 y1)
{
    D[0] = y0.x;
    D[1] = y0.y;
    D[2] = y1.x;
    D[3] = y1.y;
}

/* part (n x M) <- a warp's 16 rows, from row r and column c on. */
template <int MT>
__device__ inline void gradient_store(const double (&G)[MT][4], int r, int c, int n, int M,
                                      double *part)
{
#pragma unroll
    for (int u = 0; u < MT; u++)
#pragma unroll
        for (int h = 0; h < 4; h++) {
            const int column = 8 * u + c + h % 2, row = r + 8 * (h / 2);
            if (column < M && row < n)
                part[(size_t)row * M + column] = G[u][h];
        }
}

/* A warp owns 16 rows of every sample of its slice, and their part of G, part (slices x n x M). T
 * as right operands in shared memory. ROTATE: move Y first. */
template <int MT, bool ROTATE>
__global__ void __launch_bounds__(256, MT <= 3 ? 2 : 1)
    gradient_kernel(cut q, int n, int NB, int M, const double *T, const double *sine, double *Y,
                    const double *P, const double *Z, double *part)
{
    __shared__ double2 Ts[ROTATE ? MT * MT * 32 : 1];
    const int lane = threadIdx.x % 32, g = lane / 4, b = lane % 4;
    const double2 zero = make_double2(0.0, 0.0);
    for (int e = threadIdx.x; ROTATE && e < MT * MT * 32; e += blockDim.x) {
        const int t = e / 32 / MT, u = e / 32 % MT, k = 8 * t + 2 * (e % 4), c = 8 * u + e % 32 / 4;
        Ts[e] = k < M && c < M ? make_double2(T[k * M + c], T[(k + 1) * M + c]) : zero;
    }
    __syncthreads();
    const int w = blockIdx.x * 8 + threadIdx.x / 32, slice = w / NB, r = w % NB * 16 + g;
    const bool in0 = r < n, in1 = r + 8 < n;
    if (slice >= q.count)
        return;
    double G[MT][4] = {};
    for (size_t i = q.begin(slice); i < q.begin(slice + 1); i++) {
        double2 y0[MT], y1[MT], z[MT][MT]; /* all read before anything waits */
        double D[MT][4];
#pragma unroll
        for (int t = 0; t < MT; t++) {
            const int k = 8 * t + 2 * b;
            const size_t o = (i * n + r) * M + k;
            y0[t] = k < M && in0 ? *(const double2 *)(Y + o) : zero;
            y1[t] = k < M && in1 ? *(const double2 *)(Y + o + 8 * M) : zero;
#pragma unroll
            for (int u = 0; u < MT; u++)
                z[t][u] = k < M && 8 * u + g < M
                              ? *(const double2 *)(Z + (i * M + 8 * u + g) * M + k)
                              : zero;
            if (ROTATE)
                rotate_start(D[t], k < M && in0, k < M && in1, P + o, P + o + 8 * M, sine + k);
            else
                rotate_none(D[t], y0[t], y1[t]);
        }
        if (ROTATE) {
#pragma unroll
            for (int t = 0; t < MT; t++) {
                const double a[4] = {y0[t].x, y1[t].x, y0[t].y, y1[t].y};
#pragma unroll
                for (int u = 0; u < MT; u++) {
                    const double2 x = Ts[(t * MT + u) * 32 + lane];
                    mma(D[u], a, x.x, x.y);
                }
            }
        }
#pragma unroll
        for (int t = 0; t < MT; t++) {
            const int k = 8 * t + 2 * b;
            const size_t o = (i * n + r) * M + k;
            const double a[4] = {D[t][0], D[t][2], D[t][1], D[t][3]};
            if (ROTATE && k < M && in0)
                *(double2 *)(Y + o) = make_double2(D[t][0], D[t][1]);
            if (ROTATE && k < M && in1)
                *(double2 *)(Y + o + 8 * M) = make_double2(D[t][2], D[t][3]);
#pragma unroll
            for (int u = 0; u < MT; u++)
                mma(G[u], a, z[t][u].x, z[t][u].y);
        }
    }
    gradient_store<MT>(G, r, 2 * b, n, M, part + (size_t)slice * n * M);
}

/* Any M: P <- Y T + P diag(sine), a row per block, a column per thread. */
static __global__ void rotate_rows(size_t rows, int M, const double *T, const double *sine,
                                   const double *Y, double *P)
{
    __shared__ double y[4][128];
    const int c = threadIdx.x;
    for (size_t r = (size_t)blockIdx.x * 4; r < rows; r += (size_t)gridDim.x * 4) {
        const int here = rows - r < 4 ? (int)(rows - r) : 4;
        double sum[4];
        __syncthreads();
        for (int q = 0; q < here; q++) {
            y[q][c] = Y[(r + q) * M + c];
            sum[q] = P[(r + q) * M + c] * sine[c];
        }
        __syncthreads();
        for (int k = 0; k < M; k++) {
            const double t = T[k * M + c];
            for (int q = 0; q < here; q++)
                sum[q] = fma(y[q][k], t, sum[q]);
        }
        for (int q = 0; q < here; q++)
            P[(r + q) * M + c] = sum[q];
    }
}

/* Any M: eight rows and one slice per block, a column per thread. */
static __global__ void gradient_rows(cut q, int n, int M, const double *Y, const double *Z,
                                     double *part)
{
    __shared__ double y[8][128];
    const int c = threadIdx.x, r0 = 8 * blockIdx.y, slice = blockIdx.x;
    double sum[8] = {};
    for (size_t i = q.begin(slice); i < q.begin(slice + 1); i++) {
        __syncthreads();
        for (int r = 0; r < 8; r++)
            y[r][c] = r0 + r < n ? Y[(i * n + r0 + r) * M + c] : 0.0;
        __syncthreads();
        for (int k = 0; k < M; k++) {
            const double z = Z[(i * M + k) * M + c];
#pragma unroll
            for (int r = 0; r < 8; r++)
                sum[r] = fma(y[r][k], z, sum[r]);
        }
    }
    for (int r = 0; r < 8; r++)
        if (r0 + r < n)
            part[((size_t)slice * n + r0 + r) * M + c] = sum[r];
}

/* out[q] <- sum of the slices: 32 columns and 8 warps per block, each with every eighth slice. */
static __global__ void __launch_bounds__(256)
    slices_kernel(int columns, int slices, const double *part, double *out)
{
    __shared__ double sums[8][32];
    const int lane = threadIdx.x % 32, w = threadIdx.x / 32, q = blockIdx.x * 32 + lane;
    double t = 0.0;
#pragma unroll 8
    for (int k = w; q < columns && k < slices; k += 8)
        t += part[(size_t)k * columns + q];
    sums[w][lane] = t;
    __syncthreads();
    for (int k = 1; w == 0 && k < 8; k++)
        t += sums[k][lane];
    if (w == 0 && q < columns)
        out[q] = t;
}

int slices_of(int NB, size_t p)
{
    const int slices = WARPS / NB;
    return p < (size_t)slices ? (int)p : slices;
}

template <int MT>
static void gradient_launch(const shape &s, const cut &q, const double *T, const double *sine,
                            double *Y, const double *P, const double *Z, double *part)
{
    const int grid = (q.count * s.NB + 7) / 8;
    if (T)
        gradient_kernel<MT, true>
            <<<grid, 256, 0, s.stream>>>(q, s.n, s.NB, s.M, T, sine, Y, P, Z, part);
    else
        gradient_kernel<MT, false>
            <<<grid, 256, 0, s.stream>>>(q, s.n, s.NB, s.M, T, sine, Y, P, Z, part);
}

void step_gradient(const shape &s, const cut &q, const double *T, const double *sine, double *Y,
                   double *P, const double *Z, double *part)
{
    if (q.count == 0)
        return;
    switch ((s.M + 7) / 8) {
        SIZE_CASE(1, gradient_launch<1>(s, q, T, sine, Y, P, Z, part));
        SIZE_CASE(2, gradient_launch<2>(s, q, T, sine, Y, P, Z, part));
        SIZE_CASE(3, gradient_launch<3>(s, q, T, sine, Y, P, Z, part));
        SIZE_CASE(4, gradient_launch<4>(s, q, T, sine, Y, P, Z, part));
    default:
        if (T)
            rotate_rows<<<s.processors * 8, s.M, 0, s.stream>>>(s.p * s.n, s.M, T, sine, Y, P);
        gradient_rows<<<dim3(q.count, (s.n + 7) / 8), s.M, 0, s.stream>>>(q, s.n, s.M, T ? P : Y, Z,
                                                                          part);
    }
    launched("gradient");
}

void add_slices(const shape &s, int slices, const double *part, double *G)
{
    slices_kernel<<<(s.n * s.M + 31) / 32, 256, 0, s.stream>>>(s.n * s.M, slices, part, G);
    launched("gradient");
}

} /* namespace spd */
