/* lasso_dictionary.c - what all queries of a dictionary share: the inverse of its Gram matrix, or, if
 * that cannot be trusted, of the matrix with a shift on the diagonal. */
#include <math.h>
#include <string.h>

#include "classify/lasso.h"
#include "classify/values.h"
#include "linalg/dense.h"
#include "run/blas.h"

/* The inverse is trusted up to this condition, bounded by the largest row sums of K and K^-1. */
#define WORST_CONDITION 1e8

/* The shift, as a share of lambda, and within which shares of the largest row sum. With less the
 * inverse loses digits, and each proximal step takes long; with more there are more steps. */
#define SHIFT       0.25
#define LEAST_SHIFT 1e-8
#define MOST_SHIFT  1e-5

static void measure_rows(size_t p, const double *A, double *length)
{
    for (size_t r = 0; r < p; r++) {
        double sum = 0.0;
        for (size_t c = 0; c < p; c++)
            sum += A[r * p + c] * A[r * p + c];
        length[r] = sqrt(sum);
    }
}

/* A (p x p, symmetric) <- A^-1. Non-zero when A is not definite; A is then rubbish. */
static int invert(size_t p, double *A)
{
    spd_private_blas_hold();
    int bad = dense_inverse(p, A);
    spd_private_blas_release();
    for (size_t r = 0; r < p; r++)
        for (size_t c = 0; c < r; c++) {
            A[c * p + r] = A[r * p + c];
            bad |= !isfinite(A[r * p + c]);
        }
    return bad;
}

spd_status lasso_dictionary_make(spd_context *ctx, size_t p, const double *K, arena *keep,
                                 lasso_dictionary *d)
{
    *d = (lasso_dictionary){.p = p, .K = K};
    double *Q = arena_alloc(keep, p, p * sizeof *Q), *spread = arena_alloc(keep, p, sizeof *spread);
    if (!Q || !spread)
        return ctx_nomem(ctx, "sparse coding");
    memcpy(Q, K, p * p * sizeof *Q);
    if (invert(p, Q) || !(values_row_sum(p, K) * values_row_sum(p, Q) <= WORST_CONDITION)) {
        d->spare = Q;
        return SPD_OK;
    }
    measure_rows(p, Q, spread);
    d->inverse = Q;
    d->spread = spread;
    return SPD_OK;
}

static double wanted_shift(const lasso_dictionary *d, double lambda)
{
    double sum = values_row_sum(d->p, d->K);
    return fmin(fmax(SHIFT * lambda, LEAST_SHIFT * sum), MOST_SHIFT * sum);
}

spd_status lasso_dictionary_shift(spd_context *ctx, double lambda, arena *keep, lasso_dictionary *d)
{
    size_t p = d->p;
    if (d->inverse)
        return SPD_OK;
    double *Q = d->spare ? d->spare : arena_alloc(keep, p, p * sizeof *Q);
    if (!Q)
        return ctx_nomem(ctx, "sparse coding");
    d->spare = NULL;
    d->shift = wanted_shift(d, lambda);
    memcpy(Q, d->K, p * p * sizeof *Q);
    for (size_t i = 0; i < p; i++)
        Q[i * (p + 1)] += d->shift;
    d->shifted = invert(p, Q) ? NULL : Q;
    return SPD_OK;
}

spd_status lasso_dictionary_suit(spd_context *ctx, double lambda, arena *keep, lasso_dictionary *d)
{
    if (d->inverse || d->shift == wanted_shift(d, lambda))
        return SPD_OK;
    d->spare = NULL;
    return lasso_dictionary_shift(ctx, lambda, keep, d);
}

void lasso_dictionary_keep(saved_arrays *s, size_t p, const double *K, lasso_dictionary *d)
{
    size_t inverted = !saved_taking(s) && d->inverse;
    if (saved_taking(s))
        *d = (lasso_dictionary){.p = p, .K = K};
    saved_size(s, "inverted", 0, 1, &inverted);
    if (s->status == SPD_OK && inverted)
        saved_symmetric(s, "inverse", p, &d->inverse);
    if (s->status != SPD_OK || !saved_taking(s) || !inverted)
        return;
    d->spread = arena_alloc(s->room, p, sizeof *d->spread);
    if (d->spread)
        measure_rows(p, d->inverse, d->spread);
    s->status = arena_status(s->room, s->ctx, "sparse coding");
}
