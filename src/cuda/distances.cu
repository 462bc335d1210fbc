/* distances.cu - squared distances between sets of matrices, and exact nearest neighbours: all
 * pairs, tile by tile, by the kernels that a fit has for its pairs (stein.cu, airm.cu), those for
 * large matrices (squares.cu, spectrum.cu), or those for vectors (flat.cu). */
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

constexpr size_t TILE = (size_t)1 << 24; /* pairs at a time */
constexpr int SEARCHERS = 128;           /* threads for one query */

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

__device__ inline double not_negative(double d)
{
    return d < 0.0 ? 0.0 : d;
} /* NaN stays */

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

struct nearest {
    double d;
    uint32_t j;
};
__device__ inline bool before(const nearest &a, const nearest &b)
{
    return a.d < b.d || (a.d == b.d && a.j < b.j);
}

/* The list of a sample that another may be in, by their labels; -1: none. As list_for of
 * search/lists.h. */
__device__ inline int list_for(int own, int other)
{
    return own < 0 ? 0 : other < 0 ? -1 : own != other;
}

/* Which of two lists is filled, by labels; NULL: the only one. */
struct choice {
    const int *label;
    int list;
};

/* Takes the distances of a tile into the lists (k each) of its rows or, turned, of its columns; a
 * place that is free has NaN. A block for each list: threads keep their own nearest, then the block
 * takes the best of them k times. */
static __global__ void __launch_bounds__(SEARCHERS)
    nearest_kernel(tile t, bool turned, bool others, choice c, int k, const double *d2,
                   int64_t *index, double *found, outcome *o)
{
    __shared__ nearest head[SEARCHERS];
    __shared__ int who[SEARCHERS];
    const int me = threadIdx.x;
    const size_t lists = turned ? t.columns : t.rows, many = turned ? t.rows : t.columns;
    const size_t number = turned ? t.left : t.first, begin = turned ? t.first : t.left;
    for (size_t a = blockIdx.x; a < lists; a += gridDim.x) {
        nearest own[CUDA_MAX_K];
        int count = me < k && found[a * k + me] < INFINITY, used = 0;
        if (count)
            own[0] = {found[a * k + me], (uint32_t)index[a * k + me]};
        for (size_t j = me; j < many; j += SEARCHERS) {
            const nearest x = {not_negative(d2[turned ? j * t.columns + a : a * t.columns + j]),
                               (uint32_t)(begin + j)};
            if (!(x.d < INFINITY))
                atomicMin(&o->bad, (unsigned long long)(number + a));
            if ((others && begin + j == number + a) || (count == k && !before(x, own[k - 1])))
                continue;
            if (c.label && list_for(c.label[number + a], c.label[begin + j]) != c.list)
                continue;
            int at = count < k ? count++ : k - 1;
            for (; at > 0 && before(x, own[at - 1]); at--)
                own[at] = own[at - 1];
            own[at] = x;
        }
        for (int e = 0; e < k; e++) {
            head[me] = used < count ? own[used] : nearest{INFINITY, 0xffffffffu};
            who[me] = me;
            __syncthreads();
            for (int step = SEARCHERS / 2; step; step >>= 1) {
                if (me < step && before(head[me + step], head[me])) {
                    head[me] = head[me + step];
                    who[me] = who[me + step];
                }
                __syncthreads();
            }
            if (me == 0) {
                index[a * k + e] = head[0].j;
                found[a * k + e] = head[0].d < INFINITY ? head[0].d : __longlong_as_double(-1);
            }
            used += who[0] == me;
            __syncthreads();
        }
    }
}

/* ---- launches -------------------------------------------------------------------------------- */

static unsigned blocks_for(size_t rows)
{
    return (unsigned)std::min(rows, (size_t)65535);
}

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

static void select(const shape &s, const tile &t, bool turned, bool others, choice c, size_t k,
                   const double *d2, int64_t *index, double *found, outcome *o)
{
    const unsigned blocks = blocks_for(turned ? t.columns : t.rows);
    nearest_kernel<<<blocks, SEARCHERS, 0, s.stream>>>(t, turned, others, c, (int)k, d2, index,
                                                       found, o);
    launched("neighbours");
}

