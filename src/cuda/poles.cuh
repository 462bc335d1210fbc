/* poles.cuh - logarithms and roots of many matrices without eigenvectors (poles.cu). */
#pragma once
#include "cuda/kernels.cuh"

namespace spd
{

constexpr int POLES_FROM = 33; /* rows: below, eigenvectors in registers are faster */

/* Can f be had so? */
bool poles_take(int n, int f);

/* F (p x n x n) <- f of matrices in squares. missed (p + 1) <- is the matrix left to the caller?, and
 * at last, is any? */
void sum_poles(const shape &s, int f, const double *S, double *F, int *missed);

} /* namespace spd */
