/* post.cuh - results that kernels write to the host's memory themselves, with a seal behind them: to look for the seal
 * takes less than to wait for a copy and for the stream. */
#pragma once
#include "engine/cuda/kernels.cuh"
#include "engine/cuda/queue.cuh"

namespace spd {

/* Where numbers go, and the seal: how many letters have been sent, as counted on the device. */
struct letter {
    double *to;
    volatile unsigned long long *seal;
    unsigned long long *sent;
};

struct mailbox {
    pinned room;                      /* the numbers, and the seal */
    array<unsigned long long> counter;
    unsigned long long expected = 0;  /* the number of the last letter that was asked for */
    size_t size = 0;

    void make(size_t numbers, cudaStream_t stream);
    letter address() const;
    void ask() { expected++; }        /* with every letter that is put into a stream */
    const double *wait(cudaStream_t stream, const char *what) const; /* for the last one; throws what went wrong */
};

/* The outcome to the host, if there is an address, and away from the device: all bits are set. */
void post_outcome(cudaStream_t stream, outcome *o, const letter &l);
void post_numbers(cudaStream_t stream, size_t count, const double *from, const letter &l);

} /* namespace spd */
