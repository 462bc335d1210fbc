/* portions.cuh - matrices through the device in portions. Several threads of the host take turns:
 * each has a stream and memory of its own, so that the copies of one portion run beside the kernels
 * of another, and one thread alone copies slower than the device takes it. */
#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <future>
#include <vector>

#include "cuda/queue.cuh"

namespace spd
{

constexpr int TRANSFER_THREADS = 8;              /* most threads */
constexpr size_t PORTION_MOST = (size_t)4 << 20; /* doubles of a portion */
constexpr size_t PORTION_LEAST = (size_t)1 << 16;
constexpr size_t PORTION_THERE = (size_t)1 << 25; /* of matrices that lie on the device */

struct portions {
    size_t count, each, threads;
    /* there: what lies on the device already comes in larger portions, two at a time, so that none
     * waits for a launch. */
    portions(size_t matrices, size_t doubles, int most, bool there) : count(matrices)
    {
        if (there) {
            each = std::min(count, PORTION_THERE / doubles + 1);
            threads = std::min((size_t)2, (count + each - 1) / each);
            return;
        }
        threads = (size_t)std::clamp(most, 1, TRANSFER_THREADS);
        const size_t fair = (count + 3 * threads - 1) / (3 * threads);
        each = std::clamp(fair, PORTION_LEAST / doubles + 1, PORTION_MOST / doubles + 1);
        each = std::min(each, count);
        threads = std::min(threads, (count + each - 1) / each);
    }
};

/* By the thread of the call. */
template <class Transfer, class... More>
void transfer_here(const cuda_sets &in, const portions &p, bool reporting, const More &...more)
{
    Transfer one(in, p.each, more...);
    for (size_t at = 0; at < p.count; at += p.each) {
        const size_t count = std::min(p.each, p.count - at);
        one.run(at, count);
        if (reporting && in.progress && in.progress(in.user, (double)(at + count), (double)p.count))
            throw fault{CUDA_FAULT_STOPPED, "stopped", cudaSuccess};
    }
}

/* A Transfer is made of (in, each, more) and has run(first, count). Tells of what is done where
 * that is wanted; whatever one of them throws, or the caller's stop_request to stop, ends all of them. */
template <class Transfer, class... More>
void transfer_all(const cuda_sets &in, const portions &p, bool reporting, const More &...more)
{
    std::atomic<size_t> next{0}, done{0};
    std::atomic<bool> stop{false};
    std::vector<std::future<void>> work;
    const auto body = [&] {
        try {
            check(cudaSetDevice(in.device), "choosing the device");
            Transfer one(in, p.each, more...);
            for (size_t at; !stop && (at = p.each * next++) < p.count; done += p.each)
                one.run(at, std::min(p.each, p.count - at));
        } catch (...) {
            stop = true;
            throw;
        }
    };
    if (p.threads == 1)
        return transfer_here<Transfer>(in, p, reporting, more...);
    for (size_t k = 0; k < p.threads; k++)
        work.push_back(std::async(std::launch::async, body));
    bool asked = false;
    for (auto &one : work)
        while (one.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready)
            if (reporting && in.progress && !asked &&
                in.progress(in.user, (double)std::min((size_t)done, p.count), (double)p.count))
                asked = stop = true;
    for (auto &one : work)
        one.get();
    if (asked)
        throw fault{CUDA_FAULT_STOPPED, "stopped", cudaSuccess};
}

/* ---- plain copies ---------------------------------------------------------------------------- */

constexpr size_t LOT = (size_t)1 << 19; /* doubles that are copied at a time */

/* Numbers from the device to the host, by several threads through pinned memory that is kept. */
struct downloader {
    struct channel {
        pinned staging;
        queue own;
    };
    int device;
    std::vector<channel> channels;
    downloader(const cuda_sets &in, size_t doubles)
        : device(in.device),
          channels(std::min((size_t)std::clamp(in.threads, 1, TRANSFER_THREADS), doubles / LOT + 1))
    {
        for (auto &one : channels) {
            one.own.make();
            one.staging.make(std::min(LOT, doubles));
        }
    }
    void copy_lots(channel &one, std::atomic<size_t> &next, const double *from, size_t doubles,
                   double *to)
    {
        check(cudaSetDevice(device), "choosing the device");
        for (size_t at; (at = LOT * next++) < doubles;) {
            const size_t bytes = std::min(LOT, doubles - at) * sizeof(double);
            check(cudaMemcpyAsync(one.staging.at, from + at, bytes, cudaMemcpyDeviceToHost,
                                  one.own.at),
                  "results");
            check(cudaStreamSynchronize(one.own.at), "results");
            memcpy(to + at, one.staging.at, bytes);
        }
    }
    void fetch(const double *from, size_t doubles, double *to)
    {
        std::atomic<size_t> next{0};
        std::vector<std::future<void>> work;
        for (auto &one : channels)
            work.push_back(
                std::async(std::launch::async, [&] { copy_lots(one, next, from, doubles, to); }));
        for (auto &one : work)
            one.wait();
        for (auto &one : work)
            one.get();
    }
};

/* ---- loading --------------------------------------------------------------------------------- */

/* Matrices to the device; `take` puts into a stream what is done with a portion there. */
typedef std::function<void(cudaStream_t stream, size_t first, size_t count, const double *X)>
    loader;
struct loading_transfer {
    pinned staging;
    array<double> room;
    queue own;
    const double *X;
    size_t nn;
    const loader &take;
    loading_transfer(const cuda_sets &in, size_t each, const double *from, const loader &what)
        : X(from), nn(in.n * in.n), take(what)
    {
        own.make();
        staging.make(each * nn);
        room.make(each * nn);
    }
    void run(size_t first, size_t count)
    {
        memcpy(staging.at, X + first * nn, count * nn * sizeof(double));
        room.put(staging.at, count * nn, own.at);
        take(own.at, first, count, room.at);
        check(cudaStreamSynchronize(own.at), "loading the matrices");
    }
};

inline void load_all(const cuda_sets &in, size_t count, const double *X, const loader &take)
{
    if (in.on_device) { /* they are there */
        queue own;
        own.make();
        take(own.at, 0, count, X);
        return check(cudaStreamSynchronize(own.at), "loading the matrices");
    }
    transfer_all<loading_transfer>(in, portions(count, in.n * in.n, in.threads, false), false, X,
                                   take);
}

} /* namespace spd */
