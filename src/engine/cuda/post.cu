/* post.cu - letters to the host (post.cuh). */
#include <thread>

#include "engine/cuda/post.cuh"

namespace spd {

constexpr unsigned LOOKS = 4096; /* at the seal, before the stream is asked */

void mailbox::make(size_t numbers, cudaStream_t stream)
{
    size = numbers;
    room.make(numbers + 1);
    counter.make(1);
    check(cudaMemsetAsync(counter.at, 0, sizeof *counter.at, stream), "memory of the device");
    *(unsigned long long *)(room.at + size) = 0;
}

letter mailbox::address() const { return {room.at, (volatile unsigned long long *)(room.at + size), counter.at}; }

const double *mailbox::wait(cudaStream_t stream, const char *what) const
{
    const volatile unsigned long long *seal = address().seal;
    for (unsigned k = 1; *seal != expected; k++) {
        if (k % LOOKS)
            continue;
        const cudaError_t status = cudaStreamQuery(stream);
        if (status == cudaSuccess && *seal != expected)
            throw fault{CUDA_FAULT_DEVICE, what, cudaSuccess};
        if (status != cudaErrorNotReady)
            check(status, what);
        std::this_thread::yield();
    }
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return room.at;
}

/* One thread: what it wrote before is seen before the seal is. */
__device__ inline void seal(const letter &l)
{
    __threadfence_system();
    *l.seal = ++*l.sent;
}

static __global__ void outcome_kernel(outcome *o, letter l)
{
    if (l.to) {
        memcpy(l.to, o, sizeof *o);
        seal(l);
    }
    memset(o, 0xff, sizeof *o);
}

static __global__ void __launch_bounds__(1024) numbers_kernel(size_t count, const double *from, letter l)
{
    for (size_t k = threadIdx.x; k < count; k += blockDim.x)
        l.to[k] = from[k];
    __threadfence_system();
    __syncthreads();
    if (threadIdx.x == 0)
        seal(l);
}

void post_outcome(cudaStream_t stream, outcome *o, const letter &l)
{
    outcome_kernel<<<1, 1, 0, stream>>>(o, l);
    launched("result");
}

void post_numbers(cudaStream_t stream, size_t count, const double *from, const letter &l)
{
    numbers_kernel<<<1, 1024, 0, stream>>>(count, from, l);
    launched("result");
}

} /* namespace spd */
