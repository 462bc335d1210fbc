/* engine.cu - the engine on one device, and the module's table of functions (module.h).
 *
 * On the device are the current point W and, for every sample, X packed, Y = X W up to a turn that is
 * still owed (`owed`), S0 = W'XW, and after aim P = X U and Q = [U W]'P. A probe blends S(t) from S0
 * and Q and sums over the pairs; a step swaps S0 and S and lets Y owe the turn Y <- Y T + P diag(sin),
 * which is made together with the gradient, in one reading of Y and P.
 *
 * What aim, probe and gradient launch is the same every time: it is recorded once and then set going by
 * a single call; launches are most of the time where samples are few. */
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <future>
#include <new>

#include "engine/cuda/distances.cuh"
#include "engine/cuda/graph.cuh"
#include "engine/cuda/guard.cuh"
#include "engine/cuda/queue.cuh"

using namespace spd;

#define NO_SPREAD 1e-14 /* mean d2 per dimension that counts as zero, as in pair_sums.c */

constexpr size_t PORTION = (size_t)8 << 20; /* bytes that a thread takes at a time when loading */
constexpr int COPIERS = 16;                 /* most threads then */

struct cuda_engine {
    queue own_queue; /* first, as it goes last */
    shape s{};
    int device = 0, airm = 0, ratio = 0, objective = 0;
    graph pairs;
    array<double> Xp, Y, P, Q, S0, S, Z, Zb, G, C, own, dets, L, Li, d2, d, partial, work, sums;
    array<double> W, U, T, angles; /* n x M, n x M, M x M + M, 3 M */
    array<outcome> out;
    pinned tall, small, result;   /* n M, M M + 4 M, n M and an outcome */
    std::vector<double> v, sigma; /* host: the turn since the last step (M x M), sigma */
    recording aims[4], probes[4], gradients[8];
    double t = NAN, f = NAN;
    bool owed = false, moved = false; /* Y owes v; and after a step the blend with P too */
    size_t bytes = 0;
};

/* ---- pairs --------------------------------------------------------------------------------- */

/* d2 and matrices of the pairs of a chunk. */
static void measure(cuda_engine &e, const double *S, const chunk &c)
{
    const link *links = e.pairs.links.at + c.first;
    if (e.airm)
        airm_pairs(e.s, c.count, links, e.L.at, e.Li.at, e.d2.at + c.first, e.C.at);
    else
        stein_pairs(e.s, c.count, links, S, e.dets.at, e.d2.at + c.first, e.C.at);
}

/* Every sample adds up its share of a chunk. */
static void add_up(cuda_engine &e, const chunk &c)
{
    const weights z = {e.Z.at, e.ratio ? e.Zb.at : nullptr, e.pairs.degree.at, e.airm ? nullptr : e.own.at};
    gather(e.s, c.first == 0, (unsigned)c.parts.count, c.parts.at, c.ends.at, e.C.at, e.partial.at, z);
    gather_parts(e.s, c.first == 0, (unsigned)c.several.count, c.several.at, e.partial.at, z);
}

static void value_of_sums(cuda_engine &e, const double *S)
{
    graph &g = e.pairs;
    for (auto &c : g.chunks) {
        measure(e, S, *c);
        add_up(e, *c);
    }
    weighted_sums(e.s, g.pairs, e.d2.at, g.within.at, g.between.at, e.sums.at, e.out.at);
    if (e.ratio)
        combine(e.s, e.out.at, e.Z.at, e.Zb.at);
}

/* All distances come first; then the matrices once more, unless there is room for all of them. */
static void value_of_samples(cuda_engine &e, const double *S)
{
    graph &g = e.pairs;
    for (auto &c : g.chunks)
        measure(e, S, *c);
    weigh_pairs(e.s, e.objective, {g.first.at, g.listed.at, g.samples}, NO_SPREAD * e.s.m, g.pairs, e.d2.at, g.share.at,
                g.weight.at, g.value.at, g.degree.at);
    plain_sum(e.s, e.s.p, g.value.at, e.sums.at, &e.out.at->within);
    for (auto &c : g.chunks) {
        if (g.chunks.size() > 1)
            measure(e, S, *c);
        weigh_ends(e.s, c->count, g.weight.at + c->first, c->ends.at);
        add_up(e, *c);
    }
}

