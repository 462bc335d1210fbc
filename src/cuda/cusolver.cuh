/* cusolver.cuh - eigenvalues and eigenvectors by cuSOLVER, a library of NVIDIA's that is loaded when
 * it is first wanted, if it is there (cusolver.cu). */
#pragma once
#include "cuda/kernels.cuh"

namespace spd
{

constexpr int CUSOLVER_FROM = 64; /* rows: below, our kernels are faster */

/* Is it there, and faster for matrices of so many rows? The same throughout a process. */
bool cusolver_takes(int n);

/* S (p x n x n, n = M) <- eigenvectors, a row each, if they are wanted, else nothing of use; lambda
 * (p x n) <- eigenvalues, ascending. Waits. Notes in o a matrix that has none. */
void cusolver_eigen(const shape &s, bool vectors, double *S, double *lambda, outcome *o);

} /* namespace spd */
