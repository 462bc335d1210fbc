/* flat.h - what the metrics share that are Euclidean distances between prepared vectors.
 *
 * A symmetric matrix becomes its lower triangle with the off-diagonal entries times sqrt 2: the
 * dot product of two such vectors is tr(A B), their distance the Frobenius norm of A - B. */
#ifndef SPD_GEOMETRY_FLAT_H
#define SPD_GEOMETRY_FLAT_H

#include "geometry/metric.h"

/* Squares below this may have lost digits, which matters where the matrices are small themselves.
 */
#define FLAT_LEAST_SQUARE 0x1p-1000

/* TRI(n) doubles per sample. */
size_t flat_size(size_t n);

/* Off-diagonal entries of F (TRI(n) x 8) times sqrt 2, in place. */
void flat_weigh(size_t n, double *F);

/* f (TRI(n)) <- the vector of the symmetric matrix A (n x n). */
void flat_vector(size_t n, const double *A, double *f);

/* metric.dist2 of a flat metric: |f - G|^2. */
void flat_dist2(const kernels *k, size_t n, size_t octets, const double *f, const double *G,
                double *d2, double *work);

#endif
