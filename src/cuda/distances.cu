/* distances.cu - squared distances between sets of matrices: all pairs, tile by tile, by the kernels
 * that a fit has for its pairs (stein.cu, airm.cu), those for large matrices (squares.cu,
 * spectrum.cu), or those for vectors (flat.cu). */
#include <algorithm>
#include <cmath>
#include <vector>

#include "cuda/distances.cuh"
#include "cuda/flat.cuh"
#include "cuda/functions.cuh"
#include "cuda/guard.cuh"
#include "cuda/portions.cuh"
#include "cuda/resident.cuh"
#include "cuda/squares.cuh"

namespace spd
{

/* ---- kernels --------------------------------------------------------------------------------- */

/* S (M x M each) <- scale times X by its lower triangle, padded as X + I. */
static __global__ void spread_kernel(size_t count, int n, int M, double scale, const double *X,
                                     double *S)
{
    for (size_t e = blockIdx.x * (size_t)blockDim.x + threadIdx.x; e < count;
         e += (size_t)gridDim.x * blockDim.x) {
        const size_t i = e / (M * M);
        const int x = (int)(e - i * (M * M)), a = x / M, b = x % M, r = a > b ? a : b,
                  c = a > b ? b : a;
        S[e] = r < n ? scale * X[(i * n + r) * n + c] : r == c ? 1.0 : 0.0;
    }
}

static __global__ void link_kernel(tile t, link *links)
{
    for (size_t a = blockIdx.x; a < t.rows; a += gridDim.x) {
        const size_t row = t.first + a, from = t.within ? row + 1 : 0, at = place(t, a);
        for (size_t j = from + threadIdx.x; j < t.columns; j += blockDim.x)
            links[at + j - from] = {(uint32_t)(t.begin + row), (uint32_t)(t.left + j)};
    }
}

/* D2 (whole, or the rows of the tile) <- the distances of the tile, on both sides of the diagonal.
 */
static __global__ void scatter_kernel(tile t, const double *d2, double *D2, outcome *o)
{
    for (size_t a = blockIdx.x; a < t.rows; a += gridDim.x) {
        const size_t row = t.first + a, from = t.within ? row + 1 : 0, at = place(t, a);
        for (size_t j = from + threadIdx.x; j < t.columns; j += blockDim.x) {
            const double d = not_negative(d2[at + j - from]);
            if (!(d < INFINITY))
                atomicMin(&o->bad, (unsigned long long)row);
            if (t.within) {
                D2[row * t.columns + j] = d;
                D2[j * t.columns + row] = d;
            } else
                D2[a * t.columns + j] = d;
        }
        if (t.within && threadIdx.x == 0)
            D2[row * t.columns + row] = 0.0;
    }
}

/* ---- launches -------------------------------------------------------------------------------- */

static void spread(const shape &s, size_t count, double scale, const double *X, double *S)
{
    spread_kernel<<<s.processors * 8, 256, 0, s.stream>>>(count * s.M * s.M, s.n, s.M, scale, X, S);
    launched("loading the matrices");
}

static void list_pairs(const shape &s, const tile &t, link *links)
{
    link_kernel<<<blocks_for(t.rows), 256, 0, s.stream>>>(t, links);
    launched("pairs");
}

static void scatter(const shape &s, const tile &t, const double *d2, double *D2, outcome *o)
{
    scatter_kernel<<<blocks_for(t.rows), 256, 0, s.stream>>>(t, d2, D2, o);
    launched("distances");
}

/* ---- sets on the device ---------------------------------------------------------------------- */

static double largest_trace(const cuda_sets &in, const shape &s, size_t count, const double *X)
{
    const size_t n = in.n;
    double most = 0.0;
    if (in.on_device)
        return largest_trace_there(s, count, X);
    for (size_t i = 0; i < count; i++) {
        double trace = 0.0;
        for (size_t c = 0; c < n; c++)
            trace += X[i * n * n + c * (n + 1)];
        most = std::max(most, trace);
    }
    return most;
}

/* The lowest number that a kernel has noted is a fault: the caller says of what. */
void check_good(const sets &e)
{
    outcome o;
    check(cudaMemcpyAsync(&o, e.out.at, sizeof o, cudaMemcpyDeviceToHost, e.s.stream), "result");
    check(cudaStreamSynchronize(e.s.stream), "distances");
    if (o.bad != ~0ull)
        throw fault{CUDA_FAULT_SAMPLE, "a matrix is not positive definite", cudaSuccess};
}

/* S <- all matrices, scaled and padded. */
static void prepare_matrices(sets &e, const cuda_sets &in, size_t size)
{
    const double most =
        std::max(largest_trace(in, e.s, e.p, in.X), e.q ? largest_trace(in, e.s, e.q, in.Q) : 0.0);
    e.S.make(e.s.p * size);
    for (int k = 0; k < (e.q ? 2 : 1); k++)
        load_all(in, k ? e.q : e.p, k ? in.Q : in.X,
                 [&](cudaStream_t stream, size_t first, size_t count, const double *X) {
                     shape s = e.s;
                     s.p = count;
                     s.stream = stream;
                     squares_definite(s, first + (k ? e.p : 0), X, e.out.at);
                     (e.squares ? squares_spread : spread)(s, count, scale_for(most), X,
                                                           e.S.at + (first + (k ? e.p : 0)) * size);
                 });
}

void prepare_determinants(sets &e, outcome *o)
{
    e.dets.make(2 * e.s.p);
    if (e.squares)
        squares_determinants(e.s, e.S.at, e.dets.at, o);
    else
        stein_samples(e.s, e.S.at, e.dets.at, nullptr, o);
}

/* Their factors or determinants. */
static void prepare_factors(sets &e, const cuda_sets &in)
{
    const int M = e.s.M = padded(e.s.n);
    const size_t size = (size_t)M * M;
    prepare_matrices(e, in, size);
    if (e.metric == SPD_METRIC_AIRM) {
        e.L.make(e.s.p * size);
        e.Li.make(e.s.p * size);
        airm_samples(e.s, e.S.at, e.L.at, e.Li.at, e.out.at);
    } else
        prepare_determinants(e, e.out.at);
}

static void prepare_squares(sets &e, const cuda_sets &in, size_t pairs)
{
    const size_t size = squares_size(squares_of(e.s.n));
    prepare_matrices(e, in, size);
    if (e.metric == SPD_METRIC_AIRM) {
        e.L.make(e.s.p * size);
        e.Li.make(e.s.p * size);
        e.room.make(e.s, pairs);
        squares_factors(e.s, e.S.at, e.L.at, e.Li.at, e.out.at);
    } else
        prepare_determinants(e, e.out.at);
}

/* F <- all matrices, or their logarithms, as vectors. */
static void prepare_vectors(sets &e, const cuda_sets &in)
{
    const size_t size = flat_size(e.s.n);
    e.F.make(e.s.p * size);
    for (int k = 0; k < (e.q ? 2 : 1); k++) {
        const size_t begin = k ? e.p : 0;
        cuda_sets part = in;
        part.p = k ? e.q : e.p;
        part.X = k ? in.Q : in.X;
        part.progress = nullptr;
        const loader take = [&](cudaStream_t stream, size_t first, size_t count, const double *X) {
            shape s = e.s;
            s.p = count;
            s.stream = stream;
            flatten(s, begin + first, X, e.F.at + (begin + first) * size, e.out.at);
        };
        if (e.metric == SPD_METRIC_EUCLIDEAN) {
            load_all(part, part.p, part.X, take);
            continue;
        }
        array<double> logs;
        logs.make(part.p * in.n * in.n);
        const until_done wait{e.s.stream};
        functions_of(part, SPD_FUNCTION_LOG, 0.0, logs.at);
        take(e.s.stream, 0, part.p, logs.at);
        check(cudaStreamSynchronize(e.s.stream), "logarithms");
    }
}

static bool is_flat(spd_metric metric)
{
    return metric == SPD_METRIC_EUCLIDEAN || metric == SPD_METRIC_LOG_EUCLIDEAN;
}

void open_sets(sets &e, const cuda_sets &in, size_t pairs)
{
    if (in.n < 1 || in.n > CUDA_MAX_N)
        throw fault{CUDA_FAULT_SIZE, "the CUDA engine does not measure matrices as large",
                    cudaSuccess};
    check(cudaSetDevice(in.device), "choosing the device");
    e.metric = in.metric;
    e.squares = in.n > (in.metric == SPD_METRIC_AIRM ? FAST : APART);
    e.p = in.p;
    e.q = in.Q ? in.q : 0;
    e.own.make();
    e.s = shape_here(in.n, in.n, (int)in.n, e.p + e.q, e.own.at);
    e.out.make(1);
    e.d2.make(pairs);
    check(cudaMemsetAsync(e.out.at, 0xff, sizeof(outcome), e.s.stream), "result");
    check(cudaStreamSynchronize(e.s.stream), "result");
    if (is_flat(e.metric))
        prepare_vectors(e, in);
    else {
        e.links.make(pairs);
        if (e.squares)
            prepare_squares(e, in, pairs);
        else
            prepare_factors(e, in);
    }
    check_good(e);
}

void measure_listed(sets &e, spd_metric metric, size_t count, double *d2)
{
    if (metric == SPD_METRIC_AIRM && e.squares)
        squares_airm(e.s, e.room, count, e.links.at, e.L.at, e.Li.at, d2);
    else if (metric == SPD_METRIC_AIRM)
        airm_pairs(e.s, count, e.links.at, e.L.at, e.Li.at, d2, nullptr);
    else if (e.squares)
        squares_stein(e.s, count, e.links.at, e.S.at, e.dets.at, d2);
    else
        stein_pairs(e.s, count, e.links.at, e.S.at, e.dets.at, d2, nullptr);
}

void measure_tile(sets &e, const tile &t, spd_metric metric)
{
    if (is_flat(metric))
        return flat_pairs(e.s, t, e.products, e.F.at, e.d2.at);
    list_pairs(e.s, t, e.links.at);
    measure_listed(e, metric, place(t, t.rows), e.d2.at);
}

size_t rows_of(size_t columns)
{
    return std::max((size_t)1, TILE / columns);
}

/* A tile of so many rows, from `first` on. */
tile tile_at(const sets &e, size_t rows, size_t first, size_t each, bool within)
{
    return {first, std::min(each, rows - first), e.p, e.q ? e.p : 0, within, 0};
}

void tell_pairs(const cuda_sets &in, double done, double all)
{
    if (in.progress && in.progress(in.user, done, all))
        throw fault{CUDA_FAULT_STOPPED, "stopped", cudaSuccess};
}

static void report(const cuda_sets &in, size_t rows, size_t of)
{
    tell_pairs(in, (double)rows * (double)in.p, (double)of * (double)in.p);
}

/* ---- outside --------------------------------------------------------------------------------- */

/* While a tile is computed the one before is taken to the host. Within one set the tiles from the
 * top on have all that their rows hold below the diagonal. */
static void pairwise(const cuda_sets &in, bool products, double *D2)
{
    array<double> all, other;
    sets e;
    const size_t each = rows_of(in.p), rows = in.Q ? in.q : in.p, most = std::min(each, rows);
    const bool whole = in.Q || products; /* tiles, which need no mirror */
    e.products = products;
    open_sets(e, in, most * in.p);
    all.make((whole ? most : in.p) * in.p);
    other.make(whole ? most * in.p : 1);
    downloader down(in, most * in.p);
    std::future<void> going;
    for (size_t first = 0; first < rows; first += each) {
        const tile t = tile_at(e, rows, first, each, !whole);
        measure_tile(e, t, e.metric);
        if (products)
            e.d2.swap(all);
        else
            scatter(e.s, t, e.d2.at, all.at, e.out.at);
        check(cudaStreamSynchronize(e.s.stream), "distances");
        if (going.valid())
            going.get();
        const double *from = whole ? all.at : all.at + first * in.p;
        going = std::async(std::launch::async, [&down, &in, from, t, D2] {
            down.fetch(from, t.rows * in.p, D2 + t.first * in.p);
        });
        if (whole)
            all.swap(other);
        report(in, first + t.rows, rows);
    }
    going.get();
    check_good(e);
}

/* The same into memory of the device, where every tile goes to its place. */
static void pairwise_there(const cuda_sets &in, bool products, double *D2)
{
    sets e;
    const size_t each = rows_of(in.p), rows = in.Q ? in.q : in.p, most = std::min(each, rows);
    const bool whole = in.Q || products;
    e.products = products;
    open_sets(e, in, most * in.p);
    for (size_t first = 0; first < rows; first += each) {
        const tile t = tile_at(e, rows, first, each, !whole);
        double *to = whole ? D2 + first * in.p : D2;
        measure_tile(e, t, e.metric);
        if (products)
            check(cudaMemcpyAsync(to, e.d2.at, t.rows * in.p * sizeof(double),
                                  cudaMemcpyDeviceToDevice, e.s.stream),
                  "products");
        else
            scatter(e.s, t, e.d2.at, to, e.out.at);
        check(cudaStreamSynchronize(e.s.stream), "distances");
        report(in, first + t.rows, rows);
    }
    check_good(e);
}

static int all_pairs(const cuda_sets &in, bool products, double *out, char *why)
{
    return guarded(why, [&] {
        visit here(in, {out});
        (in.on_device ? pairwise_there : pairwise)(in, products, out);
    });
}

int module_pairwise(const cuda_sets *in, double *D2, char *why)
{
    return all_pairs(*in, false, D2, why);
}

int module_products(const cuda_sets *in, double *K, char *why)
{
    return all_pairs(*in, true, K, why);
}

} /* namespace spd */
