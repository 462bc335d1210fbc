/* svm_pairs.h - support vector machines on a kernel matrix, one for each pair of classes. */
#ifndef SPD_CLASSIFY_SVM_PAIRS_H
#define SPD_CLASSIFY_SVM_PAIRS_H

#include "classify/classifier.h"
#include "classify/members.h"

/* f(x) = sum_i coef_i K(x_i, x) - rho, positive for class a; a < b. The samples are those of a,
 * then those of b, as members has them. */
typedef struct svm_pair {
    size_t a, b;
    double rho;
    double *coef; /* of all samples of a and b; zero where a sample is no support vector */
} svm_pair;

typedef struct svm_pairs {
    members m;
    size_t pairs;
    svm_pair *pair;     /* by a, then b; classes without samples have none */
    double *coef;       /* what the pairs point into */
    size_t first_class; /* the lowest that has samples */
} svm_pairs;

/* *machines <- new, for the kernel matrix K (p x p, positive semidefinite) of the training samples.
 */
spd_status svm_pairs_train(spd_context *ctx, const samples *train, const double *K, double cost,
                           svm_pairs **machines);

/* The class that wins most pairs, ties to the lower, for a query with kernel values k (p).
 * votes: classes numbers of scratch. Re-entrant. */
int svm_pairs_choose(const svm_pairs *machines, const double *k, size_t *votes);

/* The i-th training sample of a pair. */
size_t svm_pairs_sample(const svm_pairs *machines, const svm_pair *pair, size_t i);

/* Takes NULL. */
void svm_pairs_free(svm_pairs *machines);

#endif
