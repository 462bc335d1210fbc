/* queue.cuh - streams, the memory that copies in them need, and recordings of what goes into them.
 */
#pragma once
#include "cuda/device.cuh"

namespace spd
{

struct pinned { /* host memory that copies run from and to without waiting */
    double *at = nullptr;
    ~pinned()
    {
        cudaFreeHost(at);
    }
    size_t count = 0;
    void make(size_t n)
    {
        cudaFreeHost(at);
        at = nullptr;
        check(cudaMallocHost((void **)&at, n * sizeof(double)), "memory for copies");
        count = n;
    }
};

struct queue { /* a stream */
    cudaStream_t at = nullptr;
    ~queue()
    {
        if (at)
            cudaStreamDestroy(at);
    }
    void make()
    {
        check(cudaStreamCreateWithFlags(&at, cudaStreamNonBlocking), "making a stream");
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
