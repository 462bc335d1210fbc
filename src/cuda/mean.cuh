/* mean.cuh - sums over samples for means, as the module's table has them (module.h). */
#pragma once
#include "cuda/module.h"

namespace spd
{

int module_mean_open(const cuda_sets *in, const double *weight, cuda_mean **mean, char *why);
int module_mean_sum(cuda_mean *mean, spd_metric metric, const double *at, double *sum, char *why);
void module_mean_close(cuda_mean *mean);

} /* namespace spd */
