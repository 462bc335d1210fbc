/* pools.cu - what is kept from call to call (pools.cuh): lists of free blocks of memory, by size, of
 * every device and of the host, and of free streams. */
#include "cuda/pools.cuh"

#include <algorithm>
#include <map>
#include <mutex>
#include <vector>

#include "cuda/device.cuh"

namespace spd
{

constexpr size_t KEPT_ON_DEVICE = (size_t)512 << 20; /* bytes at most, and */
constexpr size_t KEPT_SHARE = 16;                    /* this part of what the device has */
constexpr size_t KEPT_PINNED = (size_t)128 << 20;    /* of the host */
constexpr size_t KEPT_STREAMS = 32;                  /* of a device */
constexpr size_t BLOCK_LEAST = (size_t)1 << 12;      /* bytes */

/* In steps of an eighth, so that calls of about one size share their blocks. */
static size_t block_size(size_t bytes)
{
    size_t step = BLOCK_LEAST;
    while (8 * step < bytes)
        step *= 2;
    return (std::max(bytes, (size_t)1) + step - 1) / step * step;
}

struct free_blocks {
    std::multimap<size_t, void *> list; /* by size */
    size_t bytes = 0, most = 0;

    void *take(size_t size)
    {
        const auto found = list.find(size);
        if (found == list.end())
            return nullptr;
        void *at = found->second;
        list.erase(found);
        bytes -= size;
        return at;
    }
    bool keep(void *at, size_t size)
    {
        if (bytes + size > most)
            return false;
        list.emplace(size, at);
        bytes += size;
        return true;
    }
};

struct device_pools {
    processor_counts counts{};
    free_blocks memory;
    std::vector<cudaStream_t> streams;
};

struct all_pools {
    std::mutex lock;
    std::map<int, device_pools> devices;
    free_blocks pinned;
};
using guard = std::lock_guard<std::mutex>;

/* Never destroyed: CUDA may be gone before. */
static all_pools &pools()
{
    static all_pools *const all = [] {
        auto *made = new all_pools;
        made->pinned.most = KEPT_PINNED;
        return made;
    }();
    return *all;
}

static int attribute(cudaDeviceAttr which, int device)
{
    int value = 0;
    check(cudaDeviceGetAttribute(&value, which, device), "asking the device");
    return value;
}

/* Of the device that is chosen; under the lock. */
static device_pools &pools_here(all_pools &all, int *device)
{
    size_t left, total;
    check(cudaGetDevice(device), "asking for the device");
    const auto found = all.devices.find(*device);
    if (found != all.devices.end())
        return found->second;
    check(cudaMemGetInfo(&left, &total), "asking the device");
    device_pools made;
    made.counts = {attribute(cudaDevAttrMultiProcessorCount, *device),
                   attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, *device)};
    made.memory.most = std::min(KEPT_ON_DEVICE, total / KEPT_SHARE);
    return all.devices[*device] = made;
}

processor_counts processors_here()
{
    int device;
    all_pools &all = pools();
    const guard held(all.lock);
    return pools_here(all, &device).counts;
}

static void forget(bool good)
{
    if (!good)
        cudaGetLastError();
}

/* ---- memory of devices ----------------------------------------------------------------------- */

static void *malloc_on_device(size_t size)
{
    void *at = nullptr;
    const bool good = cudaMalloc(&at, size) == cudaSuccess;
    forget(good);
    return good ? at : nullptr;
}

/* To CUDA: all that is kept of the device that is chosen. */
static void release(free_blocks &memory)
{
    for (const auto &block : memory.list)
        forget(cudaFree(block.second) == cudaSuccess);
    memory.list.clear();
    memory.bytes = 0;
}

void *take_memory(size_t bytes, int *device)
{
    all_pools &all = pools();
    const size_t size = block_size(bytes);
    {
        const guard held(all.lock);
        if (void *at = pools_here(all, device).memory.take(size))
            return at;
    }
    if (void *at = malloc_on_device(size))
        return at;
    const guard held(all.lock);
    release(pools_here(all, device).memory);
    return malloc_on_device(size);
}

void give_memory(void *at, size_t bytes, int device)
{
    all_pools &all = pools();
    if (!at)
        return;
    {
        const guard held(all.lock);
        if (all.devices[device].memory.keep(at, block_size(bytes)))
            return;
    }
    forget(cudaFree(at) == cudaSuccess);
}

size_t memory_left()
{
    int device;
    size_t left, total;
    all_pools &all = pools();
    check(cudaMemGetInfo(&left, &total), "asking the device");
    const guard held(all.lock);
    return left + pools_here(all, &device).memory.bytes;
}

/* ---- pinned memory --------------------------------------------------------------------------- */

void *take_pinned(size_t bytes)
{
    all_pools &all = pools();
    const size_t size = block_size(bytes);
    void *at = nullptr;
    {
        const guard held(all.lock);
        if ((at = all.pinned.take(size)))
            return at;
    }
    const bool good = cudaMallocHost(&at, size) == cudaSuccess;
    forget(good);
    return good ? at : nullptr;
}

void give_pinned(void *at, size_t bytes)
{
    all_pools &all = pools();
    if (!at)
        return;
    {
        const guard held(all.lock);
        if (all.pinned.keep(at, block_size(bytes)))
            return;
    }
    forget(cudaFreeHost(at) == cudaSuccess);
}

/* ---- streams --------------------------------------------------------------------------------- */

cudaStream_t take_stream(int *device)
{
    all_pools &all = pools();
    cudaStream_t stream = nullptr;
    {
        const guard held(all.lock);
        std::vector<cudaStream_t> &kept = pools_here(all, device).streams;
        if (!kept.empty()) {
            stream = kept.back();
            kept.pop_back();
            return stream;
        }
    }
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream");
    return stream;
}

void give_stream(cudaStream_t stream, int device)
{
    all_pools &all = pools();
    if (!stream)
        return;
    const bool good = cudaStreamSynchronize(stream) == cudaSuccess;
    forget(good);
    if (good) {
        const guard held(all.lock);
        std::vector<cudaStream_t> &kept = all.devices[device].streams;
        if (kept.size() < KEPT_STREAMS) {
            kept.push_back(stream);
            return;
        }
    }
    forget(cudaStreamDestroy(stream) == cudaSuccess);
}

} /* namespace spd */
