/* emulate.h - enough of CUDA to run the kernels of src/cuda on a processor, one thread of a
 * block after the other, each on a stack of its own: to find wrong indices, missing barriers and
 * memory that nothing wrote, where there is no device. It says nothing about speed, about races
 * within a warp, or about the device's own arithmetic.
 *
 * A thread runs until it waits for its warp or its block; when all that are left of them wait, they
 * go on. Shuffles and tensor products leave their numbers in `slot` and wait for the warp. Memory
 * is filled with NaN. tests/cuda/emulate turns the sources into C++ and compiles them against this.
 */
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <mutex>
#include <vector>

#define __global__
#define __device__
#define __host__
#define __launch_bounds__(...)
#define __align__(x) __attribute__((aligned(x)))

struct dim3 {
    unsigned x, y, z;
    dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c)
    {
    }
};
struct alignas(16) double2 {
    double x, y;
};
inline double2 make_double2(double a, double b)
{
    return {a, b};
}
inline dim3 threadIdx, blockIdx, blockDim, gridDim;

/* ---- threads ------------------------------------------------------------------------------- */

/* Saves the registers a call must keep on this stack, and goes on with another. */
extern "C" void emulate_switch(void **save, void *to);
__asm__(".text\n.weak emulate_switch\nemulate_switch:\n"
        "pushq %rbp\npushq %rbx\npushq %r12\npushq %r13\npushq %r14\npushq %r15\n"
        "movq %rsp,(%rdi)\nmovq %rsi,%rsp\n"
        "popq %r15\npopq %r14\npopq %r13\npopq %r12\npopq %rbx\npopq %rbp\nret\n");

