/* spectral.c - eigenvalues, the generalised problem and functions of sets of matrices.
 *
 *   X v = lambda Y v,  Y = L L':  C = L^-1 X L^-T = Z diag(lambda) Z',  V = L'^-1 Z
 *
 * Small matrices run interleaved, large ones through LAPACK (dense.h). */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/stop.h"
#include "ops/batch.h"
#include "run/blas.h"
#include "ops/fault.h"
#include "ops/scale.h"
#include "geometry/spdfun.h"
#include "linalg/definite.h"
#include "linalg/dense.h"

#define LEAST_EIGENVALUE 0x1p-1000

/* Result of one sample: n eigenvalues, then n x n eigenvectors where wanted. */
static size_t pair_size(size_t n, int vectors)
{
    return vectors ? n + n * n : n;
}

/* ---- interleaved -------------------------------------------------------------------------- */

/* Triangles and eigenvalues of both octets, one set of vectors and of ranks, Y's triangle, full
 * scratch. */
typedef struct eigen_room {
    double *A, *lambda, *Z, *L, *full, *rest;
    size_t *rank;
} eigen_room;

static size_t eigen_work(size_t n)
{
    size_t each = TRI(n) + n + n * n;
    return (BATCH_OCTETS * each + n + BATCH_OCTETS * TRI(n) + n * n) * LANES + kernels_eigh_work(n);
}

static eigen_room share_out(size_t n, double *work)
{
    eigen_room w;
    w.A = work;
    w.lambda = w.A + BATCH_OCTETS * TRI(n) * LANES;
    w.Z = w.lambda + BATCH_OCTETS * n * LANES;
    w.L = w.Z + BATCH_OCTETS * n * n * LANES;
    w.full = w.L + BATCH_OCTETS * TRI(n) * LANES;
    w.rest = w.full + n * n * LANES;
    w.rank = (size_t *)(void *)(w.rest + kernels_eigh_work(n));
    return w;
}

/* out <- lane l of lambda (n x 8) and Z (n x n x 8), in order of rank (n x 8). */
static void store_sorted(size_t n, size_t l, const double *lambda, const double *Z,
                         const size_t *rank, double *out)
{
    double *V = out + n;
    for (size_t i = 0; i < n; i++)
        out[rank[i * LANES + l]] = lambda[i * LANES + l];
    for (size_t r = 0; Z && r < n; r++)
        for (size_t i = 0; i < n; i++)
            V[r * n + rank[i * LANES + l]] = Z[(r * n + i) * LANES + l];
}

/* Eigenvalues of what is in w->A to the results of samples first ...; with Y's factor in w->L the
 * vectors are taken back. */
static unsigned solve_and_store(const batch *b, size_t first, size_t count, size_t used,
                                const eigen_room *w)
{
    size_t n = b->n, each = pair_size(n, b->vectors);
    unsigned bad[BATCH_OCTETS];
    if (b->vectors)
        b->k->eigh(n, used, w->A, w->lambda, w->Z, bad, w->rest);
    else
        b->k->eigvals(n, used, w->A, w->lambda, bad, w->rest);
    for (size_t g = 0; g < used; g++) {
        const double *lambda = w->lambda + g * n * LANES;
        double *Z = b->vectors ? w->Z + g * n * n * LANES : NULL;
        if (Z && b->Y)
            b->k->solve_trans(n, n, w->L + g * TRI(n) * LANES, Z);
        b->k->rank(n, lambda, w->rank);
        for (size_t l = 0; l < LANES && g * LANES + l < count; l++)
            if (!(bad[g] >> l & 1u))
                store_sorted(n, l, lambda, Z, w->rank, b->result + (first + g * LANES + l) * each);
    }
    return octets_mask(used, bad, count);
}

static unsigned eigh_body(void *user, size_t first, size_t count, double *work)
{
    const batch *b = user;
    eigen_room w = share_out(b->n, work);
    size_t used = octets_pack(b->k, b->n, first, count, b->X, w.A);
    return solve_and_store(b, first, count, used, &w);
}

static unsigned general_body(void *user, size_t first, size_t count, double *work)
{
    const batch *b = user;
    size_t n = b->n, used;
    eigen_room w = share_out(n, work);
    unsigned bad[BATCH_OCTETS];
    octets_pack(b->k, n, first, count, b->X, w.A);
    used = octets_pack(b->k, n, first, count, b->Y, w.Z); /* which is free until later */
    for (size_t g = 0; g < used; g++) {
        double *A = w.A + g * TRI(n) * LANES, *L = w.L + g * TRI(n) * LANES;
        bad[g] = definite_chol(b->k, n, w.Z + g * TRI(n) * LANES, L, NULL, w.full);
        b->k->reduce(n, L, A, A, w.full);
    }
    unsigned indefinite = octets_mask(used, bad, count);
    return indefinite | solve_and_store(b, first, count, used, &w);
}

