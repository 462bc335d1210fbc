/* vector_coding.h - what src and gsrc share: principal components, atoms of unit length, sparse
 * coding, class residuals. The steps are those of classifier.h. */
#ifndef SPD_CLASSIFY_VECTOR_CODING_H
#define SPD_CLASSIFY_VECTOR_CODING_H

#include "classify/classifier.h"

/* *prepared <- from the training vectors V (train->p x dim), of which classes come from train, and
 * `others` atoms B (others x dim) that belong to no class. Borrows nothing but train's labels. */
spd_status vector_coding_prepare(spd_context *ctx, const samples *train, size_t dim,
                                 const double *V, size_t others, const double *B, void **prepared);

/* *met <- from the queries V (q x dim). */
spd_status vector_coding_meet(spd_context *ctx, const void *prepared, size_t q, const double *V,
                              void **met);

spd_status vector_coding_train(spd_context *ctx, const void *prepared, const spd_method *method,
                               void **trained);
spd_status vector_coding_decide(spd_context *ctx, const void *prepared, const void *trained,
                                const void *met, const spd_method *method, int *label);

/* All take NULL. */
void vector_coding_release_met(void *met);
void vector_coding_release_trained(void *trained);
void vector_coding_release_prepared(void *prepared);

/* Default and grid of `dimensions` for vectors of dim entries. */
double vector_coding_dimensions(const samples *train, size_t dim);
size_t vector_coding_grid(const samples *train, size_t dim, double *values, size_t room);

#endif
