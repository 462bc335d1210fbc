/* bound.h - cheap lower bounds of AIRM and Stein distances by compression.
 *
 *   d2(W'XW, W'YW) <= d2(X,Y) for every full-rank W, AIRM and Stein both; 8 d2_S <= d2_g
 *                                                                        (math.md, eq. 9)
 * W is chosen so that little is lost: whiten by the mean, then take the leading eigenvectors of
 * the mean of squared logarithms. Its columns are ordered, so the leading j x j block of W'XW is
 * the compression by the first j of them: one W serves every size.
 *
 * Rounding: a computed bound may exceed a computed distance by about the conditioning of the
 * matrices times the machine epsilon. bound_compress measures this slack per sample;
 * bound_deflate takes it off. */
#ifndef SPD_GEOMETRY_BOUND_H
#define SPD_GEOMETRY_BOUND_H

#include "base/context.h"
#include "linalg/kernels.h"

/* W (n x PASS_LD(m), padding zero) <- basis learned from about `subset` of the p matrices X,
 * evenly spaced. SPD_ENOMEM or SPD_ENOTSPD (a sample is not positive definite). */
spd_status bound_basis(size_t n, size_t m, size_t p, const double *X, size_t subset, double *W);

/* Scratch doubles of bound_compress. */
size_t bound_work(size_t n, size_t m);

/* For count <= 8 matrices: T[l] (TRI(m)) <- lower triangle of W' X[l] W, and slack[l] <- its
 * rounding. w_norm2 is the squared Frobenius norm of W. Returns the mask of lanes that are not
 * positive definite. */
unsigned bound_compress(const kernels *k, size_t n, size_t m, const double *W, double w_norm2,
                        size_t count, const double *const *X, double *const *T, double *slack,
                        double *work);

/* A computed low-dimensional d2 made safe: slack is the sum of both samples', airm says which
 * metric. Never above the distance that the kernels compute at size n; minus infinity for NaN. */
double bound_deflate(double d2, size_t n, double slack, int airm);

#endif
