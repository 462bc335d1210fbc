/* nearest.cu - exact nearest neighbours: all pairs, tile by tile, each into the lists of its rows
 * and, within one set, of its columns.
 *
 * An affine-invariant distance costs some twenty Stein divergences, and 8 d2_S <= d2 (math.md,
 * eq. 9). So the divergences of a tile come first, and a pair is measured only if that bound is not
 * beyond the k-th nearest of its row or its column; for lists that are not full yet, the k nearest
 * of the tile by divergence are measured before, to have such a limit. What is measured is measured
 * as all pairs would be, so that the lists have the same bits. A tile that the bounds leave more
 * than half of is measured whole, and so are one, two, four .. that follow. */
#include <algorithm>
#include <cmath>

#include "cuda/distances.cuh"
#include "cuda/guard.cuh"
#include "cuda/resident.cuh"

namespace spd
{

constexpr int SEARCHERS = 128;                 /* threads for one list */
constexpr double FAR = 0x1.fffffffffffffp1023; /* in place of a distance that nobody needs */
constexpr size_t WORTH = 64;      /* columns of a tile for each neighbour, where bounds can pay */
constexpr int WHOLE_TILES = 16;   /* most without a try, after some that bounds did not thin out */
constexpr double MARGIN = 1e-9;   /* of a bound: rounding of the distances */
constexpr double SLACK = 0x1p-49; /* 8 eps */

/* ---- lists ----------------------------------------------------------------------------------- */

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

/* Takes the distances of a tile into the lists (k each) of its rows or, turned, of its columns, but
 * not into those that have a limit, unless that is NULL; a place that is free has NaN. A block for
 * each list: threads keep their own nearest, then the block takes the best of them k times. */
static __global__ void __launch_bounds__(SEARCHERS)
    nearest_kernel(tile t, bool turned, bool others, choice c, int k, const double *d2,
                   const double *limit, int64_t *index, double *found, outcome *o)
{
    __shared__ nearest head[SEARCHERS];
    __shared__ int who[SEARCHERS];
    const int me = threadIdx.x;
    const size_t lists = turned ? t.columns : t.rows, many = turned ? t.rows : t.columns;
    const size_t number = turned ? t.left : t.first, begin = turned ? t.first : t.left;
    for (size_t a = blockIdx.x; a < lists; a += gridDim.x) {
        if (limit && limit[a] < INFINITY)
            continue;
        nearest own[CUDA_MAX_K];
        int count = me < k && found[a * k + me] < INFINITY, used = 0;
        if (count)
            own[0] = {found[a * k + me], (uint32_t)index[a * k + me]};
        for (size_t j = me; j < many; j += SEARCHERS) {
            const nearest x = {not_negative(d2[turned ? j * t.columns + a : a * t.columns + j]),
                               (uint32_t)(begin + j)};
            if (!(x.d < INFINITY) && o)
                atomicMin(&o->bad, (unsigned long long)(number + a));
            if (x.d == FAR || (others && begin + j == number + a) ||
                (count == k && !before(x, own[k - 1])))
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

/* limit <- the farthest of each list that is full, where that is nearer. */
static __global__ void limit_kernel(size_t lists, int k, const double *found, double *limit)
{
    for (size_t a = blockIdx.x * (size_t)blockDim.x + threadIdx.x; a < lists;
         a += (size_t)gridDim.x * blockDim.x) {
        double most = 0.0;
        for (int e = 0; e < k; e++) {
            const double d = found[a * k + e];
            most = d <= most ? most : d < INFINITY ? d : INFINITY;
        }
        limit[a] = most < limit[a] ? most : limit[a];
    }
}

static __global__ void fill_kernel(size_t count, double value, double *to)
{
    for (size_t e = blockIdx.x * (size_t)blockDim.x + threadIdx.x; e < count;
         e += (size_t)gridDim.x * blockDim.x)
        to[e] = value;
}

/* ---- bounds ---------------------------------------------------------------------------------- */

/* Pairs that are to be measured, and where their distances go. */
struct shortlist {
    link *links;
    uint32_t *place;
    unsigned *count, most;
};

/* How far rounding may take the divergences of each sample: 8 eps n sum_r s_rr / l_rr^2. A relative
 * error of the entries s_rc of eps sqrt(s_rr s_cc) changes ln det S by no more than that times the
 * trace of the inverse, with a diagonal of ones, for which pivots stand in. */
static __global__ void slack_kernel(size_t p, int n, int M, bool squares, size_t size,
                                    const double *S, const double *L, double *slack)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < p;
         i += (size_t)gridDim.x * blockDim.x) {
        double sum = 0.0;
        for (int r = 0; r < n; r++) {
            const int in = r % SIDE,
                      at = squares ? square_at(r / SIDE, r / SIDE) + within_square(in, in)
                                   : r * M + r;
            const double s = S[i * size + at], l = L[i * size + at];
            sum += squares ? s * l * l : s / (l * l);
        }
        slack[i] = SLACK * n * sum;
    }
}

/* The pairs of each list that has no limit, with the k that it was given. */
static __global__ void seed_kernel(tile t, bool turned, int k, const double *limit,
                                   const int64_t *index, const double *found, shortlist s)
{
    const size_t lists = turned ? t.columns : t.rows;
    for (size_t e = blockIdx.x * (size_t)blockDim.x + threadIdx.x; e < lists * k;
         e += (size_t)gridDim.x * blockDim.x) {
        const size_t a = e / k, other = (size_t)index[e];
        if (limit[a] < INFINITY || !(found[e] < INFINITY))
            continue;
        const unsigned at = atomicAdd(s.count, 1u);
        const size_t row = turned ? other : t.begin + t.first + a,
                     column = turned ? t.left + a : other;
        s.links[at] = {(uint32_t)row, (uint32_t)column};
        s.place[at] = (uint32_t)e;
    }
}

/* The limits of the rows of a tile and, unless they are NULL, of its columns, by list. */
struct limits {
    const double *row[2], *column[2];
    const int *label;
    bool others;
};

/* May `other` be in a list of `own`, number a of the tile? */
__device__ inline bool in_reach(const limits &l, const double *const *limit, size_t a, size_t own,
                                size_t other, double bound)
{
    const int list = l.label ? list_for(l.label[own], l.label[other]) : 0;
    return list >= 0 && limit[list] && !(bound > limit[list][a]);
}

/* Lists the pairs of a tile that may be in a list, by the divergences d2; those of all others are
 * marked as far. */
static __global__ void thin_kernel(tile t, limits l, int n, const double *slack, double *d2,
                                   shortlist s)
{
    for (size_t a = blockIdx.x; a < t.rows; a += gridDim.x) {
        const size_t row = t.first + a;
        unsigned mine = 0, at = 0;
        for (int pass = 0; pass < 2; pass++) {
            if (pass && mine)
                at = atomicAdd(s.count, mine);
            for (size_t j = threadIdx.x; j < t.columns; j += blockDim.x) {
                const size_t column = t.left + j, here = a * t.columns + j;
                const double off = n * (slack[t.begin + row] + slack[column]),
                             bound = 8.0 * (d2[here] * (1.0 - MARGIN) - off);
                const bool near =
                    !(l.others && row == column) && (in_reach(l, l.row, a, row, column, bound) ||
                                                     in_reach(l, l.column, j, column, row, bound));
                if (pass == 0)
                    mine += near;
                else if (!near)
                    d2[here] = FAR;
                else if (at < s.most) {
                    s.links[at] = {(uint32_t)(t.begin + row), (uint32_t)column};
                    s.place[at++] = (uint32_t)here;
                }
            }
        }
    }
}

static __global__ void put_kernel(size_t count, const uint32_t *place, const double *from,
                                  double *to)
{
    for (size_t e = blockIdx.x * (size_t)blockDim.x + threadIdx.x; e < count;
         e += (size_t)gridDim.x * blockDim.x)
        to[place[e]] = from[e];
}

/* ---- a search -------------------------------------------------------------------------------- */

/* Lists of neighbours on the device, and where they go. */
struct neighbour_lists {
    array<int64_t> which;
    array<double> near;
    size_t k = 0;
    void make(size_t rows, size_t many, cudaStream_t s)
    {
        k = many;
        which.make(rows * k);
        near.make(rows * k);
        clear(s);
    }
    void clear(cudaStream_t s)
    {
        check(cudaMemsetAsync(near.at, 0xff, near.count * sizeof(double), s), "neighbours");
    }
    void give(cudaStream_t s, cudaMemcpyKind out, int64_t *index, double *found) const
    {
        check(cudaMemcpyAsync(index, which.at, which.count * sizeof(int64_t), out, s),
              "neighbours");
        check(cudaMemcpyAsync(found, near.at, near.count * sizeof(double), out, s), "neighbours");
        check(cudaStreamSynchronize(s), "neighbours");
    }
};

struct finder {
    array<int> label;
    int kinds = 1; /* lists of a sample */
    neighbour_lists lists[2];
    double measured = 0.0;

    bool bounded = false; /* are there bounds? */
    int whole = 0;        /* tiles to come that are measured whole, */
    int pause = 1;        /* the next time */
    neighbour_lists seeds;
    array<double> slack, limit[2], exact;
    array<uint32_t> place;
    array<unsigned> count;
    sets e; /* with the stream that all is done in */
};

/* The rows of a tile or, turned, its columns: their number, the first, and their lists. */
struct side {
    bool turned;
    size_t count, first;
    side(const tile &t, bool columns)
        : turned(columns), count(columns ? t.columns : t.rows), first(columns ? t.left : t.first)
    {
    }
};

static void select(finder &f, const tile &t, const side &a, int list, const double *limit,
                   neighbour_lists &to, size_t at, outcome *o)
{
    const bool turned = a.turned, others = !f.e.q;
    const choice c = {f.label.at, list};
    const int k = (int)f.lists[list].k;
    const double *d2 = f.e.d2.at;
    int64_t *index = to.which.at + at;
    double *found = to.near.at + at;
    nearest_kernel<<<blocks_for(a.count), SEARCHERS, 0, f.e.s.stream>>>(t, turned, others, c, k, d2,
                                                                        limit, index, found, o);
    launched("neighbours");
}

static void tighten(finder &f, const side &a, int list, const double *near)
{
    const size_t count = a.count;
    const int k = (int)f.lists[list].k;
    double *limit = f.limit[list].at + a.first;
    limit_kernel<<<blocks_for(count), 128, 0, f.e.s.stream>>>(count, k, near, limit);
    launched("neighbours");
}

/* ---- with bounds ----------------------------------------------------------------------------- */

/* slack <- of all samples; limits <- none. */
static void start_bounds(finder &f, size_t rows)
{
    const sets &e = f.e;
    const shape s = e.s;
    const bool squares = e.squares;
    const size_t size = e.S.count / s.p;
    const double *S = e.S.at, *L = e.L.at;
    f.slack.make(s.p);
    double *slack = f.slack.at;
    slack_kernel<<<blocks_for(s.p), 128, 0, s.stream>>>(s.p, s.n, s.M, squares, size, S, L, slack);
    for (int list = 0; list < f.kinds; list++) {
        f.limit[list].make(rows);
        double *limit = f.limit[list].at;
        fill_kernel<<<blocks_for(rows), 128, 0, s.stream>>>(rows, INFINITY, limit);
    }
    launched("lower bounds");
}

/* Bounds for AIRM, where tiles are wide enough and divergences exist. */
static void open_bounds(finder &f, const cuda_sets &in, size_t columns)
{
    sets &e = f.e;
    const cudaStream_t stream = e.s.stream;
    const size_t k = std::max(f.lists[0].k, f.lists[1].k), pairs = e.d2.count;
    outcome good;
    array<outcome> o;
    if (in.metric != SPD_METRIC_AIRM || in.brute || columns < WORTH * k)
        return;
    o.make(1);
    const until_done wait{stream};
    check(cudaMemsetAsync(o.at, 0xff, sizeof good, stream), "result");
    prepare_determinants(e, o.at);
    check(cudaMemcpyAsync(&good, o.at, sizeof good, cudaMemcpyDeviceToHost, stream), "result");
    check(cudaStreamSynchronize(stream), "determinants");
    if (good.bad != ~0ull)
        return;
    start_bounds(f, e.q ? e.q : e.p);
    f.seeds.make(pairs / columns, k, stream);
    f.exact.make(pairs / 2);
    f.place.make(pairs / 2);
    f.count.make(1);
    f.bounded = true;
}

static shortlist empty_list(finder &f)
{
    check(cudaMemsetAsync(f.count.at, 0, sizeof(unsigned), f.e.s.stream), "neighbours");
    return {f.e.links.at, f.place.at, f.count.at, (unsigned)f.place.count};
}

static size_t listed(const finder &f)
{
    unsigned count;
    check(cudaMemcpyAsync(&count, f.count.at, sizeof count, cudaMemcpyDeviceToHost, f.e.s.stream),
          "neighbours");
    check(cudaStreamSynchronize(f.e.s.stream), "neighbours");
    return count;
}

/* to[place] <- the distances of the pairs that are listed. */
static void measure_short(finder &f, size_t count, double *to)
{
    if (count == 0)
        return;
    const uint32_t *place = f.place.at;
    const double *exact = f.exact.at;
    measure_listed(f.e, f.e.metric, count, f.exact.at);
    put_kernel<<<blocks_for(count), 128, 0, f.e.s.stream>>>(count, place, exact, to);
    launched("neighbours");
    f.measured += (double)count;
}

/* Limits for lists that have none, by what the divergences say is near. */
static void seed(finder &f, const tile &t, const side &a, int list)
{
    const bool turned = a.turned;
    const int k = (int)f.lists[list].k;
    const double *limit = f.limit[list].at + a.first;
    const int64_t *which = f.seeds.which.at;
    double *near = f.seeds.near.at;
    f.seeds.clear(f.e.s.stream);
    select(f, t, a, list, limit, f.seeds, 0, nullptr);
    const shortlist s = empty_list(f);
    seed_kernel<<<blocks_for(a.count * k), 128, 0, f.e.s.stream>>>(t, turned, k, limit, which, near,
                                                                   s);
    launched("neighbours");
    measure_short(f, listed(f), near);
    tighten(f, a, list, near);
}

/* e.d2 <- the distances of a tile that may be wanted, FAR for all others; false: too many. */
static bool measure_near(finder &f, const tile &t, bool both)
{
    const sets &e = f.e;
    const int n = e.s.n;
    const double *slack = f.slack.at;
    double *d2 = e.d2.at;
    limits l = {{nullptr, nullptr}, {nullptr, nullptr}, f.label.at, !e.q};
    measure_tile(f.e, t, SPD_METRIC_STEIN);
    for (int turned = 0; turned <= both; turned++)
        for (int list = 0; list < f.kinds; list++) {
            const side a(t, turned);
            if (f.lists[list].k == 0)
                continue;
            seed(f, t, a, list);
            (turned ? l.column : l.row)[list] = f.limit[list].at + a.first;
        }
    const shortlist s = empty_list(f);
    thin_kernel<<<blocks_for(t.rows), 256, 0, e.s.stream>>>(t, l, n, slack, d2, s);
    launched("lower bounds");
    const size_t count = listed(f);
    if (2 * count > t.rows * t.columns)
        return false;
    measure_short(f, count, d2);
    f.measured += both ? (double)count : 0.0; /* of either for the other */
    return true;
}

static void measure_whole(finder &f, const tile &t, bool both)
{
    const bool others = !f.e.q && !both; /* nobody is its own neighbour */
    measure_tile(f.e, t, f.e.metric);
    f.measured += (both ? 2.0 : 1.0) * (double)(t.rows * (t.columns - others));
}

/* ---- tile by tile ---------------------------------------------------------------------------- */

/* A tile into the lists of its rows and of its columns, or of its rows alone. */
static void look(finder &f, const tile &t, bool both)
{
    const bool tried = f.bounded && f.whole == 0, thin = tried && measure_near(f, t, both);
    if (!thin)
        measure_whole(f, t, both);
    f.whole -= f.whole > 0;
    if (tried && thin)
        f.pause = 1;
    else if (tried && t.rows * t.columns == f.e.d2.count) { /* those at the edges say little */
        f.whole = f.pause;
        f.pause = std::min(2 * f.pause, WHOLE_TILES);
    }
    for (int turned = 0; turned <= both; turned++)
        for (int list = 0; list < f.kinds; list++) {
            const side a(t, turned);
            const size_t at = a.first * f.lists[list].k;
            if (f.lists[list].k == 0)
                continue;
            select(f, t, a, list, nullptr, f.lists[list], at, f.e.out.at);
            if (f.bounded)
                tighten(f, a, list, f.lists[list].near.at + at);
        }
    check(cudaStreamSynchronize(f.e.s.stream), "neighbours");
}

/* Queries, so many at a time, with all samples. */
static void look_from(finder &f, const cuda_sets &in, size_t each)
{
    for (size_t first = 0; first < in.q; first += each) {
        const tile t = tile_at(f.e, in.q, first, each, false);
        look(f, t, false);
        tell_pairs(in, (double)(first + t.rows) * (double)in.p, (double)in.q * (double)in.p);
    }
}

/* Within one set: squares on the diagonal, where those of one class may be, then above it. */
static void look_within(finder &f, const cuda_sets &in, size_t each)
{
    const size_t p = in.p;
    double done = 0.0;
    for (size_t off = 0; off < p; off += each)
        for (size_t a = 0; a + off < p; a += each) {
            const size_t b = a + off;
            const tile t = {a, std::min(each, p - a), std::min(each, p - b), 0, false, b};
            look(f, t, off > 0);
            tell_pairs(in, done += (off ? 2.0 : 1.0) * (double)t.rows * (double)t.columns,
                       (double)p * (double)p);
        }
}

static void neighbours(const cuda_sets &in, const size_t *k, int64_t *index, double *found,
                       double *exact)
{
    finder f;
    const size_t rows = in.Q ? in.q : in.p, most = std::max(k[0], k[1]);
    const size_t columns = in.Q ? in.p : std::min((size_t)std::sqrt((double)TILE), in.p);
    const size_t each = in.Q ? std::min(rows_of(in.p), in.q) : columns;
    const cudaMemcpyKind out = in.on_device ? cudaMemcpyDeviceToDevice : cudaMemcpyDeviceToHost;
    if (most < 1 || most > CUDA_MAX_K)
        throw fault{CUDA_FAULT_SIZE, "the CUDA engine finds up to 64 neighbours", cudaSuccess};
    open_sets(f.e, in, each * columns);
    const cudaStream_t stream = f.e.s.stream;
    for (int list = 0; list < 2; list++)
        f.lists[list].make(rows, k[list], stream);
    if (in.label) {
        f.kinds = 2;
        f.label.make(in.p);
        f.label.put(in.label, in.p, stream);
    }
    open_bounds(f, in, columns);
    if (in.Q)
        look_from(f, in, each);
    else
        look_within(f, in, each);
    check_good(f.e);
    f.lists[0].give(stream, out, index, found);
    f.lists[1].give(stream, out, index + rows * k[0], found + rows * k[0]);
    *exact = f.measured;
}

int module_neighbours(const cuda_sets *in, const size_t *k, int64_t *index, double *d2,
                      double *exact, char *why)
{
    return guarded(why, [&] {
        visit here(*in, {index, d2});
        neighbours(*in, k, index, d2, exact);
    });
}

} /* namespace spd */
