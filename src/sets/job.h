/* job.h - an operation on sets, done by whoever is to do it. */
#ifndef SPD_SETS_JOB_H
#define SPD_SETS_JOB_H

#include "run/engine.h"
#include "sets/set.h"

/* Asks the engine of a job; if there is none, or it declines, the sets are brought to the host
 * where the processor needs that, j->here does it, and the results go where the sets lie. Then they
 * are multiplied by j->share. */
spd_status job_run(spd_context *ctx, const set_job *j);

#endif