namespace emulate
{

enum { RUNS, WAITS_FOR_BLOCK, WAITS_FOR_WARP, ENDED };
constexpr size_t STACK = 256 << 10, SHARED = 227 << 10;

enum { BARRIER, SHUFFLE, VOTE, BALLOT, PRODUCT }; /* what lanes of a warp wait for together */

struct thread {
    void *at;
    char *stack;
    int state, turn; /* turn: which of the two rows of slots is next */
    int want;        /* what it waits for */
};
inline std::vector<thread> threads;
inline void *scheduler;
inline unsigned now; /* the thread that runs */
inline const std::function<void()> *kernel;
inline char *shared; /* dynamic */
inline double slot[2][1024][6];

inline void wait(int state, int want = BARRIER)
{
    threads[now].state = state;
    threads[now].want = want;
    emulate_switch(&threads[now].at, scheduler);
}

inline void enter()
{
    (*kernel)();
    wait(ENDED);
    abort();
}

inline void prepare(unsigned count)
{
    while (threads.size() < count)
        threads.push_back({nullptr, (char *)aligned_alloc(64, STACK), ENDED, 0, BARRIER});
    for (unsigned i = 0; i < count; i++) {
        void **top = (void **)(threads[i].stack + STACK - 64);
        *--top = nullptr; /* where enter would return to */
        *--top = (void *)enter;
        for (int k = 0; k < 6; k++)
            *--top = nullptr;
        threads[i] = {top, threads[i].stack, RUNS, 0, BARRIER};
    }
}

/* All threads first .. last-1 that have not ended wait for `state`: they run again. */
inline bool release(unsigned first, unsigned last, int state)
{
    bool any = false;
    int want = -1;
    for (unsigned i = first; i < last; i++) {
        if (threads[i].state != ENDED && threads[i].state != state)
            return false;
        any = any || threads[i].state == state;
        if (threads[i].state == state && want >= 0 && threads[i].want != want) {
            fprintf(stderr, "emulate: thread %u waits for something else than its warp\n", i);
            abort();
        }
        want = threads[i].state == state ? threads[i].want : want;
    }
    for (unsigned i = first; i < last; i++)
        if (threads[i].state == state)
            threads[i].state = RUNS;
    return any;
}

inline void run_warp(unsigned first, unsigned last)
{
    do
        for (unsigned i = first; i < last; i++)
            if (threads[i].state == RUNS) {
                now = threadIdx.x = i;
                emulate_switch(&scheduler, threads[i].at);
            }
    while (release(first, last, WAITS_FOR_WARP));
}

inline void run_block(unsigned count)
{
    prepare(count);
    do
        for (unsigned w = 0; w < count; w += 32)
            run_warp(w, std::min(count, w + 32));
    while (release(0, count, WAITS_FOR_BLOCK));
    for (unsigned i = 0; i < count; i++)
        if (threads[i].state != ENDED) {
            fprintf(stderr, "emulate: thread %u waits for ever\n", i);
            abort();
        }
}

/* What a stream is given: done at once, or kept while a recording is made. */
typedef std::vector<std::function<void()>> list;
inline thread_local list *recording; /* by this thread */
inline int give(const std::function<void()> &thing)
{
    if (recording)
        recording->push_back(thing);
    else
        thing();
    return 0;
}

/* One kernel at a time, whatever threads of the host launch them. */
inline void run_grid(dim3 grid, dim3 block, size_t bytes, const std::function<void()> &body)
{
    static std::mutex only;
    std::lock_guard<std::mutex> held(only);
    if (!shared)
        shared = (char *)aligned_alloc(64, SHARED);
    kernel = &body;
    gridDim = grid;
    blockDim = block;
    for (unsigned z = 0; z < grid.z; z++)
        for (unsigned y = 0; y < grid.y; y++)
            for (unsigned x = 0; x < grid.x; x++) {
                blockIdx = dim3(x, y, z);
                memset(shared, 0xff, bytes);
                run_block(block.x);
            }
}

inline void launch(dim3 grid, dim3 block, size_t bytes, const std::function<void()> &body)
{
    if (bytes > SHARED || block.x > 1024 || grid.x == 0 || grid.y > 65535 || grid.z > 65535) {
        fprintf(stderr, "emulate: a launch that no device takes\n");
        abort();
    }
    give([=] { run_grid(grid, block, bytes, body); });
}

/* My row of slots for the next exchange within the warp. */
inline int next_turn()
{
    return threads[now].turn ^= 1;
}

inline double shuffle(double x, unsigned lane)
{
    const int t = next_turn();
    slot[t][now][0] = x;
    wait(WAITS_FOR_WARP, SHUFFLE);
    return slot[t][(now & ~31u) + (lane & 31)][0];
}

inline bool all(bool x)
{
    const int t = next_turn();
    slot[t][now][0] = x;
    wait(WAITS_FOR_WARP, VOTE);
    for (int k = 0; k < 32; k++)
        x = x && slot[t][(now & ~31u) + k][0] != 0.0;
    return x;
}

inline unsigned ballot(bool x)
{
    const int t = next_turn();
    unsigned bits = 0;
    slot[t][now][0] = x;
    wait(WAITS_FOR_WARP, BALLOT);
    for (int k = 0; k < 32; k++)
        bits |= (unsigned)(slot[t][(now & ~31u) + k][0] != 0.0) << k;
    return bits;
}

} /* namespace emulate */

inline void __syncthreads()
{
    emulate::wait(emulate::WAITS_FOR_BLOCK);
}
inline void __threadfence_system()
{
}
inline void __syncwarp()
{
    emulate::wait(emulate::WAITS_FOR_WARP);
}
inline int __syncthreads_or(int x)
{
    static int any;
    __syncthreads();
    any = 0;
    __syncthreads();
    any |= x;
    __syncthreads();
    return any;
}
#define __shfl_sync(mask, x, lane)    emulate::shuffle(x, lane)
#define __shfl_xor_sync(mask, x, bit) emulate::shuffle(x, (emulate::now & 31) ^ (bit))
#define __all_sync(mask, x)           emulate::all(x)
#define __ballot_sync(mask, x)        emulate::ballot(x)

/* ---- arithmetic ---------------------------------------------------------------------------- */

