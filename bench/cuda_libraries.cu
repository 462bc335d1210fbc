/* cuda_libraries.cu - eigenvalues, eigenvectors and Cholesky factors of many matrices by the kernels
 * of src/cuda and by cuSOLVER's batched routines, from device memory to device memory, in one run.
 * tools/cuda-check compiles it with the objects of src/cuda:
 *
 *   cuda_libraries [SHARE [n]...]    of the usual number of matrices, 1 unless told; sizes, 8 to 512
 *
 * Our kernels for eigenvalues, up to n 32, find the vectors too; above they are theirs, in groups.
 * Ours of Cholesky, up to n 32, inverts the factors too; above, it starts by cutting the matrices into
 * squares; `det` stops at the determinants. Logarithms are sums over poles, beside eigenvectors
 * alone. AIRM: the distances of p pairs, which take eigenvalues of the product of two factors, beside
 * eigenvalues alone of as many matrices. */
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <vector>

#include <cusolverDn.h>

#include "cuda/eigen.cuh"
#include "cuda/poles.cuh"
#include "cuda/queue.cuh"
#include "cuda/squares.cuh"

using namespace spd;

constexpr int ROUNDS = 3;
constexpr size_t MOST = 10000; /* matrices */

static void must(cusolverStatus_t status, const char *what)
{
    if (status != CUSOLVER_STATUS_SUCCESS) {
        printf("%s: cuSOLVER says %d\n", what, (int)status);
        throw status;
    }
}

/* p matrices n x n with eigenvalues of about 1 to 3, 64 different ones. */
static std::vector<double> matrices(int n, size_t p)
{
    const size_t nn = (size_t)n * n;
    std::vector<double> X(p * nn);
    std::mt19937_64 random((uint64_t)n);
    std::normal_distribution<double> normal(0.0, 0.35 / sqrt((double)n));
    for (size_t i = 0; i < p; i++)
        for (size_t e = 0; e < nn; e++) {
            const size_t r = e / n, c = e % n;
            double *at = X.data() + i * nn;
            at[e] = i >= 64 ? X[i % 64 * nn + e] * (1.0 + 1e-3 * (double)(i % 97))
                    : r < c ? normal(random)
                            : 0.0;
            if (i < 64 && r == c)
                at[e] = 2.0;
            if (i < 64 && r > c)
                at[e] = at[c * n + r];
        }
    return X;
}

/* What both work on. */
struct work {
    shape s{};
    size_t nn;
    array<double> X, A, S, L, Li, values, theirs, dets;
    array<placed> how;
    array<outcome> out;
    array<double *> each;
    array<int> info;
    cusolverDnHandle_t handle = nullptr;
    cusolverDnParams_t params = nullptr;
    queue own;

    work(int n, size_t p) : nn((size_t)n * n)
    {
        own.make();
        const int M = std::max(spectral_size(n), SIDE * squares_of(n));
        s = shape_here((size_t)n, (size_t)n, spectral_size(n), p, own.at);
        const size_t room = p * M * M;
        X.make(p * nn);
        A.make(p * nn);
        S.make(room);
        L.make(room);
        Li.make(room);
        values.make(p * M);
        theirs.make(p * n);
        dets.make(2 * p);
        how.make(p);
        out.make(1);
        each.make(p);
        info.make(p);
        std::vector<double> from = matrices(n, p);
        std::vector<double *> at(p);
        for (size_t i = 0; i < p; i++)
            at[i] = A.at + i * nn;
        X.put(from.data(), from.size(), own.at);
        each.put(at.data(), p, own.at);
        check(cudaMemsetAsync(out.at, 0xff, sizeof(outcome), own.at), "result");
        check(cudaStreamSynchronize(own.at), "loading");
        must(cusolverDnCreate(&handle), "a handle");
        must(cusolverDnCreateParams(&params), "parameters");
        must(cusolverDnSetStream(handle, own.at), "a stream");
    }
    ~work()
    {
        cusolverDnDestroyParams(params);
        cusolverDnDestroy(handle);
    }
};

/* Milliseconds of the best of some; theirs write over their matrices, which are copied before. */
static double best(work &w, const std::function<void()> &body)
{
    float least = 1e30f, ms;
    cudaEvent_t begin, end;
    check(cudaEventCreate(&begin), "an event");
    check(cudaEventCreate(&end), "an event");
    for (int round = 0; round < ROUNDS; round++) {
        check(cudaMemcpyAsync(w.A.at, w.X.at, w.X.count * sizeof(double), cudaMemcpyDeviceToDevice,
                              w.own.at),
              "copy");
        check(cudaEventRecord(begin, w.own.at), "an event");
        body();
        check(cudaEventRecord(end, w.own.at), "an event");
        check(cudaStreamSynchronize(w.own.at), "a round");
        check(cudaEventElapsedTime(&ms, begin, end), "time");
        least = std::min(least, ms);
    }
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    return least;
}

static void solve_ours(work &w, bool vectors)
{
    place(w.s, true, w.X.at, nullptr, w.S.at, w.how.at);
    eigen(w.s, vectors, w.S.at, w.L.at, w.Li.at, w.values.at, w.out.at);
    spectral_values(w.s, ITSELF, 0.0, w.how.at, w.values.at, w.out.at);
}

