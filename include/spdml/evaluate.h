/* spdml/evaluate.h - how good methods are: splits, scores, statistical tests, and the comparison of
 * methods under a protocol. */
#ifndef SPDML_EVALUATE_H
#define SPDML_EVALUATE_H

#include "spdml/classify.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- splits, scores, tests ------------------------------------------------------------------- */

/* train (p) <- 1 for training, 0 for test; each class is split separately: per_class samples of
 * each if it is not 0, else the fraction, rounded, at least 1 and never a whole class. Each repeat
 * of a seed gives another split. */
SPD_API spd_status spd_split(spd_context *ctx, size_t p, const int *label, double fraction,
                             size_t per_class, uint64_t seed, size_t repeat, char *train);

/* Scores of p predictions: accuracy, balanced accuracy (the mean accuracy of the classes that
 * occur), and confusion (classes x classes, or NULL), with the true classes in rows. */
typedef struct spd_score {
    size_t size;
    size_t total, correct;
    double accuracy, balanced;
    double kappa;    /* Cohen's: (a - e) / (1 - e), with a the accuracy and e the accuracy expected
                        by chance from the same counts; NaN if e is 1, with a single class */
    double macro_f1; /* mean of 2 tp / (2 tp + fp + fn) over the classes that occur or are
                        predicted */
} spd_score;
SPD_API spd_status spd_score_predictions(spd_context *ctx, size_t p, size_t classes,
                                         const int *truth, const int *predicted, spd_score *score,
                                         int64_t *confusion);

/* *auc <- the area under the ROC curve, one class against the rest, averaged over the classes that
 * some but not all samples have. A sample is ranked by the difference between its score of the
 * class and its best score of another class; ties count half. score: p x classes, as from
 * spd_classifier_scores; falls: whether smaller is better. NaN scores are the worst. NaN if all
 * samples have the same class. */
SPD_API spd_status spd_auc(spd_context *ctx, size_t p, size_t classes, const int *truth,
                           const double *score, int falls, double *auc);

/* McNemar's exact two-sided test that two methods err equally often on the same samples. */
typedef struct spd_mcnemar_result {
    size_t size;
    size_t only_first, only_second; /* samples that only one of them got right */
    double p_value;
} spd_mcnemar_result;
SPD_API spd_status spd_mcnemar(spd_context *ctx, size_t p, const int *truth, const int *first,
                               const int *second, spd_mcnemar_result *result);

/* Wilcoxon's signed-rank test, two-sided, that the differences first - second of paired numbers are
 * symmetric around 0. Differences of 0, up to rounding, are left out; equal ones share their ranks.
 * Exact for up to 200 differences, even with ties; above, by the normal distribution. */
typedef struct spd_wilcoxon_result {
    size_t size;
    size_t used;        /* differences that are not 0 */
    double plus, minus; /* sums of ranks of positive and of negative differences */
    double p_value;     /* 1 if none is used */
} spd_wilcoxon_result;
SPD_API spd_status spd_wilcoxon(spd_context *ctx, size_t count, const double *first,
                                const double *second, spd_wilcoxon_result *result);

/* adjusted (count) <- Holm-adjusted p-values, which control the family-wise error rate: the k-th
 * smallest times count - k + 1, non-decreasing, at most 1. NaN stays NaN and is not counted.
 * adjusted may be p_value. */
SPD_API spd_status spd_holm(spd_context *ctx, size_t count, const double *p_value,
                            double *adjusted);

/* ---- methods compared under a protocol ------------------------------------------------------- */

/* The division into training and test samples. */
typedef enum spd_protocol {
    SPD_PROTOCOL_SPLITS = 0, /* random splits of each class; one round each */
    SPD_PROTOCOL_GIVEN,      /* the samples named in the options, one round or several */
    SPD_PROTOCOL_LEAVE_OUT,  /* one round per group: it is tested, all others train */
    SPD_PROTOCOL_FOLDS       /* samples are divided into folds, stratified by class or in whole
                                groups; one round per fold: it is tested, all others train */
} spd_protocol;

