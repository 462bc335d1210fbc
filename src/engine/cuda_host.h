/* cuda_host.h - sets that lie on a GPU, and that it cannot do: brought to the host, done there by
 * the public functions, which also name what is wrong, and the results taken back. */
#ifndef SPD_ENGINE_CUDA_HOST_H
#define SPD_ENGINE_CUDA_HOST_H

#include "base/context.h"

/* As the functions of cuda_sets.h. */
spd_status host_pairwise2(spd_context *ctx, spd_metric metric, size_t n, size_t p, const double *X,
                          size_t q, const double *Y, double *D2);
spd_status host_log_products(spd_context *ctx, size_t n, size_t p, const double *X, size_t q,
                             const double *Y, double *K);
spd_status host_nearest(spd_context *ctx, spd_metric metric, size_t n, size_t p, const double *X,
                        size_t q, const double *Q, spd_neighbours *near);
spd_status host_apply(spd_context *ctx, spd_function f, double power, size_t n, size_t p,
                      const double *X, double *F);
spd_status host_congruence(spd_context *ctx, size_t n, size_t m, size_t p, const double *X,
                           const double *W, double *S);

/* *copy (p x n x n, freed with mem_free) <- X. */
spd_status host_copy(spd_context *ctx, size_t n, size_t p, const double *X, double **copy);

/* As spd_mean; M and info are on the host. */
spd_status host_mean(spd_context *ctx, spd_metric metric, size_t n, size_t p, const double *X,
                     const spd_mean_options *options, double *M, spd_mean_info *info);

/* The GPU that CUDA's calls of this thread are for, -1: none; then `device`, unless it is negative.
 */
int host_device(spd_context *ctx, int device);

/* spd_check of X[index] alone. */
spd_status host_check(spd_context *ctx, size_t n, size_t index, const double *X, double tolerance);

#endif
