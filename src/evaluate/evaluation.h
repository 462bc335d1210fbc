/* evaluation.h - the results of an evaluation, while they are made. */
#ifndef SPD_EVALUATE_EVALUATION_H
#define SPD_EVALUATE_EVALUATION_H

#include "classify/classifier.h"

/* e->method <- room for the results of these methods in e->rounds rounds, with names. What was made
 * is in e, also after a failure. */
spd_status evaluation_room(spd_context *ctx, size_t methods, const spd_method *method,
                           spd_evaluation *e);

/* Means, deviations, confusions, tests and folds over all rounds, whose outcomes are there. */
spd_status evaluation_conclude(spd_context *ctx, const samples *all, spd_evaluation *e);

#endif
