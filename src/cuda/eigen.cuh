/* eigen.cuh - eigenvalues and eigenvectors of many symmetric matrices (eigen.cu), and what is built
 * of them (rebuild.cu). A shape here has n, the size M that a matrix is given, and p matrices. */
#pragma once
#include "cuda/cusolver.cuh"
#include "cuda/kernels.cuh"

namespace spd
{

constexpr int WHOLE = 160; /* largest M of which shared memory holds all columns */
constexpr int STRIP = 16;  /* columns of larger ones that are held at a time, twice */

/* n rounded up to a size that the kernels take, */
inline int kernel_size(int n)
{
    return n <= WHOLE ? padded(n) : (n + 2 * STRIP - 1) / (2 * STRIP) * (2 * STRIP);
}
/* and to one that `eigen` takes. */
inline int spectral_size(int n)
{
    return cusolver_takes(n) ? n : kernel_size(n);
}

/* What was done to a matrix before its eigenvalues were taken: 2^exponent X + shift I. */
struct placed {
    double exponent, shift;
};

/* S (p x M x M) <- X (p x n x n) by its lower triangle, so scaled that its entries are below 1,
 * padded as X + I. any: not only positive definite ones; they are shifted until they are. */
void place(const shape &s, bool any, const double *X, double *S, placed *how);

/* L by rows, or, for M > WHOLE, S itself by columns <- Cholesky factors; Li is scratch. */
void spectral_factors(const shape &s, double *S, double *L, double *Li, outcome *o);

/* S <- eigenvectors, a row each, at least if they are wanted; lambda (p x M) <- eigenvalues of what was placed, 0 for the
 * padding. L, Li: p x M x M of scratch each, L only where M <= WHOLE, Li where M <= FAST; none where
 * cuSOLVER does it. Notes in o a matrix that is not positive definite, or has no eigenvalues. */
void eigen(const shape &s, bool vectors, double *S, double *L, double *Li, double *lambda,
           outcome *o);

/* The same where L (by rows, S for M > WHOLE by columns) holds a square factor L L' already. */
void eigen_of_factors(const shape &s, double *S, const double *L, double *lambda, outcome *o);

constexpr int ITSELF = SPD_FUNCTION_POWER + 1; /* beside the functions of module.h */
/* lambda <- f of the eigenvalues of X; notes in o where there is none. Padding stays 0, of ITSELF
 * it is NaN. */
void spectral_values(const shape &s, int f, double power, const placed *how, double *lambda,
                     outcome *o);

/* F (p x n x n) <- sum_k value_k u_k u_k', symmetric to the bit, of those that `wanted` (p) says,
 * unless it is NULL. U: p x M rows of M. */
void rebuild(const shape &s, const double *U, const double *value, double *F,
             const int *wanted = nullptr);

} /* namespace spd */
