/* listed.h - operations on a set, and on some of its samples, for the rooms above. */
#ifndef SPD_SETS_LISTED_H
#define SPD_SETS_LISTED_H

#include "sets/walk.h"

/* spd_mean of the `count` samples with the numbers `which`; NULL: of all. The same bits as of
 * a set in memory that holds these alone. Messages name samples by their numbers in the set. */
spd_status mean_listed(spd_context *ctx, spd_metric metric, const spd_set *set, size_t count,
                       const size_t *which, const spd_mean_options *options, double *M,
                       spd_mean_info *info);

#endif
