/* cusolver.cu - eigenvalues by cuSOLVER (cusolver.cuh). Only its interface is known here, as NVIDIA
 * documents it for version 11.7 and later: the module needs neither its headers nor the library. */
#include "cuda/cusolver.cuh"

#include <cstdlib>
#include <cstring>
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
    const char *wanted = getenv("SPDML_CUSOLVER");
    if (wanted && !strcmp(wanted, "off"))
        return false;
    void *library = open_library();
    return library && find(library, "cusolverDnCreate", f.create) &&
           find(library, "cusolverDnCreateParams", f.create_params) &&
           find(library, "cusolverDnSetStream", f.set_stream) &&
           find(library, "cusolverDnXsyevBatched_bufferSize", f.room) &&
           find(library, "cusolverDnXsyevBatched", f.solve);
}

static const functions *loaded()
{
    static functions f;
    static const bool there = load(f);
    return there ? &f : nullptr;
}

bool cusolver_takes(int n)
{
    return n >= CUSOLVER_FROM && loaded();
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

static __global__ void failures_kernel(size_t count, const int *info, outcome *o)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count;
         i += (size_t)gridDim.x * blockDim.x)
        if (info[i])
            atomicMin(&o->bad, (unsigned long long)i);
}

void cusolver_eigen(const shape &s, bool vectors, double *S, double *lambda, outcome *o)
{
    const functions &f = *loaded();
    const borrowed_solver by(f);
    const int64_t n = s.n, p = (int64_t)s.p;
    size_t there = 0, here = 0;
    array<char> room;
    array<int> info;
    must(f.set_stream(by.own.handle, s.stream), "cuSOLVER cannot be used");
    must(f.room(by.own.handle, by.own.params, vectors, LOWER, n, FLOAT64, S, n, FLOAT64, lambda,
                FLOAT64, &there, &here, p),
         "cuSOLVER does not say what it needs");
    room.make(there);
    info.make(s.p);
    std::vector<char> host(here + 1);
    const until_done wait{s.stream};
    must(f.solve(by.own.handle, by.own.params, vectors, LOWER, n, FLOAT64, S, n, FLOAT64, lambda,
                 FLOAT64, room.at, there, host.data(), here, info.at, p),
         "cuSOLVER has failed");
    const int *failed = info.at;
    failures_kernel<<<s.processors, 128, 0, s.stream>>>(s.p, failed, o);
    launched("eigenvalues");
}

} /* namespace spd */
