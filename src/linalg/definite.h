/* definite.h - which matrices count as positive definite.
 *
 * The entries of a matrix are known to eps at best, and so are its eigenvalues in units of its
 * rows: with D the diagonal of X, a covariance of dependent variables (average reference, a channel
 * that is there twice) has a smallest eigenvalue of D^-1/2 X D^-1/2 of a few eps, of either sign. X
 * is positive definite here if
 *
 *   smallest eigenvalue of D^-1/2 X D^-1/2  >  (n + 16) eps
 *
 * which does not depend on the units of the rows. It is so if X - (n + 16) eps D has a Cholesky
 * factor; that of X itself tells nothing, since the sign of its last pivot is that of a rounding
 * error.
 *
 * The rule is for matrices that are given. What is computed from them on the way need only have a
 * factor, unless a logarithm is taken of it. */
#ifndef SPD_LINALG_DEFINITE_H
#define SPD_LINALG_DEFINITE_H

#include "linalg/kernels.h"

/* Mask of the lanes of octet (TRI(n) x 8) that are not positive definite. scratch: TRI(n) x 8. */
unsigned definite_lanes(const kernels *k, size_t n, const double *octet, double *scratch);

/* L (TRI(n) x 8) <- Cholesky factors of octet, and logdet (8, may be NULL) <- ln det. Returns the
 * mask of lanes that are not positive definite. Costs no more than the factors unless one looks
 * nearly singular. scratch: TRI(n) x 8. */
unsigned definite_chol(const kernels *k, size_t n, const double *octet, double *L, double *logdet,
                       double *scratch);

/* Is X (n x n, both triangles) positive definite? scratch: n x n. */
int definite_matrix(size_t n, const double *X, double *scratch);

/* Has a matrix with x on its diagonal, and l there in its factor, to be looked at more closely? No
 * singular one passes in all of its rows. */
int definite_doubt_pivot(double x, double l);

/* The same by its smallest and largest eigenvalue, or by what is close to them. */
int definite_doubt_spread(double smallest, double largest);

#endif
