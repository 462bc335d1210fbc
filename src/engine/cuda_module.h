/* cuda_module.h - the CUDA module, as the files that call it see it. */
#ifndef SPD_ENGINE_CUDA_MODULE_CALLS_H
#define SPD_ENGINE_CUDA_MODULE_CALLS_H

#include "base/context.h"
#include "engine/cuda/module.h"

/* *module <- the module, loaded when it is first asked for; *devices <- how many there are; about,
 * or NULL, <- the one that a process begins with. SPD_EDEVICE, with the reason, where there is
 * none; SPD_EINVAL where the sets of the call lie on one that is not there. */
spd_status cuda_open_module(spd_context *ctx, const cuda_module **module, int *devices,
                            cuda_device *about);

/* in <- where the sets of this call lie. */
void cuda_sets_place(const spd_context *ctx, cuda_sets *in);

/* What a call of the module says, as a status and a message. */
spd_status cuda_pass_fault(spd_context *ctx, int fault, const char *why);

#endif
