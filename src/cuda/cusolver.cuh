/* cusolver.cuh - eigenvalues and eigenvectors by cuSOLVER, a library of NVIDIA's that is loaded when
 * it is first wanted (cusolver.cu). Where it is not, CUDA_FAULT_LIBRARY is thrown. */
#pragma once
#include "cuda/kernels.cuh"

namespace spd
{

/* Throws unless it is there. */
void cusolver_need();

/* S (p x n x n) <- eigenvectors, a row each, if they are wanted, else nothing of use; lambda (p x n)
 * <- eigenvalues, ascending, the first of which is NaN where a matrix has none. Waits. What a
 * matrix becomes does not depend on the others. */
void cusolver_eigen(const shape &s, bool vectors, double *S, double *lambda);

} /* namespace spd */
