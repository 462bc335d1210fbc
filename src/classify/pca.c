/* pca.c - principal components, through the smaller of two Gram matrices.
 *
 *   B = V - mean (p x dim)
 *   dim <= p:  B'B = E diag(l) E',  rows of R are the columns of E
 *   dim >  p:  BB' = E diag(l) E',  rows of R are (B'e)/sqrt(l) */
#include "classify/pca.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "classify/vectors.h"
#include "classify/values.h"
#include "run/blas.h"
#include "run/parallel.h"
#include "linalg/tall.h"

/* Variances below this share of the largest one are rounding. */
#define LEAST_VARIANCE 1e-12

/* B <- V - mean, mean (dim) <- of the rows. */
static void centre(size_t dim, size_t p, const double *V, double *mean, double *B)
{
    memset(mean, 0, dim * sizeof *mean);
    for (size_t i = 0; i < p; i++)
        for (size_t d = 0; d < dim; d++)
            mean[d] += V[i * dim + d];
    for (size_t d = 0; d < dim; d++)
        mean[d] /= (double)p;
    for (size_t i = 0; i < p; i++)
        for (size_t d = 0; d < dim; d++)
            B[i * dim + d] = V[i * dim + d] - mean[d];
}

/* G (n x n, n the smaller of dim and p) <- B'B or BB'. */
static spd_status smaller_gram(spd_context *ctx, size_t dim, size_t p, const double *B, double *G)
{
    if (dim > p)
        return vectors_products(ctx, dim, p, B, p, B, G);
    arena room = {0};
    double *T = arena_alloc(&room, dim, p * sizeof *T);
    if (!T)
        return ctx_nomem(ctx, "principal components");
    vectors_flip(p, dim, B, T);
    spd_status status = vectors_products(ctx, p, dim, T, dim, T, G);
    arena_free(&room);
    return status;
}

/* R <- rows from the eigenvectors E (n x n) of the smaller Gram matrix, the last one first. */
static spd_status make_rows(spd_context *ctx, size_t p, const double *B, const double *value,
                            const double *E, pca *r)
{
    size_t dim = r->dim, n = dim > p ? p : dim;
    arena room = {0};
    double *T = dim > p ? arena_alloc(&room, r->rank, n * sizeof *T) : r->R;
    if (!T)
        return ctx_nomem(ctx, "principal components");
    for (size_t c = 0; c < r->rank; c++)
        for (size_t i = 0; i < n; i++)
            T[c * n + i] = E[i * n + n - 1 - c] / (dim > p ? sqrt(value[n - 1 - c]) : 1.0);
    spd_private_blas_hold();
    if (dim > p)
        tall_product(r->rank, p, dim, T, B, r->R);
    spd_private_blas_release();
    arena_free(&room);
    return SPD_OK;
}

spd_status pca_fit(spd_context *ctx, size_t dim, size_t p, const double *V, arena *keep, pca *r)
{
    size_t n = dim > p ? p : dim, variances = 0;
    arena room = {0};
    double *mean = arena_alloc(&room, dim, sizeof *mean);
    double *B = arena_alloc(&room, p, dim * sizeof *B);
    double *G = arena_alloc(&room, n, n * sizeof *G), *E = arena_alloc(&room, n, n * sizeof *E);
    double *value = arena_alloc(&room, n, sizeof *value);
    spd_status status = arena_status(&room, ctx, "principal components");
    if (status == SPD_OK) {
        centre(dim, p, V, mean, B);
        status = smaller_gram(ctx, dim, p, B, G);
    }
    if (status == SPD_OK) {
        spd_symmetrize(n, 1, G);
        status = spd_eigh(ctx, SPD_SET(n, 1, G), value, E);
    }
    if (status == SPD_OK) {
        while (variances < n && value[n - 1] > 0.0 &&
               value[n - 1 - variances] > LEAST_VARIANCE * value[n - 1])
            variances++;
        *r = (pca){.dim = dim, .rank = variances ? variances : 1};
        r->R = arena_alloc(keep, r->rank, dim * sizeof *r->R);
        status = arena_status(keep, ctx, "principal components");
    }
    if (status == SPD_OK && variances) {
        status = make_rows(ctx, p, B, value, E, r);
    } else if (status == SPD_OK) { /* all vectors are equal: the direction they have */
        memcpy(r->R, mean, dim * sizeof *mean);
        values_to_unit(dim, r->R);
    }
    arena_free(&room);
    return status;
}

spd_status pca_apply(spd_context *ctx, const pca *r, size_t q, const double *V, double *F)
{
    return vectors_products(ctx, r->dim, q, V, r->rank, r->R, F);
}
