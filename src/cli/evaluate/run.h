/* run.h - every method through every round of a protocol. */
#ifndef SPD_CLI_EVALUATE_RUN_H
#define SPD_CLI_EVALUATE_RUN_H

#include "cli/evaluate/protocol.h"
#include "cli/evaluate/recognition.h"

/* One method in one round. */
typedef struct outcome {
    spd_method method; /* with the values as used */
    spd_tuned tuned;
    spd_score score;
    double fit_seconds, test_seconds;
    int *predicted; /* a class for each test sample of the round */
} outcome;

/* The test samples of one round. */
typedef struct test_set {
    size_t count;
    size_t *index; /* count: which samples */
    int *truth;    /* count: their classes */
} test_set;

typedef struct evaluation {
    recognition_set set;
    protocol protocol;
    size_t methods;
    spd_method *method;            /* methods, with the values that the user fixed */
    char (*name)[SPD_METHOD_NAME]; /* methods */
    spd_fit_options fit;           /* of learned maps */
    spd_grid grid;
    double *grid_value[SPD_PARAMETERS]; /* what grid points to */
    int folds;                          /* asked for */
    uint64_t seed;
    test_set *test;   /* rounds */
    outcome *outcome; /* methods x rounds */
} evaluation;

/* Runs it all. An exit status after a message. */
int evaluation_run(session *s, evaluation *e);
void evaluation_free(evaluation *e);

/* Mean and sample deviation over the rounds of accuracy (balanced 0) or balanced accuracy; the
 * deviation of a single round is 0. */
void evaluation_accuracy(const evaluation *e, size_t method, int balanced, double *mean,
                         double *deviation);

/* Mean over the rounds of the seconds for tuning (0), fitting (1) or testing (2). */
double evaluation_seconds(const evaluation *e, size_t method, int phase);

/* McNemar's test against the first method: over all rounds at once where each sample is tested
 * once, else the median over the rounds. An exit status. */
int evaluation_compare(session *s, const evaluation *e, size_t method, double *p_value);

/* right and total (protocol.by.count each) <- by value of --by, over all rounds. */
void evaluation_by(const evaluation *e, size_t method, size_t *right, size_t *total);

/* table (classes x classes) <- how often each class was taken for which, over all rounds; rows are
 * the truth. */
void evaluation_confusion(const evaluation *e, size_t method, int64_t *table);

/* The least and the most folds that tuning has used; 0 when nothing was tuned. */
void evaluation_folds(const evaluation *e, int *least, int *most);

#endif
