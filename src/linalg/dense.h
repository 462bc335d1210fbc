/* dense.h - one dense matrix at a time, through BLAS and LAPACK.
 *
 * For what is done once per call, not once per sample (the moving point of a mean, a geodesic),
 * and for matrices too large to interleave (kernels.h). All matrices are n x n, row-major,
 * symmetric ones with both triangles; L is lower triangular with zeros above the diagonal.
 * Nothing here allocates: LAPACK gets the caller's scratch. */
#ifndef SPD_LINALG_DENSE_H
#define SPD_LINALG_DENSE_H

#include <stddef.h>

/* A <- L, A = L L'. Non-zero when A is not positive definite; A is then rubbish. */
int dense_chol(size_t n, double *A);

/* Scratch of dense_eigh. */
size_t dense_eigh_work(size_t n);

/* A (symmetric, finite) <- V with the eigenvectors as columns, lambda (n) <- eigenvalues
 * ascending. vectors 0: eigenvalues alone, A is destroyed. Non-zero when not converged. */
int dense_eigh(size_t n, int vectors, double *A, double *lambda, double *work);

/* Scratch of dense_tridiagonal. */
size_t dense_tridiagonal_work(size_t n);

/* d (n) and e (n) <- diagonal and off-diagonal, n - 1 entries, of a tridiagonal T with the
 * eigenvalues of A (symmetric), which is destroyed; vectors: A <- Q' with Q'A Q = T, Q orthogonal. */
void dense_tridiagonal(size_t n, int vectors, double *A, double *d, double *e, double *work);

/* Lower triangle of A <- that of A^-1, for A definite, of which only this triangle is read; the upper
 * one is left alone. Non-zero when A is not positive definite; the triangle is then rubbish. */
int dense_inverse(size_t n, double *A);

/* Scratch of dense_eigh_some. */
size_t dense_eigh_some_work(size_t n);

/* lambda (count) and V (count x n, a row each) <- eigenvalues number first .. first+count-1,
 * counted from the smallest, and their eigenvectors; count >= 1. A (symmetric, finite) is
 * destroyed. Non-zero when not converged. */
int dense_eigh_some(size_t n, size_t first, size_t count, double *A, double *lambda, double *V,
                    double *work);

/* A <- A' */
void dense_transpose(size_t n, double *A);

/* C <- A B; C must not overlap. */
void dense_product(size_t n, const double *A, const double *B, double *C);

/* C <- A' B; C must not overlap. */
void dense_product_trans(size_t n, const double *A, const double *B, double *C);

/* C <- A B'; C must not overlap. */
void dense_product_other(size_t n, const double *A, const double *B, double *C);

/* C (r x c) <- A' B + keep C for A (k x r) and B (k x c); keep 0 overwrites. Must not overlap. */
void dense_trans_product(size_t r, size_t c, size_t k, const double *A, const double *B,
                         double keep, double *C);

/* C (n x m) <- A B for symmetric A, of which only the lower triangle is read; must not overlap. */
void dense_lower_product(size_t n, size_t m, const double *A, const double *B, double *C);

/* C <- A' B A for symmetric B, exactly symmetric. work: n n doubles. C may be B. */
void dense_congruence(size_t n, const double *A, const double *B, double *C, double *work);

/* The upper triangle of A <- the lower. */
void dense_mirror(size_t n, double *A);

/* C <- B B', and C <- B' B; exactly symmetric. Must not overlap. */
void dense_gram(size_t n, const double *B, double *C);
void dense_gram_trans(size_t n, const double *B, double *C);

/* B <- L'^-1 B, and L^-1 B */
void dense_solve_trans(size_t n, const double *L, double *B);
void dense_solve(size_t n, const double *L, double *B);

/* b (n) <- (L L')^-1 b */
void dense_solve_vector(size_t n, const double *L, double *b);

/* A <- L^-1 A L'^-1 for symmetric A, exactly symmetric. */
void dense_reduce(size_t n, const double *L, double *A);

/* B (n x n) <- A diag(f): column c times f[c]. B may be A. */
void dense_scale_columns(size_t n, const double *A, const double *f, double *B);

/* A <- V diag(f) V', exactly symmetric. work: n n doubles. */
void dense_rebuild(size_t n, const double *V, const double *f, double *A, double *work);

/* Scratch of dense_svd. */
size_t dense_svd_work(size_t n);

/* A = U' diag(sigma) V: sigma (n) <- singular values, largest first, small ones to as many digits
 * as A determines (one-sided Jacobi); A <- V and U (n x n) <- U, a vector in each row. Non-zero
 * when not converged or when a singular value is 0. */
int dense_svd(size_t n, double *A, double *sigma, double *U, double *work);

/* Scratch of dense_lq. */
size_t dense_lq_work(size_t n);

/* B = L Q' with Q orthogonal and the diagonal of L not negative: B <- L, Q (n x n) <- Q. */
void dense_lq(size_t n, double *B, double *Q, double *work);

/* packed (n(n+1)/2) <- lower triangle of A by rows, and back: A <- both triangles. */
void dense_pack(size_t n, const double *A, double *packed);
void dense_unpack(size_t n, const double *packed, double *A);

/* ln det(L L') */
double dense_logdet(size_t n, const double *L);

#endif
