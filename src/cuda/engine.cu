/* engine.cu - a fit on a device, as the optimiser sees it (optim/problem.h).
 *
 * Samples are divided into shards (shard.cuh), one for each process, which take every step
 * together; between steps they exchange what the others need. Slices of samples, chunks of pairs
 * and the order of sums depend on the problem alone, so results are the same bits for any number of
 * processes.
 *
 * What aim, probe and gradient launch is the same every time: a process alone records it once and
 * then launches it by a single call; launches are most of the time where samples are few. */
#include <algorithm>
#include <cmath>
#include <cstring>

#include "cuda/engine.cuh"

using namespace spd;

/* ---- exchanges ------------------------------------------------------------------------------- */

/* Waits for the device: pinned memory may be written to again. */
static void settle(cuda_engine &e)
{
    check(cudaStreamSynchronize(e.s.stream), "work on the device");
    e.busy = false;
}

/* The same unless it is known to be so. */
static void free_given(cuda_engine &e)
{
    if (e.busy)
        settle(e);
    e.busy = true;
}

/* Without exchanges all of it goes to the device, so that it can be recorded. */
template <class F> static void launch(cuda_engine &e, bool fixed, recording &r, F body)
{
    if (fixed && e.own.alone)
        r.launch(e.s.stream, body);
    else
        body();
}

static void collect(const cuda_peers &peers, const std::vector<size_t> &at, void *all)
{
    if (peers.collect(peers.user, at.data(), all))
        throw fault{CUDA_FAULT_ELSEWHERE, "another process failed", cudaSuccess};
}

/* Every process gets the pieces that the others have of an array, size doubles for each step of
 * `at`, by way of the host. */
