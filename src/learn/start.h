/* start.h - starts of a fit: W (n x m) orthonormal. */
#ifndef SPD_LEARN_START_H
#define SPD_LEARN_START_H

#include "base/rng.h"
#include "sets/set.h"

/* W <- the start of kind `init` for the matrices of a set; given (n x m) for SPD_INIT_GIVEN, which
 * is orthonormalised (SPD_EINVAL when it has not full rank); r for SPD_INIT_RANDOM. */
spd_status start_point(spd_context *ctx, spd_init init, const spd_set *set, size_t m,
                       const double *given, rng *r, double *W);

/* W (n x m) <- the eigenvectors of symmetric M (n x n) with the largest eigenvalues, largest
 * first. */
spd_status start_leading(spd_context *ctx, size_t n, size_t m, const double *M, double *W);

/* W (n x m) <- the leading generalised eigenvectors of the class means of a set;
 * label (p; negative: unknown) must have two classes. */
spd_status start_csp(spd_context *ctx, spd_metric metric, const spd_set *set, size_t m,
                     const int *label, double *W);

/* W (n x m, orthonormal) <- turned by a small random angle if descent from it would never leave the
 * subspaces that it lies in. */
spd_status invariant_leave(spd_context *ctx, const spd_set *set, size_t m, uint64_t seed,
                           double *W);

#endif
