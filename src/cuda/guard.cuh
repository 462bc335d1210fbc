/* guard.cuh - what is thrown becomes a number and a sentence, at every entry from C. */
#pragma once
#include <cstdio>
#include <new>

#include "cuda/device.cuh"

namespace spd
{

inline int report(const fault &x, char *why)
{
    const bool none = x.error == cudaErrorNoDevice || x.error == cudaErrorInsufficientDriver;
    if (x.error == cudaSuccess)
        snprintf(why, CUDA_WHY, "%s", x.what);
    else
        snprintf(why, CUDA_WHY, "%s (%s)", cudaGetErrorString(x.error), x.what);
    cudaGetLastError();
    return none ? CUDA_FAULT_NO_DEVICE : x.code;
}

/* Runs body; what it throws becomes a status and a sentence. */
template <class F> int guarded(char *why, F body)
{
    why[0] = 0;
    try {
        body();
        return CUDA_FAULT_NONE;
    } catch (const fault &x) {
        return report(x, why);
    } catch (const std::bad_alloc &) {
        snprintf(why, CUDA_WHY, "out of memory");
        return CUDA_FAULT_MEMORY;
    } catch (...) {
        snprintf(why, CUDA_WHY, "the CUDA module failed");
        return CUDA_FAULT_DEVICE;
    }
}

} /* namespace spd */
