/* engine.cu - a fit on one device or several, as the optimiser sees it (optim/problem.h).
 *
 * Samples are divided into shards (shard.cuh), one for each device of this process and of its
 * peers, which take every step together; between steps they exchange what the others need. Slices
 * of samples, chunks of pairs and the order of sums depend on the problem alone, so results are the
 * same bits for any number of shards.
 *
 * What aim, probe and gradient launch is the same every time: on one device it is recorded once and
 * then launched by a single call; launches are most of the time where samples are few. */
#include <algorithm>
#include <cmath>
#include <cstring>

#include "cuda/engine.cuh"

using namespace spd;

/* ---- shards ---------------------------------------------------------------------------------- */

template <class F> static void each(cuda_engine &e, F body)
{
    for (auto &h : e.shards) {
        check(cudaSetDevice(h->device), "choosing the device");
        body(*h);
    }
}

/* The same where a body waits for its device: all at once. */
template <class F> static void together(cuda_engine &e, F body)
{
    std::vector<std::future<void>> work;
    if (e.shards.size() == 1)
        return each(e, body);
    for (auto &h : e.shards)
        work.push_back(std::async(std::launch::async, [&h, &body] {
            check(cudaSetDevice(h->device), "choosing the device");
            body(*h);
        }));
    wait_for_all(work, e.stop);
    for (auto &w : work)
        w.get();
}

/* Waits for all devices: pinned memory may be written to again. */
static void settle(cuda_engine &e)
{
    each(e, [](shard &h) { check(cudaStreamSynchronize(h.all.stream), "work on the device"); });
    e.busy = false;
}

/* The same unless it is known to be so. */
static void free_given(cuda_engine &e)
{
    if (e.busy)
        settle(e);
    e.busy = true;
}

/* All of it goes to one device and nobody else, so that it can be recorded. */
template <class F> static void launch(cuda_engine &e, bool fixed, recording &r, F body)
{
    if (fixed && e.cuts.shards() == 1)
        r.launch(e.s.stream, body);
    else
        body();
}

/* ---- exchanges ------------------------------------------------------------------------------- */

/* Pieces of an array, cut at `at`, from one shard of this process to all others. */
template <class F>
static void exchange_here(cuda_engine &e, const std::vector<size_t> &at, size_t size, F array_of)
{
    each(e, [](shard &h) { h.ready.record(h.all.stream); });
    each(e, [&](shard &to) {
        for (auto &from : e.shards) {
            const size_t first = at[from->number] * size,
                         count = at[from->number + 1] * size - first;
            if (from.get() == &to || count == 0)
                continue;
            from->ready.hold(to.all.stream);
            check(cudaMemcpyPeerAsync(array_of(to) + first, to.device, array_of(*from) + first,
                                      from->device, count * sizeof(double), to.all.stream),
                  "exchange between devices");
        }
        to.taken.record(to.all.stream);
    });
    each(e, [&](shard &h) { /* nobody writes to what others still take */
                            for (auto &other : e.shards)
                                if (other.get() != &h)
                                    other->taken.hold(h.all.stream);
    });
}

static void collect(const cuda_peers &peers, const std::vector<size_t> &at, void *all)
{
    if (peers.collect(peers.user, at.data(), all))
        throw fault{CUDA_FAULT_ELSEWHERE, "another process failed", cudaSuccess};
}

/* The same between processes, by way of the host. */
template <class F>
static void exchange_peers(cuda_engine &e, const std::vector<size_t> &at, size_t size, F array_of)
{
    const size_t here = e.shards.size(), begin = at[e.first] * size,
                 end = at[e.first + here] * size;
    const size_t all = at.back() * size;
    std::vector<size_t> places;
    for (int r = 0; r <= e.peers.count; r++)
        places.push_back(at[r * here] * size * sizeof(double));
    settle(e);
    if (e.staging.count < all)
        e.staging.make(all);
    check(cudaSetDevice(e.shards[0]->device), "choosing the device");
    check(cudaMemcpy(e.staging.at + begin, array_of(*e.shards[0]) + begin,
                     (end - begin) * sizeof(double), cudaMemcpyDeviceToHost),
          "exchange between processes");
    collect(e.peers, places, e.staging.at);
    each(e, [&](shard &h) {
        double *to = array_of(h);
        const cudaMemcpyKind up = cudaMemcpyHostToDevice;
        check(cudaMemcpyAsync(to, e.staging.at, begin * sizeof(double), up, h.all.stream),
              "exchange between processes");
        check(cudaMemcpyAsync(to + end, e.staging.at + end, (all - end) * sizeof(double), up,
                              h.all.stream),
              "exchange between processes");
    });
}

