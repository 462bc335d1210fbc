/* class_means.h - means of some samples of a set, and of every class. */
#ifndef SPD_OPS_CLASS_MEANS_H
#define SPD_OPS_CLASS_MEANS_H

#include "base/classes.h"
#include "sets/walk.h"

/* M (of->count x n x n) <- the mean of each class of X (n x n each), to a precision as for
 * spd_mean. A mean that has not quite converged is still a good centre: SPD_NOT_CONVERGED at the
 * end. */
spd_status class_means(spd_context *ctx, spd_metric metric, double precision, size_t n,
                       const double *X, const classes *of, double *M);

/* The same of a set that need not lie in memory, to the usual precision. */
spd_status class_means_of_set(spd_context *ctx, spd_metric metric, const spd_set *set,
                              const classes *of, double *M);

/* spd_mean of the `count` samples with the numbers `which`; NULL: of all. The same bits as of
 * a set in memory that holds these alone. Messages name samples by their numbers in the set. */
spd_status mean_listed(spd_context *ctx, spd_metric metric, const spd_set *set, size_t count,
                       const size_t *which, const spd_mean_options *options, double *M,
                       spd_mean_info *info);

#endif