/* ---- sets on the device ---------------------------------------------------------------------- */

struct sets {
    queue own;
    shape s{};
    spd_metric metric = SPD_METRIC_STEIN;
    bool products = false; /* of vectors, instead of distances */
    size_t p = 0, q = 0;   /* samples; queries, which follow them */
    bool squares = false;  /* of matrices: as squares of 16 x 16 */
    array<double> S, L, Li, dets, F, d2;
    spectrum_room room;
    array<link> links;
    array<outcome> out;
};

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
static void check_good(sets &e)
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
    } else {
        e.dets.make(2 * e.s.p);
        stein_samples(e.s, e.S.at, e.dets.at, nullptr, e.out.at);
    }
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
    } else {
        e.dets.make(2 * e.s.p);
        squares_determinants(e.s, e.S.at, e.dets.at, e.out.at);
    }
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
        functions_of(part, SPD_FUNCTION_LOG, 0.0, logs.at);
        take(e.s.stream, 0, part.p, logs.at);
        check(cudaStreamSynchronize(e.s.stream), "logarithms");
    }
}

static bool is_flat(spd_metric metric)
{
    return metric == SPD_METRIC_EUCLIDEAN || metric == SPD_METRIC_LOG_EUCLIDEAN;
}

static void open(sets &e, const cuda_sets &in, size_t pairs)
{
    cudaDeviceProp about;
    if (in.n < 1 || in.n > CUDA_MAX_N)
        throw fault{CUDA_FAULT_SIZE, "the CUDA engine does not measure matrices as large",
                    cudaSuccess};
    check(cudaSetDevice(in.device), "choosing the device");
    check(cudaGetDeviceProperties(&about, in.device), "asking the device");
    e.metric = in.metric;
    e.squares = in.n > (in.metric == SPD_METRIC_AIRM ? FAST : APART);
    e.p = in.p;
    e.q = in.Q ? in.q : 0;
    const int n = (int)in.n;
    e.own.make();
    e.s = {
        n,       n, n, 0, e.p + e.q, about.multiProcessorCount, (int)about.sharedMemPerBlockOptin,
        e.own.at};
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

static void measure(sets &e, const tile &t)
{
    const size_t count = place(t, t.rows);
    if (is_flat(e.metric))
        return flat_pairs(e.s, t, e.products, e.F.at, e.d2.at);
    list_pairs(e.s, t, e.links.at);
    if (e.metric == SPD_METRIC_AIRM && e.squares)
        squares_airm(e.s, e.room, count, e.links.at, e.L.at, e.Li.at, e.d2.at);
    else if (e.metric == SPD_METRIC_AIRM)
        airm_pairs(e.s, count, e.links.at, e.L.at, e.Li.at, e.d2.at, nullptr);
    else if (e.squares)
        squares_stein(e.s, count, e.links.at, e.S.at, e.dets.at, e.d2.at);
    else
        stein_pairs(e.s, count, e.links.at, e.S.at, e.dets.at, e.d2.at, nullptr);
}

static size_t rows_of(size_t columns)
{
    return std::max((size_t)1, TILE / columns);
}

/* A tile of so many rows, from `first` on. */
static tile tile_at(const sets &e, size_t rows, size_t first, size_t each, bool within)
{
    return {first, std::min(each, rows - first), e.p, e.q ? e.p : 0, within, 0};
}

static void tell_pairs(const cuda_sets &in, double done, double all)
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
    sets e;
    array<double> all, other;
    const size_t each = rows_of(in.p), rows = in.Q ? in.q : in.p, most = std::min(each, rows);
    const bool whole = in.Q || products; /* tiles, which need no mirror */
    e.products = products;
    open(e, in, most * in.p);
    all.make((whole ? most : in.p) * in.p);
    other.make(whole ? most * in.p : 1);
    downloader down(in, most * in.p);
    std::future<void> going;
    for (size_t first = 0; first < rows; first += each) {
        const tile t = tile_at(e, rows, first, each, !whole);
        measure(e, t);
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
    open(e, in, most * in.p);
    for (size_t first = 0; first < rows; first += each) {
        const tile t = tile_at(e, rows, first, each, !whole);
        double *to = whole ? D2 + first * in.p : D2;
        measure(e, t);
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

/* Lists of neighbours on the device, and where they go. */
struct neighbour_lists {
    array<int64_t> which;
    array<double> near;
    size_t k;
    cudaMemcpyKind out;
    neighbour_lists(const cuda_sets &in, size_t rows, size_t many)
        : k(many), out(in.on_device ? cudaMemcpyDeviceToDevice : cudaMemcpyDeviceToHost)
    {
        which.make(rows * k);
        near.make(rows * k);
    }
    void clear(cudaStream_t s)
    {
        check(cudaMemsetAsync(near.at, 0xff, near.count * sizeof(double), s), "neighbours");
    }
    void give(cudaStream_t s, size_t rows, int64_t *index, double *found) const
    {
        check(cudaMemcpyAsync(index, which.at, rows * k * sizeof(int64_t), out, s), "neighbours");
        check(cudaMemcpyAsync(found, near.at, rows * k * sizeof(double), out, s), "neighbours");
        check(cudaStreamSynchronize(s), "neighbours");
    }
};

/* Queries, so many at a time, with all samples. */
static void neighbours_of(const cuda_sets &in, size_t k, int64_t *index, double *found)
{
    sets e;
    const size_t each = std::min(rows_of(in.p), in.q);
    open(e, in, each * in.p);
    neighbour_lists lists(in, each, k);
    for (size_t first = 0; first < in.q; first += each) {
        const tile t = tile_at(e, in.q, first, each, false);
        lists.clear(e.s.stream);
        measure(e, t);
        select(e.s, t, false, false, choice{}, k, e.d2.at, lists.which.at, lists.near.at, e.out.at);
        lists.give(e.s.stream, t.rows, index + first * k, found + first * k);
        report(in, first + t.rows, in.q);
    }
    check_good(e);
}

/* Within one set: squares on and above the diagonal, for their rows and their columns. */
static void neighbours_within(const cuda_sets &in, const size_t *k, int64_t *index, double *found)
{
    sets e;
    array<int> label;
    const size_t p = in.p, side = std::min((size_t)std::sqrt((double)TILE), p);
    double done = 0.0;
    open(e, in, side * side);
    neighbour_lists lists[2] = {{in, p, k[0]}, {in, p, k[1]}};
    if (in.label) {
        label.make(p);
        label.put(in.label, p, e.s.stream);
    }
    for (int list = 0; list < 2; list++)
        lists[list].clear(e.s.stream);
    for (size_t a = 0; a < p; a += side)
        for (size_t b = a; b < p; b += side) {
            const tile t = {a, std::min(side, p - a), std::min(side, p - b), 0, false, b};
            measure(e, t);
            for (int turned = 0; turned <= (a < b); turned++)
                for (int list = 0; list < (in.label ? 2 : 1); list++) {
                    const size_t at = (turned ? b : a) * k[list];
                    if (k[list])
                        select(e.s, t, turned, true, choice{label.at, list}, k[list], e.d2.at,
                               lists[list].which.at + at, lists[list].near.at + at, e.out.at);
                }
            check(cudaStreamSynchronize(e.s.stream), "neighbours");
            tell_pairs(in, done += (a < b ? 2.0 : 1.0) * (double)t.rows * (double)t.columns,
                       (double)p * (double)p);
        }
    check_good(e);
    lists[0].give(e.s.stream, p, index, found);
    lists[1].give(e.s.stream, p, index + p * k[0], found + p * k[0]);
}

static void neighbours(const cuda_sets &in, const size_t *k, int64_t *index, double *found)
{
    if (k[0] + k[1] < 1 || std::max(k[0], k[1]) > CUDA_MAX_K)
        throw fault{CUDA_FAULT_SIZE, "the CUDA engine finds up to 64 neighbours", cudaSuccess};
    if (in.Q)
        neighbours_of(in, k[0], index, found);
    else
        neighbours_within(in, k, index, found);
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

int module_neighbours(const cuda_sets *in, const size_t *k, int64_t *index, double *d2, char *why)
{
    return guarded(why, [&] {
        visit here(*in, {index, d2});
        neighbours(*in, k, index, d2);
    });
}

} /* namespace spd */
