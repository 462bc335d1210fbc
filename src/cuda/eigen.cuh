/* eigen.cuh - eigenvalues and eigenvectors of many symmetric matrices (eigen.cu), and what is built
 * of them (rebuild.cu). A shape here has n, the size M that a matrix is given, and p matrices. */
#pragma once
#include "cuda/cusolver.cuh"
#include "cuda/kernels.cuh"

namespace spd
{

/* n rounded up to a size that `eigen` takes. */
inline int spectral_size(int n)
{
    return n > FAST ? n : padded(n);
}

/* What was done to a matrix before its eigenvalues were taken: 2^exponent X + shift I. */
struct placed {
    double exponent, shift;
};

/* S (p x M x M) <- X (p x n x n), or those numbers of it that `which` (p) says, by its lower
 * triangle, so scaled that its entries are below 1, padded as X + I. any: not only positive definite
 * ones; they are shifted until they are. */
void place(const shape &s, bool any, const double *X, const uint32_t *which, double *S,
           placed *how);

/* S <- eigenvectors, a row each, at least if they are wanted; lambda (p x M) <- eigenvalues of what
 * was placed, 0 for the padding. L, Li: p x M x M of scratch each where M <= FAST. Notes in o a
 * matrix that is not positive definite, or has no eigenvalues. */
void eigen(const shape &s, bool vectors, double *S, double *L, double *Li, double *lambda,
           outcome *o);

/* U <- the same where L (by rows, M <= FAST) holds a square factor L L' already. */
void eigen_of_factors(const shape &s, double *U, const double *L, double *lambda, outcome *o);

constexpr int ITSELF = SPD_FUNCTION_POWER + 1; /* beside the functions of module.h */
/* lambda <- f of the eigenvalues of X; notes in o where there is none. Padding stays 0, of ITSELF
 * it is NaN. */
void spectral_values(const shape &s, int f, double power, const placed *how, double *lambda,
                     outcome *o);

/* F (p x n x n, or those numbers of it that `which` says) <- sum_k value_k u_k u_k', symmetric to
 * the bit. U: p x M rows of M. */
void rebuild(const shape &s, const double *U, const double *value, double *F,
             const uint32_t *which = nullptr);

} /* namespace spd */