/* Every shard gets the pieces that the others have of an array: size doubles for each step of `at`.
 */
template <class F>
static void exchange(cuda_engine &e, const std::vector<size_t> &at, size_t size, F array_of)
{
    if (e.shards.size() > 1)
        exchange_here(e, at, size, array_of);
    if (e.peers.count > 1)
        exchange_peers(e, at, size, array_of);
}

/* The largest of what all processes say. */
static double largest(const cuda_peers &peers, double x)
{
    std::vector<double> all(peers.count, x);
    std::vector<size_t> at;
    for (int r = 0; r <= peers.count; r++)
        at.push_back(r * sizeof(double));
    if (peers.count > 1)
        collect(peers, at, all.data());
    return *std::max_element(all.begin(), all.end());
}

/* ---- pairs ----------------------------------------------------------------------------------- */

/* Cost and weights at S0 or S, of which every shard has its part. */
static void pairs_value(cuda_engine &e, array<double> shard::*S)
{
    exchange(e, e.cuts.samples, (size_t)e.s.M * e.s.M, [S](shard &h) { return (h.*S).at; });
    each(e, [S](shard &h) {
        h.measure((h.*S).at);
        if (!h.alone)
            h.send_distances();
    });
    exchange(e, e.shards[0]->pairs.sent_at, 1, [](shard &h) { return h.sent.at; });
    each(e, [S](shard &h) { h.weigh((h.*S).at); });
}

static void pairs_fetch(cuda_engine &e)
{
    each(e, [&e](shard &h) {
        h.join_side();
        send_outcome(h.all.stream, h.out.at,
                     &h == e.shards[0].get() ? e.outcomes.address() : mailbox_address{});
    });
}

/* Waits for the sums; f <- the objective, NaN where there is none, infinite where a ratio has none.
 */
static outcome pairs_read(cuda_engine &e)
{
    const shard &h = *e.shards[0];
    outcome o;
    memcpy(&o, e.outcomes.wait(h.all.stream, "sums over the pairs"), sizeof o);
    e.busy = e.busy && e.cuts.shards() > 1;
    const bool of_sums = !of_samples(h.objective);
    if (of_sums && o.within + o.between <= h.how.no_spread * h.pairs.total * e.s.m) {
        o.within = o.between = o.slope = 0.0;
        each(e, [](shard &x) {
            check(cudaMemsetAsync(x.Z.at, 0, x.Z.count * sizeof(double), x.all.stream), "weights");
        });
    }
    e.f = !of_sums ? o.within : h.ratio ? log(o.within) - log(o.between) : o.within - o.between;
    if (h.ratio && o.between == 0.0)
        e.f = INFINITY;
    if (o.bad != ~0ull || (!h.ratio && !std::isfinite(e.f)))
        e.f = NAN;
    return o;
}

/* ---- the calls of a problem ------------------------------------------------------------------ */

static void put(const shard &h, double *to, const double *from, size_t count)
{
    check(cudaMemcpyAsync(to, from, count * sizeof(double), cudaMemcpyHostToDevice, h.all.stream),
          "copy to the device");
}

/* to (rows x M) <- A (rows x m). */
static void pad(const cuda_engine &e, int rows, const double *A, double *to)
{
    const int m = e.s.m, M = e.s.M;
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < M; c++)
            to[(size_t)r * M + c] = c < m ? A[(size_t)r * m + c] : 0.0;
}

static void identity(cuda_engine &e)
{
    e.v.assign((size_t)e.s.M * e.s.M, 0.0);
    for (int k = 0; k < e.s.M; k++)
        e.v[(size_t)k * (e.s.M + 1)] = 1.0;
}

/* Which of the arrays that steps swap are where: a recording holds for one such state. */
static int arrangement(const cuda_engine &e)
{
    const shard &h = *e.shards[0];
    return 2 * (h.S0.at < h.S.at) + (h.Y.at < h.P.at);
}

void spd::start(cuda_engine &e, const double *W)
{
    free_given(e);
    pad(e, e.s.n, W, e.given.at);
    together(e, [&](shard &h) {
        h.W.put(e.given.at, (size_t)e.s.n * e.s.M, h.all.stream);
        h.begin();
    });
    pairs_value(e, &shard::S0);
    pairs_fetch(e);
    e.outcomes.ask();
    identity(e);
    e.t = e.begun = NAN;
    e.owed = e.moved = e.asked = false;
    pairs_read(e);
}

