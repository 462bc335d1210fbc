/* svm_pairs.h - support vector machines on a kernel matrix, one for each pair of classes. */
#ifndef SPD_CLASSIFY_SVM_PAIRS_H
#define SPD_CLASSIFY_SVM_PAIRS_H

#include "base/classes.h"
#include "classify/saved_arrays.h"

/* f(x) = sum_i coef_i K(x_i, x) - rho, positive for class a; a < b are places among the classes.
 * The samples are those of a, then those of b, as they are sorted. */
typedef struct svm_pair {
    size_t a, b;
    double rho;
    double *coef; /* of all samples of a and b; zero where a sample is no support vector */
} svm_pair;

typedef struct svm_pairs {
    classes of;
    size_t pairs;
    svm_pair *pair; /* by a, then b */
} svm_pairs;

/* *machines <- for the kernel matrix K (p x p, positive semidefinite) of training samples with
 * these labels. */
spd_status svm_pairs_train(spd_context *ctx, size_t p, const int *label, const double *K,
                           double cost, arena *keep, svm_pairs *machines);

/* The class that wins most pairs, ties to the lower, for a query with kernel values k (p).
 * votes: of.count numbers of scratch. Re-entrant. */
int svm_pairs_choose(const svm_pairs *machines, const double *k, size_t *votes);

/* score (by label) <- the pairs that each class wins, and a part below 1/3 that grows with the sum
 * of f over its pairs. */
void svm_pairs_score(const svm_pairs *machines, const double *k, double *score);

/* The i-th training sample of a pair. */
size_t svm_pairs_sample(const svm_pairs *machines, const svm_pair *pair, size_t i);

/* used (p) <- 1 for support vectors and the first sample of each class, 0 for the others. */
void svm_pairs_used(const svm_pairs *machines, size_t p, char *used);

/* *part <- the same machines on some of the samples: those that are used. label: theirs. */
spd_status svm_pairs_part(spd_context *ctx, const svm_pairs *machines, const char *used, size_t p,
                          const int *label, arena *keep, svm_pairs *part);

/* The machines on p samples go to the saved arrays or come from it. */
void svm_pairs_keep(saved_arrays *s, size_t p, const int *label, svm_pairs *machines);

#endif
