/* trial.h - one fold with one map setting: the map is fitted once; each method that stands behind
 * it is prepared and met once, and then decides with every setting of its own. */
#ifndef SPD_EVALUATE_TRIAL_H
#define SPD_EVALUATE_TRIAL_H

#include "evaluate/settings.h"

/* What all trials share; read only. */
typedef struct trial_shared {
    size_t methods;
    const spd_method *method; /* methods: map, metric, fit and map settings are the same for all */
    const settings *settings; /* methods */
    const samples *train;     /* all of them */
    const size_t *fold;       /* train->p */
    const double *D;          /* p x p squared distances for the neighbour graphs, or NULL */
} trial_shared;

/* right[k] (decisions of method k) <- how many samples of the fold each of its settings gets right,
 * -1 where it fails. Ends early for want of memory or when it is cancelled; returns the first
 * failure that leaves a method without any setting. */
spd_status trial_run(spd_context *ctx, const trial_shared *shared, size_t fold, size_t map_setting,
                     int64_t *const *right);

/* Is this a failure that no other setting could mend? */
int trial_is_fatal(spd_status status);

#endif
