/* evaluation.h - what the files of an evaluation share: rounds, results, remarks. Each is made into
 * the evaluation, where it also is after a failure. */
#ifndef SPD_EVALUATE_EVALUATION_H
#define SPD_EVALUATE_EVALUATION_H

#include "classify/classifier.h"

/* What is handed out as its first member. */
typedef struct own_evaluation {
    spd_evaluation e;
    arena room; /* all of it but the models; `keep` below */
} own_evaluation;

/* rounds.c: e->rounds, round and repeats_samples <- those of the protocol. */
spd_status rounds_make(spd_context *ctx, const samples *all, const spd_evaluate_options *options,
                       arena *keep, spd_evaluation *e);

/* rounds.c: *group <- what folds keep together by the options' rule, p numbers; NULL: nothing.
 * e->folds_grouped <- is there any? */
spd_status rounds_fold_groups(spd_context *ctx, const samples *all,
                              const spd_evaluate_options *options, spd_evaluation *e,
                              const int **group);

/* remarks.c: adds those on classes that the protocol cannot judge, and on what the methods lack;
 * then on classes that a round tests without having trained them. */
spd_status remarks_on_protocol(spd_context *ctx, const samples *all, const spd_method *method,
                               arena *keep, spd_evaluation *e);
spd_status remarks_on_round(spd_context *ctx, const samples *all, size_t round, arena *keep,
                            spd_evaluation *e);

/* evaluation.c: e->method <- room for the results of these methods in e->rounds rounds. */
spd_status evaluation_room(spd_context *ctx, size_t methods, const spd_method *method, arena *keep,
                           spd_evaluation *e);

/* evaluation.c: means, deviations, confusions, tests and folds over all rounds. */
spd_status evaluation_conclude(spd_context *ctx, const samples *all, spd_evaluation *e);

/* score.c: McNemar's two-sided p value when b samples were got right by the first method alone, c
 * by the second alone. */
double score_mcnemar(size_t b, size_t c);

#endif