inline void atomicMin(unsigned long long *a, unsigned long long x)
{
    *a = std::min(*a, x);
}
inline void atomicMax(unsigned long long *a, unsigned long long x)
{
    *a = std::max(*a, x);
}
inline unsigned atomicAdd(unsigned *a, unsigned x)
{
    const unsigned before = *a;
    *a += x;
    return before;
}
inline uint64_t emulate_bits(double x)
{
    uint64_t u;
    memcpy(&u, &x, 8);
    return u;
}
inline long long __double_as_longlong(double x)
{
    return (long long)emulate_bits(x);
}
inline double __longlong_as_double(long long u)
{
    double x;
    memcpy(&x, &u, 8);
    return x;
}
inline int __double2hiint(double x)
{
    return (int)(emulate_bits(x) >> 32);
}
inline int __double2loint(double x)
{
    return (int)emulate_bits(x);
}
inline double __hiloint2double(int high, int low)
{
    return __longlong_as_double((long long)((uint64_t)(uint32_t)high << 32 | (uint32_t)low));
}
inline double rsqrt(double x)
{
    return 1.0 / std::sqrt(x);
}

namespace spd
{ /* what device.cuh has in the device's own language */

inline void mma(double (&c)[4], const double (&a)[4], double b0, double b1)
{
    using namespace emulate;
    const int t = next_turn(), g = now % 32 / 4, b = now % 4;
    const double mine[6] = {a[0], a[1], a[2], a[3], b0, b1};
    memcpy(slot[t][now], mine, sizeof mine);
    wait(WAITS_FOR_WARP, PRODUCT);
    const double(*warp)[6] = slot[t] + (now & ~31u);
    for (int e = 0; e < 4; e++)
        for (int k = 0; k < 8; k++)
            c[e] = std::fma(warp[4 * g + k / 2][k % 2 * 2 + e / 2],
                            warp[4 * (2 * b + e % 2) + k / 2][4 + k % 2], c[e]);
}
inline double rough_reciprocal(double x)
{
    return (float)(1.0 / x);
}
inline float rough_reciprocal(float x)
{
    return 1.0f / x;
}
inline float rough_root(float x)
{
    return std::sqrt(x);
}
inline double rough_inverse_root(double x)
{
    return (float)(1.0 / std::sqrt(x));
}
inline double from(double x, int lane)
{
    return emulate::shuffle(x, lane);
}
inline void copy_ahead(void *to, const void *from)
{
    memcpy(to, from, 16);
}
inline void copy_commit()
{
}
template <int LEFT> inline void copy_wait()
{
}

} /* namespace spd */

/* ---- the run-time library ------------------------------------------------------------------ */

typedef int cudaError_t;
typedef void *cudaStream_t, *cudaEvent_t;
typedef emulate::list *cudaGraph_t, *cudaGraphExec_t;
enum {
    cudaSuccess = 0,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInsufficientDriver = 35,
    cudaErrorNoDevice = 100,
    cudaErrorNotReady = 600
};
enum cudaMemcpyKind {
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault
};
enum cudaMemoryType { cudaMemoryTypeHost, cudaMemoryTypeDevice, cudaMemoryTypeManaged };
struct cudaPointerAttributes {
    cudaMemoryType type;
    int device;
};
enum { cudaEventDefault, cudaEventDisableTiming };
enum cudaDeviceAttr {
    cudaDevAttrMemoryClockRate,
    cudaDevAttrGlobalMemoryBusWidth,
    cudaDevAttrMultiProcessorCount,
    cudaDevAttrMaxSharedMemoryPerBlockOptin
};
enum {
    cudaFuncAttributeMaxDynamicSharedMemorySize,
    cudaStreamNonBlocking,
    cudaStreamCaptureModeRelaxed
};
struct cudaDeviceProp {
    char name[64];
    int major, minor, multiProcessorCount;
    size_t sharedMemPerBlockOptin;
};