static void exchange(cuda_engine &e, const std::vector<size_t> &at, size_t size, double *A)
{
    std::vector<size_t> places;
    if (e.own.alone)
        return;
    const size_t begin = at[e.own.number] * size, end = at[e.own.number + 1] * size,
                 all = at.back() * size;
    for (const size_t place : at)
        places.push_back(place * size * sizeof(double));
    settle(e);
    if (e.staging.count < all)
        e.staging.make(all);
    check(cudaMemcpy(e.staging.at + begin, A + begin, (end - begin) * sizeof(double),
                     cudaMemcpyDeviceToHost),
          "exchange between processes");
    collect(e.peers, places, e.staging.at);
    check(cudaMemcpyAsync(A, e.staging.at, begin * sizeof(double), cudaMemcpyHostToDevice,
                          e.s.stream),
          "exchange between processes");
    check(cudaMemcpyAsync(A + end, e.staging.at + end, (all - end) * sizeof(double),
                          cudaMemcpyHostToDevice, e.s.stream),
          "exchange between processes");
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
static void pairs_value(cuda_engine &e, double *S)
{
    exchange(e, e.cuts.samples, (size_t)e.s.M * e.s.M, S);
    e.own.measure(S);
    if (!e.own.alone)
        e.own.send_distances();
    exchange(e, e.own.pairs.sent_at, 1, e.own.sent.at);
    e.own.weigh(S);
}

static void pairs_fetch(cuda_engine &e)
{
    e.own.join_side();
    send_outcome(e.s.stream, e.own.out.at, e.outcomes.address());
}

/* Waits for the sums; f <- the objective, NaN where there is none. */
static outcome pairs_read(cuda_engine &e)
{
    const shard &h = e.own;
    outcome o;
    memcpy(&o, e.outcomes.wait(e.s.stream, "sums over the pairs"), sizeof o);
    e.busy = e.busy && !h.alone;
    const bool of_sums = !of_samples(h.objective);
    if (of_sums && o.within + o.between <= h.how.no_spread * h.pairs.total * e.s.m) {
        o.within = o.between = o.slope = 0.0;
        check(cudaMemsetAsync(h.Z.at, 0, h.Z.count * sizeof(double), e.s.stream), "weights");
    }
    e.f = of_sums ? o.within - o.between : o.within;
    if (o.bad != ~0ull || !std::isfinite(e.f))
        e.f = NAN;
    return o;
}

/* ---- the calls of a problem ------------------------------------------------------------------ */

static void put(const cuda_engine &e, double *to, const double *from, size_t count)
{
    check(cudaMemcpyAsync(to, from, count * sizeof(double), cudaMemcpyHostToDevice, e.s.stream),
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
    const shard &h = e.own;
    return 2 * (h.S0.at < h.S.at) + (h.Y.at < h.P.at);
}

void spd::start(cuda_engine &e, const double *W)
{
    free_given(e);
    pad(e, e.s.n, W, e.given.at);
    e.own.W.put(e.given.at, (size_t)e.s.n * e.s.M, e.s.stream);
    e.own.begin();
    pairs_value(e, e.own.S0.at);
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
    shard &h = e.own;
    free_given(e);
    if (e.owed)
        prepare_rotation(e);
    launch(e, true, e.gradients[2 * arrangement(e) + e.owed], [&] {
        if (e.owed)
            put(e, h.T(), e.small, mm + e.s.M);
        h.gradient(e.owed);
        exchange(e, e.cuts.slices, tall, h.part.at);
        h.add_gradient();
        send_numbers(e.s.stream, tall, h.G.at, e.slopes.address());
    });
    e.slopes.ask();
    if (e.owed && e.s.M > FAST)
        h.Y.swap(h.P);
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
    const double *from = e.slopes.wait(e.s.stream, "gradient");
    e.asked = false;
    if (!e.own.alone)
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
    launch(e, e.own.samples.kept, e.aims[arrangement(e)], [&] {
        put(e, e.own.U.at, e.given.at, (size_t)(n + M) * M); /* and T */
        e.own.aim();
    });
    e.t = e.begun = NAN;
}

/* Puts all of a probe into the streams. */
static void begin_probe(cuda_engine &e, double t)
{
    const int M = e.s.M;
    shard &h = e.own;
    double *angles = e.small + (size_t)M * M + M; /* of probes alone, */
    if (!std::isnan(e.begun)) /* which end by waiting, but for those begun ahead */
        settle(e);
    for (int c = 0; c < M; c++) {
        angles[c] = cos(e.sigma[c] * t);
        angles[M + c] = sin(e.sigma[c] * t);
        angles[2 * M + c] = e.sigma[c];
    }
    launch(e, !h.waits, e.probes[arrangement(e)], [&] {
        h.angles.put(angles, 3 * M, e.s.stream);
        h.try_point();
        pairs_value(e, h.S.at);
        h.slope();
        exchange(e, e.cuts.samples, 1, h.d.at);
        h.add_slope();
        pairs_fetch(e);
    });
    e.outcomes.ask();
    e.begun = t;
}

void spd::ahead(cuda_engine &e, double t)
{
    if (e.own.alone)
        begin_probe(e, t);
}

void spd::probe(cuda_engine &e, double t, double *f, double *df)
{
    if (!(e.begun == t))
        begin_probe(e, t);
    outcome o = pairs_read(e);
    if (!e.own.alone)
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
    e.own.S0.swap(e.own.S);
    e.owed = e.moved = true;
    gradient(e);
    move_point(e.s, e.own.angles.at, e.own.U.at, e.own.W.at);
}

/* ---- life ------------------------------------------------------------------------------------ */

/* Samples and pairs; with what all shards agree upon: pairs in a chunk, and the scale. */
static void load(cuda_engine &e, const cuda_input &in)
{
    const size_t pairs = (size_t)-largest(e.peers, -(double)e.own.most_pairs(in));
    const double trace = e.own.load(in, e.cuts, pairs);
    e.own.samples.scale(scale_for(largest(e.peers, trace)));
    settle(e);
}

void spd::open(cuda_engine &e, const cuda_input &in)
{
    int there = 0;
    if (in.n < 1 || in.n > CUDA_MAX_N || in.m < 1 || in.m > CUDA_MAX_M || in.m > in.n)
        throw fault{CUDA_FAULT_SIZE, "the CUDA engine takes n up to 512 and m up to 128",
                    cudaSuccess};
    check(cudaGetDeviceCount(&there), "looking for devices");
    e.peers = in.peers;
    e.cuts = partition_of(in.n, in.p + (in.extra ? 1 : 0), (size_t)in.peers.count);
    e.own.open(in, e.cuts, (size_t)in.peers.rank, in.on_device ? in.device : in.device % there);
    e.s = e.own.all;
    const size_t mm = (size_t)e.s.M * e.s.M, tall = (size_t)e.s.n * e.s.M;
    e.given.make(tall + mm + 4 * e.s.M);
    e.small = e.given.at + tall;
    e.outcomes.make(sizeof(outcome) / sizeof(double), e.s.stream);
    e.slopes.make(tall, e.s.stream);
    load(e, in);
}

void spd::finish(cuda_engine &e)
{
    if (cudaSetDevice(e.own.device) != cudaSuccess ||
        cudaStreamSynchronize(e.own.main_queue.at) != cudaSuccess ||
        cudaStreamSynchronize(e.own.side.at) != cudaSuccess)
        cudaGetLastError();
}

/* A pass reads what is packed and writes n x M numbers for each sample. */
void spd::usage(const cuda_engine &e, cuda_usage *used)
{
    const shard &h = e.own;
    float ms = 0.0f;
    used->bytes = h.bytes;
    used->streamed = !h.samples.kept;
    if (!h.samples.kept && !h.samples.resident)
        used->sent = h.local.p * (size_t)h.all.n * (h.all.n + 16) / 2 * sizeof(double);
    used->moved = (double)h.local.p * (double)(pack_size(h.all.n) + (size_t)h.all.n * h.all.M) *
                  sizeof(double);
    used->peak = h.peak;
    if (cudaSetDevice(h.device) == cudaSuccess &&
        cudaEventElapsedTime(&ms, h.began.at, h.ended.at) == cudaSuccess)
        used->seconds = 1e-3 * ms;
    cudaGetLastError();
}
