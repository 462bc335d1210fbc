/* logarithms.h - the samples of the approximate log-Euclidean cost, SPD_LOG_COST_APPROXIMATE.
 *
 * It replaces log(W'XW) by W' log(X) W (Harandi, Salzmann, Hartley 2017): with L_i = log X_i,
 *
 *   d2_ij = |W'L_iW - W'L_jW|_F^2
 *
 * the Euclidean distances between the mapped L_i. So an engine minimises it that is given the L_i
 * for the X_i and SPD_METRIC_EUCLIDEAN for the metric (geometry/pairs.h). Unlike the other costs this
 * one is no function of the distances between the mapped matrices themselves, and not the same for a W
 * that is not orthonormal. */
#ifndef SPD_LEARN_LOGARITHMS_H
#define SPD_LEARN_LOGARITHMS_H

#include "base/context.h"

/* *L (new, p x n x n) <- log X_i less their mean, which no difference sees, but which would cost
 * digits. */
spd_status logarithms_new(spd_context *ctx, size_t n, size_t p, const double *X, double **L);

#endif
