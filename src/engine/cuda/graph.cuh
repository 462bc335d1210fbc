/* graph.cuh - the pairs on the device, in chunks whose matrices fit the buffer, and for each chunk
 * what every sample adds up. */
#pragma once
#include <memory>
#include <vector>

#include "engine/cuda/kernels.cuh"

namespace spd {

struct chunk {
    size_t first, count; /* pairs */
    array<end> ends;     /* both ends of each, by sample */
    array<part> parts;   /* of samples; every sample in the first chunk */
    array<part> several; /* samples with more than one part: first and count of slots */
};

struct graph {
    size_t pairs = 0, slots = 0;
    double total = 0.0; /* of all weights */
    array<link> links;
    array<double> within, between; /* pairs: weights in the sums */
    array<double> degree;          /* 2 x p: what multiplies the sample's own matrix */
    std::vector<std::unique_ptr<chunk>> chunks;

    /* objectives of samples (kernels.cuh) */
    array<uint32_t> first, listed;
    array<double> share, weight, value;
    double samples = 0.0;

    /* each: most pairs in a chunk; sides: matrices per pair. */
    void make(const cuda_input &in, size_t p, size_t each, int sides);
};

} /* namespace spd */
