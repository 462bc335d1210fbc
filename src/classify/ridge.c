/* ridge.c - kernel ridge regression through the eigenvectors of the centred kernel. */
#include "classify/ridge.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "classify/values.h"
#include "linalg/dense.h"
#include "linalg/tall.h"
#include "run/blas.h"

/* The factor lies between one over this and this. */
#define SHARPEST 1e4

/* ---- the decomposition ----------------------------------------------------------------------- */

static spd_status decompose(spd_context *ctx, ridge *r)
{
    arena room = {0};
    double *work = arena_alloc(&room, dense_eigh_work(r->p), sizeof *work);
    spd_status status = arena_status(&room, ctx, "the eigenvectors of the kernel");
    if (status == SPD_OK && dense_eigh(r->p, 1, r->V, r->s, work))
        status = ctx_fail(ctx, SPD_ENUMERIC, "the eigenvalues of the kernel did not converge");
    for (size_t k = 0; status == SPD_OK && k < r->p; k++)
        r->s[k] = fmax(r->s[k], 0.0);
    arena_free(&room);
    return status;
}

/* Y (p x count) <- one-hot, its columns centred. */
static void one_hot(const ridge *r, double *Y)
{
    size_t count = r->of->count;
    for (size_t i = 0; i < r->p; i++)
        for (size_t c = 0; c < count; c++)
            Y[i * count + c] =
                (r->at[i] == c ? 1.0 : 0.0) - (double)class_size(r->of, c) / (double)r->p;
}

static void number_samples(ridge *r)
{
    for (size_t c = 0; c < r->of->count; c++)
        for (size_t k = r->of->first[c]; k < r->of->first[c + 1]; k++)
            r->at[r->of->order[k]] = c;
}

spd_status ridge_open(spd_context *ctx, size_t p, const classes *of, double *K, arena *keep,
                      ridge *r)
{
    size_t count = of->count;
    *r = (ridge){.p = p,
                 .of = of,
                 .V = K,
                 .at = arena_alloc(keep, p, sizeof *r->at),
                 .s = arena_alloc(keep, p, sizeof *r->s),
                 .mean = arena_alloc(keep, p, sizeof *r->mean),
                 .F = arena_alloc(keep, p, count * sizeof *r->F),
                 .work = arena_alloc(keep, p, count * sizeof *r->work)};
    spd_status status = arena_status(keep, ctx, "kernel ridge regression");
    if (status < 0)
        return status;
    number_samples(r);
    values_centre(p, K, r->mean);
    spd_private_blas_hold();
    status = decompose(ctx, r);
    if (status == SPD_OK) {
        one_hot(r, r->work);
        dense_trans_product(p, count, p, r->V, r->work, 0.0, r->F);
    }
    spd_private_blas_release();
    return status;
}

/* ---- predictions ----------------------------------------------------------------------------- */

/* d_i, the share of itself that sample i does not predict. */
static double left_share(const ridge *r, double lambda, size_t i)
{
    const double *v = r->V + i * r->p;
    double sum = -1.0 / (double)r->p;
    for (size_t k = 0; k < r->p; k++)
        sum += v[k] * v[k] * lambda / (r->s[k] + lambda);
    return fmax(sum, DBL_EPSILON);
}

/* Row k of work <- row k of F times f(k). */
static void scale_rows(const ridge *r, double lambda, int residuals)
{
    size_t count = r->of->count;
    double least = DBL_EPSILON * (double)r->p * r->s[r->p - 1];
    for (size_t k = 0; k < r->p; k++) {
        double factor = residuals         ? lambda / (r->s[k] + lambda)
                        : r->s[k] > least ? 1.0 / (r->s[k] + lambda)
                                          : 0.0;
        for (size_t c = 0; c < count; c++)
            r->work[k * count + c] = factor * r->F[k * count + c];
    }
}

/* The class with the largest score, ties by lower number. */
static size_t largest(size_t count, const double *score)
{
    size_t best = 0;
    for (size_t c = 1; c < count; c++)
        if (score[c] > score[best])
            best = c;
    return best;
}

ridge_quality ridge_leave_one_out(const ridge *r, double lambda, double *left)
{
    size_t count = r->of->count;
    ridge_quality q = {0, 0.0};
    scale_rows(r, lambda, 1);
    spd_private_blas_hold();
    tall_product(r->p, r->p, count, r->V, r->work, left);
    spd_private_blas_release();
    for (size_t i = 0; i < r->p; i++) {
        double share = left_share(r, lambda, i), *row = left + i * count;
        for (size_t c = 0; c < count; c++) {
            double residual = row[c] / share;
            q.error += residual * residual;
            row[c] = (r->at[i] == c ? 1.0 : 0.0) - residual;
        }
        q.right += largest(count, row) == r->at[i];
    }
    return q;
}

int ridge_is_better(ridge_quality a, ridge_quality b)
{
    return a.right > b.right || (a.right == b.right && a.error < b.error);
}

void ridge_solve(const ridge *r, double lambda, double *A, double *b)
{
    size_t count = r->of->count;
    scale_rows(r, lambda, 0);
    spd_private_blas_hold();
    tall_product(r->p, r->p, count, r->V, r->work, A);
    spd_private_blas_release();
    for (size_t c = 0; c < count; c++)
        b[c] = (double)class_size(r->of, c) / (double)r->p;
    for (size_t i = 0; i < r->p; i++)
        for (size_t c = 0; c < count; c++)
            b[c] -= r->mean[i] * A[i * count + c];
}

/* ---- probabilities --------------------------------------------------------------------------- */

/* The derivative of the logarithm of the likelihood by the factor, of one sample. */
static double slope_of(size_t count, size_t own, double miss, const double *score, double factor)
{
    double most = score[largest(count, score)], sum = 0.0, expected = 0.0, wanted = 0.0;
    for (size_t c = 0; c < count; c++) {
        double share = exp(factor * (score[c] - most));
        sum += share;
        expected += share * score[c];
        wanted += (c == own ? 1.0 - miss : miss / (double)(count - 1)) * score[c];
    }
    return wanted - expected / sum;
}

double ridge_sharpness(const ridge *r, const double *left)
{
    size_t count = r->of->count;
    double low = -log(SHARPEST), high = log(SHARPEST), miss = 1.0 / ((double)r->p + 2.0);
    if (count < 2)
        return 1.0;
    for (int step = 0; step < 50; step++) { /* the slope falls with the factor */
        double middle = 0.5 * (low + high), slope = 0.0;
        for (size_t i = 0; i < r->p; i++)
            slope += slope_of(count, r->at[i], miss, left + i * count, exp(middle));
        *(slope > 0.0 ? &low : &high) = middle;
    }
    return exp(0.5 * (low + high));
}
