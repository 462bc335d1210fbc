/* device.cuh - what all kernels share: faults, memory, the double-precision tensor product, copies
 * that run ahead, and sizes.
 *
 * Small matrices have M rows and columns, m rounded up to a size for which kernels exist; samples
 * are padded as S + I (direct sum), which changes no distance, and all else with zeros. */
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <cuda_runtime.h>

#include "cuda/module.h"
#include "cuda/pools.cuh"

namespace spd
{

struct fault { /* thrown, and turned into a sentence at the entry points */
    int code;
    const char *what;
    cudaError_t error;
};

inline void check(cudaError_t e, const char *what)
{
    if (e != cudaSuccess)
        throw fault{e == cudaErrorMemoryAllocation ? CUDA_FAULT_MEMORY : CUDA_FAULT_DEVICE, what,
                    e};
}
inline void launched(const char *what)
{
    check(cudaGetLastError(), what);
}

/* Lets the blocks of a kernel have so much shared memory. */
template <class K> inline void allow_shared(K *kernel, size_t bytes, const char *what)
{
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes),
          what);
}

/* A row of a switch over the sizes for which kernels are compiled. */
#define SIZE_CASE(size, ...)                                                                       \
    case size:                                                                                     \
        __VA_ARGS__;                                                                               \
        break

/* An array on the device; nothing may be at work in it when it goes (pools.cuh). */
template <class T> struct array {
    T *at = nullptr;
    size_t count = 0;
    int device = 0;
    array() = default;
    array(const array &) = delete;
    array &operator=(const array &) = delete;
    ~array()
    {
        give_memory(at, count * sizeof(T), device);
    }
    void make(size_t n)
    {
        give_memory(at, count * sizeof(T), device);
        at = (T *)take_memory(n * sizeof(T), &device);
        count = at ? n : 0;
        if (!at)
            throw fault{CUDA_FAULT_MEMORY, "memory of the device", cudaErrorMemoryAllocation};
    }
    void put(const T *from, size_t n, cudaStream_t s)
    {
        check(cudaMemcpyAsync(at, from, n * sizeof(T), cudaMemcpyHostToDevice, s),
              "copy to the device");
    }
    void swap(array &other)
    {
        std::swap(at, other.at);
        std::swap(count, other.count);
        std::swap(device, other.device);
    }
};

/* Copies, and waits until what is there is there for all streams. */
inline void copy_now(void *to, const void *from, size_t bytes, const char *what)
{
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, 0), what);
    check(cudaStreamSynchronize(0), what);
}

/* The kernels with all of a matrix in registers are made for these. */
inline int padded(int m)
{
    const int sizes[] = {8, 16, 20, 24, 30, 32};
    for (int s : sizes)
        if (m <= s)
            return s;
    return (m + 7) / 8 * 8;
}
constexpr int FAST = 32;  /* largest M of those */
constexpr int APART = 64; /* and of those for Stein divergences alone */

__host__ __device__ inline int tri(int M)
{
    return M * (M + 1) / 2;
}
/* Place of (r,c), r >= c, in a lower triangle kept column by column. */
__host__ __device__ inline int tri_at(int M, int r, int c)
{
    return c * M - c * (c - 1) / 2 + r - c;
}

/* Partial sums, at most 256; fixed, so that results do not depend on the device. */
constexpr int SUMS = 256;

#ifdef __CUDACC__
/* C (16 x 8) += A (16 x 8) B (8 x 8) by one warp; lane = 4g + b holds
 *   a = A[g][k0], A[g+8][k0], A[g][k1], A[g+8][k1]   b0 = B[k0][g], b1 = B[k1][g]
 *   c = C[g][2b], C[g][2b+1], C[g+8][2b], C[g+8][2b+1]
 * where (k0,k1) = (2b, 2b+1). Hopper has it as one instruction, at twice the rate of four. */
__device__ inline void mma(double (&c)[4], const double (&a)[4], double b0, double b1)
{
#if __CUDA_ARCH__ >= 900
    asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 "
        "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
        : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
        : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b0), "d"(b1));
#else
#pragma unroll
    for (int h = 0; h < 2; h++)
#pragma unroll
        for (int k = 0; k < 2; k++)
            asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%3},{%0,%1};"
                : "+d"(c[2 * h]), "+d"(c[2 * h + 1])
                : "d"(a[2 * k + h]), "d"(k ? b1 : b0));
#endif
}

/* To about 20 bits, single precision to about 22. */
__device__ inline double rough_reciprocal(double x)
{
    double r;
    asm("rcp.approx.ftz.f64 %0,%1;" : "=d"(r) : "d"(x));
    return r;
}
__device__ inline float rough_reciprocal(float x)
{
    float r;
    asm("rcp.approx.ftz.f32 %0,%1;" : "=f"(r) : "f"(x));
    return r;
}
__device__ inline float rough_root(float x)
{
    float r;
    asm("sqrt.approx.ftz.f32 %0,%1;" : "=f"(r) : "f"(x));
    return r;
}
__device__ inline double rough_inverse_root(double x)
{
    double r;
    asm("rsqrt.approx.ftz.f64 %0,%1;" : "=d"(r) : "d"(x));
    return r;
}
/* x of lane s. (The built-in shuffle of a double makes ptxas swap register halves by the hundred.)
 */
__device__ inline double from(double x, int s)
{
    double o;
    asm volatile("{\n.reg .b32 a,b,c,d;\nmov.b64 {a,b},%1;\nshfl.sync.idx.b32 c,a,%2,31,-1;\n"
                 "shfl.sync.idx.b32 d,b,%2,31,-1;\nmov.b64 %0,{c,d};\n}"
                 : "=d"(o)
                 : "d"(x), "r"(s));
    return o;
}

/* 16 bytes from global to shared memory, without waiting. */
__device__ inline void copy_ahead(void *to, const void *from)
{
    asm volatile(
        "cp.async.cg.shared.global [%0],[%1],16;" ::"r"((uint32_t)__cvta_generic_to_shared(to)),
        "l"(from)
        : "memory");
}
__device__ inline void copy_commit()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}
template <int LEFT> __device__ inline void copy_wait()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory");
}
#endif

} /* namespace spd */
