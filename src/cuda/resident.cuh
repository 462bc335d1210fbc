/* resident.cuh - sets that lie in the memory of a device (resident.cu), and what is done with them
 * there alone. */
#pragma once
#include <initializer_list>

#include "cuda/kernels.cuh"

namespace spd
{

/* Leaves the thread's own device as it was, where that matters: to callers who use it too. */
struct home {
    int before = -1;
    explicit home(bool matters);
    home(const home &) = delete;
    ~home();
};

/* A call on such sets; nothing where they lie on the host. Looks whether they and the results do
 * lie there, and waits for the stream that writes them. */
struct visit : home {
    visit(const cuda_sets &in, std::initializer_list<const void *> results);
};

/* The largest trace of matrices that lie on the device, 0 where none is above. */
double largest_trace_there(const shape &s, size_t count, const double *X);

int module_copy(const cuda_sets *in, const void *from, size_t bytes, void *to, char *why);
int module_inspect(const cuda_sets *in, double tolerance, size_t *bad, char *why);
int module_exponentials(const cuda_sets *in, double beta, size_t count, double *K, char *why);
int module_scale(const cuda_sets *in, double factor, size_t count, double *K, char *why);

} /* namespace spd */
