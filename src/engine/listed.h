/* listed.h - operations on a store, and on some of its samples, for the rooms above. */
#ifndef SPD_ENGINE_LISTED_H
#define SPD_ENGINE_LISTED_H

#include "engine/walk.h"

/* spd_mean_store of the `count` samples with the numbers `which`; NULL: of all. The same bits as of
 * a set in memory that holds these alone. Messages name samples by their numbers in the store. */
spd_status mean_listed(spd_context *ctx, spd_metric metric, const spd_store *set, size_t count,
                       const size_t *which, const spd_mean_options *options, double *M,
                       spd_mean_info *info);

#endif
