/* graph.cuh - the pairs on a device, in chunks whose matrices fit the buffer, and for each chunk
 * what every sample adds up.
 *
 * Of several processes each has its own samples and measures the pairs that have one of them, so
 * that it can add up all their weights; a pair across two processes is measured by both. Chunks,
 * parts and so the order of every sum are those of one process with all samples. The distance of a
 * pair is sent to the others by the process of its first sample. */
#pragma once
#include <memory>
#include <vector>

#include "cuda/kernels.cuh"

namespace spd
{

struct chunk {
    size_t first, count; /* pairs, of those measured here */
    array<end> ends;     /* those of own samples, by sample */
    array<part> parts;   /* of samples; every sample in the first chunk */
    array<part> several; /* samples with more than one part: first and count of slots */
};

struct graph {
    size_t pairs = 0;              /* of all processes */
    size_t slots = 0, most = 0;    /* of parts; most pairs in a chunk here */
    double total = 0.0;            /* of all weights */
    array<link> links;             /* measured here */
    array<double> within, between; /* pairs: weights in the sums */
    array<double> degree;          /* 2 x p: what multiplies the sample's own matrix */
    std::vector<std::unique_ptr<chunk>> chunks;

    /* softmax (kernels.cuh) */
    array<uint32_t> first, listed;
    array<double> half_weight, weight, value;
    double samples = 0.0;

    /* several processes: numbers of the pairs measured here; how distances are exchanged (graph.cu) */
    array<uint32_t> which, sent, place;
    std::vector<size_t> sent_at;

    /* at: where the samples of every process begin, and the end; rank: which is this one; each: most
     * pairs in a chunk; sides: matrices per pair; 0: a row is the other sample's. */
    void make(const cuda_input &in, const std::vector<size_t> &at, size_t rank, size_t each,
              int sides);
    size_t measured() const
    {
        return links.count;
    }
};

} /* namespace spd */