/* Whether the folds of tuning keep the samples of a group together. */
typedef enum spd_fold_rule {
    SPD_FOLD_RULE_IF_SHARED = 0, /* if at least half of the training samples of the first round have
                                    a class that occurs in several groups; otherwise folds would
                                    test classes that they have never seen */
    SPD_FOLD_RULE_GROUPED,       /* always */
    SPD_FOLD_RULE_SINGLE         /* never */
} spd_fold_rule;

typedef struct spd_evaluation spd_evaluation;

/* Called before each round with method SPD_NO_INDEX, and after each method of a round; `so_far` is
 * complete up to there, and valid during the call. A non-zero return cancels. */
typedef int (*spd_evaluate_fn)(void *user, const spd_evaluation *so_far, size_t round,
                               size_t method);

/* Filled by spd_evaluate_defaults; the caller then sets the methods and the protocol's data. */
typedef struct spd_evaluate_options {
    size_t size;
    size_t methods;
    const spd_method *const *method; /* methods; values that are not fixed are tuned */
    spd_protocol protocol;
    size_t repeats;           /* SPLITS: number of splits; FOLDS: how often folds are redrawn; 10 */
    double fraction;          /* SPLITS: share of each class that trains; 0.5 */
    size_t per_class;         /* SPLITS: number of each class that trains; 0: by the fraction */
    const char *train, *test; /* GIVEN: p flags each for every round, not both for one sample; if
                                 one is NULL, it is the complement of the other */
    const int *group;         /* LEAVE_OUT: p numbers >= 0; FOLDS: the same, or NULL: no groups */
    int folds;                /* of tuning, within the training part; 5 */
    spd_fold_rule fold_rule;
    const int *fold_group; /* p numbers >= 0; NULL: the group of LEAVE_OUT and FOLDS, else none */
    const spd_grid *grid;  /* of tuning; NULL: the methods' own */
    uint64_t seed;         /* of splits and folds; 1 */
    spd_evaluate_fn after; /* or NULL */
    void *user;
    int exhaustive;  /* as in spd_tune_options */
    int outer_folds; /* FOLDS: number of folds; 5 */
    int auc;         /* non-zero: also the areas under ROC curves; their scores may take longer than
                        predictions, and do not count in test_seconds */
    double calibration; /* LEAVE_OUT: share of the left-out group, 0 <= share < 1, its first
                           samples, that is not tested but trains; 0 */
    double seconds;     /* of auto in each round, as in spd_tune_options */
    size_t rounds;      /* GIVEN: rows of train and test; 0 means 1 */
} spd_evaluate_options;
SPD_API void spd_evaluate_defaults(spd_evaluate_options *options, size_t size);

/* The following structs are made by the library, and may grow. */

typedef struct spd_round {
    int group; /* the one left out; -1 under the other protocols */
    size_t train_count, test_count;
    size_t *train, *test; /* numbers of samples, ascending */
} spd_round;

/* One method in one round. */
typedef struct spd_outcome {
    double value[SPD_MAX_PARAMETERS]; /* as used; NaN if there is none */
    size_t correct;                   /* of the round's test samples */
    double accuracy, balanced;        /* as in spd_score */
    size_t settings;                  /* tuning, as in spd_tune_info */
    int folds;
    double cv_accuracy;
    double tune_seconds, fit_seconds, test_seconds;
    int *predicted;            /* a class for each test sample of the round */
    spd_model *model;          /* the learned map, of the first round only; NULL if there is none */
    double cv_accuracy_no_map; /* tuning, as in spd_tune_info */
    size_t tune_fits, tune_iterations; /* fits and iterations of spd_tune_info */
    double kappa, macro_f1;            /* as in spd_score */
    double auc;                        /* as from spd_auc; NaN if not requested */
    spd_method chosen; /* with the values that were given or tuned, NaN for those that took their
                          defaults; of auto the one it chose; fit is NULL */
    double expected, expected_low, expected_high; /* auto, as in spd_league; else NaN */
} spd_outcome;

