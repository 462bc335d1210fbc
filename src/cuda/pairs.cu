/* pairs.cu - from the matrices of pairs to the weights of samples, and sums in a fixed order.
 *
 * Every sample adds up the triangles of its pairs in the order of the graph; a sample with many is
 * cut into parts, whose sums are added in order. Nothing depends on the device or on timing. */
#include "cuda/kernels.cuh"

namespace spd
{

/* Row and column of element e of a triangle kept column by column. */
__device__ inline void tri_of(int M, int e, int *r, int *c)
{
    int k = (int)((2 * M + 1 - sqrtf((float)((2 * M + 1) * (2 * M + 1) - 8 * e))) / 2);
    while (k > 0 && tri_at(M, k, k) > e)
        k--;
    while (tri_at(M, k, k) + M - k <= e)
        k++;
    *c = k;
    *r = k + e - tri_at(M, k, k);
}

/* Puts one sum in its two places, with the sample's own term. */
__device__ inline void put(const weights &z, bool second, bool first, size_t p, int M,
                           uint32_t sample, int e, double sum)
{
    int r, c;
    tri_of(M, e, &r, &c);
    double *Z = (second ? z.Zb : z.Z) + (sample - z.from) * M * M;
    if (first && z.own)
        sum = fma(-z.degree[sample], z.own[(size_t)sample * tri(M) + e], sum);
    else if (!first)
        sum += Z[r * M + c];
    Z[r * M + c] = sum;
    Z[c * M + r] = sum;
}

/* The ends of a part, in shared memory; all threads of the block. */
__device__ inline const end *take_ends(const part &q, const end *ends)
{
    __shared__ end own[PART];
    for (uint32_t k = threadIdx.x; k < q.count; k += blockDim.x)
        own[k] = ends[q.first + k];
    __syncthreads();
    return own;
}

/* One part's sums: a sample's whole ones, or to be added to others. */
template <bool TWO>
__device__ inline void keep(const part &q, size_t p, int M, int e, double a, double b, bool first,
                            double *partial, const weights &z)
{
    const size_t T = tri(M);
    if (q.slot == NOWHERE) {
        put(z, false, first, p, M, q.sample, e, a);
        if (TWO)
            put(z, true, first, p, M, q.sample, e, b);
    } else {
        partial[q.slot * 2 * T + e] = a;
        if (TWO)
            partial[(q.slot * 2 + 1) * T + e] = b;
    }
}

static __global__ void gather_kernel(size_t p, int M, bool first, const part *list, const end *ends,
                                     const double *C, double *partial, weights z)
{
    const part q = list[blockIdx.x];
    const int T = tri(M);
    const end *own = take_ends(q, ends);
    for (int e = threadIdx.x; e < T; e += blockDim.x) {
        double sum = 0.0;
#pragma unroll 8
        for (uint32_t k = 0; k < q.count; k++)
            sum = fma(own[k].weight, C[(size_t)own[k].row * T + e], sum);
        keep<false>(q, p, M, e, sum, 0.0, first, partial, z);
    }
}

template <bool TWO>
__global__ void gather_parts_kernel(size_t p, int M, bool first, const part *list,
                                    const double *partial, weights z)
{
    const part q = list[blockIdx.x];
    const int T = tri(M);
    for (int second = 0; second <= TWO; second++)
        for (int e = threadIdx.x; e < T; e += blockDim.x) {
            double sum = 0.0;
#pragma unroll 4
            for (uint32_t k = q.first; k < q.first + q.count; k++)
                sum += partial[((size_t)k * 2 + second) * T + e];
            put(z, second, first, p, M, q.sample, e, sum);
        }
}

template <bool TWO>
__global__ void gather_plain_kernel(size_t p, int M, const part *list, const end *ends,
                                    const double *A, const double *B, double *partial, weights z)
{
    const part q = list[blockIdx.x];
    const int T = tri(M);
    const end *own = take_ends(q, ends);
    for (int e = threadIdx.x; e < T; e += blockDim.x) {
        const size_t here = (size_t)q.sample * T + e;
        const double a0 = A[here], b0 = TWO ? B[here] : 0.0;
        double a = 0.0, b = 0.0;
#pragma unroll 4
        for (uint32_t k = 0; k < q.count; k++) {
            const double w = own[k].weight;
            const size_t at = (size_t)own[k].row * T + e;
            a = fma(w, A[at] - a0, a);
            if (TWO)
                b = fma(w, B[at] - b0, b);
        }
        keep<TWO>(q, p, M, e, a, b, true, partial, z);
    }
}

static unsigned threads_for(int M)
{
    int T = (tri(M) + 31) / 32 * 32;
    return (unsigned)(T < 256 ? T : 256);
}

void gather(const shape &s, bool first, unsigned parts, const part *list, const end *ends,
            const double *C, double *partial, const weights &z)
{
    if (parts)
        gather_kernel<<<parts, threads_for(s.M), 0, s.stream>>>(s.p, s.M, first, list, ends, C,
                                                                partial, z);
    launched("weights of samples");
}

void gather_plain(const shape &s, unsigned parts, const part *list, const end *ends,
                  const double *A, const double *B, double *partial, const weights &z)
{
    const unsigned threads = threads_for(s.M);
    if (parts && B)
        gather_plain_kernel<true>
            <<<parts, threads, 0, s.stream>>>(s.p, s.M, list, ends, A, B, partial, z);
    else if (parts)
        gather_plain_kernel<false>
            <<<parts, threads, 0, s.stream>>>(s.p, s.M, list, ends, A, B, partial, z);
    launched("weights of samples");
}

void gather_parts(const shape &s, bool first, unsigned samples, const part *list,
                  const double *partial, const weights &z)
{
    if (samples && z.Zb)
        gather_parts_kernel<true>
            <<<samples, threads_for(s.M), 0, s.stream>>>(s.p, s.M, first, list, partial, z);
    else if (samples)
        gather_parts_kernel<false>
            <<<samples, threads_for(s.M), 0, s.stream>>>(s.p, s.M, first, list, partial, z);
    launched("weights of samples");
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* The block's sum of x, in thread 0. */
__device__ inline double block_sum(double x)
{
    __shared__ double part[256];
    __syncthreads();
    part[threadIdx.x] = x;
    __syncthreads();
    for (int o = 128; o; o >>= 1) {
        if (threadIdx.x < o)
            part[threadIdx.x] += part[threadIdx.x + o];
        __syncthreads();
    }
    return part[0];
}

/* work[k] <- sum of part k of x times a; work[SUMS + k] the same with b. */
static __global__ void share_kernel(size_t count, const double *x, const double *a, const double *b,
                                    double *work)
{
    double sa = 0.0, sb = 0.0;
    for (size_t e = blockIdx.x * (size_t)256 + threadIdx.x; e < count; e += (size_t)256 * SUMS) {
        sa = a ? fma(a[e], x[e], sa) : sa + x[e];
        if (b)
            sb = fma(b[e], x[e], sb);
    }
    sa = block_sum(sa);
    sb = block_sum(sb);
    if (threadIdx.x == 0) {
        work[blockIdx.x] = sa;
        work[SUMS + blockIdx.x] = sb;
    }
}

static __global__ void total_kernel(const double *work, double *a, double *b)
{
    const bool in = threadIdx.x < SUMS;
    const double sa = block_sum(in ? work[threadIdx.x] : 0.0),
                 sb = block_sum(in ? work[SUMS + threadIdx.x] : 0.0);
    if (threadIdx.x == 0) {
        *a = sa;
        if (b)
            *b = sb;
    }
}

/* x summed over the warp's 256 numbers, eight for each lane, 32 apart: by block_sum's tree. */
__device__ inline double tree_sum(double (&x)[8])
{
#pragma unroll
    for (int o = 4; o; o >>= 1)
#pragma unroll
        for (int j = 0; j < o; j++)
            x[j] += x[j + o];
    for (int o = 16; o; o >>= 1)
        x[0] += __shfl_xor_sync(~0u, x[0], o);
    return x[0];
}

/* What the two kernels above compute, bit for bit, where every thread of theirs has one number at
 * most: a part per warp of a single block. A launch less, which is what counts where there is
 * little to add. */
static __global__ void __launch_bounds__(1024)
    few_kernel(size_t count, const double *x, const double *a, const double *b, double *to_a,
               double *to_b)
{
    __shared__ double work[2][256];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int k = warp; k < 256; k += 32)
        for (int side = 0; side < 2; side++) {
            const double *w = side ? b : a;
            double v[8] = {};
            if ((size_t)k * 256 < count && (w || side == 0)) {
#pragma unroll
                for (int j = 0; j < 8; j++) {
                    const size_t e = (size_t)k * 256 + 32 * j + lane;
                    if (e < count)
                        v[j] = w ? fma(w[e], x[e], 0.0) : x[e];
                }
                v[0] = tree_sum(v);
            }
            if (lane == 0)
                work[side][k] = v[0];
        }
    __syncthreads();
    if (warp < (to_b ? 2 : 1)) {
        double v[8];
        for (int j = 0; j < 8; j++)
            v[j] = work[warp][32 * j + lane];
        v[0] = tree_sum(v);
        if (lane == 0)
            *(warp ? to_b : to_a) = v[0];
    }
}

/* *to_a <- sum of a x (or of x), *to_b <- sum of b x. */
static void sums(const shape &s, size_t count, const double *x, const double *a, const double *b,
                 double *work, double *to_a, double *to_b)
{
    constexpr size_t few = 256 * (SUMS < 32 ? SUMS : 32);
    if (count <= few) {
        few_kernel<<<1, 1024, 0, s.stream>>>(count, x, a, b, to_a, to_b);
    } else {
        share_kernel<<<SUMS, 256, 0, s.stream>>>(count, x, a, b, work);
        total_kernel<<<1, 256, 0, s.stream>>>(work, to_a, to_b);
    }
    launched("sums");
}

void weighted_sums(const shape &s, size_t count, const double *d2, const double *within,
                   const double *between, double *work, outcome *o)
{
    sums(s, count, d2, within, between, work, &o->within, &o->between);
}

void plain_sum(const shape &s, size_t count, const double *d, double *work, double *sum)
{
    sums(s, count, d, nullptr, nullptr, work, sum, nullptr);
}

static __global__ void pick_kernel(size_t count, const uint32_t *which, const double *from,
                                   double *to)
{
    for (size_t k = blockIdx.x * (size_t)blockDim.x + threadIdx.x; k < count;
         k += (size_t)gridDim.x * blockDim.x)
        to[k] = from[which[k]];
}

void pick(const shape &s, size_t count, const uint32_t *which, const double *from, double *to)
{
    if (count)
        pick_kernel<<<s.processors * 8, 256, 0, s.stream>>>(count, which, from, to);
    launched("distances of other processes");
}

} /* namespace spd */
