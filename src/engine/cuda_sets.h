/* cuda_sets.h - distances, neighbours, eigenvalues, functions, congruences and means of sets on the
 * GPU.
 *
 * Each asks first whether the GPU is to do it, by the engine that the context asks for; auto goes
 * by what the operations and the copies would take. *done <- 0 where the processor has to do it,
 * which then also names a matrix that is not good. Sets that lie on the GPU are always done. */
#ifndef SPD_ENGINE_CUDA_SETS_H
#define SPD_ENGINE_CUDA_SETS_H

#include "base/context.h"
#include "spdml.h"

/* spd_pairwise2, and the search of spd_nearest; within X where Y or Q is NULL. */
spd_status cuda_pairwise2(spd_context *ctx, spd_metric metric, size_t n, size_t p, const double *X,
                          size_t q, const double *Y, double *D2, int *done);
spd_status cuda_nearest(spd_context *ctx, spd_metric metric, size_t n, size_t p, const double *X,
                        size_t q, const double *Q, spd_neighbours *near, int *done);

/* K (p x q) <- tr(log X_i log Y_j). */
spd_status cuda_log_products(spd_context *ctx, size_t n, size_t p, const double *X, size_t q,
                             const double *Y, double *K, int *done);

/* spd_apply and spd_eigh. */
spd_status cuda_apply(spd_context *ctx, spd_function f, double power, size_t n, size_t p,
                      const double *X, double *F, int *done);
spd_status cuda_eigh(spd_context *ctx, size_t n, size_t p, const double *X, double *lambda,
                     double *V, int *done);

/* Would the GPU be asked for functions of so many? */
int cuda_applies(const spd_context *ctx, size_t n, size_t p);

/* spd_congruence; W is on the host. */
spd_status cuda_congruence(spd_context *ctx, size_t n, size_t m, size_t p, const double *X,
                           const double *W, double *S, int *done);

/* Of sets on the GPU: spd_device_check; K (count) <- exp(-beta K). */
spd_status cuda_check(spd_context *ctx, size_t n, size_t p, const double *X, double tolerance);
spd_status cuda_exponentials(spd_context *ctx, double beta, size_t count, double *K);

/* The passes of a mean (geometry/mean.h) over samples and weights, which are then on the GPU.
 * *passes <- NULL where the processor has to do them, of other metrics among others. sum (terms) <-
 * what a pass of the metric's rule, or of Jeffrey's where it starts there, sums up at the frame;
 * *done <- 0 where the GPU has not. */
typedef struct cuda_passes cuda_passes;
spd_status cuda_passes_open(spd_context *ctx, spd_metric metric, size_t n, size_t p,
                            const double *X, const double *weight, cuda_passes **passes);
spd_status cuda_passes_sum(cuda_passes *passes, spd_metric rule, const double *frame, size_t terms,
                           double *sum, int *done);
void cuda_passes_close(cuda_passes *passes); /* may be NULL */

/* How many of these calls the GPU has answered so far, of all contexts. */
size_t cuda_sets_answered(void);

#endif
