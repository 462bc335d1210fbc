/* samples.cu - objectives of samples (objective/objective.h): from the squared distances of all
 * pairs to a value for every sample and a weight for every pair.
 *
 * A pair is a candidate of both its samples; each of the two writes its half of the weight to a
 * place of its own, and the halves are added: nothing depends on timing. Twins of src/objective. */
#include "cuda/kernels.cuh"
#include "objective/constants.h"

namespace spd
{

constexpr int WARPS_OF_BLOCK = 4;

/* ---- what both use -------------------------------------------------------------------------- */

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

/* ---- softmax: a warp for each sample --------------------------------------------------------- */

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

/* ---- log-margin: a thread for each sample ---------------------------------------------------- */

/* The nearest of a list, nearest first, ties by their order. */
template <int MOST> struct nearest {
    double d[MOST], weight[MOST];
    uint32_t which[MOST];
    int count = 0;
    double sum = 0.0, all = 0.0; /* of those taken; of all: NaN if one is */

    __device__ void take(const candidates &c, const double *d2, uint32_t first, uint32_t last,
                         double *half_weight)
    {
        for (uint32_t l = first; l < last; l++) {
            const double x = distance_of(d2, c.listed[l]);
            half_weight[c.listed[l]] = 0.0;
            all += x;
            if (count == MOST && !(x < d[MOST - 1]))
                continue;
            int k = count < MOST ? count++ : MOST - 1;
            for (; k > 0 && d[k - 1] > x; k--) {
                d[k] = d[k - 1];
                which[k] = which[k - 1];
            }
            d[k] = x;
            which[k] = c.listed[l];
        }
        for (int k = 0; k < count; k++) {
            sum += d[k];
            weight[k] = 0.0;
        }
    }
    __device__ void set(double x)
    {
        for (int k = 0; k < count; k++)
            d[k] = x;
        sum = x * count;
    }
    /* From derivatives by ln(d + e) to those by d + e; their sum. */
    __device__ double unlog(double e)
    {
        double by_e = 0.0;
        for (int k = 0; k < count; k++) {
            weight[k] /= d[k] + e;
            by_e += weight[k];
        }
        return by_e;
    }
    __device__ void give(double more, double *half_weight) const
    {
        for (int k = 0; k < count; k++)
            half_weight[which[k]] = weight[k] + more;
    }
};

static __global__ void log_margin_kernel(size_t p, candidates c, double zero, const double *d2,
                                         double *half_weight, double *value)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < p;
         i += (size_t)gridDim.x * blockDim.x) {
        const uint32_t a = c.first[2 * i], b = c.first[2 * i + 1], end = c.first[2 * i + 2];
        nearest<OBJECTIVE_NEAREST_SAME> same;
        nearest<OBJECTIVE_NEAREST_OTHER> other;
        same.take(c, d2, a, b, half_weight);
        other.take(c, d2, b, end, half_weight);
        value[i] = 0.0;
        if (same.count == 0 || other.count == 0)
            continue;
        const bool flat = same.d[same.count - 1] <= zero && other.d[other.count - 1] <= zero;
        if (flat) {
            same.set(1.0);
            other.set(1.0);
        }
        const double part = OBJECTIVE_TINY / (same.count + other.count),
                     e = part * (same.sum + other.sum);
        const double each = 1.0 / (same.count * other.count);
        double f = 0.0, slope;
        for (int t = 0; t < same.count; t++)
            for (int l = 0; l < other.count; l++) {
                f += each * softplus(OBJECTIVE_SHARPNESS * (OBJECTIVE_MARGIN + log(same.d[t] + e) -
                                                            log(other.d[l] + e)),
                                     &slope);
                same.weight[t] += each * OBJECTIVE_SHARPNESS * slope;
                other.weight[l] -= each * OBJECTIVE_SHARPNESS * slope;
            }
        const double by_e = same.unlog(e) + other.unlog(e);
        if (!flat) {
            same.give(part * by_e, half_weight);
            other.give(part * by_e, half_weight);
        }
        value[i] = all_numbers(same.all + other.all) ? f / c.samples : same.all + other.all;
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

void weigh_pairs(const shape &s, spd_objective objective, const candidates &c, double zero,
                 size_t pairs, const double *d2, double *half_weight, double *weight, double *value,
                 double *degree)
{
    const unsigned some = (unsigned)s.processors * 8;
    if (objective == SPD_OBJECTIVE_SOFTMAX)
        softmax_kernel<<<some, 32 * WARPS_OF_BLOCK, 0, s.stream>>>(s.p, c, zero, d2, half_weight,
                                                                   value);
    else
        log_margin_kernel<<<some, 128, 0, s.stream>>>(s.p, c, zero, d2, half_weight, value);
    launched("objective");
    add_kernel<<<some, 256, 0, s.stream>>>(pairs, c.samples, half_weight, weight);
    degree_kernel<<<some, 128, 0, s.stream>>>(s.p, c, weight, degree);
    launched("weights of pairs");
}

static __global__ void ends_kernel(size_t count, const double *weight, end *ends)
{
    for (size_t k = blockIdx.x * (size_t)blockDim.x + threadIdx.x; k < count;
         k += (size_t)gridDim.x * blockDim.x)
        ends[k].within = weight[ends[k].pair];
}

void weigh_ends(const shape &s, const double *weight, size_t count, end *ends)
{
    if (count)
        ends_kernel<<<s.processors * 8, 256, 0, s.stream>>>(count, weight, ends);
    launched("weights of ends");
}

} /* namespace spd */
