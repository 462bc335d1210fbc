/* lasso_dictionary.c - what sparse coding prepares once for all queries: the inverse of K. */
#include <math.h>
#include <string.h>

#include "classify/lasso.h"
#include "engine/check.h"

/* The inverse is trusted up to this condition, bounded by the largest row sums of K and K^-1. */
#define WORST_CONDITION 1e8

static double largest_row(size_t p, const double *A)
{
    double largest = 0.0;
    for (size_t r = 0; r < p; r++) {
        double sum = 0.0;
        for (size_t c = 0; c < p; c++)
            sum += fabs(A[r * p + c]);
        largest = fmax(largest, sum);
    }
    return largest;
}

static void measure_rows(size_t p, const double *A, double *length)
{
    for (size_t r = 0; r < p; r++) {
        double sum = 0.0;
        for (size_t c = 0; c < p; c++)
            sum += A[r * p + c] * A[r * p + c];
        length[r] = sqrt(sum);
    }
}

/* Asked beforehand, since spd_inverse would find out, at some cost, what is wrong with K. */
static spd_status ask_definite(spd_context *ctx, size_t p, const double *K, int *definite)
{
    arena room = {0};
    double *scratch = arena_alloc(&room, p, p * sizeof *scratch);
    *definite = scratch && check_definite(p, K, scratch);
    spd_status status = arena_status(&room, ctx, "sparse coding");
    arena_free(&room);
    return status;
}

spd_status lasso_dictionary_make(spd_context *ctx, size_t p, const double *K, arena *keep,
                                 lasso_dictionary *d)
{
    int definite;
    *d = (lasso_dictionary){.p = p, .K = K};
    spd_status status = ask_definite(ctx, p, K, &definite);
    if (!definite)
        return status;
    double *Q = arena_alloc(keep, p, p * sizeof *Q), *spread = arena_alloc(keep, p, sizeof *spread);
    status = Q && spread ? spd_inverse(ctx, p, 1, K, Q) : ctx_nomem(ctx, "sparse coding");
    if (status == SPD_OK && largest_row(p, K) * largest_row(p, Q) <= WORST_CONDITION) {
        measure_rows(p, Q, spread);
        d->inverse = Q;
        d->spread = spread;
    }
    if (status == SPD_ENOTSPD) { /* another Cholesky, another rounding: there is the other way */
        ctx_clear(ctx);
        status = SPD_OK;
    }
    return status;
}
