/* mailbox.cuh - results that kernels write to the host's memory themselves, followed by a sequence
 * number: polling that number takes less time than waiting for a copy and for the stream. */
#pragma once
#include "cuda/kernels.cuh"
#include "cuda/queue.cuh"

namespace spd
{

/* Where a kernel writes: the numbers, then how many messages have been sent, counted on the device.
 */
struct mailbox_address {
    double *numbers;
    volatile unsigned long long *sequence;
    unsigned long long *count;
};

struct mailbox {
    pinned room; /* the numbers, and the sequence number */
    array<unsigned long long> counter;
    unsigned long long expected = 0; /* of the last message that was asked for */
    size_t size = 0;

    void make(size_t numbers, cudaStream_t stream);
    mailbox_address address() const;
    /* With every message that is put into a stream. */
    void ask()
    {
        expected++;
    }
    /* For the last one; throws what went wrong. */
    const double *wait(cudaStream_t stream, const char *what) const;
};

/* The outcome to the host, if there is an address, and away from the device: all bits are set. */
void send_outcome(cudaStream_t stream, outcome *o, const mailbox_address &to);
void send_numbers(cudaStream_t stream, size_t count, const double *from, const mailbox_address &to);

} /* namespace spd */
