/* upper_kernel.h - the linear kernel of upper triangles: cov3dj (Hussein, Torki, Gowayyed, El-Saban
 * 2013).
 *
 *   k(X, Y) = u(X)'u(Y),   u(X) = (x_ij, i <= j), scaled to length one
 *
 * A matrix of several blocks gives the upper triangles of its blocks, one after the other: what is
 * zero in all matrices adds nothing. Of real forms the kernel is that of the Hermitian matrices:
 * each number of theirs is there twice. */
#ifndef SPD_CLASSIFY_UPPER_KERNEL_H
#define SPD_CLASSIFY_UPPER_KERNEL_H

#include "classify/classifier.h"

/* K (a->p x b->p) <- the kernel between two sets of matrices of one size; a may be b. */
spd_status upper_kernel(spd_context *ctx, const samples *a, const samples *b, double *K);

#endif
