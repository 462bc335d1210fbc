/* congruence.cuh - W'XW of sets, as the module's table has it (module.h). */
#pragma once
#include "cuda/module.h"

namespace spd
{

int module_congruence(const cuda_sets *in, size_t m, const double *W, double *S, char *why);

} /* namespace spd */