static void pairs_value(cuda_engine &e, const double *S)
{
    check(cudaMemsetAsync(e.out.at, 0xff, sizeof(outcome), e.s.stream), "result");
    if (e.airm)
        airm_samples(e.s, S, e.L.at, e.Li.at, e.out.at);
    else
        stein_samples(e.s, S, e.dets.at, e.own.at, e.out.at);
    if (e.objective >= CUDA_SOFTMAX)
        value_of_samples(e, S);
    else
        value_of_sums(e, S);
}

static void pairs_fetch(cuda_engine &e)
{
    check(cudaMemcpyAsync(e.result.at, e.out.at, sizeof(outcome), cudaMemcpyDeviceToHost, e.s.stream), "result");
}

/* Waits for the sums; f <- the objective, NaN where there is none. */
static outcome pairs_read(cuda_engine &e)
{
    outcome o;
    check(cudaStreamSynchronize(e.s.stream), "sums over the pairs");
    memcpy(&o, e.result.at, sizeof o);
    const bool of_sums = e.objective < CUDA_SOFTMAX;
    if (of_sums && o.within + o.between <= NO_SPREAD * e.pairs.total * e.s.m) {
        o.within = o.between = o.slope = 0.0;
        check(cudaMemsetAsync(e.Z.at, 0, e.Z.count * sizeof(double), e.s.stream), "weights");
    }
    e.f = !of_sums ? o.within : e.ratio ? log(o.within) - log(o.between) : o.within - o.between;
    if (o.bad != ~0ull || !std::isfinite(e.f))
        e.f = NAN;
    return o;
}

/* ---- the calls of a problem ---------------------------------------------------------------- */

/* Pinned memory may be written to again. */
static void settle(cuda_engine &e) { check(cudaStreamSynchronize(e.s.stream), "copies"); }

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
static int arrangement(const cuda_engine &e) { return 2 * (e.S0.at < e.S.at) + (e.Y.at < e.P.at); }

static void start(cuda_engine &e, const double *W)
{
    settle(e);
    pad(e, e.s.n, W, e.tall.at);
    e.W.put(e.tall.at, (size_t)e.s.n * e.s.M, e.s.stream);
    pass_tall(e.s, e.Xp.at, e.W.at, e.Y.at, e.work.at);
    pass_small(e.s, e.W.at, e.W.at, e.Y.at, e.Q.at);
    first_small(e.s, e.Q.at, e.S0.at);
    pairs_value(e, e.S0.at);
    pairs_fetch(e);
    identity(e);
    e.t = NAN;
    e.owed = e.moved = false;
    pairs_read(e);
}

/* G, and the turn that Y owes. */
static void gradient(cuda_engine &e)
{
    const int M = e.s.M;
    const size_t tall = (size_t)e.s.n * M, mm = (size_t)M * M;
    double *T = e.small.at, *sine = T + mm;
    settle(e);
    for (int c = 0; e.owed && c < M; c++) {
        const double angle = e.moved ? e.sigma[c] * e.t : 0.0, cosine = cos(angle);
        sine[c] = sin(angle);
        for (int r = 0; r < M; r++)
            T[(size_t)r * M + c] = e.v[(size_t)r * M + c] * cosine;
    }
    e.gradients[2 * arrangement(e) + e.owed].play(e.s.stream, [&] {
        if (e.owed)
            e.T.put(T, mm + M, e.s.stream);
        step_gradient(e.s, e.owed ? e.T.at : nullptr, e.T.at + mm, e.Y.at, e.P.at, e.Z.at, e.G.at, e.work.at);
        check(cudaMemcpyAsync(e.result.at, e.G.at, tall * sizeof(double), cudaMemcpyDeviceToHost, e.s.stream), "gradient");
    });
    if (e.owed && M > FAST)
        e.Y.swap(e.P);
    if (e.owed)
        identity(e);
    e.owed = e.moved = false;
}

