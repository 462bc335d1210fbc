/* explain.c - what a map looks at, row by row of the matrices (docs/math.md, eq. 21).
 *
 *   A = M W (W'MW)^-1,   carried_i = (A W'MW A')_ii,   kept_i = carried_i / M_ii
 *
 * W is turned so that W'MW is diagonal, and its columns scaled to variance 1: then A = M W, and
 * carried_i is the square of its row i. Neither carried nor kept depends on the basis of W. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/sized.h"
#include "run/blas.h"
#include "linalg/dense.h"
#include "linalg/tall.h"

/* Everything that is computed before anything is handed over. */
typedef struct explaining {
    size_t n, m;
    double *Q;        /* n x m: W, orthonormal */
    double *A;        /* n x m: patterns */
    double *S;        /* m x m: Q'MQ, then its eigenvectors */
    double *variance; /* m, ascending */
    double *weight, *carried, *kept;
    double *work;
} explaining;

static spd_status make_room(spd_context *ctx, arena *room, explaining *e)
{
    size_t n = e->n, m = e->m;
    size_t work = tall_orthonormalise_work(n, m);
    work = dense_eigh_work(m) > work ? dense_eigh_work(m) : work;
    work = n * m > work ? n * m : work;
    e->Q = arena_alloc(room, n, m * sizeof *e->Q);
    e->A = arena_alloc(room, n, m * sizeof *e->A);
    e->S = arena_alloc(room, m, m * sizeof *e->S);
    e->variance = arena_alloc(room, m, sizeof *e->variance);
    e->weight = arena_alloc(room, n, sizeof *e->weight);
    e->carried = arena_alloc(room, n, sizeof *e->carried);
    e->kept = arena_alloc(room, n, sizeof *e->kept);
    e->work = arena_alloc(room, work, sizeof *e->work);
    return arena_status(room, ctx, "patterns");
}

/* squares (n) <- sums of squares of the rows of A (n x m). */
static void row_squares(size_t n, size_t m, const double *A, double *squares)
{
    for (size_t i = 0; i < n; i++)
        squares[i] = tall_dot(1, m, A + i * m, A + i * m);
}

/* The columns of A in descending order of variance, scaled by its root; the entry of largest
 * magnitude becomes positive. */
static void order_columns(explaining *e)
{
    size_t n = e->n, m = e->m;
    memcpy(e->work, e->A, n * m * sizeof *e->A);
    for (size_t c = 0; c < m; c++) {
        size_t from = m - 1 - c;
        double scale = 1.0 / sqrt(e->variance[from]), largest = 0.0;
        for (size_t i = 0; i < n; i++)
            if (fabs(e->work[i * m + from]) > fabs(largest))
                largest = e->work[i * m + from];
        for (size_t i = 0; i < n; i++)
            e->A[i * m + c] = (largest < 0.0 ? -scale : scale) * e->work[i * m + from];
    }
}

/* Patterns of Q under M; without M it is the identity, and they are Q itself. */
static spd_status find_patterns(spd_context *ctx, const double *M, explaining *e)
{
    size_t n = e->n, m = e->m;
    if (!M) {
        memcpy(e->A, e->Q, n * m * sizeof *e->A);
        for (size_t c = 0; c < m; c++)
            e->variance[c] = 1.0;
        return SPD_OK;
    }
    tall_product(n, n, m, M, e->Q, e->A);
    tall_inner(n, m, e->Q, e->A, e->S);
    spd_symmetrize(m, 1, e->S);
    if (dense_eigh(m, 1, e->S, e->variance, e->work))
        return ctx_fail(ctx, SPD_ENUMERIC, "the eigenvalues of W'MW did not converge");
    if (!(e->variance[0] > 0.0))
        return ctx_fail(ctx, SPD_ENOTSPD, "W'MW is not positive definite");
    tall_multiply(n, m, e->A, e->S, e->work);
    order_columns(e);
    return SPD_OK;
}

static spd_status compute(spd_context *ctx, const double *W, const double *M, explaining *e)
{
    size_t n = e->n, m = e->m;
    double size = sqrt(tall_dot(n, m, W, W));
    memcpy(e->Q, W, n * m * sizeof *e->Q);
    spd_private_blas_hold();
    double least = tall_orthonormalise(n, m, e->Q, e->work);
    spd_status status = least > 1e-12 * size
                            ? find_patterns(ctx, M, e)
                            : ctx_fail(ctx, SPD_EINVAL, "the columns of W are linearly dependent");
    spd_private_blas_release();
    if (status < 0)
        return status;
    row_squares(n, m, e->Q, e->weight);
    row_squares(n, m, e->A, e->carried);
    for (size_t i = 0; i < n; i++)
        e->kept[i] = fmin(1.0, M ? e->carried[i] / M[i * n + i] : e->carried[i]);
    return SPD_OK;
}

static void give(const double *from, size_t count, double *to)
{
    if (to)
        memcpy(to, from, count * sizeof *to);
}

spd_status spd_explain(spd_context *ctx, size_t n, size_t m, const double *W, const double *M,
                       spd_explanation *explanation)
{
    ctx_clear(ctx);
    spd_explanation wanted = {0};
    if (!W || !explanation || m < 1 || m > n)
        return ctx_fail(ctx, SPD_EINVAL, "an explanation needs a map W with 1 <= m <= n columns");
    spd_status status = sized_take(ctx, "spd_explanation", sizeof wanted, &wanted, explanation);
    for (size_t i = 0; status == SPD_OK && i < n * m; i++)
        if (!isfinite(W[i]))
            status = ctx_fail(ctx, SPD_ENOTFINITE, "W holds NaN or Inf");
    if (status == SPD_OK && M)
        status = spd_check(ctx, SPD_SET(n, 1, M), 0.0);
    if (status < 0)
        return status;
    arena room = {0};
    explaining e = {.n = n, .m = m};
    status = make_room(ctx, &room, &e);
    if (status == SPD_OK)
        status = compute(ctx, W, M, &e);
    if (status == SPD_OK) {
        give(e.weight, n, wanted.weight);
        give(e.carried, n, wanted.carried);
        give(e.kept, n, wanted.kept);
        give(e.A, n * m, wanted.pattern);
        for (size_t c = 0; wanted.variance && c < m; c++)
            wanted.variance[c] = e.variance[m - 1 - c];
    }
    arena_free(&room);
    return status;
}
