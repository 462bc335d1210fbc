/* cuda.h - what the CUDA engine says of itself. */
#ifndef SPD_ENGINE_CUDA_H
#define SPD_ENGINE_CUDA_H

#include "engine/engine.h"

/* text <- the device that the CUDA engine would use; SPD_EDEVICE, with the reason, when there is
 * none. */
spd_status cuda_describe(spd_context *ctx, char *text, size_t room);

/* Is the GPU to measure so many pairs of matrices n x n, by the engine that the context asks for?
 */
int cuda_measures(const spd_context *ctx, spd_metric metric, size_t n, double pairs);

/* spd_pairwise2 and the search of spd_nearest on the GPU, within X where Y or Q is NULL. *done <- 0
 * where the processor has to do it, which then also names a matrix that is not good. */
spd_status cuda_pairwise2(spd_context *ctx, spd_metric metric, size_t n, size_t p, const double *X,
                          size_t q, const double *Y, double *D2, int *done);
spd_status cuda_nearest(spd_context *ctx, spd_metric metric, size_t n, size_t p, const double *X,
                        size_t q, const double *Q, spd_neighbours *near, int *done);

#endif
