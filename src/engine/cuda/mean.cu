/* mean.cu - sums of logarithms over the samples, for means.
 *
 * X_i = K_i K_i' is factored once and stays. For every pass G_i = L^-1 K_i, whose orthogonalised columns are the
 * eigenvectors of C_i = L^-1 X_i L^-T (eigen.cu); log C_i is built of them, a batch of samples at a time, and added
 * up: SLICES parts of every batch, each in the order of the samples, then these. */
#include <algorithm>
#include <vector>

#include "engine/cuda/eigen.cuh"
#include "engine/cuda/guard.cuh"
#include "engine/cuda/mean.cuh"
#include "engine/cuda/portions.cuh"

namespace spd {

constexpr int SLICES = 64;
constexpr size_t BATCH = (size_t)1 << 26; /* doubles of a batch of matrices */
constexpr int EDGE = 32, DEPTH = 16;      /* of a tile of a product, and how much of it is taken at a time */

/* ---- kernels ------------------------------------------------------------------------------------ */

/* G <- L^-1 K, all lower triangular: 64 threads per tile on or below the diagonal, 4 x 4 numbers each; K and G by
 * rows or by columns. */
template <bool COLUMNS>
__global__ void __launch_bounds__(64)
    solve_kernel(size_t count, int tiles, int M, const double *Linv, const double *K, double *G)
{
    __shared__ __align__(16) double left[DEPTH][EDGE], right[DEPTH][EDGE];
    const int a = threadIdx.x / 8 * 4, b = threadIdx.x % 8 * 4;
    for (size_t w = blockIdx.x; w < count * tiles * tiles; w += gridDim.x) {
        const size_t i = w / (tiles * tiles);
        const int R = (int)(w / tiles % tiles), C = (int)(w % tiles), last = R < C ? 0 : EDGE * (R + 1) < M ? EDGE * (R + 1) : M;
        const double *Ki = K + i * M * M;
        double sum[4][4] = {};
        for (int first = EDGE * C; first < last; first += DEPTH) {
            __syncthreads();
            for (int x = threadIdx.x; x < DEPTH * EDGE; x += 64) {
                const int k = first + x / EDGE, r = EDGE * R + x % EDGE, c = EDGE * C + x % EDGE;
                left[x / EDGE][x % EDGE] = k < M && r < M ? Linv[(size_t)r * M + k] : 0.0;
                right[x / EDGE][x % EDGE] = k < M && c < M ? Ki[COLUMNS ? (size_t)c * M + k : (size_t)k * M + c] : 0.0;
            }
            __syncthreads();
#pragma unroll 4
            for (int k = 0; k < DEPTH; k++)
#pragma unroll
                for (int x = 0; x < 16; x++)
                    sum[x / 4][x % 4] = fma(left[k][a + x / 4], right[k][b + x % 4], sum[x / 4][x % 4]);
        }
        for (int x = 0; x < 16; x++) {
            const int r = EDGE * R + a + x / 4, c = EDGE * C + b + x % 4;
            if (r < M && c < M)
                G[i * M * M + (COLUMNS ? (size_t)c * M + r : (size_t)r * M + c)] = sum[x / 4][x % 4];
        }
    }
}

/* scalars (count x 2) <- half the squared norm of log C, and (x/2) coth(x/2) of its width; padding is 0. */
static __global__ void scalars_kernel(size_t count, int M, const placed *how, const double *lambda, double *scalars)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x) {
        double low = INFINITY, high = -INFINITY, half = 0.0;
        for (int k = 0; k < M; k++)
            if (lambda[i * M + k] != 0.0) {
                const double x = log(ldexp(lambda[i * M + k], -(int)how[i].exponent));
                low = fmin(low, x);
                high = fmax(high, x);
                half = fma(0.5 * x, x, half);
            }
        const double x = 0.5 * (high - low);
        scalars[2 * i] = half;
        scalars[2 * i + 1] = x > 1e-4 ? x / tanh(x) : 1.0;
    }
}

