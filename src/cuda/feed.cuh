/* feed.cuh - the samples of a device: packed there once, or, where they do not fit, read, sent and
 * packed anew for every pass, in portions, by several threads, so that reading, copies and products
 * overlap. Those that lie there already are packed from where they lie. */
#pragma once
#include <chrono>
#include <future>
#include <memory>
#include <vector>

#include "cuda/kernels.cuh"
#include "cuda/queue.cuh"

namespace spd
{

/* Is the work still wanted? From any thread (cuda_input). */
struct stop_request {
    int (*stop)(void *) = nullptr;
    void *user = nullptr;
    bool asked() const
    {
        return stop && stop(user);
    }
};

/* Waits for all of them. The thread that waits asks meanwhile: that of the call alone hears
 * anything new. */
template <class T>
void wait_for_all(const std::vector<std::future<T>> &work, const stop_request &stop)
{
    for (auto &w : work)
        while (w.wait_for(std::chrono::milliseconds(20)) != std::future_status::ready)
            stop.asked();
}

/* What a thread needs for a portion on its way. */
struct lane {
    event copied;
    pinned staging;
    std::vector<double> raw;    /* as read, where samples do not lie in memory */
    array<double> room, packed; /* packed: only where they are not kept */
    queue own;
};

struct feed {
    /* in is not needed later, but what its samples lie in is. first: number of the first sample of
     * s. */
    void open(const cuda_input &in, const shape &s, size_t first, int device, bool keep);

    /* Reads all samples, keeps them if they are kept; returns the largest trace. */
    double load();
    void scale(double factor); /* all of them, from now on */

    /* P (n x M each) <- X U, in s.stream. */
    void pass(const double *U, double *P);

    bool kept = false;
    bool resident = false; /* is X in the memory of the device? */

  private:
    size_t here(size_t i, size_t count) const;
    void stage(lane &l, size_t i, size_t count, double *most) const;
    const double *source(lane &l, size_t i, size_t count) const;
    void bring(lane &l, const shape &t, size_t i, double *to);
    double run(size_t number, const double *U, double *P);
    double run_all(const double *U, double *P);

    shape s{};
    size_t n = 0, given = 0, first = 0, each = 0; /* given: samples but for the extra one */
    const double *X = nullptr, *extra = nullptr;
    int (*read)(void *, size_t, size_t, double *) = nullptr;
    void *user = nullptr;
    stop_request stop;
    int device = 0;
    double factor = 1.0;
    array<double> Xp;
    std::vector<std::unique_ptr<lane>> lanes;
};

} /* namespace spd */
