/* mailbox.cu - messages to the host (mailbox.cuh). */
#include <thread>

#include "cuda/mailbox.cuh"

namespace spd
{

constexpr unsigned LOOKS = 4096; /* at the sequence number, before the stream is asked */

void mailbox::make(size_t numbers, cudaStream_t stream)
{
    size = numbers;
    room.make(numbers + 1);
    counter.make(1);
    check(cudaMemsetAsync(counter.at, 0, sizeof *counter.at, stream), "memory of the device");
    *(unsigned long long *)(room.at + size) = 0;
}

mailbox_address mailbox::address() const
{
    return {room.at, (volatile unsigned long long *)(room.at + size), counter.at};
}

const double *mailbox::wait(cudaStream_t stream, const char *what) const
{
    const volatile unsigned long long *sequence = address().sequence;
    for (unsigned k = 1; *sequence != expected; k++) {
        if (k % LOOKS)
            continue;
        const cudaError_t status = cudaStreamQuery(stream);
        if (status == cudaSuccess && *sequence != expected)
            throw fault{CUDA_FAULT_DEVICE, what, cudaSuccess};
        if (status != cudaErrorNotReady)
            check(status, what);
        std::this_thread::yield();
    }
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return room.at;
}

/* One thread: what it wrote before is seen before the sequence number is. */
__device__ inline void publish(const mailbox_address &to)
{
    __threadfence_system();
    *to.sequence = ++*to.count;
}

static __global__ void outcome_kernel(outcome *o, mailbox_address to)
{
    if (to.numbers) {
        memcpy(to.numbers, o, sizeof *o);
        publish(to);
    }
    memset(o, 0xff, sizeof *o);
}

static __global__ void __launch_bounds__(1024)
    numbers_kernel(size_t count, const double *from, mailbox_address to)
{
    for (size_t k = threadIdx.x; k < count; k += blockDim.x)
        to.numbers[k] = from[k];
    __threadfence_system();
    __syncthreads();
    if (threadIdx.x == 0)
        publish(to);
}

void send_outcome(cudaStream_t stream, outcome *o, const mailbox_address &to)
{
    outcome_kernel<<<1, 1, 0, stream>>>(o, to);
    launched("result");
}

void send_numbers(cudaStream_t stream, size_t count, const double *from, const mailbox_address &to)
{
    numbers_kernel<<<1, 1024, 0, stream>>>(count, from, to);
    launched("result");
}

} /* namespace spd */
