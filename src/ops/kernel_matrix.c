/* kernel_matrix.c - kernel matrices between sets.
 *
 *   Stein          exp(-beta d2_S), positive definite for all data only for beta in
 *                  {1/2, 1, ..., (n-1)/2} and beta > (n-1)/2              (math.md, eq. 10);
 *                  of Hermitian n x n matrices {1, 2, ..., n-1} and beta > n-1
 *   log-Euclidean  tr(log X log Y), the dot product of prepared samples (flat.h)  */
#include <cblas.h>
#include <math.h>

#include "ops/pairwise.h"
#include "run/parallel.h"
#include "sets/job.h"

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

static spd_status stein_kernel(spd_context *ctx, double beta, const spd_set *X, const spd_set *Y,
                               double *K)
{
    if (!(beta > 0.0) || !isfinite(beta))
        return ctx_fail(ctx, SPD_EINVAL, "beta is %g: give a number above zero", beta);
    spd_status status = spd_pairwise2(ctx, SPD_METRIC_STEIN, X, Y, K);
    if (status < 0)
        return status;
    kernel_job j = {.beta = beta, .p = X->p, .q = Y ? Y->p : X->p, .K = K};
    const engine_table *there = engine_of(X);
    status = there ? there->exponentials(ctx, X, beta, j.p * j.q, K) : run_rows(ctx, &j, exp_chunk);
    double step = X->hermitian ? 1.0 : 0.5, steps = beta / step;
    size_t rows = X->hermitian ? X->n / 2 : X->n;
    if (status < 0 || steps > (double)rows - 1.0 || (steps >= 1.0 && steps == floor(steps)))
        return status;
    return ctx_fail(ctx, SPD_NOT_DEFINITE,
                    "exp(-%g d2) is not positive definite for all data: that needs beta in "
                    "{%s, ..., %g} or above",
                    beta, X->hermitian ? "1, 2" : "1/2, 1", step * ((double)rows - 1.0));
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

static spd_status products_here(spd_context *ctx, const set_job *of)
{
    const metric *m = metric_get(SPD_METRIC_LOG_EUCLIDEAN);
    const double *Y = of->Y ? set_doubles(of->Y) : NULL;
    size_t n = of->X->n, p = of->X->p, q = of->Y ? of->Y->p : p;
    arena room = {0};
    kernel_job j = {.size = m->size(n), .p = p, .q = q, .K = of->out[0]};
    spd_status status =
        prepare_both(ctx, m, n, p, set_doubles(of->X), q, Y, "Y", &room, &j.F, &j.G);
    if (status == SPD_OK)
        status = run_rows(ctx, &j, product_chunk);
    arena_free(&room);
    return status;
}

static spd_status log_euclidean_kernel(spd_context *ctx, const spd_set *X, const spd_set *Y,
                                       double *K)
{
    const set_job j = {.of = OPERATION_PRODUCTS,
                       .task = "kernel",
                       .unit = "pairs",
                       .X = X,
                       .Y = Y,
                       .metric = SPD_METRIC_LOG_EUCLIDEAN,
                       .out = {K},
                       .bytes = {X->p * (Y ? Y->p : X->p) * sizeof *K},
                       .share = set_share(X),
                       .here = products_here};
    return job_run(ctx, &j);
}

spd_status spd_kernel(spd_context *ctx, spd_kernel_kind kind, double beta, const spd_set *given,
                      const spd_set *with, double *K)
{
    spd_set X, Y;
    const spd_set *second = NULL;
    ctx_clear(ctx);
    spd_status status = set_take(ctx, "X", given, &X);
    if (status == SPD_OK)
        status = set_take_second(ctx, "Y", with, &X, &Y, &second);
    if (status == SPD_OK && !K)
        status = ctx_fail(ctx, SPD_EINVAL, "the output array for the kernel is missing");
    if (status < 0)
        return status;
    switch (kind) {
    case SPD_KERNEL_STEIN:
        return stein_kernel(ctx, beta, &X, second, K);
    case SPD_KERNEL_LOG_EUCLIDEAN:
        return log_euclidean_kernel(ctx, &X, second, K);
    default:
        return ctx_fail(ctx, SPD_EINVAL, "unknown kernel");
    }
}