inline int cudaMalloc(void **p, size_t n)
{
    *p = aligned_alloc(64, (n + 63) / 64 * 64);
    if (*p)
        memset(*p, 0xff, n);
    return *p ? cudaSuccess : cudaErrorMemoryAllocation;
}
inline int cudaMallocHost(void **p, size_t n)
{
    return cudaMalloc(p, n);
}
inline int cudaFree(void *p)
{
    return free(p), 0;
}
inline int cudaFreeHost(void *p)
{
    return free(p), 0;
}
inline int cudaMemcpy(void *to, const void *from, size_t n, int)
{
    return memcpy(to, from, n), 0;
}
inline int cudaMemcpyAsync(void *to, const void *from, size_t n, int, void *)
{
    return emulate::give([=] { memcpy(to, from, n); });
}
inline int cudaEventCreateWithFlags(void **e, unsigned)
{
    return *e = &emulate::now, 0;
}
inline int cudaEventDestroy(void *)
{
    return 0;
}
inline int cudaEventRecord(void *, void *)
{
    return 0;
}
inline int cudaEventSynchronize(void *)
{
    return 0;
}
inline int cudaEventElapsedTime(float *ms, void *, void *)
{
    return *ms = 1.0f, 0;
}
inline int cudaStreamWaitEvent(void *, void *, unsigned)
{
    return 0;
}
inline int cudaDeviceGetAttribute(int *value, int which, int)
{
    *value = which == cudaDevAttrMultiProcessorCount            ? 1
             : which == cudaDevAttrMaxSharedMemoryPerBlockOptin ? (int)emulate::SHARED
                                                                : 1000;
    return 0;
}
inline int cudaMemsetAsync(void *to, int x, size_t n, void *)
{
    return emulate::give([=] { memset(to, x, n); });
}
inline int cudaStreamBeginCapture(void *, int)
{
    return emulate::recording = new emulate::list, 0;
}
inline int cudaStreamEndCapture(void *, cudaGraph_t *made)
{
    *made = emulate::recording;
    return emulate::recording = nullptr, 0;
}
inline int cudaGraphInstantiate(cudaGraphExec_t *to, cudaGraph_t made, int)
{
    return *to = new emulate::list(*made), 0;
}
inline int cudaGraphLaunch(cudaGraphExec_t what, void *)
{
    for (const auto &thing : *what)
        thing();
    return 0;
}
inline int cudaGraphDestroy(cudaGraph_t what)
{
    return delete what, 0;
}
inline int cudaGraphExecDestroy(cudaGraphExec_t what)
{
    return delete what, 0;
}
inline int cudaStreamSynchronize(void *)
{
    return 0;
}
inline int cudaStreamQuery(void *)
{
    return cudaSuccess;
}
inline int cudaStreamDestroy(void *)
{
    return 0;
}
inline int cudaStreamCreateWithFlags(void **s, int)
{
    return *s = &emulate::now, 0;
}
inline int cudaGetLastError()
{
    return 0;
}
inline const char *cudaGetErrorString(int)
{
    return "emulated";
}
inline int cudaSetDevice(int)
{
    return 0;
}
inline int cudaGetDevice(int *device)
{
    return *device = 0, 0;
}
/* All memory is the device's. */
inline int cudaPointerGetAttributes(cudaPointerAttributes *about, const void *)
{
    return *about = {cudaMemoryTypeDevice, 0}, 0;
}
inline int cudaGetDeviceCount(int *n)
{
    return *n = 1, 0;
}
inline int cudaGetDeviceProperties(cudaDeviceProp *p, int)
{
    *p = {"emulated", 9, 0, 1, emulate::SHARED};
    return 0;
}
inline int cudaMemGetInfo(size_t *left, size_t *all)
{
    return *left = *all = (size_t)1 << 30, 0;
}
inline int cudaDriverGetVersion(int *v)
{
    return *v = 13000, 0;
}
inline int cudaRuntimeGetVersion(int *v)
{
    return *v = 13000, 0;
}
template <class F> int cudaFuncSetAttribute(F, int, size_t bytes)
{
    return bytes > emulate::SHARED;
}
