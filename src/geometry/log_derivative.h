/* log_derivative.h - the logarithm of small SPD matrices, and its derivative (Daleckii and Krein).
 *
 *   S = V diag(lam) V',   log S = V diag(ln lam) V'
 *   D log(S)[G] = V (F . V'G V) V',   F_ab = (ln lam_a - ln lam_b)/(lam_a - lam_b), F_aa = 1/lam_a
 *
 * entry by entry, for symmetric G. The map G -> D log(S)[G] is its own adjoint, tr(G D log(S)[H]) =
 * tr(H D log(S)[G]): it takes the derivative of a cost with respect to log S to the one with
 * respect to S. Serial and re-entrant. */
#ifndef SPD_GEOMETRY_LOG_DERIVATIVE_H
#define SPD_GEOMETRY_LOG_DERIVATIVE_H

#include "linalg/kernels.h"

/* (ln a - ln b)/(a - b) for a, b > 0, 1/a where they are equal: all digits, however close they are.
 */
double log_divided(double a, double b);

/* A (TRI(m) x 8, eight matrices) <- log A; lambda (m x 8) and V (m m x 8) <- eigenvalues and
 * eigenvectors. Returns the mask of lanes without a logarithm. work: log_derivative_work(m)
 * doubles. */
unsigned log_derivative_prepare(const kernels *k, size_t m, double *A, double *lambda, double *V,
                                double *work);

/* G (TRI(m), one matrix) <- D log(S)[G], S given by lambda (m) and V (m x m). The same work. */
void log_derivative_apply(size_t m, const double *lambda, const double *V, double *G, double *work);

size_t log_derivative_work(size_t m);

#endif
