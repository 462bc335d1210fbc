/* module.cu - the module's table of functions (module.h): what is thrown below becomes a number and
 * a sentence. */
#include <cstdio>

#include "cuda/distances.cuh"
#include "cuda/engine.cuh"
#include "cuda/functions.cuh"
#include "cuda/guard.cuh"
#include "cuda/resident.cuh"
#include "cuda/mean.cuh"

using namespace spd;

static int module_count(int *devices, char *why)
{
    *devices = 0;
    return guarded(why, [&] { check(cudaGetDeviceCount(devices), "looking for devices"); });
}

static int module_describe(int device, cuda_device *about, char *why)
{
    return guarded(why, [&] {
        cudaDeviceProp p;
        check(cudaSetDevice(device), "choosing the device");
        check(cudaGetDeviceProperties(&p, device), "asking the device");
        check(cudaMemGetInfo(&about->free, &about->memory), "asking the device");
        about->free = memory_left();
        check(cudaDriverGetVersion(&about->driver), "asking the driver");
        check(cudaRuntimeGetVersion(&about->runtime), "asking the runtime");
        snprintf(about->name, sizeof about->name, "%.*s", (int)sizeof about->name - 1, p.name);
        about->major = p.major;
        about->minor = p.minor;
    });
}

static int module_choose(int device)
{
    int before = -1;
    if (cudaGetDevice(&before) != cudaSuccess ||
        (device >= 0 && cudaSetDevice(device) != cudaSuccess))
        cudaGetLastError();
    return before;
}

static int module_open(const cuda_input *in, cuda_engine **engine, char *why)
{
    cuda_engine *e = nullptr;
    int code = guarded(why, [&] {
        if (in->size != sizeof *in)
            throw fault{CUDA_FAULT_DEVICE, "the CUDA module is of another version", cudaSuccess};
        cuda_sets samples{};
        samples.X = in->X;
        samples.device = in->device;
        samples.on_device = in->on_device;
        samples.stream = in->stream;
        visit here(samples, {});
        e = new cuda_engine;
        open(*e, *in);
    });
    if (code && e)
        finish(*e);
    if (code)
        delete e;
    else
        *engine = e;
    return code;
}

/* Every call may come from another thread than the last. */
template <class F> static int call(cuda_engine *e, char *why, F body)
{
    return guarded(why, [&] {
        home own(e->resident());
        check(cudaSetDevice(e->own.device), "choosing the device");
        body();
    });
}

static int module_start(cuda_engine *e, const double *W, double *f, char *why)
{
    return call(e, why, [&] {
        start(*e, W);
        *f = e->f;
    });
}

static int module_cost_grad(cuda_engine *e, double *f, double *G, char *why)
{
    return call(e, why, [&] { cost_grad(*e, f, G); });
}

static int module_aim(cuda_engine *e, const double *U, const double *sigma, const double *V,
                      char *why)
{
    return call(e, why, [&] { aim(*e, U, sigma, V); });
}

static int module_ahead(cuda_engine *e, double t, char *why)
{
    return call(e, why, [&] { ahead(*e, t); });
}

static int module_probe(cuda_engine *e, double t, double *f, double *df, char *why)
{
    return call(e, why, [&] { probe(*e, t, f, df); });
}

static int module_step(cuda_engine *e, double t, char *why)
{
    return call(e, why, [&] { step(*e, t); });
}

static void module_usage(const cuda_engine *e, cuda_usage *used)
{
    char why[CUDA_WHY];
    guarded(why, [&] {
        home own(e->resident());
        usage(*e, used);
    });
}

static void module_close(cuda_engine *e)
{
    char why[CUDA_WHY];
    guarded(why, [&] {
        home own(e && e->resident());
        if (e)
            finish(*e);
        delete e;
    });
}

extern "C" __attribute__((visibility("default"))) const cuda_module *spdml_cuda_module(void)
{
    static const cuda_module table = {
        sizeof table, CUDA_MODULE_VERSION, module_count,    module_describe,   module_open,
        module_start, module_cost_grad,    module_aim,      module_probe,      module_step,
        module_usage, module_close,        module_pairwise, module_neighbours, module_apply,
        module_eigen, module_products,     module_copy,     module_inspect,    module_exponentials,
        module_scale, module_mean_open,    module_mean_sum, module_mean_close, module_ahead,
        module_choose};
    return &table;
}
