/* distances.cuh - distances between sets on the device, as the module's table has them (module.h);
 * CUDA_FAULT_SAMPLE where a matrix has no factor or a pair no distance. */
#pragma once
#include "cuda/kernels.cuh"

namespace spd
{

int module_pairwise(const cuda_sets *in, double *D2, char *why);
int module_products(const cuda_sets *in, double *K, char *why);
int module_neighbours(const cuda_sets *in, const size_t *k, int64_t *index, double *d2, char *why);

} /* namespace spd */