static unsigned apply_body(void *user, size_t first, size_t count, double *work)
{
    const batch *b = user;
    size_t n = b->n, used = octets_pack(b->k, n, first, count, b->X, work);
    unsigned bad[BATCH_OCTETS];
    spdfun_judged(b->k, b->f, b->power, n, used, work, bad, work + BATCH_OCTETS * TRI(n) * LANES);
    octets_unpack(b->k, n, first, count, work, b->result);
    return octets_mask(used, bad, count);
}

/* ---- one by one --------------------------------------------------------------------------- */

/* A (n x n) <- lower triangle of X mirrored; non-zero when it holds NaN or Inf. */
static int load_lower(size_t n, const double *X, double *A)
{
    double zero = 0.0;
    for (size_t r = 0; r < n; r++)
        for (size_t c = 0; c <= r; c++) {
            zero += 0.0 * X[r * n + c];
            A[r * n + c] = A[c * n + r] = X[r * n + c];
        }
    return zero != 0.0;
}

static unsigned dense_eigh_body(void *user, size_t first, size_t count, double *work)
{
    const batch *b = user;
    size_t n = b->n, each = pair_size(n, b->vectors);
    unsigned mask = 0;
    for (size_t i = 0; i < count && !stop_wanted(); i++) {
        double *out = b->result + (first + i) * each, *A = b->vectors ? out + n : work;
        if (load_lower(n, b->X + (first + i) * n * n, A) ||
            dense_eigh(n, b->vectors, A, out, work + n * n))
            mask |= 1u << i;
    }
    return mask;
}

static unsigned dense_apply_body(void *user, size_t first, size_t count, double *work)
{
    const batch *b = user;
    size_t n = b->n;
    unsigned mask = 0;
    for (size_t i = 0; i < count && !stop_wanted(); i++) {
        double *out = b->result + (first + i) * n * n;
        if (load_lower(n, b->X + (first + i) * n * n, out) ||
            (spdfun_needs_spd(b->f) && !definite_matrix(n, out, work)) ||
            spdfun_dense(b->f, b->power, n, out, work))
            mask |= 1u << i;
    }
    return mask;
}

/* ---- what went wrong ------------------------------------------------------------------------ */

static int all_finite(size_t n, const double *X)
{
    for (size_t e = 0; e < n * n; e++)
        if (!isfinite(X[e]))
            return 0;
    return 1;
}

/* Is X positive definite? No when that cannot be told. */
static int is_definite(size_t n, const double *X)
{
    double *scratch = mem_alloc(n * n, sizeof *scratch);
    spd_private_blas_hold();
    int good = scratch && definite_matrix(n, X, scratch);
    spd_private_blas_release();
    mem_free(scratch);
    return good;
}

/* X[i], or Y[i] where there is a Y, has no eigenvalues. */
static spd_status explain_eigh(spd_context *ctx, const batch *b, size_t i)
{
    size_t n = b->n;
    const double *X = b->X + i * n * n, *Y = b->Y ? b->Y + i * n * n : NULL;
    if (!all_finite(n, X))
        return fault_matrix(ctx, n, X, "X", i);
    if (Y && (!all_finite(n, Y) || !is_definite(n, Y)))
        return fault_matrix(ctx, n, Y, "Y", i);
    return ctx_fail_at(ctx, SPD_ENUMERIC, i, 0.0, "the eigenvalues of X[%zu] did not converge", i);
}

spd_status apply_explain(spd_context *ctx, const batch *b, size_t i)
{
    size_t n = b->n;
    const double *X = b->X + i * n * n;
    int overflows = b->f == SPD_FUNCTION_EXP || b->f == SPD_FUNCTION_POWER;
    if (all_finite(n, X) && overflows && (b->f == SPD_FUNCTION_EXP || is_definite(n, X)))
        return ctx_fail_at(ctx, SPD_ENUMERIC, i, 0.0,
                           "the %s of X[%zu] is too large to be represented",
                           b->f == SPD_FUNCTION_EXP ? "exponential" : "power", i);
    return fault_matrix(ctx, n, X, "X", i);
}

/* X_i v = lambda Y_i v with an Y_i so large that all lambda have fallen below the range of numbers:
 * SPD_ENUMERIC. */
static spd_status check_lost(spd_context *ctx, const batch *b)
{
    size_t n = b->n;
    for (size_t i = 0; b->Y && i < b->p; i++) {
        double x = scale_largest(n * n, b->X + i * n * n);
        if (x > 0.0 && scale_largest(n, b->result + i * b->each) < LEAST_EIGENVALUE)
            return ctx_fail_at(ctx, SPD_ENUMERIC, i, 0.0,
                               "the eigenvalues of X[%zu] leave the range of numbers: the largest "
                               "entries of X[%zu] and Y[%zu] are %.2g and %.2g",
                               i, i, i, x, scale_largest(n * n, b->Y + i * n * n));
    }
    return SPD_OK;
}

/* ---- public ------------------------------------------------------------------------------- */

/* lambda and V (or NULL) <- results, which stand pair by pair. */
static void deliver(const batch *b, double *lambda, double *V)
{
    size_t n = b->n, each = pair_size(n, b->vectors);
    for (size_t i = 0; i < b->p; i++) {
        memcpy(lambda + i * n, b->result + i * each, n * sizeof *lambda);
        if (V)
            memcpy(V + i * n * n, b->result + i * each + n, n * n * sizeof *V);
    }
}

