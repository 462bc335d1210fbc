/* shard.cu - one process's part of a fit (shard.cuh). Every function puts its work into the shard's
 * stream. */
#include <algorithm>
#include <cmath>

#include "cuda/shard.cuh"

namespace spd
{

constexpr size_t BUFFER = (size_t)16 << 30;  /* bytes for matrices of pairs, where there is room */
constexpr size_t FEW = 8192;                 /* pairs that leave most of a device idle */
constexpr size_t MARGIN = (size_t)512 << 20; /* bytes of a device that are left alone */

/* ---- making ---------------------------------------------------------------------------------- */

partition partition_of(size_t n, size_t p, size_t shards)
{
    const int slices = slices_of((int)(n + 15) / 16, p);
    partition d;
    for (size_t k = 0; k <= shards; k++) {
        d.slices.push_back((size_t)slices * k / shards);
        d.samples.push_back(cut::slice_begin(p, slices, (int)d.slices.back()));
    }
    return d;
}

rule rule_of(spd_metric metric)
{
    switch (metric) {
    case SPD_METRIC_STEIN:
        return {1, 1e-14};
    case SPD_METRIC_AIRM:
        return {2, 1e-14};
    case SPD_METRIC_JEFFREY:
        return {0, 1e-14};
    case SPD_METRIC_LOG_EUCLIDEAN:
        return {0, 1e-28};
    default:
        throw fault{CUDA_FAULT_SIZE, "the CUDA engine does not know the metric of this fit",
                    cudaSuccess};
    }
}

/* Bytes that may still be used on the device of the caller. */
static size_t room_left(const cuda_input &in, size_t used)
{
    size_t left = memory_left();
    left = left > MARGIN ? left - MARGIN : 0;
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

void shard::open(const cuda_input &in, const partition &cuts, size_t number_, int device_)
{
    number = number_;
    device = device_;
    alone = cuts.samples.size() == 2;
    check(cudaSetDevice(device), "choosing the device");
    metric = in.metric;
    how = rule_of(metric);
    objective = in.objective;
    main_queue.make();
    side.make();
    fork.make();
    join.make();
    began.make(cudaEventDefault);
    ended.make(cudaEventDefault);
    peak = peak_of(device);
    all = shape_here(in.n, in.m, padded((int)in.m), cuts.samples.back(), main_queue.at);
    all.few = in.pairs <= FEW;
    waits = all.M > FAST && (metric == SPD_METRIC_AIRM || metric == SPD_METRIC_LOG_EUCLIDEAN);
    if (waits)
        cusolver_need();
    local = all;
    at = cuts.samples[number];
    local.p = cuts.samples[number + 1] - at;
    slices = {all.p, (int)cuts.slices.back(), (int)cuts.slices[number],
              (int)(cuts.slices[number + 1] - cuts.slices[number]), at};
    make_small();
}

void shard::make_small()
{
    const size_t mm = (size_t)all.M * all.M, tall = (size_t)all.n * all.M;
    for (auto *a : {&Y, &P})
        a->make(local.p * tall);
    for (auto *a : {&S0, &S})
        a->make(all.p * mm);
    Z.make(local.p * mm);
    Zb.make(metric == SPD_METRIC_JEFFREY ? local.p * mm : 0);
    Q.make(local.p * 2 * mm);
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
    for (auto *a : {&Y,    &P, &S0, &S,    &Z,          &Zb,   &Q,       &G,      &W,     &U,   &d,
                    &part, &L, &Li, &dets, &own_matrix, &flat, &vectors, &lambda, &value, &half})
        bytes += a->count * sizeof(double);
}

/* What a metric knows of every sample. */
void shard::make_factors()
{
    const size_t M = (size_t)all.M, mm = M * M, triangle = (size_t)tri(all.M);
    const bool logs = metric == SPD_METRIC_LOG_EUCLIDEAN,
               factored = metric == SPD_METRIC_AIRM || logs;
    L.make(factored ? all.p * mm : 0);
    Li.make(factored && (all.M <= FAST || metric == SPD_METRIC_AIRM) ? all.p * mm : 0);
    dets.make(factored ? 0 : 2 * all.p);
    own_matrix.make(metric == SPD_METRIC_AIRM ? 0 : all.p * triangle);
    flat.make(metric == SPD_METRIC_JEFFREY ? all.p * triangle : 0);
    vectors.make(logs ? all.p * mm : 0);
    for (auto *a : {&lambda, &value})
        a->make(logs ? all.p * M : 0);
    half.make(how.sides ? 0 : plain_room(local));
}

size_t shard::most_pairs(const cuda_input &in) const
{
    const size_t one = (size_t)tri(all.M) * how.sides * sizeof(double),
                 X = local.p * pack_size(all.n) * sizeof(double);
    const size_t left = room_left(in, bytes), graph = in.pairs * 160;
    if (one == 0)
        return std::max(in.pairs, (size_t)1);
    size_t room = left > X + graph ? left - X - graph : 0; /* with the samples here */
    if (room < BUFFER / 16)
        room = left / 3;
    /* Halved, so that it seldom depends on the room. */
    size_t most = (in.buffer_bytes ? in.buffer_bytes : BUFFER) / one;
    while (!in.buffer_bytes && std::min(most, in.pairs) * one > std::max(room, BUFFER / 256))
        most /= 2;
    return std::max(most, (size_t)1);
}

double shard::load(const cuda_input &in, const partition &cuts, size_t each)
{
    const size_t before = memory_left();
    pairs.make(in, cuts.samples, number, each, how.sides);
    C.make(pairs.most * how.sides * tri(all.M));
    partial.make(pairs.slots * 2 * tri(all.M));
    d2.make(pairs.measured());
    if (metric == SPD_METRIC_AIRM && all.M > FAST)
        airm_wide_room(all, pairs.most, room);
    if (!alone) {
        sent.make(pairs.pairs);
        d2_all.make(pairs.pairs);
        weight.make(of_samples(objective) ? pairs.measured() : 0);
    }
    const size_t left = memory_left();
    bytes += before > left ? before - left : 0;
    const size_t X = local.p * pack_size(all.n) * sizeof(double);
    const bool keep = room_left(in, bytes) >= X;
    samples.open(in, local, at, device, keep);
    bytes += keep ? X : 0;
    return samples.load();
}

/* ---- beside the rest ------------------------------------------------------------------------- */

/* body(shape) in a queue of its own, until join_side. */
template <class F> void shard::on_side(F body)
{
    shape s = all;
    s.stream = side.at;
    fork.record(all.stream);
    fork.hold(side.at);
    body(s);
    join.record(side.at);
    forked = true;
}

void shard::join_side()
{
    if (forked)
        join.hold(all.stream);
    forked = false;
}

/* ---- pairs ----------------------------------------------------------------------------------- */

void shard::factors(const double *S_)
{
    switch (metric) {
    case SPD_METRIC_AIRM:
        return (all.M > FAST ? airm_wide_samples : airm_samples)(all, S_, L.at, Li.at, out.at);
    case SPD_METRIC_LOG_EUCLIDEAN:
        return log_samples(all, S_, {vectors.at, L.at, Li.at, lambda.at, value.at}, own_matrix.at,
                           out.at);
    case SPD_METRIC_JEFFREY:
        triangles(all, S_, flat.at);
    default:
        stein_samples(all, S_, dets.at, own_matrix.at, out.at);
    }
}

/* d2 of the pairs of a chunk, and their matrices where there are any. */
void shard::matrices(const double *S_, const chunk &c)
{
    const link *links = pairs.links.at + c.first;
    double *to = d2.at + c.first;
    if (c.count == 0)
        return;
    switch (metric) {
    case SPD_METRIC_AIRM:
        return all.M > FAST ? airm_wide_pairs(all, room, c.count, links, L.at, Li.at, to, C.at)
                            : airm_pairs(all, c.count, links, L.at, Li.at, to, C.at);
    case SPD_METRIC_STEIN:
        return stein_pairs(all, c.count, links, S_, dets.at, to, C.at);
    default:
        plain_pairs(all, c.count, links, own_matrix.at,
                    metric == SPD_METRIC_JEFFREY ? flat.at : nullptr, to);
    }
}

/* Every sample adds up its shard of a chunk. */
void shard::add_up(const chunk &c)
{
    const bool first = &c == pairs.chunks.front().get();
    const weights z = {Z.at, nullptr, pairs.degree.at,
                       metric == SPD_METRIC_AIRM ? nullptr : own_matrix.at, at};
    gather(all, first, (unsigned)c.parts.count, c.parts.at, c.ends.at, C.at, partial.at, z);
    gather_parts(all, first, (unsigned)c.several.count, c.several.at, partial.at, z);
}

/* The same of a plain metric, and what then becomes of it. */
void shard::add_plain(const chunk &c)
{
    const bool jeffrey = metric == SPD_METRIC_JEFFREY;
    const weights z = {Z.at, jeffrey ? Zb.at : nullptr, nullptr, nullptr, at};
    gather_plain(all, (unsigned)c.parts.count, c.parts.at, c.ends.at, own_matrix.at,
                 jeffrey ? flat.at : nullptr, partial.at, z);
    gather_parts(all, true, (unsigned)c.several.count, c.several.at, partial.at, z);
    if (jeffrey)
        jeffrey_weights(local, own_matrix.at + at * tri(all.M), Zb.at, Z.at, half.at);
    else
        log_weights(local, own_S(vectors), lambda.at + at * all.M, Z.at, half.at);
}

void shard::measure(const double *S_)
{
    factors(S_);
    for (auto &c : pairs.chunks) {
        matrices(S_, *c);
        if (alone && c == pairs.chunks.back())
            sum_up();
        if (!of_samples(objective) && how.sides)
            add_up(*c);
    }
}

/* The sums of an objective of sums, beside the rest. */
void shard::sum_up()
{
    const graph &g = pairs;
    if (!of_samples(objective))
        on_side([&](const shape &s) {
            weighted_sums(s, g.pairs, distances(), g.within.at, g.between.at, sums.at, out.at);
        });
}

void shard::send_distances()
{
    pick(all, pairs.sent.count, pairs.sent.at, d2.at, sent.at + pairs.sent_at[number]);
}

/* Of softmax all distances come first; then the matrices once more, unless there was
 * room for all. */
void shard::weigh(const double *S_)
{
    graph &g = pairs;
    if (!alone) {
        pick(all, g.pairs, g.place.at, sent.at, d2_all.at);
        sum_up();
    }
    if (!of_samples(objective)) {
        if (how.sides == 0)
            add_plain(*g.chunks[0]);
        return;
    }
    weigh_pairs(all, {g.first.at, g.listed.at, g.samples}, how.no_spread * all.m, g.pairs,
                distances(), g.half_weight.at, g.weight.at, g.value.at, g.degree.at);
    on_side([&](const shape &s) { plain_sum(s, all.p, g.value.at, sums.at, &out.at->within); });
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

void shard::begin()
{
    began.record(all.stream);
    samples.pass(W.at, Y.at);
    ended.record(all.stream);
    pass_small(local, W.at, W.at, Y.at, Q.at);
    first_small(local, Q.at, own_S(S0));
}

void shard::aim()
{
    on_side([&](shape s) {
        s.p = local.p;
        rotate_small(s, T(), own_S(S0));
        rotate_point(s, T(), W.at);
    });
    samples.pass(U.at, P.at);
    join_side();
    pass_small(local, U.at, W.at, P.at, Q.at);
}

void shard::try_point()
{
    trial(local, angles.at, own_S(S0), Q.at, own_S(S));
}

void shard::slope()
{
    spd::slope(local, angles.at, own_S(S0), Q.at, Z.at, d.at + at);
}

void shard::add_slope()
{
    plain_sum(all, all.p, d.at, sums.at + 2 * SUMS, &out.at->slope);
}

void shard::gradient(bool rotation)
{
    const size_t M = (size_t)all.M;
    step_gradient(local, slices, rotation ? T() : nullptr, T() + M * M, Y.at, P.at, Z.at,
                  part.at + (size_t)slices.first * all.n * M);
}

void shard::add_gradient()
{
    add_slices(all, slices.all, part.at, G.at);
}

} /* namespace spd */
