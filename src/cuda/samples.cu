/* samples.cu - softmax (objective/objective.h): from the squared distances of all pairs to a value for every sample and a weight for every pair.
 *
 * A pair is a candidate of both its samples; each of the two writes its half of the weight to a
 * place of its own, and the halves are added: nothing depends on timing. The twin of src/objective. */
#include "cuda/kernels.cuh"
#include "objective/constants.h"

namespace spd
{

constexpr int WARPS_OF_BLOCK = 4;

/* ln(1 + e^x) and its derivative. */
__device__ inline double softplus(double x, double *slope)
{
    const double small = exp(-fabs(x));
    *slope = (x > 0.0 ? 1.0 : small) / (1.0 + small);
    return fmax(x, 0.0) + log1p(small);
}

__device__ inline double distance_of(const double *d2, uint32_t listed)
{
    const double d = d2[listed / 2];
    return d < 0.0 ? 0.0 : d; /* rounding may give less; NaN stays */
}

/* A sum is NaN where one of its terms is. */
__device__ inline bool all_numbers(double sum)
{
    return sum == sum;
}

/* ---- a warp for each sample ------------------------------------------------------------------ */

__device__ inline double warp_sum(double x)
{
    for (int o = 16; o; o >>= 1)
        x += __shfl_xor_sync(~0u, x, o);
    return x;
}
__device__ inline double warp_least(double x)
{
    for (int o = 16; o; o >>= 1)
        x = fmin(x, __shfl_xor_sync(~0u, x, o));
    return x;
}

/* Of the list from `first` to `last`: sum, least and largest distance; NaN in the sum if there is
 * one. */
struct extent {
    double sum, least, most;
};
__device__ inline extent extent_of(const candidates &c, const double *d2, uint32_t first,
                                   uint32_t last, int lane)
{
    extent x = {0.0, INFINITY, 0.0};
    for (uint32_t k = first + lane; k < last; k += 32) {
        const double d = distance_of(d2, c.listed[k]);
        x.sum += d;
        x.least = fmin(x.least, d);
        x.most = fmax(x.most, d);
    }
    return {warp_sum(x.sum), warp_least(x.least), -warp_least(-x.most)};
}

/* half_weight <- e^(-A (d - least) / s) for the list; their sum. With `flat` all distances count as 1. */
__device__ inline double terms(const candidates &c, const double *d2, uint32_t first, uint32_t last,
                               int lane, bool flat, double least, double s, double *half_weight)
{
    double total = 0.0;
    for (uint32_t k = first + lane; k < last; k += 32) {
        const double d = flat ? 1.0 : distance_of(d2, c.listed[k]);
        half_weight[c.listed[k]] = exp(-OBJECTIVE_SHARPNESS * (d - least) / s);
        total += half_weight[c.listed[k]];
    }
    return warp_sum(total);
}

/* Terms become derivatives at fixed s; the derivative by s. */
__device__ inline double weigh(const candidates &c, const double *d2, uint32_t first, uint32_t last,
                               int lane, bool flat, double factor, double s, double *half_weight)
{
    double by_s = 0.0;
    for (uint32_t k = first + lane; k < last; k += 32) {
        const double d = flat ? 1.0 : distance_of(d2, c.listed[k]),
                     w = half_weight[c.listed[k]] * factor;
        half_weight[c.listed[k]] = w;
        by_s -= w * d / s;
    }
    return warp_sum(by_s);
}

static __global__ void softmax_kernel(size_t p, candidates c, double zero, const double *d2,
                                      double *half_weight, double *value)
{
    const int lane = threadIdx.x % 32;
    for (size_t i = blockIdx.x * (size_t)WARPS_OF_BLOCK + threadIdx.x / 32; i < p;
         i += (size_t)gridDim.x * WARPS_OF_BLOCK) {
        const uint32_t a = c.first[2 * i], b = c.first[2 * i + 1], end = c.first[2 * i + 2];
        const bool both = b > a && end > b;
        if (!both) { /* nothing to compare */
            for (uint32_t k = a + lane; k < end; k += 32)
                half_weight[c.listed[k]] = 0.0;
            if (lane == 0)
                value[i] = 0.0;
            continue;
        }
        const extent same = extent_of(c, d2, a, b, lane), other = extent_of(c, d2, b, end, lane);
        const bool flat = same.most <= zero && other.most <= zero;
        const double count = end - a, s = flat ? 1.0 : (same.sum + other.sum) / count;
        const double low = flat ? 1.0 : same.least, low_other = flat ? 1.0 : other.least;
        const double total = terms(c, d2, a, b, lane, flat, low, s, half_weight);
        const double total_other = terms(c, d2, b, end, lane, flat, low_other, s, half_weight);
        double slope;
        const double x = log(total_other) - log(total) -
                         OBJECTIVE_SHARPNESS * (low_other - low) / s,
                     f = softplus(x, &slope);
        const double factor = slope * OBJECTIVE_SHARPNESS / s;
        const double by_s = weigh(c, d2, a, b, lane, flat, factor / total, s, half_weight) +
                            weigh(c, d2, b, end, lane, flat, -factor / total_other, s, half_weight);
        for (uint32_t k = a + lane; k < end; k += 32)
            half_weight[c.listed[k]] = flat ? 0.0 : half_weight[c.listed[k]] + by_s / count;
        if (lane == 0)
            value[i] = all_numbers(same.sum + other.sum) ? f / c.samples : same.sum + other.sum;
    }
}

/* ---- from halves to weights ------------------------------------------------------------------ */

static __global__ void add_kernel(size_t pairs, double samples, const double *half_weight,
                                  double *weight)
{
    for (size_t e = blockIdx.x * (size_t)blockDim.x + threadIdx.x; e < pairs;
         e += (size_t)gridDim.x * blockDim.x)
        weight[e] = (half_weight[2 * e] + half_weight[2 * e + 1]) / samples;
}

static __global__ void degree_kernel(size_t p, candidates c, const double *weight, double *degree)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < p;
         i += (size_t)gridDim.x * blockDim.x) {
        double sum = 0.0;
        for (uint32_t k = c.first[2 * i]; k < c.first[2 * i + 2]; k++)
            sum += weight[c.listed[k] / 2];
        degree[i] = sum;
    }
}

void weigh_pairs(const shape &s, const candidates &c, double zero, size_t pairs, const double *d2,
                 double *half_weight, double *weight, double *value, double *degree)
{
    const unsigned some = (unsigned)s.processors * 8;
    softmax_kernel<<<some, 32 * WARPS_OF_BLOCK, 0, s.stream>>>(s.p, c, zero, d2, half_weight,
                                                               value);
    launched("objective");
    add_kernel<<<some, 256, 0, s.stream>>>(pairs, c.samples, half_weight, weight);
    degree_kernel<<<some, 128, 0, s.stream>>>(s.p, c, weight, degree);
    launched("weights of pairs");
}

static __global__ void ends_kernel(size_t count, const double *weight, end *ends)
{
    for (size_t k = blockIdx.x * (size_t)blockDim.x + threadIdx.x; k < count;
         k += (size_t)gridDim.x * blockDim.x)
        ends[k].weight = weight[ends[k].pair];
}

void weigh_ends(const shape &s, const double *weight, size_t count, end *ends)
{
    if (count)
        ends_kernel<<<s.processors * 8, 256, 0, s.stream>>>(count, weight, ends);
    launched("weights of ends");
}

} /* namespace spd */
