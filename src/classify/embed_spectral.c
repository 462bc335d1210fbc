/* embed_spectral.c - coordinates from eigenvectors.
 *
 * Bottom. The null vectors of M that are known beforehand (the constant, and one more for each
 * further component of the graph) are lifted above the rest of the spectrum, M <- M + s Z'Z with s
 * twice a bound of M's eigenvalues, so that what is asked for are simply the first eigenvectors:
 * they cannot be mixed with the null space, however small their eigenvalues are.
 *
 * Top. Y = V sqrt(lambda) for the largest eigenvalues: classical scaling. */
#include <math.h>
#include <string.h>

#include "classify/embed.h"
#include "classify/values.h"
#include "run/parallel.h"
#include "linalg/dense.h"

/* ---- known null vectors ---------------------------------------------------------------------- */

static double weight_of(const double *weight, size_t i)
{
    return weight ? weight[i] : 1.0;
}

/* M <- M + s Z'Z */
static void lift(size_t p, size_t count, const double *Z, double *M)
{
    double bound = values_row_sum(p, M);
    double s = bound > 0.0 ? 2.0 * bound : 1.0;
    for (size_t c = 0; c < count; c++)
        for (size_t i = 0; i < p; i++)
            for (size_t j = 0; j < p; j++)
                M[i * p + j] += s * Z[c * p + i] * Z[c * p + j];
}

/* ---- bottom ---------------------------------------------------------------------------------- */

/* A loop of one chunk: BLAS is held to one thread there. */
typedef struct eigen_job {
    size_t p, first, count;
    double *M, *lambda, *V, *work; /* V NULL: all eigenvalues alone */
} eigen_job;

static spd_status eigen_body(void *user, size_t chunk, int thread)
{
    eigen_job *j = user;
    (void)chunk;
    (void)thread;
    int bad = j->V ? dense_eigh_some(j->p, j->first, j->count, j->M, j->lambda, j->V, j->work)
                   : dense_eigh(j->p, 0, j->M, j->lambda, j->work);
    return bad ? SPD_ENUMERIC : SPD_OK;
}

/* lambda (count), V (count x p) <- eigenvalues first .. and eigenvectors of M (p x p, destroyed). V
 * NULL: all p eigenvalues alone. */
static spd_status eigenvectors(spd_context *ctx, size_t p, size_t first, size_t count, double *M,
                               double *lambda, double *V)
{
    arena room = {0};
    eigen_job j = {.p = p, .first = first, .count = count, .M = M, .lambda = lambda, .V = V};
    j.work = arena_alloc(&room, V ? dense_eigh_some_work(p) : dense_eigh_work(p), sizeof *j.work);
    if (!j.work)
        return ctx_nomem(ctx, "eigenvectors");
    spd_status status = parallel_for(ctx, 1, eigen_body, &j, NULL, NULL, 0.0, NULL);
    arena_free(&room);
    if (status == SPD_ENUMERIC)
        return ctx_fail(ctx, status, "the eigenvalues of the embedding did not converge");
    return status;
}

/* Y (p x d) <- rows of V (d x p), divided by the root of the weight, weighted mean square 1. */
static void spread_out(size_t p, size_t d, const double *V, const double *weight, double *Y)
{
    double total = 0.0;
    for (size_t i = 0; i < p; i++)
        total += weight_of(weight, i);
    for (size_t i = 0; i < p; i++)
        for (size_t c = 0; c < d; c++)
            Y[i * d + c] = V[c * p + i] * sqrt(total / weight_of(weight, i));
}

spd_status spectral_bottom(spd_context *ctx, size_t p, double *M, const double *weight,
                           size_t known, double *Z, size_t d, double *Y, double *lambda)
{
    size_t given = known - 1 < d ? known - 1 : d; /* columns that Z gives */
    arena room = {0};
    double *V = arena_alloc(&room, d, p * sizeof *V);
    if (!V)
        return ctx_nomem(ctx, "eigenvectors");
    values_orthonormal(known, p, Z);
    memcpy(V, Z + p, given * p * sizeof *V);
    memset(lambda, 0, given * sizeof *lambda);
    lift(p, known, Z, M);
    spd_status status = SPD_OK;
    if (given < d)
        status = eigenvectors(ctx, p, 0, d - given, M, lambda + given, V + given * p);
    if (status == SPD_OK) {
        spread_out(p, d, V, weight, Y);
        spectral_signs(p, d, Y);
    }
    arena_free(&room);
    return status;
}

void spectral_signs(size_t p, size_t d, double *Y)
{
    for (size_t c = 0; c < d; c++) {
        double largest = 0.0;
        for (size_t i = 0; i < p; i++)
            if (fabs(Y[i * d + c]) > fabs(largest))
                largest = Y[i * d + c];
        for (size_t i = 0; i < p && largest < 0.0; i++)
            Y[i * d + c] = -Y[i * d + c];
    }
}

/* ---- top ------------------------------------------------------------------------------------- */

spd_status spectral_top(spd_context *ctx, size_t p, double *B, size_t d, double *Y, double *lambda,
                        double *explained)
{
    arena room = {0};
    double *V = arena_alloc(&room, d, p * sizeof *V), *A = arena_alloc(&room, p, p * sizeof *A);
    double *every = arena_alloc(&room, p, sizeof *every), all = 0.0, share = 0.0;
    spd_status status = arena_status(&room, ctx, "eigenvectors");
    if (status == SPD_OK) {
        memcpy(A, B, p * p * sizeof *A);
        status = eigenvectors(ctx, p, 0, p, A, every, NULL);
    }
    for (size_t i = 0; i < p && status == SPD_OK; i++)
        all += fmax(every[i], 0.0);
    if (status == SPD_OK)
        status = eigenvectors(ctx, p, p - d, d, B, lambda, V);
    for (size_t c = 0; c < d && status == SPD_OK; c++) { /* they come in ascending order */
        double value = fmax(lambda[d - 1 - c], 0.0);
        share += value;
        for (size_t i = 0; i < p; i++)
            Y[i * d + c] = sqrt(value) * V[(d - 1 - c) * p + i];
    }
    for (size_t c = 0; c < d / 2 && status == SPD_OK; c++) {
        double value = lambda[c];
        lambda[c] = lambda[d - 1 - c];
        lambda[d - 1 - c] = value;
    }
    if (status == SPD_OK)
        spectral_signs(p, d, Y);
    *explained = all > 0.0 ? fmin(share / all, 1.0) : 1.0;
    arena_free(&room);
    return status;
}
