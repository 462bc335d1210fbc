/* svm_solve.h - one support vector machine between two classes, on a kernel matrix.
 *
 *   minimise  a'Qa/2 - 1'a   subject to   0 <= a <= cost,  y'a = 0,   Q_ij = y_i y_j K_ij
 *
 * over the samples of both, y = 1 for those of the first class and -1 for the others. */
#ifndef SPD_CLASSIFY_SVM_SOLVE_H
#define SPD_CLASSIFY_SVM_SOLVE_H

#include "spdml.h"

/* The version of libsvm; NULL in a build without it, where nothing else here may be called. */
const char *svm_solve_version(void);

/* coef_i <- y_i a_i and *rho <- the offset, for K (size x size) of which the first samples are
 * those of the first class. */
spd_status svm_solve(size_t size, size_t first, const double *K, double cost, double *coef,
                     double *rho);

/* Bytes that svm_solve takes. */
double svm_solve_bytes(size_t size);

#endif
