/* geodesic.h - the shortest curve between two SPD matrices, by metric; X = L L', t from 0 to 1.
 *
 *   AIRM (Stein, Jeffrey)  L (L^-1 Y L^-T)^t L'
 *   log-Euclidean          exp((1-t) log X + t log Y)
 *   Bures-Wasserstein      B B',  B = (1-t) L + t L'^-1 (L' Y L)^1/2
 *   log-Cholesky           factor with low((1-t) Lx + t Ly), diagonal Lx^(1-t) Ly^t
 *   Euclidean              (1-t) X + t Y
 *
 * Where the eigenvalues of L^-1 Y L^-T, or of L' Y L, spread over more than nine orders of
 * magnitude the singular values of L^-1 K, or of L' K, are taken instead, Y = K K'. */
#ifndef SPD_GEOMETRY_GEODESIC_H
#define SPD_GEOMETRY_GEODESIC_H

#include <stddef.h>

#include "spdml.h"

size_t geodesic_work(size_t n);

/* G (n x n) <- the point at t. X and Y are finite and positive definite. SPD_ENOTSPD when t lies
 * outside [0,1] and the curve has left the cone by then, SPD_ENUMERIC when the numbers overflow;
 * G is then rubbish. work: geodesic_work(n) doubles. */
spd_status geodesic_point(spd_metric id, size_t n, const double *X, const double *Y, double t,
                          double *G, double *work);

#endif
