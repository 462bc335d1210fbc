/* functions.cuh - eigenvalues and functions of sets, as the module's table has them (module.h). */
#pragma once
#include "cuda/module.h"

namespace spd
{

/* F (p x n x n, on the device) <- f(X_i) of the host's matrices, or of those on the device. */
void functions_of(const cuda_sets &in, int function, double power, double *F);

int module_apply(const cuda_sets *in, spd_function f, double power, double *F, char *why);
int module_eigen(const cuda_sets *in, double *lambda, double *V, char *why);

} /* namespace spd */
