/* batch.c - Cholesky factors, log-determinants, inverses and congruences of sets of matrices.
 *
 * Results go to a block of their own first, so that a fault leaves the caller's arrays as they
 * were, and so that output and input may be the same array. */
#include "engine/batch.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "engine/blocks.h"
#include "engine/cuda_sets.h"
#include "engine/fault.h"
#include "engine/scale.h"
#include "linalg/definite.h"

spd_status batch_arguments(spd_context *ctx, size_t n, size_t p, const double *X, const double *out)
{
    if (n == 0 || p == 0 || !X)
        return ctx_fail(ctx, SPD_EINVAL, "no matrices given: X is empty");
    if (!out)
        return ctx_fail(ctx, SPD_EINVAL, "the output array is missing");
    return SPD_OK;
}

spd_status batch_run(spd_context *ctx, batch *b, batch_body body, size_t work, size_t *bad)
{
    octet_loop loop = {b->p, work, body, b, b->task};
    b->result = mem_alloc(b->p, b->each * sizeof *b->result);
    if (!b->result)
        return ctx_nomem(ctx, b->task);
    return b->shared ? octets_share(ctx, &loop, bad) : octets_run(ctx, &loop, bad);
}

/* Why X[i] has no result. */
static spd_status explain(spd_context *ctx, const batch *b, size_t i)
{
    const double *X = b->X + i * b->n * b->n;
    if (b->W && isfinite(scale_largest(b->n * b->n, X)))
        return ctx_fail_at(ctx, SPD_ENUMERIC, i, 0.0,
                           "W'XW for X[%zu] leaves the range of numbers: its entries are up to "
                           "%.2g, those of W up to %.2g",
                           i, scale_largest(b->n * b->n, X),
                           scale_largest(b->n * PASS_LD(b->m), b->W));
    return fault_matrix(ctx, b->n, X, "X", i);
}

/* Runs body, and copies the results to out when all is well; else says what is wrong with which
 * sample of X. */
static spd_status run_and_copy(spd_context *ctx, batch *b, batch_body body, size_t work,
                               double *out)
{
    size_t bad = SPD_NO_INDEX;
    spd_status status = batch_run(ctx, b, body, work, &bad);
    if (status == SPD_ENUMERIC)
        status = explain(ctx, b, bad);
    if (b->shared && b->result) {
        status = ranks_settle(ctx, status);
        if (status == SPD_OK)
            octets_collect(ctx, b->p, b->each, b->result);
    }
    if (status == SPD_OK && b->result)
        memcpy(out, b->result, b->p * b->each * sizeof *out);
    mem_free(b->result);
    return status;
}

/* A public function of SPD matrices with `each` doubles of result. */
static spd_status run_on_spd(spd_context *ctx, size_t n, size_t p, const double *X, size_t each,
                             const char *task, batch_body body, size_t work, double *out)
{
    ctx_clear(ctx);
    spd_status status = batch_arguments(ctx, n, p, X, out);
    if (status < 0)
        return status;
    batch b = {.k = kernels_get(), .n = n, .p = p, .X = X, .each = each, .task = task};
    return run_and_copy(ctx, &b, body, work, out);
}

/* ---- Cholesky ----------------------------------------------------------------------------- */

/* L (n x n, zeros above the diagonal) <- packed triangle. */
static void unfold_lower(size_t n, const double *packed, double *L)
{
    memset(L, 0, n * n * sizeof *L);
    for (size_t r = 0; r < n; r++)
        memcpy(L + r * n, packed + TRI(r), (r + 1) * sizeof *L);
}

/* Both octets' triangles, that of a factor and another: the inverse takes the same. */
static size_t cholesky_work(size_t n)
{
    return (BATCH_OCTETS + 2) * TRI(n) * LANES;
}

