/* share.cu - one device's part of a fit (share.cuh). Every function puts its work into the share's stream. */
#include <algorithm>
#include <cmath>

#include "engine/cuda/share.cuh"

namespace spd {

constexpr size_t BUFFER = (size_t)16 << 30;  /* bytes for matrices of pairs, where there is room */
constexpr size_t FEW = 8192;                 /* pairs that leave most of a device idle */
constexpr size_t MARGIN = (size_t)512 << 20; /* bytes of a device that are left alone */

/* ---- making ---------------------------------------------------------------------------------- */

deal deal_out(size_t n, size_t p, size_t shares)
{
    const int slices = slices_of((int)(n + 15) / 16, p);
    deal d;
    for (size_t k = 0; k <= shares; k++) {
        d.slices.push_back((size_t)slices * k / shares);
        d.samples.push_back(cut::slice_begin(p, slices, (int)d.slices.back()));
    }
    return d;
}

rule rule_of(int metric)
{
    switch (metric) {
    case CUDA_STEIN: return {1, 1e-14};
    case CUDA_AIRM: return {2, 1e-14};
    case CUDA_JEFFREY: return {0, 1e-14};
    case CUDA_LOG_EUCLIDEAN: return {0, 1e-28};
    default: throw fault{CUDA_FAULT_SIZE, "the CUDA engine does not know the metric of this fit", cudaSuccess};
    }
}

/* Bytes that may still be used on the device of the caller. */
static size_t room_left(const cuda_input &in, size_t divisor, size_t used)
{
    size_t left, all;
    check(cudaMemGetInfo(&left, &all), "asking the device");
    left = left / divisor > MARGIN ? left / divisor - MARGIN : 0;
    if (in.memory_bytes)
        left = std::min(left, in.memory_bytes > used ? in.memory_bytes - used : 0);
    return left;
}

static double peak_of(int device)
{
    int clock = 0, width = 0; /* kHz, bits */
    if (cudaDeviceGetAttribute(&clock, cudaDevAttrMemoryClockRate, device) != cudaSuccess ||
        cudaDeviceGetAttribute(&width, cudaDevAttrGlobalMemoryBusWidth, device) != cudaSuccess)
        cudaGetLastError();
    return 2e3 * clock * (width / 8.0);
}

void share::open(const cuda_input &in, const deal &dealt, size_t number_, int device_)
{
    cudaDeviceProp about;
    number = number_;
    device = device_;
    alone = dealt.shares() == 1;
    check(cudaSetDevice(device), "choosing the device");
    check(cudaGetDeviceProperties(&about, device), "asking the device");
    metric = in.metric;
    how = rule_of(metric);
    objective = in.objective;
    ratio = in.objective == CUDA_RATIO;
    own_queue.make();
    side.make();
    for (auto *moment : {&ready, &taken, &fork, &join})
        moment->make();
    began.make(cudaEventDefault);
    ended.make(cudaEventDefault);
    peak = peak_of(device);
    all = {(int)in.n, (int)in.m, padded((int)in.m), (int)(in.n + 15) / 16, dealt.samples.back(),
           about.multiProcessorCount, (int)about.sharedMemPerBlockOptin, own_queue.at, in.pairs <= FEW};
    mine = all;
    at = dealt.samples[number];
    mine.p = dealt.samples[number + 1] - at;
    slices = {all.p, (int)dealt.slices.back(), (int)dealt.slices[number],
              (int)(dealt.slices[number + 1] - dealt.slices[number]), at};
    make_small();
}

void share::make_small()
{
    const size_t mm = (size_t)all.M * all.M, tall = (size_t)all.n * all.M;
    for (auto *a : {&Y, &P})
        a->make(mine.p * tall);
    for (auto *a : {&S0, &S})
        a->make(all.p * mm);
    Z.make(mine.p * mm);
    Zb.make((ratio && how.sides) || metric == CUDA_JEFFREY ? mine.p * mm : 0);
    Q.make(mine.p * 2 * mm);
    for (auto *a : {&G, &W})
        a->make(tall);
    U.make(tall + mm + all.M);
    angles.make(3 * all.M);
    d.make(all.p);
    part.make((size_t)slices.all * tall);
    sums.make(4 * SUMS);
    out.make(1);
    check(cudaMemsetAsync(out.at, 0xff, sizeof(outcome), all.stream), "result");
    make_factors();
    for (auto *a : {&Y, &P, &S0, &S, &Z, &Zb, &Q, &G, &W, &U, &d, &part, &L, &Li, &dets, &own, &flat, &vectors, &lambda,
                    &value, &half})
        bytes += a->count * sizeof(double);
}

/* What a metric knows of every sample. */
void share::make_factors()
{
    const size_t M = (size_t)all.M, mm = M * M, triangle = (size_t)tri(all.M);
    const bool logs = metric == CUDA_LOG_EUCLIDEAN, factored = metric == CUDA_AIRM || logs;
    L.make(factored ? all.p * mm : 0);
    Li.make(factored && all.M <= FAST ? all.p * mm : 0);
    dets.make(factored ? 0 : 2 * all.p);
    own.make(metric == CUDA_AIRM ? 0 : all.p * triangle);
    flat.make(metric == CUDA_JEFFREY ? all.p * triangle : 0);
    vectors.make(logs ? all.p * mm : 0);
    for (auto *a : {&lambda, &value})
        a->make(logs ? all.p * M : 0);
    half.make(how.sides ? 0 : plain_room(mine));
}

size_t share::most_pairs(const cuda_input &in, size_t divisor) const
{
    const size_t one = (size_t)tri(all.M) * how.sides * sizeof(double), X = mine.p * pack_size(all.n) * sizeof(double);
    const size_t left = room_left(in, divisor, bytes), graph = in.pairs * 160;
    if (one == 0)
        return std::max(in.pairs, (size_t)1);
    size_t room = left > X + graph ? left - X - graph : 0; /* with the samples here */
    if (room < BUFFER / 16)
        room = left / 3;
    size_t most = (in.buffer_bytes ? in.buffer_bytes : BUFFER) / one; /* halved, so that it seldom depends on the room */
    while (!in.buffer_bytes && std::min(most, in.pairs) * one > std::max(room, BUFFER / 256))
        most /= 2;
    return std::max(most, (size_t)1);
}

double share::load(const cuda_input &in, const deal &dealt, size_t each, size_t divisor, int threads)
{
    size_t left, before, total;
    check(cudaSetDevice(device), "choosing the device");
    check(cudaMemGetInfo(&before, &total), "asking the device");
    pairs.make(in, dealt.samples, number, each, how.sides);
    C.make(pairs.most * how.sides * tri(all.M));
    partial.make(pairs.slots * 2 * tri(all.M));
    d2.make(pairs.measured());
    if (!alone) {
        told.make(pairs.pairs);
        d2_all.make(pairs.pairs);
        weight.make(objective >= CUDA_SOFTMAX ? pairs.measured() : 0);
    }
    check(cudaMemGetInfo(&left, &total), "asking the device");
    bytes += before > left ? before - left : 0;
    const size_t X = mine.p * pack_size(all.n) * sizeof(double);
    const bool keep = room_left(in, divisor, bytes) >= X;
    samples.open(in, mine, at, device, threads, keep);
    bytes += keep ? X : 0;
    return samples.load();
}

/* ---- beside the rest ------------------------------------------------------------------------- */

/* body(shape) in a queue of its own, until join_side. */
template <class F> void share::aside(F body)
{
    shape s = all;
    s.stream = side.at;
    fork.record(all.stream);
    fork.hold(side.at);
    body(s);
    join.record(side.at);
    forked = true;
}

void share::join_side()
{
    if (forked)
        join.hold(all.stream);
    forked = false;
}

/* ---- pairs ----------------------------------------------------------------------------------- */

void share::factors(const double *S_)
{
    switch (metric) {
    case CUDA_AIRM: return airm_samples(all, S_, L.at, Li.at, out.at);
    case CUDA_LOG_EUCLIDEAN:
        return log_samples(all, S_, {vectors.at, L.at, Li.at, lambda.at, value.at}, own.at, out.at);
    case CUDA_JEFFREY: triangles(all, S_, flat.at);
    default: stein_samples(all, S_, dets.at, own.at, out.at);
    }
}

/* d2 of the pairs of a chunk, and their matrices where there are any. */
void share::matrices(const double *S_, const chunk &c)
{
    const link *links = pairs.links.at + c.first;
    double *to = d2.at + c.first;
    if (c.count == 0)
        return;
    switch (metric) {
    case CUDA_AIRM: return airm_pairs(all, c.count, links, L.at, Li.at, to, C.at);
    case CUDA_STEIN: return stein_pairs(all, c.count, links, S_, dets.at, to, C.at);
    default: plain_pairs(all, c.count, links, own.at, metric == CUDA_JEFFREY ? flat.at : nullptr, to);
    }
}

/* Every sample adds up its share of a chunk. */
void share::add_up(const chunk &c)
{
    const bool first = &c == pairs.chunks.front().get();
    const weights z = {Z.at, ratio ? Zb.at : nullptr, pairs.degree.at, metric == CUDA_AIRM ? nullptr : own.at, at};
    gather(all, first, (unsigned)c.parts.count, c.parts.at, c.ends.at, C.at, partial.at, z);
    gather_parts(all, first, (unsigned)c.several.count, c.several.at, partial.at, z);
}

/* The same of a plain metric, and what then becomes of it. */
void share::add_plain(const chunk &c)
{
    const bool jeffrey = metric == CUDA_JEFFREY;
    const weights z = {Z.at, jeffrey ? Zb.at : nullptr, nullptr, nullptr, at};
    gather_plain(all, (unsigned)c.parts.count, c.parts.at, c.ends.at, ratio ? out.at : nullptr, own.at,
                 jeffrey ? flat.at : nullptr, partial.at, z);
    gather_parts(all, true, (unsigned)c.several.count, c.several.at, partial.at, z);
    if (jeffrey)
        jeffrey_weights(mine, own.at + at * tri(all.M), Zb.at, Z.at, half.at);
    else
        log_weights(mine, own_S(vectors), lambda.at + at * all.M, Z.at, half.at);
}

void share::measure(const double *S_)
{
    factors(S_);
    for (auto &c : pairs.chunks) {
        matrices(S_, *c);
        if (alone && c == pairs.chunks.back())
            sum_up();
        if (objective < CUDA_SOFTMAX && how.sides)
            add_up(*c);
    }
}

/* The sums of an objective of sums, beside the rest. */
void share::sum_up()
{
    const graph &g = pairs;
    if (objective < CUDA_SOFTMAX)
        aside([&](const shape &s) {
            weighted_sums(s, g.pairs, distances(), g.within.at, g.between.at, sums.at, out.at);
        });
}

void share::tell()
{
    pick(all, pairs.told.count, pairs.told.at, d2.at, told.at + pairs.told_at[number]);
}

/* Of objectives of samples all distances come first; then the matrices once more, unless there was room for all. */
void share::weigh(const double *S_)
{
    graph &g = pairs;
    if (!alone) {
        pick(all, g.pairs, g.place.at, told.at, d2_all.at);
        sum_up();
    }
    if (objective < CUDA_SOFTMAX) {
        if (ratio)
            join_side();
        if (how.sides == 0)
            add_plain(*g.chunks[0]);
        else if (ratio)
            combine(mine, out.at, Z.at, Zb.at);
        return;
    }
    weigh_pairs(all, objective, {g.first.at, g.listed.at, g.samples}, how.no_spread * all.m, g.pairs, distances(),
                g.share.at, g.weight.at, g.value.at, g.degree.at);
    aside([&](const shape &s) { plain_sum(s, all.p, g.value.at, sums.at, &out.at->within); });
    if (!alone)
        pick(all, g.measured(), g.which.at, g.weight.at, weight.at);
    for (auto &c : g.chunks) {
        if (g.chunks.size() > 1)
            matrices(S_, *c);
        weigh_ends(all, (alone ? g.weight.at : weight.at) + c->first, c->ends.count, c->ends.at);
        if (how.sides)
            add_up(*c);
        else
            add_plain(*c);
    }
}

/* ---- along the geodesic ---------------------------------------------------------------------- */

void share::begin()
{
    began.record(all.stream);
    samples.pass(W.at, Y.at);
    ended.record(all.stream);
    pass_small(mine, W.at, W.at, Y.at, Q.at);
    first_small(mine, Q.at, own_S(S0));
}

void share::aim()
{
    aside([&](shape s) {
        s.p = mine.p;
        turn_small(s, T(), own_S(S0));
        turn_point(s, T(), W.at);
    });
    samples.pass(U.at, P.at);
    join_side();
    pass_small(mine, U.at, W.at, P.at, Q.at);
}

void share::try_point() { trial(mine, angles.at, own_S(S0), Q.at, own_S(S)); }

void share::slope() { spd::slope(mine, angles.at, own_S(S0), Q.at, Z.at, d.at + at); }

void share::add_slope() { plain_sum(all, all.p, d.at, sums.at + 2 * SUMS, &out.at->slope); }

void share::gradient(bool turn)
{
    const size_t M = (size_t)all.M;
    step_gradient(mine, slices, turn ? T() : nullptr, T() + M * M, Y.at, P.at, Z.at,
                  part.at + (size_t)slices.first * all.n * M);
}

void share::add_gradient() { add_slices(all, slices.all, part.at, G.at); }

} /* namespace spd */