/* T and, behind it, the sines of the rotation that Y owes. */
static void prepare_rotation(cuda_engine &e)
{
    const int M = e.s.M;
    double *T = e.small, *sine = T + (size_t)M * M;
    for (int c = 0; c < M; c++) {
        const double angle = e.moved ? e.sigma[c] * e.t : 0.0, cosine = cos(angle);
        sine[c] = sin(angle);
        for (int r = 0; r < M; r++)
            T[(size_t)r * M + c] = e.v[(size_t)r * M + c] * cosine;
    }
}

/* G, and the rotation that Y owes. */
static void gradient(cuda_engine &e)
{
    const size_t tall = (size_t)e.s.n * e.s.M, mm = (size_t)e.s.M * e.s.M;
    free_given(e);
    if (e.owed)
        prepare_rotation(e);
    launch(e, true, e.gradients[2 * arrangement(e) + e.owed], [&] {
        each(e, [&](shard &h) {
            if (e.owed)
                put(h, h.T(), e.small, mm + e.s.M);
            h.gradient(e.owed);
        });
        exchange(e, e.cuts.slices, tall, [](shard &h) { return h.part.at; });
        each(e, [](shard &h) { h.add_gradient(); });
        const shard &h = *e.shards[0];
        check(cudaSetDevice(h.device), "choosing the device");
        send_numbers(h.all.stream, tall, h.G.at, e.slopes.address());
    });
    e.slopes.ask();
    if (e.owed && e.s.M > FAST)
        each(e, [](shard &h) { h.Y.swap(h.P); });
    if (e.owed)
        identity(e);
    e.owed = e.moved = false;
    e.asked = true;
}

void spd::cost_grad(cuda_engine &e, double *f, double *G)
{
    const int n = e.s.n, m = e.s.m, M = e.s.M;
    if (!e.asked)
        gradient(e);
    const double *from = e.slopes.wait(e.shards[0]->all.stream, "gradient");
    e.asked = false;
    if (e.cuts.shards() > 1)
        settle(e);
    e.busy = false;
    for (int r = 0; r < n; r++)
        memcpy(G + (size_t)r * m, from + (size_t)r * M, m * sizeof(double));
    *f = e.f;
}

/* A <- A V, both k x k. */
static void times(int k, std::vector<double> &A, const double *V)
{
    std::vector<double> row(k);
    for (int r = 0; r < k; r++) {
        double *a = A.data() + (size_t)r * k;
        std::fill(row.begin(), row.end(), 0.0);
        for (int q = 0; q < k; q++)
            for (int c = 0; c < k; c++)
                row[c] += a[q] * V[(size_t)q * k + c];
        memcpy(a, row.data(), k * sizeof(double));
    }
}

void spd::aim(cuda_engine &e, const double *U, const double *sigma, const double *V)
{
    const int n = e.s.n, m = e.s.m, M = e.s.M;
    free_given(e);
    e.asked = false;
    double *rotation = e.small;
    for (int r = 0; r < M; r++)
        for (int c = 0; c < M; c++)
            rotation[(size_t)r * M + c] = r < m && c < m ? V[(size_t)r * m + c] : r == c;
    e.sigma.assign(M, 0.0);
    memcpy(e.sigma.data(), sigma, m * sizeof(double));
    if (e.owed)
        times(M, e.v, rotation);
    else
        e.v.assign(rotation, rotation + (size_t)M * M);
    e.owed = true;
    pad(e, n, U, e.given.at);
    launch(e, e.shards[0]->samples.kept, e.aims[arrangement(e)], [&] {
        together(e, [&](shard &h) {
            put(h, h.U.at, e.given.at, (size_t)(n + M) * M); /* and T */
            h.aim();
        });
    });
    e.t = e.begun = NAN;
}

/* Puts all of a probe into the streams. */
static void begin_probe(cuda_engine &e, double t)
{
    const int M = e.s.M;
    double *angles = e.small + (size_t)M * M + M; /* of probes alone, */
    if (!std::isnan(e.begun)) /* which end by waiting, but for those begun ahead */
        settle(e);
    for (int c = 0; c < M; c++) {
        angles[c] = cos(e.sigma[c] * t);
        angles[M + c] = sin(e.sigma[c] * t);
        angles[2 * M + c] = e.sigma[c];
    }
    launch(e, true, e.probes[arrangement(e)], [&] {
        each(e, [&](shard &h) {
            h.angles.put(angles, 3 * M, h.all.stream);
            h.try_point();
        });
        pairs_value(e, &shard::S);
        each(e, [](shard &h) { h.slope(); });
        exchange(e, e.cuts.samples, 1, [](shard &h) { return h.d.at; });
        each(e, [](shard &h) { h.add_slope(); });
        pairs_fetch(e);
    });
    e.outcomes.ask();
    e.begun = t;
}

void spd::ahead(cuda_engine &e, double t)
{
    if (e.cuts.shards() == 1)
        begin_probe(e, t);
}

