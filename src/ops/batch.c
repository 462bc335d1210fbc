/* batch.c - Cholesky factors, log-determinants, inverses and congruences of sets of matrices.
 *
 * Results go to a block of their own first, so that a fault leaves the caller's arrays as they
 * were, and so that output and input may be the same array. */
#include "ops/batch.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "sets/blocks.h"
#include "ops/fault.h"
#include "ops/scale.h"
#include "linalg/definite.h"

spd_status batch_take(spd_context *ctx, const spd_set *given, const double *out, spd_set *X)
{
    ctx_clear(ctx);
    spd_status status = set_take(ctx, "X", given, X);
    if (status == SPD_OK && !out)
        status = ctx_fail(ctx, SPD_EINVAL, "the output array is missing");
    return status;
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

/* A function of SPD matrices. */
typedef struct spd_batch {
    const char *task;
    batch_body body;
    size_t (*work)(size_t n);
    int matrices; /* results are n x n; else numbers */
} spd_batch;

static spd_status spd_batch_here(spd_context *ctx, const set_job *j)
{
    const spd_batch *o = j->user;
    size_t n = j->X->n;
    batch b = {.k = kernels_get(), .n = n, .p = j->X->p, .X = set_doubles(j->X), .task = o->task};
    b.each = o->matrices ? n * n : 1;
    return run_and_copy(ctx, &b, o->body, o->work(n), j->out[0]);
}

static spd_status run_on_spd(spd_context *ctx, const spd_set *given, const spd_batch *o,
                             double *out)
{
    spd_set X;
    spd_status status = batch_take(ctx, given, out, &X);
    if (status < 0)
        return status;
    const set_job j = {.X = &X,
                       .out = {out},
                       .bytes = {X.p * (o->matrices ? X.n * X.n : 1) * sizeof *out},
                       .share = o->matrices ? 0.0 : set_share(&X),
                       .here = spd_batch_here,
                       .user = o};
    return job_run(ctx, &j);
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

spd_status spd_cholesky(spd_context *ctx, const spd_set *X, double *L)
{
    static const spd_batch o = {"factors", cholesky_body, cholesky_work, 1};
    return run_on_spd(ctx, X, &o, L);
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

spd_status spd_logdet(spd_context *ctx, const spd_set *X, double *logdet)
{
    static const spd_batch o = {"determinants", logdet_body, logdet_work, 0};
    return run_on_spd(ctx, X, &o, logdet);
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

spd_status spd_inverse(spd_context *ctx, const spd_set *X, double *Xinv)
{
    static const spd_batch o = {"inverses", inverse_body, cholesky_work, 1};
    return run_on_spd(ctx, X, &o, Xinv);
}

/* ---- congruence --------------------------------------------------------------------------- */

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

static spd_status congruences_here(spd_context *ctx, size_t n, size_t m, size_t p, const double *X,
                                   const double *W, double *S)
{
    double *padded = mem_zero(n, PASS_LD(m) * sizeof *padded);
    if (!padded)
        return ctx_nomem(ctx, "W");
    for (size_t r = 0; r < n; r++)
        memcpy(padded + r * PASS_LD(m), W + r * m, m * sizeof *padded);
    batch b = {.k = kernels_get(), .n = n, .p = p, .X = X, .W = padded, .m = m, .each = m * m};
    b.task = "projection";
    b.shared = 1;
    /* Y = X W and S = W' Y, both with padded columns */
    spd_status status = run_and_copy(ctx, &b, congruence_body, (n + m) * PASS_LD(m), S);
    mem_free(padded);
    return status;
}

/* W'XW of what does not lie in memory as float64, block by block. */
typedef struct congruence_job {
    size_t m;
    const double *W;
    double *S;
} congruence_job;

static spd_status congruence_block(spd_context *ctx, void *user, size_t first, size_t count,
                                   size_t n, const double *X)
{
    const congruence_job *c = user;
    spd_status status = congruences_here(ctx, n, c->m, count, X, c->W, c->S + first * c->m * c->m);
    if (status < 0 && ctx && ctx->error.index < count)
        fault_renumber(ctx, first);
    return status;
}

static spd_status congruence_here(spd_context *ctx, const set_job *j)
{
    const spd_set *X = j->X;
    congruence_job c = {j->m, j->W, NULL};
    if (set_doubles(X))
        return congruences_here(ctx, X->n, j->m, X->p, set_doubles(X), j->W, j->out[0]);
    if (!(c.S = mem_alloc(X->p, j->m * j->m * sizeof *c.S)))
        return ctx_nomem(ctx, "projection");
    spd_status status = blocks_run(ctx, X, "projection", congruence_block, &c);
    if (status == SPD_OK)
        memcpy(j->out[0], c.S, j->bytes[0]);
    mem_free(c.S);
    return set_locate(ctx, X, status);
}

spd_status spd_congruence(spd_context *ctx, const spd_set *given, size_t m, const double *W,
                          double *S)
{
    spd_set X;
    spd_status status = batch_take(ctx, given, S, &X);
    if (status == SPD_OK && (!W || m == 0 || m > X.n))
        status =
            ctx_fail(ctx, SPD_EINVAL, "W needs between 1 and %zu columns, not %zu", X.n, W ? m : 0);
    if (status < 0)
        return status;
    const set_job j = {.task = "projection",
                       .unit = "matrices",
                       .X = &X,
                       .W = W,
                       .m = m,
                       .out = {S},
                       .bytes = {X.p * m * m * sizeof *S},
                       .streams = 1,
                       .here = congruence_here};
    return job_run(ctx, &j);
}
