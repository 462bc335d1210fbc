/* gram.h - a kernel matrix that sparse coding can work with.
 *
 * A kernel that is not positive semidefinite makes the coding unbounded: along an eigenvector u
 * with a negative eigenvalue v'Kv falls without end. It is repaired by clipping K and projecting k:
 *
 *   K = U diag(s) U'  ->  U+ diag(s+) U+',      k  ->  U+ U+' k       (math.md, eq. 10)
 *
 * over the positive eigenvalues. Clipping K alone would leave k with a part outside the range of
 * K. A query that equals atom j has k = K e_j, and after the repair again k = K e_j: it is coded
 * by its atom. A shift of the diagonal, K + c I, does not keep that. */
#ifndef SPD_CLASSIFY_GRAM_H
#define SPD_CLASSIFY_GRAM_H

#include "classify/lasso.h"
#include "classify/saved_arrays.h"

typedef struct gram {
    size_t p;
    double *K;       /* p x p, positive semidefinite */
    size_t rank;     /* of K where k must be projected; else 0 */
    double *U;       /* p x rank, or NULL */
    double *s;       /* rank: positive eigenvalues of K */
    double smallest; /* eigenvalue before the repair; 0 when there was nothing to repair */
    lasso_dictionary dictionary;
} gram;

/* g <- K (p x p, symmetric; overwritten and borrowed) made fit, above all for codes with that lambda.
 * SPD_NOT_DEFINITE, a remark, when K had negative eigenvalues. */
spd_status gram_make(spd_context *ctx, size_t p, double *K, double lambda, arena *keep, gram *g);

/* A matrix that was made for p atoms goes to the saved arrays or comes from it. */
void gram_keep(saved_arrays *s, size_t p, double lambda, gram *g);

/* Scratch of gram_fit, for count queries. */
size_t gram_fit_work(const gram *g, size_t count);

/* k (count x p) <- as it goes with K; y2 (count) <- a number for lasso_solve. */
void gram_fit(const gram *g, size_t count, double *k, double *y2, double *work);

#endif