/* partial (SLICES x terms) += what the samples of each slice have; a thread per term. */
static __global__ void add_kernel(size_t count, int n, const double *weight, const double *F, const double *scalars,
                                  double *partial)
{
    const int triangle = n * (n + 1) / 2, terms = triangle + 2, slice = blockIdx.y;
    const int e = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (e >= terms)
        return;
    const double *from = scalars + (e - triangle);
    size_t step = 2;
    if (e < triangle) {
        int r = (int)((sqrt(8.0 * e + 1.0) - 1.0) / 2.0);
        r += tri(r + 1) <= e;
        r -= tri(r) > e;
        from = F + r * n + (e - tri(r));
        step = (size_t)n * n;
    }
    double sum = partial[(size_t)slice * terms + e];
    for (size_t i = count * slice / SLICES; i < count * (slice + 1) / SLICES; i++)
        sum = fma(weight[i], from[i * step], sum);
    partial[(size_t)slice * terms + e] = sum;
}

static __global__ void total_kernel(int terms, const double *partial, double *sum)
{
    for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < terms; e += gridDim.x * blockDim.x) {
        double all = 0.0;
        for (int s = 0; s < SLICES; s++)
            all += partial[(size_t)s * terms + e];
        sum[e] = all;
    }
}

/* ---- samples on the device ------------------------------------------------------------------------ */

struct factored_set {
    array<double> K;
    array<placed> how;
    array<outcome> out;
};

/* Takes a portion of the samples to the device, and factors it. */
struct factor_courier {
    queue own;
    pinned staging;
    array<double> X, S, Li;
    const cuda_sets &in;
    factored_set &to;
    shape s;
    factor_courier(const cuda_sets &set, size_t each, factored_set *const &where, const shape &form)
        : in(set), to(*where), s(form)
    {
        const size_t mm = (size_t)s.M * s.M;
        own.make();
        s.stream = own.at;
        staging.make(each * in.n * in.n);
        X.make(each * in.n * in.n);
        S.make(s.M <= WHOLE ? each * mm : 1);
        Li.make(s.M <= FAST ? each * mm : 1);
    }
    void carry(size_t first, size_t count)
    {
        const size_t nn = in.n * in.n;
        double *K = to.K.at + first * s.M * s.M, *placed_at = s.M <= WHOLE ? S.at : K;
        s.p = count;
        memcpy(staging.at, in.X + first * nn, count * nn * sizeof(double));
        X.put(staging.at, count * nn, s.stream);
        place(s, false, X.at, placed_at, to.how.at + first);
        spectral_factors(s, placed_at, K, Li.at, to.out.at);
        check(cudaStreamSynchronize(s.stream), "factors");
    }
};

} /* namespace spd */

using namespace spd;

struct cuda_mean {
    cuda_sets in;
    queue own;
    shape s{};
    size_t batch = 0;
    factored_set set;
    array<double> weight, Linv, G, U, F, lambda, scalars, partial, sum;
};

