/* lasso_dictionary.c - what sparse coding prepares once for all queries: the inverse of K. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
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

spd_status lasso_dictionary_make(spd_context *ctx, size_t p, const double *K, lasso_dictionary *d)
{
    size_t square;
    *d = (lasso_dictionary){.p = p, .K = K};
    if (mem_mul(p, p, &square))
        return ctx_nomem(ctx, "sparse coding");
    double *Q = mem_alloc(square, sizeof *Q), *spread = mem_alloc(p, sizeof *spread);
    spd_status status = Q && spread ? SPD_OK : ctx_nomem(ctx, "sparse coding");
    /* Asked beforehand, since spd_inverse would find out, at some cost, what is wrong with K. */
    int definite = status == SPD_OK && check_definite(p, K, Q);
    if (definite)
        status = spd_inverse(ctx, p, 1, K, Q);
    if (definite && status == SPD_OK && largest_row(p, K) * largest_row(p, Q) <= WORST_CONDITION) {
        measure_rows(p, Q, spread);
        d->inverse = Q;
        d->spread = spread;
        return SPD_OK;
    }
    mem_free(Q);
    mem_free(spread);
    if (status == SPD_ENOTSPD) { /* another Cholesky, another rounding: there is the other way */
        ctx_clear(ctx);
        status = SPD_OK;
    }
    return status;
}

void lasso_dictionary_free(lasso_dictionary *d)
{
    mem_free(d->inverse);
    mem_free(d->spread);
    *d = (lasso_dictionary){0};
}
