/* start.h - where a fit begins: W (n x m) orthonormal. */
#ifndef SPD_LEARN_START_H
#define SPD_LEARN_START_H

#include "base/rng.h"
#include "base/store.h"

/* W <- the start of kind `init` for p matrices X (n x n); given (n x m) for SPD_INIT_GIVEN, which
 * is orthonormalised (SPD_EINVAL when it has not full rank); r for SPD_INIT_RANDOM. */
spd_status start_point(spd_context *ctx, spd_init init, size_t n, size_t m, size_t p,
                       const double *X, const double *given, rng *r, double *W);
spd_status start_point_store(spd_context *ctx, spd_init init, const spd_store *set, size_t m,
                             const double *given, rng *r, double *W);

/* W (n x m) <- the eigenvectors of symmetric M (n x n) with the largest eigenvalues, largest
 * first. */
spd_status start_leading(spd_context *ctx, size_t n, size_t m, const double *M, double *W);

/* W (n x m) <- the leading generalised eigenvectors of the class means of X (start_csp.c); label
 * (p; negative: unknown) must have two classes. */
spd_status start_csp(spd_context *ctx, spd_metric metric, size_t n, size_t m, size_t p,
                     const double *X, const int *label, double *W);
spd_status start_csp_store(spd_context *ctx, spd_metric metric, const spd_store *set, size_t m,
                           const int *label, double *W);

#endif
