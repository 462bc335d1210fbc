/* pass.cu - the one pass over the samples: P_i = X_i U, then Q_i = [U W]'P_i.
 *
 * A block of threads takes one sample after the other, its diagonals of blocks (pack.cuh) streaming
 * through ST buffers of shared memory. Warp w owns rows 16w .. 16w+15 of P: from diagonal d it
 * takes block (w, w+d) as it is and block (w-d, w) transposed, both as left operands of the tensor
 * product; U stays in shared memory as right operands. Columns go through in groups of 8 MT. */
#include "cuda/kernels.cuh"
#include "cuda/pack.cuh"

namespace spd
{

/* ---- P = X U --------------------------------------------------------------------------------- */

/* Columns c0 .. c0 + 8 MT - 1 of U (n x M) as right operands: F[(J MT + t) 32 + lane]. */
template <int MT>
__device__ inline void take_operands(int n, int M, int NB, int c0, const double *U, double2 *F)
{
    for (int e = threadIdx.x; e < 2 * NB * MT * 32; e += blockDim.x) {
        const int lane = e % 32, t = e / 32 % MT, r = e / 32 / MT * 8 + 2 * (lane % 4),
                  c = c0 + 8 * t + lane / 4;
        F[e].x = c < M && r < n ? U[r * M + c] : 0.0;
        F[e].y = c < M && r + 1 < n ? U[(r + 1) * M + c] : 0.0;
    }
}

/* acc += block * U, the block read from tiles x and y (rows 0-7 and 8-15) at places p and q. */
template <int MT>
__device__ inline void times_block(double (&acc)[MT][4], const double *x, const double *y,
                                   const int (&p)[2], const int (&q)[2], const double2 *u)
{
    const double a[4] = {x[p[0]], y[q[0]], x[p[1]], y[q[1]]};
#pragma unroll
    for (int t = 0; t < MT; t++) {
        double2 v = u[t * 32];
        mma(acc[t], a, v.x, v.y);
    }
}

/* What warp w takes from diagonal d. U: right operands from my lane on. */
template <int MT>
__device__ inline void take_diagonal(double (&acc)[MT][4], int NB, int w, int d, const double *X,
                                     const double2 *U, const int (&along)[2],
                                     const int (&across)[2])
{
    if (d == 0) {
        const double *S = X + w * 192;
        times_block<MT>(acc, S, S + 64, along, across, U + 2 * w * MT * 32);
        times_block<MT>(acc, S + 64, S + 128, along, along, U + (2 * w + 1) * MT * 32);
        return;
    }
    const int kept = blocks_of(NB, d), D = w + d < NB ? w + d : w + d - NB,
              B = w >= d ? w - d : w - d + NB;
    if (w < kept) {
        const double *S = X + w * 256;
#pragma unroll
        for (int j = 0; j < 2; j++)
            times_block<MT>(acc, S + 64 * j, S + 64 * j + 128, along, along,
                            U + (2 * D + j) * MT * 32);
    }
    if (B < kept) {
        const double *S = X + B * 256;
#pragma unroll
        for (int j = 0; j < 2; j++)
            times_block<MT>(acc, S + 128 * j, S + 128 * j + 64, across, across,
                            U + (2 * B + j) * MT * 32);
    }
}

/* Streams the diagonals of this block's samples into the buffers, one per call. */
struct stream {
    size_t i, p, step;
    int d, slot;
    __device__ void fetch(int NB, int ST, const double *Xp, double *Xs)
    {
        if (i < p) {
            const int count = diagonal_size(NB, d);
            const double *from = Xp + i * packed_doubles(NB) + diagonal_at(NB, d);
            double *to = Xs + slot * NB * 256;
            for (int e = 2 * threadIdx.x; e < count; e += 2 * blockDim.x)
                copy_ahead(to + e, from + e);
            slot = slot + 1 < ST ? slot + 1 : 0;
            if (++d == diagonals(NB)) {
                d = 0;
                i += step;
            }
        }
        copy_commit();
    }
};

template <int MT, int THREADS, int BLOCKS>
__global__ void __launch_bounds__(THREADS, BLOCKS)
    tall_kernel(size_t p, int n, int NB, int M, int c0, int ST, const double *Xp, const double *U,
                double *P)
{
    extern __shared__ __align__(16) unsigned char room[];
    double2 *Us = (double2 *)room;
    double *Xs = (double *)(Us + 2 * NB * MT * 32);
    const int lane = threadIdx.x % 32, w = threadIdx.x / 32, g = lane / 4, b = lane % 4;
    const int along[2] = {tile_at(g, 2 * b), tile_at(g, 2 * b + 1)},
              across[2] = {tile_at(2 * b, g), tile_at(2 * b + 1, g)};
    stream ahead = {blockIdx.x, p, gridDim.x, 0, 0};
    for (int k = 1; k < ST; k++)
        ahead.fetch(NB, ST, Xp, Xs);
    take_operands<MT>(n, M, NB, c0, U, Us);
    int slot = 0;
    for (size_t i = blockIdx.x; i < p; i += gridDim.x) {
        double acc[MT][4] = {};
        for (int d = 0; d < diagonals(NB); d++) {
            if (ST == 4)
                copy_wait<2>();
            else if (ST == 3)
                copy_wait<1>();
            else
                copy_wait<0>();
            __syncthreads();
            ahead.fetch(NB, ST, Xp, Xs);
            take_diagonal<MT>(acc, NB, w, d, Xs + slot * NB * 256, Us + lane, along, across);
            slot = slot + 1 < ST ? slot + 1 : 0;
        }
#pragma unroll
        for (int t = 0; t < MT; t++) {
            int c = c0 + 8 * t + 2 * b, r = 16 * w + g;
            double *to = P + (i * n + r) * M + c;
            if (c < M && r < n)
                *(double2 *)to = make_double2(acc[t][0], acc[t][1]);
            if (c < M && r + 8 < n)
                *(double2 *)(to + 8 * M) = make_double2(acc[t][2], acc[t][3]);
        }
    }
}

/* Buffers, and blocks per multiprocessor: two with three buffers or more, else one. */
static void plan(const shape &s, int MT, int *ST, int *each)
{
    const size_t fixed = (size_t)s.NB * MT * 1024, stage = (size_t)s.NB * 2048,
                 all = (size_t)s.shared;
    *each = s.NB <= 10 && MT <= 4 && 2 * (fixed + 3 * stage + 1024) <= all + 1024 ? 2 : 1;
    for (*ST = 4; *ST > 2 && *each * (fixed + *ST * stage + 1024) > all + 1024;)
        --*ST;
}

template <int MT, int THREADS, int BLOCKS>
static void tall_launch(const shape &s, int c0, const double *Xp, const double *U, double *P)
{
    int ST, each;
    plan(s, MT, &ST, &each);
    size_t bytes = (size_t)s.NB * MT * 1024 + (size_t)ST * s.NB * 2048;
    auto kernel = tall_kernel<MT, THREADS, BLOCKS>;
    allow_shared(kernel, bytes, "data pass");
    size_t grid = (size_t)(s.processors * each);
    kernel<<<(unsigned)(s.p < grid ? s.p : grid), 32 * s.NB, bytes, s.stream>>>(s.p, s.n, s.NB, s.M,
                                                                                c0, ST, Xp, U, P);
    launched("data pass");
}

static void tall_group(const shape &s, int MT, int c0, const double *Xp, const double *U, double *P)
{
    const int big = s.NB > 16 ? 2 : s.NB > 10 ? 1 : 0;
    switch (8 * big + MT) {
        SIZE_CASE(1, tall_launch<1, 320, 2>(s, c0, Xp, U, P));
        SIZE_CASE(2, tall_launch<2, 320, 2>(s, c0, Xp, U, P));
        SIZE_CASE(3, tall_launch<3, 320, 2>(s, c0, Xp, U, P));
        SIZE_CASE(4, tall_launch<4, 320, 2>(s, c0, Xp, U, P));
        SIZE_CASE(5, tall_launch<5, 512, 1>(s, c0, Xp, U, P));
        SIZE_CASE(13, tall_launch<5, 512, 1>(s, c0, Xp, U, P));
        SIZE_CASE(6, tall_launch<6, 512, 1>(s, c0, Xp, U, P));
        SIZE_CASE(14, tall_launch<6, 512, 1>(s, c0, Xp, U, P));
        SIZE_CASE(9, tall_launch<1, 512, 1>(s, c0, Xp, U, P));
        SIZE_CASE(10, tall_launch<2, 512, 1>(s, c0, Xp, U, P));
        SIZE_CASE(11, tall_launch<3, 512, 1>(s, c0, Xp, U, P));
        SIZE_CASE(12, tall_launch<4, 512, 1>(s, c0, Xp, U, P));
        SIZE_CASE(17, tall_launch<1, 1024, 1>(s, c0, Xp, U, P));
        SIZE_CASE(18, tall_launch<2, 1024, 1>(s, c0, Xp, U, P));
    default:
        throw fault{CUDA_FAULT_SIZE, "columns of the data pass", cudaSuccess};
    }
}

/* Most tiles of columns at a time: as registers and shared memory allow. */
static int widest(const shape &s)
{
    int MT = s.NB > 16 ? 2 : 6;
    while (MT > 1 && (size_t)s.NB * (MT * 1024 + 2 * 2048) > (size_t)s.shared)
        MT--;
    return MT;
}

void pass_tall(const shape &s, const double *Xp, const double *U, double *P)
{
    const int tiles = (s.M + 7) / 8, groups = (tiles + widest(s) - 1) / widest(s);
    for (int q = 0, t = 0; q < groups && s.p; q++) {
        const int MT = (tiles - t + groups - q - 1) / (groups - q);
        tall_group(s, MT, 8 * t, Xp, U, P);
        t += MT;
    }
}

/* ---- Q = [U W]'P ----------------------------------------------------------------------------- */

/* Q (2 M x M) <- the tiles of a warp. Of two tiles the columns are 4b + 2(t%2) and on. */
template <int QG, int MT>
__device__ inline void small_store(const double (&s)[QG][MT][4], int q0, int t0, int g, int b,
                                   int M, double *Q)
{
#pragma unroll
    for (int q = 0; q < QG; q++)
#pragma unroll
        for (int t = 0; t < MT; t++)
#pragma unroll
            for (int h = 0; h < 2; h++) {
                const int r = 16 * (q0 + q) + 8 * h + g, t1 = t / 2 * 2;
                const bool two = t1 + 1 < MT;
                const int c = 8 * (t0 + t1) + (two ? 4 * b + 2 * (t % 2) : 2 * b);
                const double x = two ? s[q][t1][2 * h + t % 2] : s[q][t][2 * h];
                const double y = two ? s[q][two ? t1 + 1 : t1][2 * h + t % 2] : s[q][t][2 * h + 1];
                if (r < 2 * M && c < M)
                    *(double2 *)(Q + (size_t)r * M + c) = make_double2(x, y);
            }
}

/* A warp per sample; rows 16 QG y .. and columns 8 MT z .. of Q. Of two tiles of columns the first
 * takes the even ones and the second the odd ones, so that two numbers are read and written at a
 * time. */
template <int QG, int MT>
__global__ void __launch_bounds__(256, QG *MT <= 9 ? 2 : 1)
    small_kernel(size_t p, int n, int NB, int M, const double *U, const double *W, const double *P,
                 double *Q)
{
    extern __shared__ __align__(16) double us[]; /* left operands [k8][q][h][lane][2] */
    const int q0 = QG * blockIdx.y, t0 = MT * blockIdx.z, K8 = 2 * NB;
    for (int e = threadIdx.x; e < K8 * QG * 128; e += blockDim.x) {
        int k = e / (QG * 128), q = e / 128 % QG, h = e / 64 % 2, l = e / 2 % 32, x = e % 2;
        int r = 8 * k + 2 * (l % 4) + h, c = 16 * (q0 + q) + l / 4 + 8 * x;
        us[e] = r >= n || c >= 2 * M ? 0.0 : c < M ? U[r * M + c] : W[r * M + c - M];
    }
    __syncthreads();
    /* Steps that are read before their products; registers allow no more. */
    constexpr int AHEAD = QG * MT > 9 ? 4 : 2;
    const int lane = threadIdx.x % 32, g = lane / 4, b = lane % 4, nw = blockDim.x / 32;
    const double2 zero = make_double2(0.0, 0.0);
    for (size_t i = (size_t)blockIdx.x * nw + threadIdx.x / 32; i < p;
         i += (size_t)gridDim.x * nw) {
        double s[QG][MT][4] = {};
#pragma unroll AHEAD
        for (int k = 0; k < K8; k++) {
            double b0[MT], b1[MT];
            const int r = 8 * k + 2 * b;
#pragma unroll
            for (int t = 0; t + 1 < MT; t += 2) {
                const int c = 8 * (t0 + t) + 2 * g;
                const double *o = P + (i * n + r) * M + c;
                const double2 x = c < M && r < n ? *(const double2 *)o : zero;
                const double2 y = c < M && r + 1 < n ? *(const double2 *)(o + M) : zero;
                b0[t] = x.x;
                b0[t + 1] = x.y;
                b1[t] = y.x;
                b1[t + 1] = y.y;
            }
            if (MT % 2) {
                const int c = 8 * (t0 + MT - 1) + g;
                const double *o = P + (i * n + r) * M + c;
                b0[MT - 1] = c < M && r < n ? o[0] : 0.0;
                b1[MT - 1] = c < M && r + 1 < n ? o[M] : 0.0;
            }
#pragma unroll
            for (int q = 0; q < QG; q++) {
                const double2 *f = (double2 *)us + (k * QG + q) * 64 + lane;
                const double2 x = f[0], y = f[32];
                const double a[4] = {x.x, x.y, y.x, y.y};
#pragma unroll
                for (int t = 0; t < MT; t++)
                    mma(s[q][t], a, b0[t], b1[t]);
            }
        }
        small_store<QG, MT>(s, q0, t0, g, b, M, Q + i * 2 * M * M);
    }
}

template <int QG, int MT>
static void small_launch(const shape &s, const double *U, const double *W, const double *P,
                         double *Q)
{
    const int MQ = (2 * s.M + 15) / 16, tiles = (s.M + 7) / 8;
    size_t bytes = (size_t)2 * s.NB * QG * 1024,
           grid = (size_t)s.processors * (QG * MT <= 9 ? 2 : 1), need = (s.p + 7) / 8;
    auto kernel = small_kernel<QG, MT>;
    allow_shared(kernel, bytes, "small products");
    dim3 blocks((unsigned)(need < grid ? need : grid), (MQ + QG - 1) / QG, (tiles + MT - 1) / MT);
    kernel<<<blocks, 256, bytes, s.stream>>>(s.p, s.n, s.NB, s.M, U, W, P, Q);
    launched("small products");
}

void pass_small(const shape &s, const double *U, const double *W, const double *P, double *Q)
{
    const int MQ = (2 * s.M + 15) / 16;
    if (s.p == 0)
        return;
    if (MQ == 1 || s.p <= 8 * (size_t)s.processors) /* few: a tile of one sample for each warp */
        small_launch<1, 1>(s, U, W, P, Q);
    else if (MQ == 2)
        small_launch<2, 2>(s, U, W, P, Q);
    else if (MQ == 3 && s.NB * 6144 <= s.shared)
        small_launch<3, 3>(s, U, W, P, Q);
    else if (MQ == 4 && s.NB * 8192 <= s.shared)
        small_launch<4, 4>(s, U, W, P, Q);
    else
        small_launch<2, 4>(s, U, W, P, Q);
}

} /* namespace spd */