namespace spd {

static int terms_of(const shape &s) { return tri(s.n) + 2; }

static void check_good(cuda_mean &e)
{
    outcome o;
    check(cudaMemcpyAsync(&o, e.set.out.at, sizeof o, cudaMemcpyDeviceToHost, e.s.stream), "result");
    check(cudaStreamSynchronize(e.s.stream), "the mean");
    if (o.bad != ~0ull)
        throw fault{CUDA_FAULT_SAMPLE, "a matrix is not positive definite", cudaSuccess};
}

static void make_room(cuda_mean &e)
{
    const size_t M = (size_t)e.s.M, mm = M * M, terms = (size_t)terms_of(e.s);
    e.batch = std::min(e.in.p, BATCH / mm + SLICES);
    e.set.K.make(e.in.p * mm);
    e.set.how.make(e.in.p);
    e.set.out.make(1);
    e.weight.make(e.in.p);
    e.Linv.make(mm);
    e.G.make(M <= WHOLE ? e.batch * mm : 1);
    e.U.make(e.batch * mm);
    e.F.make(e.batch * e.in.n * e.in.n);
    e.lambda.make(e.batch * M);
    e.scalars.make(e.batch * 2);
    e.partial.make(SLICES * terms);
    e.sum.make(terms);
}

static void open(cuda_mean &e, const cuda_sets &in, const double *weight)
{
    cudaDeviceProp about;
    if (in.n < 1 || in.n > CUDA_MAX_N)
        throw fault{CUDA_FAULT_SIZE, "the CUDA engine takes matrices of up to 512 x 512", cudaSuccess};
    check(cudaSetDevice(in.device), "choosing the device");
    check(cudaGetDeviceProperties(&about, in.device), "asking the device");
    const int n = (int)in.n;
    e.in = in;
    e.own.make();
    e.s = {n, n, spectral_size(n), 0, in.p, about.multiProcessorCount, (int)about.sharedMemPerBlockOptin, e.own.at};
    make_room(e);
    e.weight.put(weight, in.p, e.s.stream);
    check(cudaMemsetAsync(e.set.out.at, 0xff, sizeof(outcome), e.s.stream), "result");
    check(cudaStreamSynchronize(e.s.stream), "result");
    factored_set *to = &e.set;
    carry_all<factor_courier>(in, portions(in.p, (size_t)e.s.M * e.s.M, in.threads), false, to, e.s);
    check_good(e);
}

/* partial += the terms of samples first .. of a batch. */
static void add_batch(cuda_mean &e, size_t first, size_t count)
{
    shape s = e.s;
    const bool columns = s.M > WHOLE;
    const int tiles = (s.M + EDGE - 1) / EDGE, M = s.M;
    const double *Linv = e.Linv.at, *K = e.set.K.at + first * M * M, *weight = e.weight.at + first;
    const placed *how = e.set.how.at + first;
    double *G = columns ? e.U.at : e.G.at, *F = e.F.at, *lambda = e.lambda.at, *scalars = e.scalars.at;
    double *partial = e.partial.at;
    const unsigned grid = (unsigned)std::min(count * tiles * tiles, (size_t)s.processors * 64);
    s.p = count;
    if (columns)
        solve_kernel<true><<<grid, 64, 0, s.stream>>>(count, tiles, M, Linv, K, G);
    else
        solve_kernel<false><<<grid, 64, 0, s.stream>>>(count, tiles, M, Linv, K, G);
    launched("the mean");
    eigen_of_factors(s, e.U.at, G, lambda, e.set.out.at);
    scalars_kernel<<<s.processors * 4, 128, 0, s.stream>>>(count, M, how, lambda, scalars);
    spectral_values(s, CUDA_LOG, 0.0, how, lambda, e.set.out.at);
    rebuild(s, e.U.at, lambda, F);
    const dim3 cut((unsigned)(terms_of(s) + 127) / 128, SLICES);
    add_kernel<<<cut, 128, 0, s.stream>>>(count, s.n, weight, F, scalars, partial);
    launched("the mean");
}

/* To M x M. */
static void put_inverse(cuda_mean &e, const double *Linv)
{
    const size_t n = e.in.n, M = (size_t)e.s.M;
    std::vector<double> wide(M * M, 0.0);
    for (size_t r = 0; r < M; r++)
        for (size_t c = 0; c <= r; c++)
            wide[r * M + c] = r < n ? Linv[r * n + c] : r == c ? 1.0 : 0.0;
    e.Linv.put(wide.data(), M * M, e.s.stream);
    check(cudaStreamSynchronize(e.s.stream), "copy to the device");
}

static void sum_terms(cuda_mean &e, const double *Linv, double *sum)
{
    const int terms = terms_of(e.s);
    const double *partial = e.partial.at;
    double *all = e.sum.at;
    check(cudaSetDevice(e.in.device), "choosing the device");
    put_inverse(e, Linv);
    check(cudaMemsetAsync(e.partial.at, 0, e.partial.count * sizeof(double), e.s.stream), "the mean");
    for (size_t first = 0; first < e.in.p; first += e.batch) {
        add_batch(e, first, std::min(e.batch, e.in.p - first));
        check(cudaStreamSynchronize(e.s.stream), "the mean");
        if (e.in.tell && e.in.tell(e.in.user, (double)first, (double)e.in.p))
            throw fault{CUDA_FAULT_STOPPED, "stopped", cudaSuccess};
    }
    total_kernel<<<e.s.processors, 256, 0, e.s.stream>>>(terms, partial, all);
    launched("the mean");
    check(cudaMemcpyAsync(sum, all, terms * sizeof(double), cudaMemcpyDeviceToHost, e.s.stream), "the mean");
    check_good(e);
}

int module_mean_open(const cuda_sets *in, const double *weight, cuda_mean **mean, char *why)
{
    cuda_mean *e = nullptr;
    const int code = guarded(why, [&] {
        e = new cuda_mean;
        open(*e, *in, weight);
    });
    if (code)
        delete e;
    else
        *mean = e;
    return code;
}

int module_mean_sum(cuda_mean *mean, const double *Linv, double *sum, char *why)
{
    return guarded(why, [&] { sum_terms(*mean, Linv, sum); });
}

void module_mean_close(cuda_mean *mean)
{
    if (mean)
        cudaSetDevice(mean->in.device);
    delete mean;
}

} /* namespace spd */
