/* cuda.h - the CUDA module, as the files that call it see it. */
#ifndef SPD_RUN_CUDA_H
#define SPD_RUN_CUDA_H

#include "base/context.h"
#include "cuda/module.h"

/* *module <- the module, loaded when it is first asked for; *devices <- how many there are; about,
 * or NULL, <- the one that a process begins with. SPD_EDEVICE, with the reason, if there is none.
 */
spd_status cuda_open_module(spd_context *ctx, const cuda_module **module, int *devices,
                            cuda_device *about);

/* text <- the device that the CUDA engine would use; SPD_EDEVICE, with the reason, if there is
 * none. */
spd_status cuda_describe(spd_context *ctx, char *text, size_t room);

/* What a call of the module says, as a status and a message. */
spd_status cuda_pass_fault(spd_context *ctx, int fault, const char *why);

/* How many jobs on sets GPUs have done so far, of all contexts. */
size_t cuda_jobs_done(void);

#endif
