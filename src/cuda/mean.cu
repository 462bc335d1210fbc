/* mean.cu - sums over the samples, for means: logarithms (AIRM, log-Euclidean), inverses (Stein,
 * Jeffrey), and the samples themselves (Jeffrey, Euclidean).
 *
 * The samples stay on the device as they are given. For every pass of logarithms X_i = K_i K_i',
 * G_i = L^-1 K_i, whose orthogonalised columns are the eigenvectors of C_i = L^-1 X_i L^-T
 * (eigen.cu), of which log C_i is built; above n = FAST it is -ln of L' X_i^-1 L (spectrum.cu).
 * Inverses come from squares.cu. Terms are made a batch of samples at a time and added up: SLICES
 * parts of every batch, each in the order of the samples, then these. */
#include <algorithm>
#include <cmath>
#include <vector>

#include "cuda/eigen.cuh"
#include "cuda/guard.cuh"
#include "cuda/mean.cuh"
#include "cuda/portions.cuh"
#include "cuda/resident.cuh"
#include "cuda/squares.cuh"

namespace spd
{

constexpr int SLICES = 64;
constexpr size_t BATCH = (size_t)1 << 26; /* doubles of a batch of matrices */

/* ---- kernels --------------------------------------------------------------------------------- */

/* G <- L^-1 K, all lower triangular; a thread per number. */
static __global__ void __launch_bounds__(256)
    solve_kernel(size_t count, int M, const double *Linv, const double *K, double *G)
{
    for (size_t e = blockIdx.x * (size_t)blockDim.x + threadIdx.x; e < count * M * M;
         e += (size_t)gridDim.x * blockDim.x) {
        const size_t i = e / (M * M);
        const int r = (int)(e / M % M), c = (int)(e % M);
        double sum = 0.0;
        for (int k = c; k <= r; k++)
            sum = fma(Linv[r * M + k], K[(i * M + k) * M + c], sum);
        G[e] = sum;
    }
}

/* (x/2) coth(x/2) */
__device__ inline double half_coth(double x)
{
    return x > 2e-4 ? 0.5 * x / tanh(0.5 * x) : 1.0;
}

/* scalars (count x 2) <- half the squared norm of log C, and (x/2) coth(x/2) of its width; padding
 * is 0. */
static __global__ void scalars_kernel(size_t count, int M, const placed *how, const double *lambda,
                                      double *scalars)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count;
         i += (size_t)gridDim.x * blockDim.x) {
        double low = INFINITY, high = -INFINITY, half = 0.0;
        for (int k = 0; k < M; k++)
            if (lambda[i * M + k] != 0.0) {
                const double x = log(ldexp(lambda[i * M + k], -(int)how[i].exponent));
                low = fmin(low, x);
                high = fmax(high, x);
                half = fma(0.5 * x, x, half);
            }
        scalars[2 * i] = half;
        scalars[2 * i + 1] = half_coth(high - low);
    }
}

/* The same out of the squared norms and the widths. */
static __global__ void wide_scalars_kernel(size_t count, const double *d2, const double *width,
                                           double *scalars, outcome *o)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count;
         i += (size_t)gridDim.x * blockDim.x) {
        scalars[2 * i] = 0.5 * d2[i];
        scalars[2 * i + 1] = half_coth(width[i]);
        if (!(d2[i] < INFINITY))
            atomicMin(&o->bad, (unsigned long long)i);
    }
}

static __global__ void links_kernel(size_t count, link *links)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count;
         i += (size_t)gridDim.x * blockDim.x)
        links[i] = {(uint32_t)i, 0};
}

/* Numbers `first` .. first + size - 1 of all terms: those at `from` of every sample, which are
 * `step` apart, times factor; side: of matrices of so many rows the lower triangle. */
struct piece {
    const double *from;
    size_t step;
    int first, size, side;
    double factor = 1.0;
};

/* partial (SLICES x terms) += what the samples of each slice have; a thread per term. */
static __global__ void add_kernel(size_t count, int terms, piece x, const double *weight,
                                  double *partial)
{
    const int slice = blockIdx.y, e = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (e >= x.size)
        return;
    int at = e;
    if (x.side) {
        int r = (int)((sqrt(8.0 * e + 1.0) - 1.0) / 2.0);
        r += tri(r + 1) <= e;
        r -= tri(r) > e;
        at = r * x.side + (e - tri(r));
    }
    double *to = partial + (size_t)slice * terms + x.first + e, sum = *to;
    for (size_t i = count * slice / SLICES; i < count * (slice + 1) / SLICES; i++)
        sum = fma(x.factor * weight[i], x.from[i * x.step + at], sum);
    *to = sum;
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

} /* namespace spd */