/* One method over all rounds: means, and standard deviations, which are 0 for a single round. */
typedef struct spd_method_result {
    char name[SPD_METHOD_NAME];
    double accuracy, accuracy_deviation;
    double balanced, balanced_deviation;
    double tune_seconds, fit_seconds, test_seconds;
    int64_t *confusion;    /* classes x classes, true classes in rows, summed over the rounds */
    double *p_value;       /* methods: McNemar's test against each method; 1 against itself */
    spd_outcome **outcome; /* rounds */
    double kappa, kappa_deviation; /* over the rounds that have one; NaN if none has; also below */
    double macro_f1, macro_f1_deviation;
    double auc, auc_deviation;
} spd_method_result;

/* A number of a result; all of them form a table for showing, writing and reading results. */
typedef enum spd_field_type { SPD_FIELD_REAL = 0, SPD_FIELD_SIZE, SPD_FIELD_INT } spd_field_type;
typedef struct spd_result_field {
    const char *name;    /* in files: "balanced_accuracy"; its mean and deviation are name_mean and
                          name_std */
    const char *label;   /* heading of a column: "balanced %"; NULL: tables do not show it */
    spd_field_type type; /* double, size_t or int */
    int percent;         /* tables show it in percent */
    size_t outcome;      /* offset in spd_outcome */
    size_t mean, deviation; /* offsets in spd_method_result, or SPD_NO_INDEX */
} spd_result_field;

/* Field number `index`, from 0; NULL past the end. The first SPD_RESULT_SCORES fields are scores,
 * which have a mean and a deviation; the last SPD_RESULT_SECONDS are times. */
#define SPD_RESULT_SCORES  5
#define SPD_RESULT_SECONDS 3
SPD_API const spd_result_field *spd_result_field_at(size_t index);

/* Warnings about a protocol that accuracies alone would hide. */
typedef enum spd_remark_kind {
    SPD_REMARK_SINGLES = 0, /* `count` classes, the first is `label`, have one sample, which trains
                               and is never tested */
    SPD_REMARK_ONE_CLASS,   /* all test samples of all rounds have class `label` */
    SPD_REMARK_POOR_ROUNDS, /* `count` of `total` rounds test a single class; the first is `round`,
                               with class `label` */
    SPD_REMARK_UNSEEN,      /* the classes of `count` of `total` test samples of `round`, such as
                          `label`, have no training samples: their predictions must be wrong */
    SPD_REMARK_POOLED       /* a method uses SPD_MAP_PCA, but the samples have no means: it uses the
                          pooled covariance */
} spd_remark_kind;
typedef struct spd_remark {
    spd_remark_kind kind;
    size_t round, count, total;
    int label;
} spd_remark;

struct spd_evaluation {
    size_t rounds, methods, classes;
    spd_round **round;          /* rounds */
    spd_method_result **method; /* methods */
    int repeats_samples; /* samples may be tested in several rounds: p-values are then medians over
                            the rounds; otherwise all rounds are tested together */
    int folds_grouped;   /* whether folds kept groups together */
    int least_folds, most_folds; /* of tuning; 0 if there was nothing to tune */
    size_t remarks;
    spd_remark **remark; /* remarks, in the order of the rounds */
};

/* *evaluation (new, freed with spd_evaluation_free) <- every method in every round: tuned within
 * the training part, trained, tested, scored. Labels of test samples are used for the score only.
 * Methods that share a learned map are tuned together. *evaluation is unchanged after a failure. */
SPD_API spd_status spd_evaluate(spd_context *ctx, const spd_samples *samples,
                                const spd_evaluate_options *options, spd_evaluation **evaluation);
SPD_API void spd_evaluation_free(spd_evaluation *evaluation);

#ifdef __cplusplus
}
#endif
#endif