static double solve_theirs(work &w, cusolverEigMode_t mode)
{
    const int64_t n = w.s.n, p = (int64_t)w.s.p;
    size_t there = 0, here = 0;
    array<char> room;
    const cublasFillMode_t side = CUBLAS_FILL_MODE_LOWER;
    must(cusolverDnXsyevBatched_bufferSize(w.handle, w.params, mode, side, n, CUDA_R_64F, w.A.at, n,
                                           CUDA_R_64F, w.theirs.at, CUDA_R_64F, &there, &here, p),
         "room");
    room.make(there);
    std::vector<char> host(here + 1);
    return best(w, [&] {
        must(cusolverDnXsyevBatched(w.handle, w.params, mode, side, n, CUDA_R_64F, w.A.at, n,
                                    CUDA_R_64F, w.theirs.at, CUDA_R_64F, room.at, there,
                                    host.data(), here, w.info.at, p),
             "eigenvalues");
    });
}

/* Largest difference of the eigenvalues of the first and the last matrix. */
static double apart(const work &w)
{
    const size_t n = w.s.n, M = w.s.M, last = w.s.p - 1;
    double most = 0.0;
    for (size_t i : {(size_t)0, last}) {
        std::vector<double> a(M), b(n);
        check(cudaMemcpy(a.data(), w.values.at + i * M, M * 8, cudaMemcpyDeviceToHost), "values");
        check(cudaMemcpy(b.data(), w.theirs.at + i * n, n * 8, cudaMemcpyDeviceToHost), "values");
        a.erase(std::remove_if(a.begin(), a.end(), [](double x) { return std::isnan(x); }),
                a.end());
        std::sort(a.begin(), a.end());
        for (size_t k = 0; k < n; k++)
            most = std::max(most, a.size() == n ? fabs(a[k] - b[k]) : INFINITY);
    }
    return most;
}

static void factor_ours(work &w, bool determinants)
{
    shape s = w.s;
    if (s.n <= FAST) {
        s.M = padded(s.n);
        if (determinants)
            stein_samples(s, w.X.at, w.dets.at, nullptr, w.out.at);
        else
            airm_samples(s, w.X.at, w.L.at, w.Li.at, w.out.at);
        return;
    }
    squares_spread(s, s.p, 0.125, w.X.at, w.S.at);
    if (determinants)
        squares_determinants(s, w.S.at, w.dets.at, w.out.at);
    else
        squares_factors(s, w.S.at, w.L.at, w.Li.at, w.out.at);
}

/* After factor_ours: the distance of each matrix to the next. */
static double pairs_ours(work &w)
{
    shape s = w.s;
    array<double> d2;
    array<link> links;
    spectrum_room room;
    std::vector<link> next(s.p);
    for (size_t i = 0; i < s.p; i++)
        next[i] = {(uint32_t)i, (uint32_t)((i + 1) % s.p)};
    d2.make(s.p);
    links.make(s.p);
    links.put(next.data(), s.p, s.stream);
    if (s.n <= FAST)
        s.M = padded(s.n);
    else
        room.make(s, s.p);
    return best(w, [&] {
        if (s.n <= FAST)
            airm_pairs(s, s.p, links.at, w.L.at, w.Li.at, d2.at, nullptr);
        else
            squares_airm(s, room, s.p, links.at, w.L.at, w.Li.at, d2.at);
    });
}

/* Logarithms by poles: theirs of eigenvectors alone stops before the matrices are built again. */
static void sum_ours(work &w)
{
    array<uint32_t> missed;
    squares_spread(w.s, w.s.p, 1.0, w.X.at, w.S.at);
    sum_poles(w.s, SPD_FUNCTION_LOG, w.S.at, w.L.at, nullptr, missed);
}

static void show(const char *what, const work &w, double ours, double theirs)
{
    printf("%-12s n %3d p %6zu: ours %9.3f ms, cuSOLVER %9.3f ms, ratio %6.2f\n", what, w.s.n,
           w.s.p, ours, theirs, theirs / ours);
    fflush(stdout);
}

static void compare(int n, size_t p)
{
    work w(n, p);
    const double ours = best(w, [&] { solve_ours(w, true); });
    const double vectors = solve_theirs(w, CUSOLVER_EIG_MODE_VECTOR);
    show("eigenvectors", w, ours, vectors);
    show("logarithms", w, best(w, [&] { sum_ours(w); }), vectors);
    const double values = solve_theirs(w, CUSOLVER_EIG_MODE_NOVECTOR);
    show("eigenvalues", w, best(w, [&] { solve_ours(w, false); }), values);
    printf("  eigenvalues apart by %.1e\n", apart(w));
    const double theirs = best(w, [&] {
        must(cusolverDnDpotrfBatched(w.handle, CUBLAS_FILL_MODE_LOWER, n, w.each.at, n, w.info.at,
                                     (int)p),
             "factors");
    });
    show("Cholesky", w, best(w, [&] { factor_ours(w, false); }), theirs);
    show("AIRM", w, pairs_ours(w), values);
    show("Cholesky, det", w, best(w, [&] { factor_ours(w, true); }), theirs);
    outcome o;
    check(cudaMemcpy(&o, w.out.at, sizeof o, cudaMemcpyDeviceToHost), "result");
    if (o.bad != ~0ull)
        printf("  n %d: a matrix is not positive definite\n", n);
}

int main(int count, char **word)
{
    const double share = count > 1 ? atof(word[1]) : 1.0;
    try {
        std::vector<int> sizes = {8, 16, 24, 32, 40, 48, 64, 96, 128, 160, 256, 512};
        if (count > 2)
            sizes.clear();
        for (int k = 2; k < count; k++)
            sizes.push_back(atoi(word[k]));
        for (int n : sizes)
            try {
                compare(n, std::min((size_t)(share * 3e7 / (n * n)) + 32, MOST));
            } catch (cusolverStatus_t) {
                printf("n %d: left out\n", n);
            }
    } catch (const fault &f) {
        printf("%s: %s\n", f.what, cudaGetErrorString(f.error));
        return 1;
    }
    return 0;
}
