/* folds.h - which samples cross-validation tests together.
 *
 * Folds are stratified: each has its share of every class. Samples of one group (a subject, a
 * video) stay together when groups are given. */
#ifndef SPD_EVALUATE_FOLDS_H
#define SPD_EVALUATE_FOLDS_H

#include "base/classes.h"

#define FOLD_NEVER SIZE_MAX /* the fold of a sample that always trains */

/* *folds <- lowered to the size of the smallest class that can be split (two samples or more).
 * SPD_EINVAL when there is none, or one class only. */
spd_status folds_limit(spd_context *ctx, const classes *c, size_t *folds);

/* fold (p) <- the samples of each class dealt out in random order, the next class going on with
 * the next fold, so that folds are of equal size. Samples without a label and the only sample of a
 * class always train. c->order is shuffled. */
void folds_deal(size_t p, classes *c, size_t folds, uint64_t seed, size_t *fold);

/* fold (p) <- whole groups, the largest first, each to the fold whose counts by class stay most
 * even; *folds is lowered to the number of groups. group: p numbers >= 0. SPD_EINVAL for a single
 * group. */
spd_status folds_deal_groups(spd_context *ctx, size_t p, const int *label, const int *group,
                             uint64_t seed, size_t *folds, size_t *fold);

#endif