static void cost_grad(cuda_engine &e, double *f, double *G)
{
    const int n = e.s.n, m = e.s.m, M = e.s.M;
    gradient(e);
    check(cudaStreamSynchronize(e.s.stream), "gradient");
    for (int r = 0; r < n; r++)
        memcpy(G + (size_t)r * m, e.result.at + (size_t)r * M, m * sizeof(double));
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

static void aim(cuda_engine &e, const double *U, const double *sigma, const double *V)
{
    const int n = e.s.n, m = e.s.m, M = e.s.M;
    if (e.moved)
        gradient(e); /* P is about to be overwritten */
    settle(e);
    double *turn = e.small.at;
    for (int r = 0; r < M; r++)
        for (int c = 0; c < M; c++)
            turn[(size_t)r * M + c] = r < m && c < m ? V[(size_t)r * m + c] : r == c;
    e.sigma.assign(M, 0.0);
    memcpy(e.sigma.data(), sigma, m * sizeof(double));
    if (e.owed)
        times(M, e.v, turn);
    else
        e.v.assign(turn, turn + (size_t)M * M);
    e.owed = true;
    pad(e, n, U, e.tall.at);
    e.aims[arrangement(e)].play(e.s.stream, [&] {
        e.U.put(e.tall.at, (size_t)n * M, e.s.stream);
        e.T.put(turn, (size_t)M * M, e.s.stream);
        pass_tall(e.s, e.Xp.at, e.U.at, e.P.at, e.work.at);
        turn_small(e.s, e.T.at, e.S0.at);
        turn_point(e.s, e.T.at, e.W.at);
        pass_small(e.s, e.U.at, e.W.at, e.P.at, e.Q.at);
    });
    e.t = NAN;
}

static void probe(cuda_engine &e, double t, double *f, double *df)
{
    const int M = e.s.M;
    double *angles = e.small.at + (size_t)M * M + M; /* of probes alone, which end by waiting */
    for (int c = 0; c < M; c++) {
        angles[c] = cos(e.sigma[c] * t);
        angles[M + c] = sin(e.sigma[c] * t);
        angles[2 * M + c] = e.sigma[c];
    }
    e.probes[arrangement(e)].play(e.s.stream, [&] {
        e.angles.put(angles, 3 * M, e.s.stream);
        trial(e.s, e.angles.at, e.S0.at, e.Q.at, e.S.at);
        pairs_value(e, e.S.at);
        slope(e.s, e.angles.at, e.S0.at, e.Q.at, e.Z.at, e.d.at);
        plain_sum(e.s, e.s.p, e.d.at, e.sums.at, &e.out.at->slope);
        pairs_fetch(e);
    });
    outcome o = pairs_read(e);
    e.t = t;
    *f = e.f;
    *df = std::isfinite(e.f) ? o.slope : NAN;
}

static void step(cuda_engine &e, double t)
{
    double f, df;
    if (!(e.t == t))
        probe(e, t, &f, &df);
    move_point(e.s, e.angles.at, e.U.at, e.W.at);
    e.S0.swap(e.S);
    e.owed = e.moved = true;
}

/* ---- life ---------------------------------------------------------------------------------- */

/* Packs every share-th portion of the samples, by way of memory of its own; returns the largest trace. */
static double load_share(const cuda_engine &e, const cuda_input &in, size_t share, size_t shares)
{
    const size_t nn = in.n * in.n, each = PORTION / (nn * sizeof(double)) + 1, size = pack_size(e.s.n);
    pinned staging;
    array<double> room;
    queue own;
    shape s = e.s;
    double most = 0.0;
    check(cudaSetDevice(e.device), "choosing the device");
    staging.make(each * nn);
    room.make(each * nn);
    own.make();
    s.stream = own.at;
    for (size_t i = share * each; i < s.p; i += shares * each) {
        const size_t count = s.p - i < each ? s.p - i : each;
        check(cudaStreamSynchronize(own.at), "loading the samples");
        for (size_t k = 0; k < count; k++) {
            const double *X = i + k < in.p ? in.X + (i + k) * nn : in.extra;
            double trace = 0.0;
            memcpy(staging.at + k * nn, X, nn * sizeof(double));
            for (size_t c = 0; c < in.n; c++)
                trace += X[c * (in.n + 1)];
            most = trace > most ? trace : most;
        }
        room.put(staging.at, count * nn, own.at);
        pack(s, count, room.at, e.Xp.at + i * size);
    }
    check(cudaStreamSynchronize(own.at), "loading the samples");
    return most;
}

/* Several threads: one alone copies slower than the device takes it. */
static void load(cuda_engine &e, const cuda_input &in)
{
    const size_t portions = e.s.p * in.n * in.n * sizeof(double) / PORTION + 1;
    const size_t shares = std::min(portions, (size_t)std::clamp(in.threads, 1, COPIERS));
    std::vector<std::future<double>> work;
    double most = 0.0;
    for (size_t k = 0; k < shares; k++)
        work.push_back(std::async(std::launch::async, load_share, std::cref(e), std::cref(in), k, shares));
    for (auto &share : work)
        most = std::max(most, share.get());
    rescale(e.s, scale_for(most), e.Xp.at);
    settle(e);
}

static void allocate(cuda_engine &e, const cuda_input &in)
{
    const shape &s = e.s;
    const size_t mm = (size_t)s.M * s.M, tall = (size_t)s.n * s.M, T = tri(s.M);
    e.Xp.make(s.p * pack_size(s.n));
    for (auto *a : {&e.Y, &e.P})
        a->make(s.p * tall);
    for (auto *a : {&e.S0, &e.S, &e.Z})
        a->make(s.p * mm);
    e.Q.make(s.p * 2 * mm);
    for (auto *a : {&e.G, &e.W, &e.U})
        a->make(tall);
    e.T.make(mm + s.M);
    e.angles.make(3 * s.M);
    e.d.make(s.p);
    e.d2.make(in.pairs);
    e.sums.make(2 * SUMS);
    e.out.make(1);
    const size_t a = pass_work(s), b = gradient_work(s);
    e.work.make(a > b ? a : b);
    if (e.ratio)
        e.Zb.make(s.p * mm);
    if (e.airm) {
        e.L.make(s.p * mm);
        e.Li.make(s.M <= FAST ? s.p * mm : 1);
    } else {
        e.dets.make(2 * s.p);
        e.own.make(s.p * T);
    }
    e.tall.make(tall);
    e.small.make(mm + 4 * s.M);
    e.result.make(tall + sizeof(outcome));
}

static void open(cuda_engine &e, const cuda_input &in)
{
    cudaDeviceProp about;
    size_t before, left, all;
    if (in.n < 1 || in.n > CUDA_MAX_N || in.m < 1 || in.m > CUDA_MAX_M || in.m > in.n)
        throw fault{CUDA_FAULT_SIZE, "the CUDA engine takes n up to 512 and m up to 128", cudaSuccess};
    check(cudaSetDevice(in.device), "choosing the device");
    check(cudaGetDeviceProperties(&about, in.device), "asking the device");
    check(cudaMemGetInfo(&before, &all), "asking the device");
    e.device = in.device;
    e.airm = in.metric == CUDA_AIRM;
    e.objective = in.objective;
    e.ratio = in.objective == CUDA_RATIO;
    e.s = {(int)in.n, (int)in.m, padded((int)in.m), (int)(in.n + 15) / 16, in.p + (in.extra ? 1 : 0),
           about.multiProcessorCount, (int)about.sharedMemPerBlockOptin, nullptr};
    e.own_queue.make();
    e.s.stream = e.own_queue.at;
    allocate(e, in);
    check(cudaMemGetInfo(&left, &all), "asking the device");
    const int sides = e.airm ? 2 : 1;
    const size_t one = (size_t)tri(e.s.M) * sides * sizeof(double);
    size_t room = in.buffer_bytes ? in.buffer_bytes : left / 3 < ((size_t)16 << 30) ? left / 3 : (size_t)16 << 30;
    size_t each = room / one > in.pairs ? in.pairs : room / one;
    each = each < 1 ? 1 : each;
    e.pairs.make(in, e.s.p, each, sides);
    e.C.make(each * sides * tri(e.s.M));
    e.partial.make(e.pairs.slots * 2 * tri(e.s.M));
    load(e, in);
    check(cudaMemGetInfo(&left, &all), "asking the device");
    e.bytes = before > left ? before - left : 0;
}

/* ---- the table ----------------------------------------------------------------------------- */

static int module_count(int *devices, char *why)
{
    *devices = 0;
    return guarded(why, [&] { check(cudaGetDeviceCount(devices), "looking for devices"); });
}

static int module_describe(int device, cuda_device *about, char *why)
{
    return guarded(why, [&] {
        cudaDeviceProp p;
        check(cudaSetDevice(device), "choosing the device");
        check(cudaGetDeviceProperties(&p, device), "asking the device");
        check(cudaMemGetInfo(&about->free, &about->memory), "asking the device");
        check(cudaDriverGetVersion(&about->driver), "asking the driver");
        check(cudaRuntimeGetVersion(&about->runtime), "asking the runtime");
        snprintf(about->name, sizeof about->name, "%.*s", (int)sizeof about->name - 1, p.name);
        about->major = p.major;
        about->minor = p.minor;
    });
}

static int module_open(const cuda_input *in, cuda_engine **engine, char *why)
{
    cuda_engine *e = nullptr;
    int code = guarded(why, [&] {
        if (in->size != sizeof *in)
            throw fault{CUDA_FAULT_DEVICE, "the CUDA module is of another version", cudaSuccess};
        e = new cuda_engine;
        open(*e, *in);
    });
    if (code)
        delete e;
    else
        *engine = e;
    return code;
}

/* Every call may come from another thread than the last. */
template <class F> static int call(cuda_engine *e, char *why, F body)
{
    return guarded(why, [&] {
        check(cudaSetDevice(e->device), "choosing the device");
        body();
    });
}

static int module_start(cuda_engine *e, const double *W, double *f, char *why)
{
    return call(e, why, [&] {
        start(*e, W);
        *f = e->f;
    });
}

static int module_cost_grad(cuda_engine *e, double *f, double *G, char *why)
{
    return call(e, why, [&] { cost_grad(*e, f, G); });
}

static int module_aim(cuda_engine *e, const double *U, const double *sigma, const double *V, char *why)
{
    return call(e, why, [&] { aim(*e, U, sigma, V); });
}

static int module_probe(cuda_engine *e, double t, double *f, double *df, char *why)
{
    return call(e, why, [&] { probe(*e, t, f, df); });
}

static int module_step(cuda_engine *e, double t, char *why)
{
    return call(e, why, [&] { step(*e, t); });
}

static size_t module_memory(const cuda_engine *e) { return e->bytes; }

static void module_close(cuda_engine *e)
{
    if (e)
        cudaSetDevice(e->device);
    delete e;
}

extern "C" __attribute__((visibility("default"))) const cuda_module *spdml_cuda_module(void)
{
    static const cuda_module table = {sizeof table, CUDA_MODULE_VERSION, module_count, module_describe,
                                      module_open,  module_start,        module_cost_grad, module_aim,
                                      module_probe, module_step,         module_memory, module_close,
                                      module_pairwise, module_neighbours};
    return &table;
}
