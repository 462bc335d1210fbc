/* products.h - dot products between sets of vectors, in parallel. */
#ifndef SPD_CLASSIFY_PRODUCTS_H
#define SPD_CLASSIFY_PRODUCTS_H

#include "base/context.h"

/* C (q x p) <- A B' for A (q x dim) and B (p x dim): the dot products between all rows. A may be B;
 * C must not overlap. Only cancelling fails; C is then half done. */
spd_status products_between(spd_context *ctx, size_t dim, size_t q, const double *A, size_t p,
                            const double *B, double *C);

/* T (columns x rows) <- A' for A (rows x columns). */
void products_flip(size_t rows, size_t columns, const double *A, double *T);

#endif
