/* resident.cu - sets that lie in the memory of a device already: whose memory it is, and the sums
 * and checks that the host does where they lie there. */
#include "cuda/resident.cuh"

#include <algorithm>

#include "cuda/guard.cuh"
#include "cuda/queue.cuh"

namespace spd
{

/* ---- visits ---------------------------------------------------------------------------------- */

static void check_place(const void *at, int device)
{
    cudaPointerAttributes about;
    check(cudaPointerGetAttributes(&about, at), "asking whose memory it is");
    if (about.type != cudaMemoryTypeDevice && about.type != cudaMemoryTypeManaged)
        throw fault{CUDA_FAULT_PLACE, "the matrices or the results are not in the memory of a GPU",
                    cudaSuccess};
    if (about.type == cudaMemoryTypeDevice && about.device != device)
        throw fault{CUDA_FAULT_PLACE,
                    "the matrices or the results are in the memory of another GPU", cudaSuccess};
}

home::home(bool matters)
{
    if (matters)
        check(cudaGetDevice(&before), "asking for the device");
}

home::~home()
{
    if (before >= 0)
        cudaSetDevice(before);
}

visit::visit(const cuda_sets &in, std::initializer_list<const void *> results) : home(in.on_device)
{
    if (!in.on_device)
        return;
    check(cudaSetDevice(in.device), "choosing the device");
    for (const void *at : {(const void *)in.X, (const void *)in.Q})
        if (at)
            check_place(at, in.device);
    for (const void *at : results)
        check_place(at, in.device);
    check(cudaStreamSynchronize((cudaStream_t)in.stream), "waiting for the matrices");
}

/* ---- kernels --------------------------------------------------------------------------------- */

/* most <- the bits of the largest trace above 0; so are numbers ordered, too. */
static __global__ void trace_kernel(size_t count, int n, const double *X, unsigned long long *most)
{
    double largest = 0.0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count;
         i += (size_t)gridDim.x * blockDim.x) {
        double sum = 0.0;
        for (int c = 0; c < n; c++)
            sum += X[(i * n + c) * n + c];
        largest = sum > largest ? sum : largest;
    }
    for (int o = 16; o; o >>= 1)
        largest = fmax(largest, __shfl_xor_sync(~0u, largest, o));
    if (threadIdx.x % 32 == 0 && largest > 0.0)
        atomicMax(most, (unsigned long long)__double_as_longlong(largest));
}

/* bad <- the lowest number of a matrix that is not finite or not symmetric. */
template <int INSPECTORS>
__global__ void __launch_bounds__(INSPECTORS)
    inspect_kernel(size_t p, int n, double tolerance, const double *X, unsigned long long *bad)
{
    __shared__ double gaps[INSPECTORS], sizes[INSPECTORS];
    const int me = threadIdx.x;
    for (size_t i = blockIdx.x; i < p; i += gridDim.x) {
        const double *A = X + i * n * n;
        double gap = 0.0, size = 0.0;
        int lost = 0;
        for (int x = me; x < n * n; x += INSPECTORS) {
            const double a = A[x], b = A[x % n * n + x / n];
            lost |= !(fabs(a) < INFINITY);
            gap = fmax(gap, fabs(a - b));
            size = fmax(size, fabs(a));
        }
        lost = __syncthreads_or(lost);
        gaps[me] = gap;
        sizes[me] = size;
        for (int step = INSPECTORS / 2; step; step >>= 1) {
            __syncthreads();
            if (me < step) {
                gaps[me] = fmax(gaps[me], gaps[me + step]);
                sizes[me] = fmax(sizes[me], sizes[me + step]);
            }
        }
        if (me == 0 && (lost || !(gaps[0] <= tolerance * sizes[0])))
            atomicMin(bad, (unsigned long long)i);
        __syncthreads();
    }
}

static __global__ void exponentials_kernel(size_t count, double beta, double *K)
{
    for (size_t e = blockIdx.x * (size_t)blockDim.x + threadIdx.x; e < count;
         e += (size_t)gridDim.x * blockDim.x)
        K[e] = exp(-beta * K[e]);
}

static __global__ void scale_kernel(size_t count, double factor, double *K)
{
    for (size_t e = blockIdx.x * (size_t)blockDim.x + threadIdx.x; e < count;
         e += (size_t)gridDim.x * blockDim.x)
        K[e] *= factor;
}

/* ---- outside --------------------------------------------------------------------------------- */

static unsigned blocks_of(size_t things, size_t each)
{
    return (unsigned)std::min((things + each - 1) / each, (size_t)8192);
}

double largest_trace_there(const shape &s, size_t count, const double *X)
{
    array<unsigned long long> largest;
    double most = 0.0;
    largest.make(1);
    const until_done wait{s.stream};
    unsigned long long *to = largest.at;
    check(cudaMemsetAsync(to, 0, sizeof most, s.stream), "traces");
    trace_kernel<<<blocks_of(count, 256), 256, 0, s.stream>>>(count, s.n, X, to);
    launched("traces");
    check(cudaMemcpyAsync(&most, to, sizeof most, cudaMemcpyDeviceToHost, s.stream), "traces");
    check(cudaStreamSynchronize(s.stream), "traces");
    return most;
}

/* Between the host and the device, either way. */
int module_copy(const cuda_sets *in, const void *from, size_t bytes, void *to, char *why)
{
    return guarded(why, [&] {
        visit here(*in, {});
        copy_now(to, from, bytes, "copy");
    });
}

int module_inspect(const cuda_sets *in, double tolerance, size_t *bad, char *why)
{
    return guarded(why, [&] {
        visit here(*in, {});
        array<unsigned long long> lowest;
        queue own;
        unsigned long long found;
        own.make();
        lowest.make(1);
        unsigned long long *to = lowest.at;
        check(cudaMemsetAsync(to, 0xff, sizeof found, own.at), "result");
        const size_t p = in->p;
        const int n = (int)in->n;
        const double *X = in->X;
        if (n <= SMALL_ROWS)
            inspect_kernel<32><<<blocks_of(p, 1), 32, 0, own.at>>>(p, n, tolerance, X, to);
        else
            inspect_kernel<128><<<blocks_of(p, 1), 128, 0, own.at>>>(p, n, tolerance, X, to);
        launched("looking at the matrices");
        check(cudaMemcpyAsync(&found, to, sizeof found, cudaMemcpyDeviceToHost, own.at), "result");
        check(cudaStreamSynchronize(own.at), "looking at the matrices");
        *bad = (size_t)std::min(found, (unsigned long long)in->p);
    });
}

int module_exponentials(const cuda_sets *in, double beta, size_t count, double *K, char *why)
{
    return guarded(why, [&] {
        visit here(*in, {K});
        queue own;
        own.make();
        exponentials_kernel<<<blocks_of(count, 256), 256, 0, own.at>>>(count, beta, K);
        launched("exponentials");
        check(cudaStreamSynchronize(own.at), "exponentials");
    });
}

int module_scale(const cuda_sets *in, double factor, size_t count, double *K, char *why)
{
    return guarded(why, [&] {
        visit here(*in, {K});
        queue own;
        own.make();
        scale_kernel<<<blocks_of(count, 256), 256, 0, own.at>>>(count, factor, K);
        launched("scaling");
        check(cudaStreamSynchronize(own.at), "scaling");
    });
}

} /* namespace spd */