using namespace spd;

struct cuda_mean {
    cuda_sets in;
    shape s{};
    size_t batch = 0;
    bool measured = false; /* are dets there? */
    array<double> copy;    /* of the samples, where they lie on the host */
    const double *X = nullptr;
    array<outcome> out;
    array<double> weight, partial, sum;
    /* of a batch: of logarithms */
    array<double> Linv, K, G, U, F, lambda, scalars;
    array<placed> how;
    /* above FAST; factor: of the point, as K of squares_factors */
    spectrum_room room;
    array<double> factor, L, d2;
    array<link> links;
    /* of inverses */
    array<double> point, dets, C;
    queue own;
};

namespace spd
{

/* ---- terms ----------------------------------------------------------------------------------- */

static int terms_of(int n, spd_metric metric)
{
    switch (metric) {
    case SPD_METRIC_STEIN:
        return tri(n) + 1;
    case SPD_METRIC_JEFFREY:
        return 2 * tri(n);
    case SPD_METRIC_EUCLIDEAN:
        return n * n;
    default:
        return tri(n) + 2;
    }
}

static void add_piece(cuda_mean &e, spd_metric metric, size_t first, size_t count, const piece &x)
{
    const dim3 cut((unsigned)(x.size + 127) / 128, SLICES);
    const double *weight = e.weight.at + first;
    double *partial = e.partial.at;
    const int terms = terms_of(e.s.n, metric);
    add_kernel<<<cut, 128, 0, e.s.stream>>>(count, terms, x, weight, partial);
    launched("the mean");
}

static void add_logarithms(cuda_mean &e, size_t first, size_t count)
{
    shape s = e.s;
    const int n = s.n, M = s.M;
    const placed *how = e.how.at;
    const double *Linv = e.Linv.at, *K = e.K.at;
    double *G = e.G.at, *lambda = e.lambda.at, *scalars = e.scalars.at;
    s.p = count;
    place(s, false, e.X + first * n * n, nullptr, e.U.at, e.how.at);
    airm_samples(s, e.U.at, e.K.at, e.G.at, e.out.at); /* G is free until the next step */
    solve_kernel<<<s.processors * 8, 256, 0, s.stream>>>(count, M, Linv, K, G);
    launched("the mean");
    eigen_of_factors(s, e.U.at, G, lambda, e.out.at);
    scalars_kernel<<<s.processors * 4, 128, 0, s.stream>>>(count, M, how, lambda, scalars);
    spectral_values(s, SPD_FUNCTION_LOG, 0.0, how, lambda, e.out.at);
    rebuild(s, e.U.at, lambda, e.F.at);
    add_piece(e, SPD_METRIC_AIRM, first, count, {e.F.at, (size_t)n * n, 0, tri(n), n});
    add_piece(e, SPD_METRIC_AIRM, first, count, {scalars, 2, tri(n), 2, 0});
}

/* The same above FAST: L' X^-1 L is the inverse of C. */
static void add_wide_logarithms(cuda_mean &e, size_t first, size_t count)
{
    shape s = e.s;
    const int n = s.n;
    const double *d2 = e.d2.at, *width = e.room.width.at;
    double *scalars = e.scalars.at;
    outcome *o = e.out.at;
    s.p = count;
    squares_spread(s, count, 1.0, e.X + first * n * n, e.room.T.at);
    squares_factors(s, e.room.T.at, e.L.at, nullptr, e.out.at);
    squares_logs(s, e.room, count, e.links.at, e.L.at, e.factor.at, true, e.d2.at);
    wide_scalars_kernel<<<s.processors * 4, 128, 0, s.stream>>>(count, d2, width, scalars, o);
    launched("the mean");
    add_piece(e, SPD_METRIC_AIRM, first, count,
              {e.room.logs.at, (size_t)n * n, 0, tri(n), n, -1.0});
    add_piece(e, SPD_METRIC_AIRM, first, count, {scalars, 2, tri(n), 2, 0});
}

/* C <- inverses of a batch, or of its averages with the point. */
static void invert(cuda_mean &e, bool average, size_t first, size_t count)
{
    shape s = e.s;
    s.p = count;
    squares_inverses(s, e.X + first * s.n * s.n, average ? e.point.at : nullptr,
                     e.dets.at + 2 * first, (size_t)tri(s.n) + 1, e.C.at, e.out.at);
}

static void add_batch(cuda_mean &e, spd_metric metric, size_t first, size_t count)
{
    const int n = e.s.n, triangle = tri(n);
    const size_t nn = (size_t)n * n, step = (size_t)triangle + 1;
    const double *X = e.X + first * nn;
    if (metric == SPD_METRIC_EUCLIDEAN)
        return add_piece(e, metric, first, count, {X, nn, 0, n * n, 0});
    if (metric != SPD_METRIC_STEIN && metric != SPD_METRIC_JEFFREY)
        return (n > FAST ? add_wide_logarithms : add_logarithms)(e, first, count);
    if (metric == SPD_METRIC_JEFFREY || !e.measured)
        invert(e, false, first, count);
    if (metric == SPD_METRIC_JEFFREY) {
        add_piece(e, metric, first, count, {X, nn, 0, triangle, n});
        return add_piece(e, metric, first, count, {e.C.at, step, triangle, triangle, 0});
    }
    invert(e, true, first, count);
    add_piece(e, metric, first, count, {e.C.at, step, 0, triangle + 1, 0});
}

/* ---- the samples ----------------------------------------------------------------------------- */

static void check_good(cuda_mean &e)
{
    outcome o;
    check(cudaMemcpyAsync(&o, e.out.at, sizeof o, cudaMemcpyDeviceToHost, e.s.stream), "result");
    check(cudaStreamSynchronize(e.s.stream), "the mean");
    if (o.bad != ~0ull)
        throw fault{CUDA_FAULT_SAMPLE, "a matrix is not positive definite", cudaSuccess};
}

static bool has_logarithms(spd_metric metric)
{
    return metric == SPD_METRIC_AIRM || metric == SPD_METRIC_LOG_EUCLIDEAN;
}

static void make_small_room(cuda_mean &e)
{
    const size_t M = (size_t)e.s.M, all = e.batch * M * M;
    e.Linv.make(M * M);
    for (auto *a : {&e.K, &e.G, &e.U})
        a->make(all);
    e.F.make(e.batch * e.in.n * e.in.n);
    e.lambda.make(e.batch * M);
    e.how.make(e.batch);
}

static void make_wide_room(cuda_mean &e)
{
    const size_t size = squares_size(squares_of(e.s.n)), batch = e.batch;
    e.room.make(e.s, batch);
    e.batch = e.room.batch;
    e.factor.make(size);
    e.L.make(batch * size);
    e.d2.make(batch);
    e.links.make(batch);
    link *links = e.links.at;
    links_kernel<<<e.s.processors, 256, 0, e.s.stream>>>(batch, links);
    launched("the mean");
}

static void make_room(cuda_mean &e)
{
    const size_t M = (size_t)e.s.M, mm = M * M, n = e.in.n, p = e.in.p;
    const spd_metric metric = e.in.metric;
    const int start = terms_of(e.s.n, SPD_METRIC_JEFFREY),
              most = std::max(terms_of(e.s.n, metric), start);
    const bool logarithms = has_logarithms(metric),
               inverses = metric != SPD_METRIC_LOG_EUCLIDEAN && metric != SPD_METRIC_EUCLIDEAN;
    e.batch = std::min(p, BATCH / mm + SLICES);
    e.copy.make(e.in.on_device ? 1 : p * n * n);
    e.out.make(1);
    e.weight.make(p);
    e.partial.make(SLICES * (size_t)most);
    e.sum.make(most);
    if (logarithms) {
        e.scalars.make(e.batch * 2);
        if (n > FAST)
            make_wide_room(e);
        else
            make_small_room(e);
    }
    if (inverses) {
        e.point.make(n * n);
        e.dets.make(2 * p);
        e.C.make(e.batch * (tri(e.s.n) + 1));
    }
}

static void load(cuda_mean &e)
{
    const size_t nn = e.in.n * e.in.n;
    e.X = e.in.X;
    if (e.in.on_device)
        return;
    load_all(e.in, e.in.p, e.in.X,
             [&](cudaStream_t stream, size_t first, size_t count, const double *X) {
                 check(cudaMemcpyAsync(e.copy.at + first * nn, X, count * nn * sizeof(double),
                                       cudaMemcpyDeviceToDevice, stream),
                       "loading the matrices");
             });
    e.X = e.copy.at;
}

static void open(cuda_mean &e, const cuda_sets &in, const double *weight)
{
    if (in.n < 1 || in.n > CUDA_MAX_N)
        throw fault{CUDA_FAULT_SIZE, "the CUDA engine takes matrices of up to 512 x 512",
                    cudaSuccess};
    check(cudaSetDevice(in.device), "choosing the device");
    e.in = in;
    e.own.make();
    e.s = shape_here(in.n, in.n, spectral_size((int)in.n), in.p, e.own.at);
    make_room(e);
    e.weight.put(weight, in.p, e.s.stream);
    check(cudaMemsetAsync(e.out.at, 0xff, sizeof(outcome), e.s.stream), "result");
    check(cudaStreamSynchronize(e.s.stream), "result");
    load(e);
    if (in.metric != SPD_METRIC_EUCLIDEAN) {
        squares_definite(e.s, 0, e.X, e.out.at);
        check_good(e);
    }
}

/* ---- a pass ---------------------------------------------------------------------------------- */

/* The inverse of L, to M x M. */
static void put_inverse(cuda_mean &e, const double *L)
{
    const size_t n = e.in.n, M = (size_t)e.s.M;
    std::vector<double> wide(M * M, 0.0);
    for (size_t c = 0; c < M; c++)
        wide[c * (M + 1)] = c < n ? 1.0 / L[c * (n + 1)] : 1.0;
    for (size_t c = 0; c < n; c++)
        for (size_t r = c + 1; r < n; r++) {
            double x = 0.0;
            for (size_t k = c; k < r; k++)
                x -= L[r * n + k] * wide[k * M + c];
            wide[r * M + c] = x / L[r * (n + 1)];
        }
    copy_now(e.Linv.at, wide.data(), M * M * sizeof(double), "copy to the device");
}

/* The transpose of L, in squares. */
static void put_factor(cuda_mean &e, const double *L)
{
    const int n = e.s.n, all = SIDE * squares_of(n);
    std::vector<double> wide(e.factor.count, 0.0);
    for (int r = 0; r < all; r++)
        for (int c = 0; c <= r; c++)
            wide[square_at(r / SIDE, c / SIDE) + within_square(c % SIDE, r % SIDE)] =
                r < n    ? L[(size_t)r * n + c]
                : r == c ? 1.0
                         : 0.0;
    copy_now(e.factor.at, wide.data(), wide.size() * sizeof(double), "copy to the device");
}

static void put_point(cuda_mean &e, spd_metric metric, const double *at)
{
    if (has_logarithms(metric))
        (e.s.n > FAST ? put_factor : put_inverse)(e, at);
    if (metric == SPD_METRIC_STEIN)
        e.point.put(at, e.in.n * e.in.n, e.s.stream);
}

static void sum_terms(cuda_mean &e, spd_metric metric, const double *at, double *sum)
{
    const int terms = terms_of(e.s.n, metric);
    const double *partial = e.partial.at;
    double *all = e.sum.at;
    check(cudaSetDevice(e.in.device), "choosing the device");
    put_point(e, metric, at);
    check(cudaMemsetAsync(e.partial.at, 0, e.partial.count * sizeof(double), e.s.stream),
          "the mean");
    for (size_t first = 0; first < e.in.p; first += e.batch) {
        add_batch(e, metric, first, std::min(e.batch, e.in.p - first));
        check(cudaStreamSynchronize(e.s.stream), "the mean");
        if (e.in.progress && e.in.progress(e.in.user, (double)first, (double)e.in.p))
            throw fault{CUDA_FAULT_STOPPED, "stopped", cudaSuccess};
    }
    total_kernel<<<e.s.processors, 256, 0, e.s.stream>>>(terms, partial, all);
    launched("the mean");
    check(cudaMemcpyAsync(sum, all, terms * sizeof(double), cudaMemcpyDeviceToHost, e.s.stream),
          "the mean");
    check_good(e);
    e.measured = e.measured || metric == SPD_METRIC_JEFFREY || metric == SPD_METRIC_STEIN;
    for (int x = 0; x < terms && metric == SPD_METRIC_EUCLIDEAN; x++)
        if (!std::isfinite(sum[x]))
            throw fault{CUDA_FAULT_SAMPLE, "a matrix is not finite", cudaSuccess};
}

int module_mean_open(const cuda_sets *in, const double *weight, cuda_mean **mean, char *why)
{
    cuda_mean *e = nullptr;
    const int code = guarded(why, [&] {
        visit here(*in, {});
        e = new cuda_mean;
        open(*e, *in, weight);
    });
    if (code)
        delete e;
    else
        *mean = e;
    return code;
}

int module_mean_sum(cuda_mean *mean, spd_metric metric, const double *at, double *sum, char *why)
{
    return guarded(why, [&] {
        visit here(mean->in, {});
        sum_terms(*mean, metric, at, sum);
    });
}

void module_mean_close(cuda_mean *mean)
{
    int own = 0;
    const bool known = cudaGetDevice(&own) == cudaSuccess;
    cudaSetDevice(mean->in.device);
    delete mean;
    if (known)
        cudaSetDevice(own);
}

} /* namespace spd */
