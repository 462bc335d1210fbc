/* rounds.h - a protocol as rounds, and what there is to remark about them. */
#ifndef SPD_EVALUATE_ROUNDS_H
#define SPD_EVALUATE_ROUNDS_H

#include "classify/classifier.h"

/* e->rounds, round and repeats_samples <- those of the protocol. What was made is in e, also after
 * a failure. */
spd_status rounds_make(spd_context *ctx, const samples *all, const spd_evaluate_options *options,
                       spd_evaluation *e);

/* The groups that folds keep together by the options' rule, p numbers; NULL: none. e->folds_grouped
 * <- are there any? */
spd_status rounds_fold_groups(spd_context *ctx, const samples *all,
                              const spd_evaluate_options *options, spd_evaluation *e,
                              const int **group);

/* Adds remarks on classes that the protocol cannot judge. */
spd_status rounds_remark(spd_context *ctx, const samples *all, spd_evaluation *e);

/* Adds a remark on classes that a round tests without having trained them. */
spd_status rounds_remark_unseen(spd_context *ctx, const samples *all, size_t round,
                                spd_evaluation *e);

#endif
