/* plain.cuh - metrics whose pairs need no matrices of their own (plain.cu). Triangles are lower
 * ones, column by column. */
#pragma once
#include "cuda/eigen.cuh"

namespace spd
{

/* T (p triangles) <- those of A (p x M x M). */
void triangles(const shape &s, const double *A, double *T);

/* What is kept of the eigenvalues of samples: U, L, Li p x M x M (Li only where M <= FAST), lambda,
 * value p x M. */
struct spectral {
    double *U, *L, *Li, *lambda, *value;
};

/* T (p triangles) <- log S; U, lambda <- eigenvectors, a row each, and eigenvalues; the rest is
 * scratch. */
void log_samples(const shape &s, const double *S, const spectral &e, double *T, outcome *o);

/* d2 <- squared distances out of triangles: A inverses and B samples (Jeffrey), or A logarithms and
 * B NULL. */
void plain_pairs(const shape &s, size_t count, const link *pairs, const double *A, const double *B,
                 double *d2);

/* From what gather_plain has added up to the weights Z; half: plain_room doubles. */
size_t plain_room(const shape &s);
void jeffrey_weights(const shape &s, const double *inverse, const double *B, double *Z,
                     double *half);
void log_weights(const shape &s, const double *U, const double *lambda, double *Z, double *half);

} /* namespace spd */