void spd::probe(cuda_engine &e, double t, double *f, double *df)
{
    if (!(e.begun == t))
        begin_probe(e, t);
    outcome o = pairs_read(e);
    if (e.cuts.shards() > 1)
        settle(e);
    e.begun = NAN;
    e.t = t;
    *f = e.f;
    *df = std::isfinite(e.f) ? o.slope : NAN;
}

/* The gradient is set going here, so that the optimiser can work meanwhile. */
void spd::step(cuda_engine &e, double t)
{
    double f, df;
    if (!(e.t == t))
        probe(e, t, &f, &df);
    each(e, [](shard &h) { h.S0.swap(h.S); });
    e.owed = e.moved = true;
    gradient(e);
    each(e, [](shard &h) { move_point(h.all, h.angles.at, h.U.at, h.W.at); });
}

/* ---- life ------------------------------------------------------------------------------------ */

/* Samples and pairs; with what all shards agree upon: pairs in a chunk, and the scale. */
static void load(cuda_engine &e, const cuda_input &in, size_t divisor)
{
    const size_t count = e.shards.size();
    std::vector<double> trace(count, 0.0);
    double most = 1e18;
    each(e, [&](shard &h) { most = std::min(most, (double)h.most_pairs(in, divisor)); });
    const size_t pairs = (size_t)-largest(e.peers, -most);
    const int threads = std::max(1, in.threads / (int)count);
    together(e, [&](shard &h) {
        trace[h.number - e.first] = h.load(in, e.cuts, pairs, divisor, threads);
    });
    const double scale = scale_for(largest(e.peers, *std::max_element(trace.begin(), trace.end())));
    each(e, [scale](shard &h) { h.samples.scale(scale); });
    settle(e);
}

void spd::open(cuda_engine &e, const cuda_input &in)
{
    int there = 0;
    if (in.n < 1 || in.n > CUDA_MAX_N || in.m < 1 || in.m > CUDA_MAX_M || in.m > in.n)
        throw fault{CUDA_FAULT_SIZE, "the CUDA engine takes n up to 512 and m up to 128",
                    cudaSuccess};
    check(cudaGetDeviceCount(&there), "looking for devices");
    const size_t devices = (size_t)std::max(1, in.devices), shards = devices * in.peers.count;
    e.peers = in.peers;
    e.stop = {in.stop, in.stop_user};
    e.first = devices * in.peers.rank;
    e.cuts = partition_of(in.n, in.p + (in.extra ? 1 : 0), shards);
    for (size_t k = 0; k < devices; k++) {
        e.shards.push_back(std::make_unique<shard>());
        e.shards.back()->open(in, e.cuts, e.first + k,
                              in.on_device ? in.device : (in.device + (int)k) % there);
    }
    e.s = e.shards[0]->all;
    const size_t mm = (size_t)e.s.M * e.s.M, tall = (size_t)e.s.n * e.s.M;
    e.given.make(tall + mm + 4 * e.s.M);
    e.small = e.given.at + tall;
    check(cudaSetDevice(e.shards[0]->device), "choosing the device");
    e.outcomes.make(sizeof(outcome) / sizeof(double), e.s.stream);
    e.slopes.make(tall, e.s.stream);
    load(e, in, in.on_device ? devices : (devices + there - 1) / there);
}

void spd::finish(cuda_engine &e)
{
    for (auto &h : e.shards)
        if (cudaSetDevice(h->device) != cudaSuccess ||
            cudaStreamSynchronize(h->main_queue.at) != cudaSuccess ||
            cudaStreamSynchronize(h->side.at) != cudaSuccess)
            cudaGetLastError();
}

/* A pass reads what is packed and writes n x M numbers for each sample. */
void spd::usage(const cuda_engine &e, cuda_usage *used)
{
    const shard &h = *e.shards[0];
    float ms = 0.0f;
    used->devices = (int)e.shards.size();
    for (auto &s : e.shards) {
        used->bytes += s->bytes;
        used->streamed |= !s->samples.kept;
        used->sent += s->samples.kept || s->samples.resident
                          ? 0
                          : s->local.p * (size_t)s->all.n * (s->all.n + 16) / 2 * sizeof(double);
    }
    used->moved = (double)h.local.p * (double)(pack_size(h.all.n) + (size_t)h.all.n * h.all.M) *
                  sizeof(double);
    used->peak = h.peak;
    if (cudaSetDevice(h.device) == cudaSuccess &&
        cudaEventElapsedTime(&ms, h.began.at, h.ended.at) == cudaSuccess)
        used->seconds = 1e-3 * ms;
    cudaGetLastError();
}
