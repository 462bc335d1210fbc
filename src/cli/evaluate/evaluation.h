/* evaluation.h - what `evaluate` was asked, and what the library found. */
#ifndef SPD_CLI_EVALUATE_EVALUATION_H
#define SPD_CLI_EVALUATE_EVALUATION_H

#include "cli/evaluate/protocol.h"
#include "cli/evaluate/recognition.h"

typedef struct evaluation {
    recognition_set set;
    protocol protocol;
    size_t methods;
    spd_method *method;           /* methods, with the values that the user fixed */
    const spd_method **method_at; /* methods: where each is */
    spd_fit_options fit;          /* of learned maps */
    spd_grid grid;
    spd_evaluate_options options; /* points to all of these */
    spd_evaluation *found;
    json_t *object; /* what --json prints, and files hold */
} evaluation;

/* Runs it all, with remarks on the way. */
void evaluation_run(session *s, evaluation *e);

/* Accuracy over all rounds for each value of --by (protocol.by.count; NaN where none is
 * tested). */
double *evaluation_by(const evaluation *e, size_t method);

#endif
