/* spdfun.h - functions of symmetric matrices, eight at a time:  f(A) = Z diag(f(lambda)) Z'. */
#ifndef SPD_GEOMETRY_SPDFUN_H
#define SPD_GEOMETRY_SPDFUN_H

#include "linalg/kernels.h"
#include "spdml.h"

/* Most octets of one call: two eigenvalue problems in flight hide latency. */
#define SPDFUN_OCTETS 2

/* Does f ask for positive eigenvalues? All but the exponential and the floor do. */
int spdfun_needs_spd(spd_function f);

/* f (count) <- f(lambda), entry by entry; in place too. Where f is not defined, or not finite,
 * the result is NaN. */
void spdfun_values(spd_function f, double power, size_t count, const double *lambda, double *value);

size_t spdfun_work(size_t n);

/* Replaces eigenvalues (count) by what the function makes of them, NaN where there is nothing. */
typedef void (*spdfun_rule)(const void *user, size_t count, double *lambda);

/* A (octets x TRI(n) x 8) <- the matrices with their eigenvalues replaced. Returns the new
 * eigenvalues (octets x n x 8), which lie in work. bad as below. */
const double *spdfun_map(const kernels *k, spdfun_rule rule, const void *user, size_t n,
                         size_t octets, double *A, unsigned *bad, double *work);

/* A (octets x TRI(n) x 8) <- f(A). bad[g] <- mask of lanes without a result: not finite, not
 * positive definite where f asks for it, overflow, eigenvalues not converged. Those lanes hold
 * rubbish. work: spdfun_work(n) doubles. */
void spdfun_apply(const kernels *k, spd_function f, double power, size_t n, size_t octets,
                  double *A, unsigned *bad, double *work);

/* The same of matrices that are given: those that are not positive definite by definite.h are bad,
 * where f asks for it. work: spdfun_judged_work(n) doubles. */
size_t spdfun_judged_work(size_t n);
void spdfun_judged(const kernels *k, spd_function f, double power, size_t n, size_t octets,
                   double *A, unsigned *bad, double *work);

/* As spdfun_apply; edges (octets x 2 x 8) <- f of a lower and of an upper bound of the eigenvalues,
 * which are a few percent away from them at most. */
void spdfun_edges(const kernels *k, spd_function f, double power, size_t n, size_t octets,
                  double *A, double *edges, unsigned *bad, double *work);

/* A (octets x TRI(n) x 8) <- f(A); lambda (octets x n x 8) and Z (octets x n x n x 8) <- what the
 * derivative needs. bad as of spdfun_apply. work: spdfun_spectrum_work(n) doubles. */
size_t spdfun_spectrum_work(size_t n);
void spdfun_spectrum(const kernels *k, spd_function f, double power, size_t n, size_t octets,
                     double *A, double *lambda, double *Z, unsigned *bad, double *work);

/* Mask of the lanes of one octet, given with its eigenvalues, that are not positive definite by
 * definite.h. work: TRI(n) x 8 doubles. */
unsigned spdfun_judge(const kernels *k, size_t n, const double *given, const double *lambda,
                      double *work);

/* G (TRI(n) x 8) <- Df(A)[G] = Z (L . Z'G Z) Z', L the divided differences of f at the eigenvalues
 * (math.md, eq. 24). work: spdfun_derivative_work(n) doubles. */
size_t spdfun_derivative_work(size_t n);
void spdfun_derivative(const kernels *k, spd_function f, double power, size_t n,
                       const double *lambda, const double *Z, double *G, double *work);

/* Is f of p matrices n x n had faster one by one, by spdfun_dense? */
int spdfun_prefers_dense(const kernels *k, spd_function f, size_t n, size_t p);

/* What spdfun_apply does for one row-major n x n matrix A through LAPACK; non-zero when there is no
 * result. work: spdfun_dense_work(n) doubles. */
size_t spdfun_dense_work(size_t n);
int spdfun_dense(spd_function f, double power, size_t n, double *A, double *work);

#endif
