/* poles.cuh - logarithms and roots of many matrices without eigenvectors (poles.cu). */
#pragma once
#include "cuda/kernels.cuh"

namespace spd
{

constexpr int POLES_FROM = 33; /* rows: below, eigenvectors in registers are faster */

/* Can f be had so? */
bool poles_take(int n, int f);

/* F (p x n x n) <- f of matrices in squares. Returns how many are left to the caller, those that
 * `which` then says; of these F is undefined. width (p), or NULL, <- at least the difference of the
 * logarithms of the extreme eigenvalues. Waits. */
size_t sum_poles(const shape &s, int f, const double *S, double *F, double *width,
                 array<uint32_t> &which);

} /* namespace spd */
