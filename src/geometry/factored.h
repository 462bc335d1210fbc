/* factored.h - what AIRM and Bures-Wasserstein share: samples prepared as
 * [X | ln det X | L], X = L L', and the eigenvalues of one sample against eight others. What
 * stands before L is what Stein prepares: a bound by Stein can be had from the same array. */
#ifndef SPD_GEOMETRY_FACTORED_H
#define SPD_GEOMETRY_FACTORED_H

#include "geometry/metric.h"

/* metric.size, metric.work and metric.prepare of such a metric. */
size_t factored_size(size_t n);
size_t factored_work(size_t n);
unsigned factored_prepare(const kernels *k, size_t n, const double *octet, double *F, double *work);

/* kernels.reduce or kernels.expand. */
typedef void (*factored_congruence)(size_t n, const double *L, const double *X, double *C,
                                    double *work);

/* Eigenvalues, octets x n x 8 within work, of the congruence by f's factor of every matrix in G
 * (octets x size x 8). NaN in lanes that failed. */
double *factored_spectrum(const kernels *k, factored_congruence congruence, size_t n, size_t octets,
                          const double *f, const double *G, double *work);

#endif