static unsigned cholesky_body(void *user, size_t first, size_t count, double *work)
{
    const batch *b = user;
    size_t n = b->n, used = octets_pack(b->k, n, first, count, b->X, work);
    double *L = work + BATCH_OCTETS * TRI(n) * LANES, *apart = L + TRI(n) * LANES, *out[LANES];
    unsigned bad[BATCH_OCTETS];
    for (size_t l = 0; l < LANES; l++)
        out[l] = apart + l * TRI(n);
    for (size_t g = 0; g < used; g++) {
        bad[g] = definite_chol(b->k, n, work + g * TRI(n) * LANES, L, NULL, apart);
        b->k->split(TRI(n), LANES, L, out);
        for (size_t i = g * LANES; i < count && i < (g + 1) * LANES; i++)
            unfold_lower(n, out[i - g * LANES], b->result + (first + i) * n * n);
    }
    return octets_mask(used, bad, count);
}

spd_status spd_cholesky(spd_context *ctx, size_t n, size_t p, const double *X, double *L)
{
    return run_on_spd(ctx, n, p, X, n * n, "factors", cholesky_body, cholesky_work(n), L);
}

/* ---- log-determinant ---------------------------------------------------------------------- */

static size_t logdet_work(size_t n)
{
    return ((BATCH_OCTETS + 2) * TRI(n) + 1) * LANES;
}

static unsigned logdet_body(void *user, size_t first, size_t count, double *work)
{
    const batch *b = user;
    size_t n = b->n, used = octets_pack(b->k, n, first, count, b->X, work);
    double *L = work + BATCH_OCTETS * TRI(n) * LANES, *scratch = L + TRI(n) * LANES;
    double *logdet = scratch + TRI(n) * LANES;
    unsigned bad[BATCH_OCTETS];
    for (size_t g = 0; g < used; g++) {
        size_t lanes = count - g * LANES < LANES ? count - g * LANES : LANES;
        bad[g] = definite_chol(b->k, n, work + g * TRI(n) * LANES, L, logdet, scratch);
        memcpy(b->result + first + g * LANES, logdet, lanes * sizeof *logdet);
    }
    return octets_mask(used, bad, count);
}

spd_status spd_logdet(spd_context *ctx, size_t n, size_t p, const double *X, double *logdet)
{
    return run_on_spd(ctx, n, p, X, 1, "determinants", logdet_body, logdet_work(n), logdet);
}

/* ---- inverse ------------------------------------------------------------------------------ */

static unsigned inverse_body(void *user, size_t first, size_t count, double *work)
{
    const batch *b = user;
    size_t n = b->n, used = octets_pack(b->k, n, first, count, b->X, work);
    double *L = work + BATCH_OCTETS * TRI(n) * LANES, *Linv = L + TRI(n) * LANES;
    unsigned bad[BATCH_OCTETS];
    for (size_t g = 0; g < used; g++) {
        double *A = work + g * TRI(n) * LANES;
        bad[g] = definite_chol(b->k, n, A, L, NULL, Linv);
        b->k->tri_inverse(n, L, Linv);
        b->k->tri_gram(n, Linv, A);
        for (size_t e = 0; e < TRI(n) * LANES; e++)
            bad[g] |= isfinite(A[e]) ? 0u : 1u << (e % LANES);
    }
    octets_unpack(b->k, n, first, count, work, b->result);
    return octets_mask(used, bad, count);
}

spd_status spd_inverse(spd_context *ctx, size_t n, size_t p, const double *X, double *Xinv)
{
    return run_on_spd(ctx, n, p, X, n * n, "inverses", inverse_body, cholesky_work(n), Xinv);
}

/* ---- congruence --------------------------------------------------------------------------- */

/* Y = X W and S = W' Y, both with padded columns. */
static size_t congruence_work(size_t n, size_t m)
{
    return (n + m) * PASS_LD(m);
}

