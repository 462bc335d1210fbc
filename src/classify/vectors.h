/* vectors.h - sets of vectors: dot products and nearest neighbours between them, in parallel. */
#ifndef SPD_CLASSIFY_VECTORS_H
#define SPD_CLASSIFY_VECTORS_H

#include "base/arena.h"

/* C (q x p) <- A B' for A (q x dim) and B (p x dim): the dot products between all rows. A may be B;
 * C must not overlap. Only cancelling fails; C is then half done. */
spd_status vectors_products(spd_context *ctx, size_t dim, size_t q, const double *A, size_t p,
                            const double *B, double *C);

/* The same, several times slower: each number depends on its two rows alone, to the last bit. */
spd_status vectors_dots(spd_context *ctx, size_t dim, size_t q, const double *A, size_t p,
                        const double *B, double *C);

/* T (columns x rows) <- A' for A (rows x columns). */
void vectors_flip(size_t rows, size_t columns, const double *A, double *T);

/* label (q) <- that of the nearest of the p >= 1 vectors V (p x dim), of which labels are `of`, to
 * each of the q vectors Q (q x dim), ties by lower index. score (q x classes, or NULL) <- squared
 * distances to the nearest of each class that has vectors. */
spd_status vectors_nearest(spd_context *ctx, size_t dim, size_t p, const double *V, const int *of,
                           size_t q, const double *Q, int *label, size_t classes, double *score);

/* SPD_ENUMERIC unless the largest entry of each of p vectors V (p x dim) is 0 or between
 * 2^-exponent and 2^exponent: beyond, squares of the entries, or their single precision, may be
 * lost. */
spd_status vectors_check(spd_context *ctx, size_t dim, size_t p, const double *V, int exponent);

#endif
