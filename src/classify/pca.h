/* pca.h - principal components of vectors.
 *
 * Directions are the eigenvectors of the covariance, which is centred; they are applied without
 * centring, R x, so that a linear combination of vectors stays one (Wright et al. 2009). */
#ifndef SPD_CLASSIFY_PCA_H
#define SPD_CLASSIFY_PCA_H

#include "base/arena.h"

typedef struct pca {
    size_t dim, rank;
    double *R; /* rank x dim: orthonormal rows, by falling variance */
} pca;

/* r <- all components of V (p x dim) with a variance; the direction of the mean where there is
 * none. */
spd_status pca_fit(spd_context *ctx, size_t dim, size_t p, const double *V, arena *keep, pca *r);

/* F (q x rank) <- V R' for V (q x dim). */
spd_status pca_apply(spd_context *ctx, const pca *r, size_t q, const double *V, double *F);

#endif
