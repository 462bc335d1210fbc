/* pools.cuh - memory of devices, pinned memory of the host and streams, which are kept from call to
 * call (pools.cu): asking CUDA for them takes longer than a small call does.
 *
 * What is given back may be taken at once by another thread, so nothing may still be at work in it. A
 * stream waits for its work when it is given back: whoever owns both declares it after the memory,
 * so that it goes first. */
#pragma once
#include <cstddef>
#include <cuda_runtime.h>

namespace spd
{

/* Of the device that is chosen; NULL where there is none left. */
void *take_memory(size_t bytes, int *device);
void give_memory(void *at, size_t bytes, int device);
/* Bytes of it that can still be taken. */
size_t memory_left();

/* Memory that copies run from and to without waiting; NULL where there is none left. */
void *take_pinned(size_t bytes);
void give_pinned(void *at, size_t bytes);

cudaStream_t take_stream(int *device);
void give_stream(cudaStream_t stream, int device);

/* Multiprocessors, and bytes of shared memory that a block may have, of the device that is chosen. */
struct processor_counts {
    int processors, shared;
};
processor_counts processors_here();

} /* namespace spd */