/* lambda, and V if it is wanted, are the results. */
static spd_status eigh_here(spd_context *ctx, const set_job *j)
{
    size_t bad = SPD_NO_INDEX, n = j->X->n;
    batch b = {.k = kernels_get(), .n = n, .p = j->X->p, .X = set_doubles(j->X)};
    spd_status status;
    b.Y = j->Y ? set_doubles(j->Y) : NULL;
    b.vectors = j->out[1] != NULL;
    b.each = pair_size(n, b.vectors);
    b.task = "eigenvalues";
    if (b.Y)
        status = batch_run(ctx, &b, general_body, eigen_work(n), &bad);
    else if (n >= kernels_dense_from(b.k))
        status = batch_run(ctx, &b, dense_eigh_body, n * n + dense_eigh_work(n), &bad);
    else
        status = batch_run(ctx, &b, eigh_body, eigen_work(n), &bad);
    if (status == SPD_ENUMERIC)
        status = explain_eigh(ctx, &b, bad);
    if (status == SPD_OK)
        status = check_lost(ctx, &b);
    if (status == SPD_OK)
        deliver(&b, j->out[0], j->out[1]);
    mem_free(b.result);
    return status;
}

static spd_status run_eigh(spd_context *ctx, operation of, const spd_set *X, const spd_set *Y,
                           double *lambda, double *V)
{
    size_t numbers = X->p * X->n;
    const set_job j = {.of = of,
                       .task = "eigenvalues",
                       .unit = "matrices",
                       .X = X,
                       .Y = Y,
                       .out = {lambda, V},
                       .bytes = {numbers * sizeof *lambda, numbers * X->n * sizeof *V},
                       .here = eigh_here};
    return job_run(ctx, &j);
}

spd_status spd_eigh(spd_context *ctx, const spd_set *given, double *lambda, double *V)
{
    spd_set X;
    spd_status status = batch_take(ctx, given, lambda, &X);
    return status < 0 ? status : run_eigh(ctx, OPERATION_EIGEN, &X, NULL, lambda, V);
}

spd_status spd_eigh_general(spd_context *ctx, const spd_set *given, const spd_set *with,
                            double *lambda, double *V)
{
    spd_set X, Y;
    const spd_set *second = NULL;
    spd_status status = batch_take(ctx, given, lambda, &X);
    if (status == SPD_OK)
        status = set_take_second(ctx, "Y", with, &X, &Y, &second);
    if (status == SPD_OK && (!second || Y.p != X.p))
        status = ctx_fail(ctx, SPD_EINVAL,
                          "the generalised problem needs a second set Y of as many matrices");
    return status < 0 ? status : run_eigh(ctx, OPERATION_OTHER, &X, second, lambda, V);
}

batch apply_batch(const set_job *j)
{
    return (batch){.k = kernels_get(),
                   .n = j->X->n,
                   .p = j->X->p,
                   .X = set_doubles(j->X),
                   .f = j->f,
                   .power = j->power,
                   .each = j->X->n * j->X->n,
                   .task = j->task};
}

static spd_status apply_here(spd_context *ctx, const set_job *j)
{
    size_t n = j->X->n, bad = SPD_NO_INDEX;
    size_t interleaved = BATCH_OCTETS * TRI(n) * LANES + spdfun_judged_work(n);
    batch b = apply_batch(j);
    spd_status status = spdfun_prefers_dense(b.k, b.f, n, b.p)
                            ? batch_run(ctx, &b, dense_apply_body, spdfun_dense_work(n), &bad)
                            : batch_run(ctx, &b, apply_body, interleaved, &bad);
    if (status == SPD_ENUMERIC)
        status = apply_explain(ctx, &b, bad);
    if (status == SPD_OK)
        memcpy(j->out[0], b.result, j->bytes[0]);
    mem_free(b.result);
    return status;
}

spd_status apply_check(spd_context *ctx, spd_function f, double power)
{
    if ((unsigned)f > SPD_FUNCTION_FLOOR)
        return ctx_fail(ctx, SPD_EINVAL, "unknown matrix function");
    if (f >= SPD_FUNCTION_POWER && !isfinite(power))
        return ctx_fail(ctx, SPD_EINVAL, "the %s is %g: give a finite number",
                        f == SPD_FUNCTION_POWER ? "power" : "floor", power);
    return SPD_OK;
}

spd_status spd_apply(spd_context *ctx, spd_function f, double power, const spd_set *given,
                     double *F)
{
    spd_set X;
    spd_status status = batch_take(ctx, given, F, &X);
    if (status < 0)
        return status;
    if ((status = apply_check(ctx, f, power)) < 0)
        return status;
    const set_job j = {.of = OPERATION_APPLY,
                       .task = "functions",
                       .unit = "matrices",
                       .X = &X,
                       .f = f,
                       .power = power,
                       .out = {F},
                       .bytes = {X.p * X.n * X.n * sizeof *F},
                       .here = apply_here};
    return job_run(ctx, &j);
}
