/* kernel_matrix.c - kernel matrices between sets.
 *
 *   Stein          exp(-beta d2_S), positive definite for all data only for beta in
 *                  {1/2, 1, ..., (n-1)/2} and beta > (n-1)/2              (math.md, eq. 10)
 *   log-Euclidean  tr(log X log Y), the dot product of prepared samples (flat.h)  */
#include <cblas.h>
#include <math.h>

#include "engine/cuda_sets.h"
#include "engine/pairwise.h"
#include "engine/parallel.h"

/* Rows of a chunk: enough for BLAS to run at speed. */
#define ROWS 64

typedef struct kernel_job {
    double beta;
    size_t size, p, q;   /* size: doubles of a prepared sample */
    const double *F, *G; /* p x size, q x size; the same for one set */
    double *K;           /* p x q */
} kernel_job;

static size_t chunk_rows(const kernel_job *j, size_t first)
{
    return j->p - first < ROWS ? j->p - first : ROWS;
}

/* All chunks, without progress: nothing may stop between the first entry written and the last. */
static spd_status run_rows(spd_context *ctx, kernel_job *j, parallel_body body)
{
    return parallel_for(ctx, (j->p + ROWS - 1) / ROWS, body, j, NULL, NULL, 0.0, NULL);
}

/* ---- Stein -------------------------------------------------------------------------------- */

static spd_status exp_chunk(void *user, size_t chunk, int thread)
{
    kernel_job *j = user;
    size_t first = chunk * ROWS, count = chunk_rows(j, first) * j->q;
    double *K = j->K + first * j->q;
    (void)thread;
    for (size_t e = 0; e < count; e++)
        K[e] = exp(-j->beta * K[e]);
    return SPD_OK;
}

static int is_definite(double beta, size_t n)
{
    double twice = 2.0 * beta, limit = (double)n - 1.0;
    return twice > limit || (twice >= 1.0 && twice == floor(twice));
}

static spd_status stein_kernel(spd_context *ctx, double beta, size_t n, size_t p, const double *X,
                               size_t q, const double *Y, double *K)
{
    if (!(beta > 0.0) || !isfinite(beta))
        return ctx_fail(ctx, SPD_EINVAL, "beta is %g: give a number above zero", beta);
    spd_status status = spd_pairwise2(ctx, SPD_STEIN, n, p, X, q, Y, K);
    if (status < 0)
        return status;
    kernel_job j = {.beta = beta, .p = p, .q = Y ? q : p, .K = K};
    status = ctx && ctx->place ? cuda_exponentials(ctx, beta, j.p * j.q, K)
                               : run_rows(ctx, &j, exp_chunk);
    if (status < 0)
        return status;
    if (is_definite(beta, n))
        return SPD_OK;
    return ctx_fail(ctx, SPD_NOT_DEFINITE,
                    "exp(-%g d2) is not positive definite for all data: that needs beta in "
                    "{1/2, 1, ..., %g} or above",
                    beta, 0.5 * ((double)n - 1.0));
}

/* ---- log-Euclidean ------------------------------------------------------------------------ */

/* Rows of K = F G'; within one set only from the diagonal block on, mirrored to the columns. */
static spd_status product_chunk(void *user, size_t chunk, int thread)
{
    kernel_job *j = user;
    size_t first = chunk * ROWS, rows = chunk_rows(j, first);
    size_t from = j->F == j->G ? first : 0;
    int size = (int)j->size;
    (void)thread;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, (int)(j->q - from), size, 1.0,
                j->F + first * j->size, size, j->G + from * j->size, size, 0.0,
                j->K + first * j->q + from, (int)j->q);
    if (j->F == j->G)
        for (size_t r = first; r < first + rows; r++)
            for (size_t c = r + 1; c < j->q; c++)
                j->K[c * j->q + r] = j->K[r * j->q + c];
    return SPD_OK;
}

static spd_status log_euclidean_kernel(spd_context *ctx, size_t n, size_t p, const double *X,
                                       size_t q, const double *Y, double *K)
{
    const metric *m = metric_get(SPD_LOG_EUCLIDEAN);
    arena room = {0};
    kernel_job j = {.size = m->size(n), .p = p, .q = Y ? q : p, .K = K};
    int done = 0;
    spd_status status = cuda_log_products(ctx, n, p, X, q, Y, K, &done);
    if (status < 0 || done)
        return status;
    status = prepare_both(ctx, m, n, p, X, q, Y, "Y", &room, &j.F, &j.G);
    if (status == SPD_OK)
        status = run_rows(ctx, &j, product_chunk);
    arena_free(&room);
    return status;
}

spd_status spd_kernel(spd_context *ctx, spd_kernel_kind kind, double beta, size_t n, size_t p,
                      const double *X, size_t q, const double *Y, double *K)
{
    ctx_clear(ctx);
    if (n == 0 || p == 0 || !X || (Y && q == 0))
        return ctx_fail(ctx, SPD_EINVAL, "an empty set of matrices has no kernel");
    if (!K)
        return ctx_fail(ctx, SPD_EINVAL, "the output array for the kernel is missing");
    switch (kind) {
    case SPD_KERNEL_STEIN:
        return stein_kernel(ctx, beta, n, p, X, q, Y, K);
    case SPD_KERNEL_LOG_EUCLIDEAN:
        return log_euclidean_kernel(ctx, n, p, X, q, Y, K);
    default:
        return ctx_fail(ctx, SPD_EINVAL, "unknown kernel");
    }
}
