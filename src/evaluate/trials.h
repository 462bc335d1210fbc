/* trials.h - all trials of a search: every fold with every map setting.
 *
 * They are independent of each other and of the number of threads: each runs on a context of one
 * thread, many at a time; or, where there are few or they are large, one after the other on all
 * threads. */
#ifndef SPD_EVALUATE_TRIALS_H
#define SPD_EVALUATE_TRIALS_H

#include "evaluate/trial.h"

/* right[k] (folds x settings of method k) <- as trial_run. Fails only for want of memory or when it
 * is cancelled; of other failures the message of the first is left in the context. */
spd_status trials_run(spd_context *ctx, const trial_shared *shared, size_t folds,
                      int64_t *const *right);

#endif
