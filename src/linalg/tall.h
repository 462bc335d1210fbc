/* tall.h - tall matrices, n x m with m <= n: products, thin SVD and QR through BLAS and LAPACK.
 *
 * All matrices are row-major; small square ones are m x m. Nothing here allocates: LAPACK gets the
 * caller's scratch. */
#ifndef SPD_LINALG_TALL_H
#define SPD_LINALG_TALL_H

#include <stddef.h>

/* M (m x m) <- A' B for A, B (n x m). */
void tall_inner(size_t n, size_t m, const double *A, const double *B, double *M);

/* Rows of Z (count x length) <- less their mean, which goes to mean. */
void tall_centre(size_t count, size_t length, double *Z, double *mean);

/* D (n x m) <- D + scale A M for A (n x m), M (m x m); D must not overlap. */
void tall_add(size_t n, size_t m, double scale, const double *A, const double *M, double *D);

/* A (n x m) <- A M for M (m x m). work: n m doubles. */
void tall_multiply(size_t n, size_t m, double *A, const double *M, double *work);

/* C (n x m) <- A B for A (n x k), B (k x m); must not overlap. */
void tall_product(size_t n, size_t k, size_t m, const double *A, const double *B, double *C);

/* C (n x m) <- A B' for A (n x k), B (m x k); must not overlap. */
void tall_product_trans(size_t n, size_t k, size_t m, const double *A, const double *B, double *C);

/* Lower triangle of M (m x m) <- M + A'A for A (n x m); the upper one is left alone. */
void tall_add_gram(size_t n, size_t m, const double *A, double *M);

/* A (n x m) <- L^-1 A, and A <- L'^-1 A, for L (n x n) lower triangular. */
void tall_solve(size_t n, size_t m, const double *L, double *A);
void tall_solve_trans(size_t n, size_t m, const double *L, double *A);

/* <A,B> = sum of products of entries, both n x m. */
double tall_dot(size_t n, size_t m, const double *A, const double *B);

/* B <- B + a A, both n x m. */
void tall_axpy(size_t n, size_t m, double a, const double *A, double *B);

/* Scratch of tall_axes. */
size_t tall_axes_work(size_t n, size_t m);

/* V (m x m) <- orthogonal, U (n x m) with unit columns or, where sigma is 0, zero ones, and sigma
 * (m) >= 0, so that H V = U diag(sigma) to rounding: an SVD by way of H'H, at a quarter of the
 * cost. U'U - I is c eps sigma_1^2 / (sigma_j sigma_k): U is orthonormal where sigma is large, and
 * everywhere when its columns are weighted by sigma. sigma descends as far as sigma^2 can tell. H
 * (n x m) is left alone. Non-zero when H is not finite or it did not converge. */
int tall_axes(size_t n, size_t m, const double *H, double *U, double *sigma, double *V,
              double *work);

/* Scratch of tall_orthonormalise. */
size_t tall_orthonormalise_work(size_t n, size_t m);

/* A (n x m) = Q R with Q'Q = I and the diagonal of R not negative: A <- Q. Returns the smallest
 * diagonal entry of R: near zero, relative to A, when A has not full rank. */
double tall_orthonormalise(size_t n, size_t m, double *A, double *work);

#endif
