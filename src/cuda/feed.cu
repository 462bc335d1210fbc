/* feed.cu - samples on their way to a device: only their upper halves travel (pack.cuh), and
 * nothing of those that are there. */
#include <algorithm>
#include <cstring>

#include "cuda/feed.cuh"
#include "cuda/pack.cuh"
#include "cuda/resident.cuh"

namespace spd
{

constexpr size_t PORTION = (size_t)8 << 20; /* bytes of samples that a thread takes at a time, */
constexpr size_t PORTION_HERE = (size_t)128 << 20; /* and of those that need not be sent */
constexpr int LANES = 16;                          /* most threads; */
constexpr int LANES_HERE = 2; /* of samples on the device, where memory is short */

void feed::open(const cuda_input &in, const shape &shape_, size_t first_, int device_, bool keep)
{
    s = shape_;
    n = in.n;
    given = in.p;
    first = first_;
    X = in.X;
    extra = in.extra;
    read = in.read;
    user = in.user;
    stop = {in.stop, in.stop_user};
    device = device_;
    kept = keep;
    resident = in.on_device;
    each = (resident ? PORTION_HERE : PORTION) / (n * n * sizeof(double)) + 1;
    const size_t portions = (s.p + each - 1) / each, half = (size_t)upper_doubles((int)n);
    if (kept)
        Xp.make(s.p * pack_size(s.n));
    const int most = resident ? LANES_HERE : LANES;
    for (size_t k = 0; k < std::min(portions, (size_t)std::clamp(in.threads, 1, most)); k++) {
        lanes.push_back(std::make_unique<lane>());
        lane &l = *lanes.back();
        l.own.make();
        l.copied.make();
        l.staging.make((resident ? 1 : each) * half);
        l.room.make((resident ? 1 : each) * half);
        if (!kept)
            l.packed.make(each * pack_size(s.n));
        if (!X)
            l.raw.resize(each * n * n);
    }
}

/* How many of `count` samples from i on lie on the device: all but the extra one, or none. */
size_t feed::here(size_t i, size_t count) const
{
    return resident && first + i < given ? std::min(count, given - first - i) : 0;
}

/* Samples i .. of this device, as they lie in memory or into the lane. */
const double *feed::source(lane &l, size_t i, size_t count) const
{
    const size_t from = first + i, nn = n * n,
                 there = from >= given ? 0 : std::min(count, given - from);
    if (X)
        return X + from * nn;
    if (there && read(user, from, there, l.raw.data()))
        throw fault{CUDA_FAULT_READ, "samples cannot be read", cudaSuccess};
    return l.raw.data();
}

void feed::stage(lane &l, size_t i, size_t count, double *most) const
{
    const double *from = source(l, i, count);
    const size_t half = (size_t)upper_doubles((int)n);
    check(cudaEventSynchronize(l.copied.at), "copies of the samples");
    for (size_t k = 0; k < count; k++) {
        const double *A = first + i + k < given ? from + k * n * n : extra;
        double trace = 0.0;
        take_upper(n, A, l.staging.at + k * half);
        for (size_t r = 0; r < n; r++)
            trace += A[r * n + r];
        *most = trace > *most ? trace : *most;
    }
}

/* Portion i .. of t, of which those that are not here are staged, packed. */
void feed::bring(lane &l, const shape &t, size_t i, double *to)
{
    const size_t own = here(i, t.p), sent = t.p - own;
    pack(t, true, own, factor, X + (first + i) * n * n, to);
    l.room.put(l.staging.at, sent * (size_t)upper_doubles((int)n), t.stream);
    l.copied.record(t.stream);
    pack(t, false, sent, factor, l.room.at, to + own * pack_size(s.n));
}

/* Lane `number` takes every so many-th portion: to be kept, or into P where there is one; else only
 * looked at. */
double feed::run(size_t number, const double *U, double *P)
{
    lane &l = *lanes[number];
    shape t = s;
    double most = 0.0;
    bool over = false;
    t.stream = l.own.at;
    check(cudaSetDevice(device), "choosing the device");
    for (size_t i = number * each; i < s.p && !(over = stop.asked()); i += lanes.size() * each) {
        t.p = std::min(each, s.p - i);
        const size_t own = here(i, t.p);
        stage(l, i + own, t.p - own, &most);
        if (!kept && !P)
            continue;
        double *to = kept ? Xp.at + i * pack_size(s.n) : l.packed.at;
        bring(l, t, i, to);
        if (P)
            pass_tall(t, to, U, P + i * n * s.M);
    }
    check(cudaStreamSynchronize(t.stream), "the samples");
    if (over)
        throw fault{CUDA_FAULT_STOPPED, "stopped", cudaSuccess};
    return most;
}

/* Several threads: one alone copies slower than the device takes it. */
double feed::run_all(const double *U, double *P)
{
    std::vector<std::future<double>> others;
    double most = 0.0;
    for (size_t k = 0; k < lanes.size(); k++)
        others.push_back(std::async(std::launch::async, [this, k, U, P] { return run(k, U, P); }));
    wait_for_all(others, stop);
    for (auto &o : others)
        most = std::max(most, o.get());
    return most;
}

double feed::load()
{
    double most = run_all(nullptr, nullptr);
    if (const size_t own = here(0, s.p))
        most = std::max(most, largest_trace_there(s, own, X + first * n * n));
    if (kept)
        lanes.clear();
    return most;
}

void feed::scale(double by)
{
    factor = by;
    if (kept)
        rescale(s, by, Xp.at);
}

void feed::pass(const double *U, double *P)
{
    if (kept)
        return pass_tall(s, Xp.at, U, P);
    check(cudaStreamSynchronize(s.stream), "before the data pass");
    run_all(U, P);
}

} /* namespace spd */
