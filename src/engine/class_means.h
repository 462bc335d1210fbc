/* class_means.h - the mean of every class. */
#ifndef SPD_ENGINE_CLASS_MEANS_H
#define SPD_ENGINE_CLASS_MEANS_H

#include "base/classes.h"
#include "base/store.h"

/* M (of->count x n x n) <- the mean of each class of X (n x n each), to a precision as for
 * spd_mean. A mean that has not quite converged is still a good centre: SPD_NOT_CONVERGED at the
 * end. */
spd_status class_means(spd_context *ctx, spd_metric metric, double precision, size_t n,
                       const double *X, const classes *of, double *M);

/* The same of a store. */
spd_status class_means_store(spd_context *ctx, spd_metric metric, double precision,
                             const spd_store *set, const classes *of, double *M);

#endif