static unsigned congruence_body(void *user, size_t first, size_t count, double *work)
{
    const batch *b = user;
    size_t n = b->n, m = b->m, ld = PASS_LD(m);
    double *Y = work, *S = work + n * ld;
    unsigned bad = 0;
    for (size_t i = first; i < first + count; i++) {
        const double *X = b->X + i * n * n, *next = i + 1 < b->p ? X + n * n : X;
        double *out = b->result + i * m * m;
        b->k->product(n, n, m, X, n, 1, b->W, Y, next);
        b->k->product(m, n, m, b->W, 1, ld, Y, S, b->W);
        for (size_t r = 0; r < m; r++)
            for (size_t c = 0; c <= r; c++)
                out[r * m + c] = out[c * m + r] = 0.5 * (S[r * ld + c] + S[c * ld + r]);
        if (!isfinite(scale_largest(m * m, out)))
            bad |= 1u << (i - first);
    }
    return bad;
}

/* A copy of W (n x m) with its rows padded by zeros; NULL when out of memory. */
static double *pad_columns(size_t n, size_t m, const double *W)
{
    double *padded = mem_zero(n, PASS_LD(m) * sizeof *padded);
    for (size_t r = 0; padded && r < n; r++)
        memcpy(padded + r * PASS_LD(m), W + r * m, m * sizeof *padded);
    return padded;
}

static spd_status congruences_here(spd_context *ctx, size_t n, size_t m, size_t p, const double *X,
                                   const double *W, double *S)
{
    double *padded = pad_columns(n, m, W);
    if (!padded)
        return ctx_nomem(ctx, "W");
    batch b = {.k = kernels_get(), .n = n, .p = p, .X = X, .W = padded, .m = m, .each = m * m};
    b.task = "projection";
    b.shared = 1;
    spd_status status = run_and_copy(ctx, &b, congruence_body, congruence_work(n, m), S);
    mem_free(padded);
    return status;
}

static spd_status congruence_arguments(spd_context *ctx, size_t n, size_t m, size_t p,
                                       const double *X, const double *W, const double *S)
{
    ctx_clear(ctx);
    spd_status status = batch_arguments(ctx, n, p, X, S);
    if (status == SPD_OK && (!W || m == 0 || m > n))
        return ctx_fail(ctx, SPD_EINVAL, "W needs between 1 and %zu columns, not %zu", n,
                        W ? m : 0);
    return status;
}

spd_status spd_congruence(spd_context *ctx, size_t n, size_t m, size_t p, const double *X,
                          const double *W, double *S)
{
    int done = 0;
    spd_status status = congruence_arguments(ctx, n, m, p, X, W, S);
    if (status == SPD_OK)
        status = cuda_congruence(ctx, n, m, p, X, W, S, &done);
    return status < 0 || done ? status : congruences_here(ctx, n, m, p, X, W, S);
}

/* W'XW of a store, block by block; on the GPU only where all of it is one block. */
typedef struct congruence_job {
    size_t p, m;
    const double *W;
    double *S;
} congruence_job;

static spd_status congruence_block(spd_context *ctx, void *user, size_t first, size_t count,
                                   size_t n, const double *X)
{
    const congruence_job *j = user;
    double *S = j->S + first * j->m * j->m;
    spd_status status = congruence_arguments(ctx, n, j->m, count, X, j->W, S);
    if (status == SPD_OK)
        status = count == j->p ? spd_congruence(ctx, n, j->m, count, X, j->W, S)
                               : congruences_here(ctx, n, j->m, count, X, j->W, S);
    if (status < 0 && ctx && ctx->error.index < count)
        fault_renumber(ctx, first);
    return status;
}

spd_status spd_congruence_store(spd_context *ctx, const spd_store *store, size_t m, const double *W,
                                double *S)
{
    congruence_job j = {store ? store->p : 0, m, W, NULL};
    ctx_clear(ctx);
    if (!store || !S)
        return ctx_fail(ctx, SPD_EINVAL, "the matrices or the output array are missing");
    if (!(j.S = mem_alloc(store->p, m * m * sizeof *S)))
        return ctx_nomem(ctx, "projection");
    spd_status status = blocks_run(ctx, store, "projection", congruence_block, &j);
    if (status == SPD_OK)
        memcpy(S, j.S, store->p * m * m * sizeof *S);
    mem_free(j.S);
    return store_locate(ctx, store, status);
}
