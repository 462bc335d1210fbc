/* cuda.h - what the CUDA engine says of itself. */
#ifndef SPD_ENGINE_CUDA_H
#define SPD_ENGINE_CUDA_H

#include "engine/engine.h"

/* text <- the device that the CUDA engine would use; SPD_EDEVICE, with the reason, when there is
 * none. */
spd_status cuda_describe(spd_context *ctx, char *text, size_t room);

/* Are there kernels for fits of n x n matrices to m x m? */
int cuda_takes(spd_metric metric, size_t n, size_t m);

#endif
