/* class_means.h - the mean of every class. */
#ifndef SPD_OPS_CLASS_MEANS_H
#define SPD_OPS_CLASS_MEANS_H

#include "base/classes.h"
#include "sets/set.h"

/* M (of->count x n x n) <- the mean of each class of X (n x n each), to a precision as for
 * spd_mean. A mean that has not quite converged is still a good centre: SPD_NOT_CONVERGED at the
 * end. */
spd_status class_means(spd_context *ctx, spd_metric metric, double precision, size_t n,
                       const double *X, const classes *of, double *M);

/* The same of a set that need not lie in memory, to the usual precision. */
spd_status class_means_of_set(spd_context *ctx, spd_metric metric, const spd_set *set,
                              const classes *of, double *M);

#endif
