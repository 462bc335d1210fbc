/* congruence.cu - S_i = W'X_iW of all matrices of a set, in portions.
 *
 *   X_i   packed (pack.cu): from upper halves, which the host sends, or from where it lies on the
 * device P_i   n x M    X_i W          (pass.cu) Q_i   2M x M   [W W]'P_i      (pass.cu), of which
 * the upper half is taken S_i   m x m    (Q_i + Q_i')/2, symmetric to the bit */
#include "cuda/congruence.cuh"

#include <vector>

#include "cuda/guard.cuh"
#include "cuda/kernels.cuh"
#include "cuda/pack.cuh"
#include "cuda/portions.cuh"
#include "cuda/resident.cuh"

namespace spd
{

/* S <- both triangles without the padding; bad: the lowest of those that are not finite. */
static __global__ void symmetric_kernel(size_t count, int m, int M, const double *Q, double *S,
                                        unsigned long long *bad)
{
    const size_t all = count * m * m;
    for (size_t e = blockIdx.x * (size_t)blockDim.x + threadIdx.x; e < all;
         e += (size_t)gridDim.x * blockDim.x) {
        const size_t i = e / (m * m);
        const int r = (int)(e / m % m), c = (int)(e % m);
        const double *A = Q + i * 2 * M * M, x = 0.5 * (A[r * M + c] + A[c * M + r]);
        S[e] = x;
        if (!(fabs(x) < INFINITY))
            atomicMin(bad, (unsigned long long)i);
    }
}

/* What one thread of the host needs. */
struct congruence_transfer {
    const cuda_sets &in;
    shape s{};
    pinned staging; /* a portion of upper halves, and a number */
    array<double> X, packed, P, Q;
    array<unsigned long long> bad;
    queue own;
    const double *W; /* n x M, on the device */
    double *S;       /* of all matrices, on the device */

    congruence_transfer(const cuda_sets &set, size_t each, const shape &all, const double *map,
                        double *to)
        : in(set), s(all), W(map), S(to)
    {
        const size_t M = (size_t)s.M;
        own.make();
        s.stream = own.at;
        X.make(in.on_device ? 0 : each * (size_t)upper_doubles(s.n));
        staging.make(X.count + 1);
        packed.make(each * pack_size(s.n));
        P.make(each * in.n * M);
        Q.make(each * 2 * M * M);
        bad.make(1);
    }

    /* Where a portion lies on the device. */
    const double *bring(size_t first, size_t count)
    {
        const size_t nn = in.n * in.n, half = (size_t)upper_doubles(s.n);
        if (in.on_device)
            return in.X + first * nn;
        for (size_t k = 0; k < count; k++)
            take_upper(in.n, in.X + (first + k) * nn, staging.at + k * half);
        X.put(staging.at, count * half, s.stream);
        return X.at;
    }

    void products()
    {
        pass_tall(s, packed.at, W, P.at);
        pass_small(s, W, W, P.at, Q.at);
    }

    void run(size_t first, size_t count)
    {
        unsigned long long lowest;
        double *end = staging.at + X.count;
        s.p = count;
        check(cudaMemsetAsync(bad.at, 0xff, sizeof lowest, s.stream), "result");
        pack(s, in.on_device, count, 1.0, bring(first, count), packed.at);
        products();
        symmetric_kernel<<<s.processors * 8, 256, 0, s.stream>>>(count, s.m, s.M, Q.at,
                                                                 S + first * s.m * s.m, bad.at);
        launched("congruences");
        check(cudaMemcpyAsync(end, bad.at, sizeof lowest, cudaMemcpyDeviceToHost, s.stream),
              "results");
        check(cudaStreamSynchronize(s.stream), "congruences");
        memcpy(&lowest, end, sizeof lowest);
        if (lowest != ~0ull)
            throw fault{CUDA_FAULT_SAMPLE, "a matrix leaves the range of numbers", cudaSuccess};
    }
};

static shape shape_of(const cuda_sets &in, size_t m)
{
    if (in.n < 1 || in.n > CUDA_MAX_N || m < 1 || m > CUDA_MAX_M)
        throw fault{CUDA_FAULT_SIZE,
                    "the CUDA engine maps matrices of up to 512 x 512 to up to 128 x 128",
                    cudaSuccess};
    return shape_here(in.n, m, padded((int)m), 0, nullptr);
}

static portions cut(const cuda_sets &in, const shape &s)
{
    const size_t M = (size_t)s.M, each = in.n * in.n + pack_size(s.n) + in.n * M + 2 * M * M;
    return portions(in.p, each, in.threads, in.on_device);
}

/* W (n x M, on the device) <- the host's n x m, padded with zeros. */
static void send_map(const shape &s, const double *from, array<double> &W)
{
    std::vector<double> padded((size_t)s.n * s.M);
    for (int r = 0; r < s.n; r++)
        memcpy(padded.data() + r * s.M, from + (size_t)r * s.m, s.m * sizeof(double));
    W.make(padded.size());
    copy_now(W.at, padded.data(), padded.size() * sizeof(double), "the map");
}

/* The results stay on the device until all are there: the caller's array may be X, and is left
 * alone by a failure. */
static void congruences(const cuda_sets &in, size_t m, const double *map, double *S)
{
    const shape s = shape_of(in, m);
    array<double> W, all;
    send_map(s, map, W);
    all.make(in.p * m * m);
    transfer_all<congruence_transfer>(in, cut(in, s), true, s, (const double *)W.at, all.at);
    if (in.on_device)
        return copy_now(S, all.at, all.count * sizeof(double), "results");
    downloader(in, all.count).fetch(all.at, all.count, S);
}

int module_congruence(const cuda_sets *in, size_t m, const double *W, double *S, char *why)
{
    return guarded(why, [&] {
        visit here(*in, {S});
        check(cudaSetDevice(in->device), "choosing the device");
        congruences(*in, m, W, S);
    });
}

} /* namespace spd */
