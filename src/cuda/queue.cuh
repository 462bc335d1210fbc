/* queue.cuh - streams, the memory that copies in them need, and recordings of what goes into them.
 */
#pragma once
#include "cuda/device.cuh"

namespace spd
{

struct pinned { /* host memory that copies run from and to without waiting */
    double *at = nullptr;
    size_t count = 0;
    pinned() = default;
    pinned(const pinned &) = delete;
    pinned &operator=(const pinned &) = delete;
    ~pinned()
    {
        give_pinned(at, count * sizeof(double));
    }
    void make(size_t n)
    {
        give_pinned(at, count * sizeof(double));
        at = (double *)take_pinned(n * sizeof(double));
        count = at ? n : 0;
        if (!at)
            throw fault{CUDA_FAULT_MEMORY, "memory for copies", cudaErrorMemoryAllocation};
    }
};

struct
    queue { /* a stream; waits for its work when it goes: to be declared after what it works on */
    cudaStream_t at = nullptr;
    int device = 0;
    queue() = default;
    queue(const queue &) = delete;
    queue &operator=(const queue &) = delete;
    ~queue()
    {
        give_stream(at, device);
    }
    void make()
    {
        at = take_stream(&device);
    }
};

/* Waits for a stream when it goes: to be declared after memory that a function has in it. */
struct until_done {
    cudaStream_t at;
    ~until_done()
    {
        if (cudaStreamSynchronize(at) != cudaSuccess)
            cudaGetLastError();
    }
};

struct event { /* a moment in a stream */
    cudaEvent_t at = nullptr;
    ~event()
    {
        if (at)
            cudaEventDestroy(at);
    }
    void make(unsigned flags = cudaEventDisableTiming)
    {
        check(cudaEventCreateWithFlags(&at, flags), "making an event");
    }
    void record(cudaStream_t s)
    {
        check(cudaEventRecord(at, s), "an event");
    }
    /* The stream waits until the moment. */
    void hold(cudaStream_t s) const
    {
        check(cudaStreamWaitEvent(s, at, 0), "an event");
    }
};

/* Launches and copies in a stream, to be repeated as a whole. */
struct recording {
    cudaGraphExec_t graph = nullptr;
    ~recording()
    {
        if (graph)
            cudaGraphExecDestroy(graph);
    }
    template <class F> void make(cudaStream_t stream, F body)
    {
        cudaGraph_t made = nullptr;
        check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), "recording");
        try {
            body();
        } catch (...) {
            cudaStreamEndCapture(stream, &made);
            cudaGraphDestroy(made);
            throw;
        }
        check(cudaStreamEndCapture(stream, &made), "recording");
        const cudaError_t status = cudaGraphInstantiate(&graph, made, 0);
        cudaGraphDestroy(made);
        check(status, "recording");
    }
    template <class F> void launch(cudaStream_t stream, F body)
    {
        if (!graph)
            make(stream, body);
        check(cudaGraphLaunch(graph, stream), "launching what was recorded");
    }
};

} /* namespace spd */
