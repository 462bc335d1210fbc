/* cusolver.cu - eigenvalues by cuSOLVER (cusolver.cuh). Only its interface is known here, as NVIDIA
 * documents it for version 11.7 and later: the module needs neither its headers nor the library. */
#include "cuda/cusolver.cuh"

#include <algorithm>
#include <dlfcn.h>
#include <mutex>
#include <vector>

#include "cuda/queue.cuh"

namespace spd
{

enum { SUCCESS = 0, LOWER = 0, FLOAT64 = 1 }; /* of its enumerations */

struct functions {
    int (*create)(void **handle);
    int (*create_params)(void **params);
    int (*set_stream)(void *handle, cudaStream_t stream);
    int (*room)(void *handle, void *params, int vectors, int side, int64_t n, int type,
                const void *A, int64_t ld, int values_type, const void *values, int compute,
                size_t *there, size_t *here, int64_t count);
    int (*solve)(void *handle, void *params, int vectors, int side, int64_t n, int type, void *A,
                 int64_t ld, int values_type, void *values, int compute, void *room, size_t there,
                 void *host_room, size_t here, int *info, int64_t count);
};

template <class F> static bool find(void *library, const char *name, F &to)
{
    return (to = (F)dlsym(library, name));
}

/* What the process has loaded already, or what there is. */
static void *open_library()
{
    const char *const names[] = {"libcusolver.so.12", "libcusolver.so.11"};
    for (int loaded : {RTLD_NOLOAD, 0})
        for (const char *name : names)
            if (void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL | loaded))
                return library;
    return nullptr;
}

static bool load(functions &f)
{
    void *library = open_library();
    return library && find(library, "cusolverDnCreate", f.create) &&
           find(library, "cusolverDnCreateParams", f.create_params) &&
           find(library, "cusolverDnSetStream", f.set_stream) &&
           find(library, "cusolverDnXsyevBatched_bufferSize", f.room) &&
           find(library, "cusolverDnXsyevBatched", f.solve);
}

static const functions &loaded()
{
    static functions f;
    static const bool there = load(f);
    if (!there)
        throw fault{CUDA_FAULT_LIBRARY,
                    "eigenvalues of matrices above 32 x 32 need cuSOLVER 11.7 or later "
                    "(libcusolver.so.12 or .11), which cannot be loaded",
                    cudaSuccess};
    return f;
}

void cusolver_need()
{
    loaded();
}

/* ---- handles --------------------------------------------------------------------------------- */

static void must(int status, const char *what)
{
    if (status != SUCCESS)
        throw fault{CUDA_FAULT_DEVICE, what, cudaSuccess};
}

/* A handle of one device; kept from call to call, since making one takes milliseconds. */
struct solver {
    void *handle, *params;
    int device;
};

struct kept_solvers {
    std::mutex lock;
    std::vector<solver> list;
};

static kept_solvers &kept()
{
    static kept_solvers *const all = new kept_solvers; /* CUDA may be gone before */
    return *all;
}

struct borrowed_solver {
    solver own{};
    explicit borrowed_solver(const functions &f)
    {
        kept_solvers &all = kept();
        check(cudaGetDevice(&own.device), "asking for the device");
        {
            const std::lock_guard<std::mutex> held(all.lock);
            for (size_t k = 0; k < all.list.size(); k++)
                if (all.list[k].device == own.device) {
                    own = all.list[k];
                    all.list.erase(all.list.begin() + (long)k);
                    return;
                }
        }
        must(f.create(&own.handle), "cuSOLVER cannot be used");
        must(f.create_params(&own.params), "cuSOLVER cannot be used");
    }
    borrowed_solver(const borrowed_solver &) = delete;
    ~borrowed_solver()
    {
        kept_solvers &all = kept();
        const std::lock_guard<std::mutex> held(all.lock);
        if (own.params)
            all.list.push_back(own);
    }
};

/* ---- eigenvalues ----------------------------------------------------------------------------- */

static __global__ void failures_kernel(size_t count, int n, const int *info, double *values)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count;
         i += (size_t)gridDim.x * blockDim.x)
        if (info[i])
            values[i * n] = __longlong_as_double(-1);
}

/* Matrices of a call, for which cuSOLVER takes some 0.5 GB. Above MANY_ROWS its last bits depend on
 * their number, which therefore is always the same; below, those of a single matrix are others. */
constexpr int MANY_ROWS = 128;

static size_t group_of(const shape &s)
{
    const size_t most = s.n <= 64 ? 512 : 256;
    return s.n > 256 ? 64 : s.n > MANY_ROWS ? 128 : std::clamp(s.p, (size_t)2, most);
}

static void copy(const shape &s, size_t count, const double *from, double *to)
{
    check(cudaMemcpyAsync(to, from, count * sizeof(double), cudaMemcpyDeviceToDevice, s.stream),
          "eigenvalues");
}

void cusolver_eigen(const shape &s, bool vectors, double *S, double *lambda)
{
    const functions &f = loaded();
    const borrowed_solver by(f);
    const int n = s.n;
    const size_t most = group_of(s), nn = (size_t)n * n;
    size_t there = 0, here = 0;
    array<char> room;
    array<int> info;
    array<double> A, values;
    A.make(most * nn);
    values.make(most * n);
    info.make(most);
    must(f.set_stream(by.own.handle, s.stream), "cuSOLVER cannot be used");
    must(f.room(by.own.handle, by.own.params, vectors, LOWER, n, FLOAT64, A.at, n, FLOAT64,
                values.at, FLOAT64, &there, &here, (int64_t)most),
         "cuSOLVER does not say what it needs");
    room.make(there);
    std::vector<char> host(here + 1);
    const until_done wait{s.stream};
    const int *failed = info.at;
    double *found = values.at;
    for (size_t at = 0; at < s.p; at += most) {
        const size_t some = std::min(most, s.p - at),
                     each = n > MANY_ROWS ? most : std::max(some, (size_t)2);
        if (some < each)
            check(cudaMemsetAsync(A.at, 0, each * nn * sizeof(double), s.stream), "eigenvalues");
        copy(s, some * nn, S + at * nn, A.at);
        must(f.solve(by.own.handle, by.own.params, vectors, LOWER, n, FLOAT64, A.at, n, FLOAT64,
                     values.at, FLOAT64, room.at, there, host.data(), here, info.at, (int64_t)each),
             "cuSOLVER has failed");
        failures_kernel<<<1, 256, 0, s.stream>>>(some, n, failed, found);
        launched("eigenvalues");
        copy(s, some * n, values.at, lambda + at * n);
        if (vectors)
            copy(s, some * nn, A.at, S + at * nn);
    }
}

} /* namespace spd */
