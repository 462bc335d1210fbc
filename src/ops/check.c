/* check.c - what is wrong with a set of matrices, and simple repairs. */
#include "ops/check.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "run/blas.h"
#include "run/engine.h"
#include "sets/blocks.h"
#include "ops/fault.h"
#include "run/octets.h"
#include "run/parallel.h"
#include "linalg/definite.h"
#include "linalg/dense.h"

#define USUAL_TOLERANCE 1e-10

typedef struct check_job {
    const kernels *k;
    size_t n;
    const double *X;
    double tolerance;
    const char *name;
    size_t first; /* the number of X[0] in its set */
} check_job;

static int is_finite(size_t count, const double *x)
{
    double zero = 0.0; /* NaN as soon as an entry is NaN or Inf */
    for (size_t e = 0; e < count; e++)
        zero += 0.0 * x[e];
    return zero == 0.0;
}

/* Largest |x_ij - x_ji|; *row and *column (row < column) say where. */
static double asymmetry(size_t n, const double *X, size_t *row, size_t *column)
{
    double worst = 0.0;
    for (size_t r = 0; r < n; r++)
        for (size_t c = r + 1; c < n; c++) {
            double gap = fabs(X[r * n + c] - X[c * n + r]);
            if (gap > worst) {
                worst = gap;
                *row = r;
                *column = c;
            }
        }
    return worst;
}

static double largest_entry(size_t n, const double *X)
{
    double largest = 0.0;
    for (size_t e = 0; e < n * n; e++)
        largest = fabs(X[e]) > largest ? fabs(X[e]) : largest;
    return largest;
}

static int is_symmetric(size_t n, const double *X, double tolerance)
{
    size_t row, column;
    return asymmetry(n, X, &row, &column) <= tolerance * largest_entry(n, X);
}

static unsigned check_body(void *user, size_t first, size_t count, double *work)
{
    const check_job *j = user;
    size_t n = j->n, used = octets_pack(j->k, n, first, count, j->X, work);
    unsigned bad[BATCH_OCTETS];
    double *scratch = work + BATCH_OCTETS * TRI(n) * LANES;
    for (size_t g = 0; g < used; g++)
        bad[g] = definite_lanes(j->k, n, work + g * TRI(n) * LANES, scratch);
    unsigned mask = octets_mask(used, bad, count);
    for (size_t i = 0; i < count; i++) {
        const double *X = j->X + (first + i) * n * n;
        if (!is_finite(n * n, X) || !is_symmetric(n, X, j->tolerance))
            mask |= 1u << i;
    }
    return mask;
}

/* The message about X[index], whose fault is known to exist. */
static spd_status explain(spd_context *ctx, const check_job *j, size_t index)
{
    size_t n = j->n, row = 0, column = 0;
    const double *X = j->X + index * n * n;
    index += j->first;
    if (is_finite(n * n, X) && !is_symmetric(n, X, j->tolerance)) {
        double gap = asymmetry(n, X, &row, &column);
        return ctx_fail_at(ctx, SPD_ENOTSYM, index, gap,
                           "%s[%zu] is not symmetric: entries (%zu,%zu) and (%zu,%zu) differ by "
                           "%.2g",
                           j->name, index, row, column, column, row, gap);
    }
    return fault_matrix(ctx, n, X, j->name, index);
}

spd_status check_part(spd_context *ctx, const char *name, size_t n, size_t p, const double *X,
                      size_t first, double tolerance)
{
    check_job j = {kernels_get(), n, X, tolerance > 0.0 ? tolerance : USUAL_TOLERANCE, name, first};
    octet_loop loop = {p, (BATCH_OCTETS + 1) * TRI(n) * LANES, check_body, &j, "checking"};
    size_t bad = SPD_NO_INDEX;
    spd_status status = ranks_agree(ctx, p, "number of matrices");
    if (status == SPD_OK)
        status = ranks_agree(ctx, n, "size of matrices");
    if (status == SPD_OK)
        status = octets_share(ctx, &loop, &bad);
    return ranks_settle(ctx, status == SPD_ENUMERIC ? explain(ctx, &j, bad) : status);
}

spd_status check_set(spd_context *ctx, const char *name, size_t n, size_t p, const double *X,
                     double tolerance)
{
    return check_part(ctx, name, n, p, X, 0, tolerance);
}

static spd_status check_block(spd_context *ctx, void *user, size_t first, size_t count, size_t n,
                              const double *X)
{
    return check_part(ctx, "X", n, count, X, first, *(const double *)user);
}

/* On a device: finite and symmetric matrices are good, and of another one the processor says more.
 */
static spd_status check_there(spd_context *ctx, const spd_set *X, double tolerance)
{
    size_t n = X->n, bad = X->p;
    const set_job j = {.of = OPERATION_CHECK,
                       .task = "checking",
                       .unit = "matrices",
                       .X = X,
                       .tolerance = tolerance > 0.0 ? tolerance : USUAL_TOLERANCE,
                       .out = {&bad}};
    spd_status status = engine_of(X)->run[j.of](ctx, &j);
    if (status < 0 || bad == X->p)
        return status;
    double *x = mem_alloc(n, n * sizeof *x);
    status = x ? spd_set_read(ctx, X, bad, 1, x) : ctx_nomem(ctx, "a matrix");
    if (status == SPD_OK && x)
        status = check_part(ctx, "X", n, 1, x, bad, tolerance);
    mem_free(x);
    return status;
}

spd_status spd_check(spd_context *ctx, const spd_set *given, double tolerance)
{
    spd_set X;
    ctx_clear(ctx);
    spd_status status = set_take(ctx, "X", given, &X);
    if (status == SPD_OK && !(tolerance >= 0.0))
        status = ctx_fail(ctx, SPD_EINVAL, "tolerance %g is negative", tolerance);
    if (status < 0)
        return status;
    if (engine_of(&X))
        status = check_there(ctx, &X, tolerance);
    else if (set_doubles(&X))
        status = check_set(ctx, "X", X.n, X.p, X.X, tolerance);
    else
        status = blocks_share(ctx, &X, "checking", check_block, &tolerance);
    if (status == SPD_ENOTSYM && ctx && X.hermitian)
        ctx_fail_at(ctx, status, ctx->error.index, ctx->error.value,
                    "X[%zu] is not Hermitian: an entry and the conjugate of its mirror image, or "
                    "of itself on the diagonal, differ by %.2g",
                    ctx->error.index, ctx->error.value);
    return set_locate(ctx, &X, status);
}

/* (a + b)/2, also where a + b is too large for a number. */
static double middle(double a, double b)
{
    double sum = a + b;
    return isinf(sum) ? 0.5 * a + 0.5 * b : 0.5 * sum;
}

void spd_symmetrize(size_t n, size_t p, double *X)
{
    for (size_t i = 0; X && i < p; i++, X += n * n)
        for (size_t r = 0; r < n; r++)
            for (size_t c = 0; c < r; c++)
                X[r * n + c] = X[c * n + r] = middle(X[r * n + c], X[c * n + r]);
}

void spd_regularize(size_t n, size_t p, double *X, double relative, double ridge)
{
    for (size_t i = 0; X && i < p; i++, X += n * n) {
        double trace = 0.0, mean = 0.0;
        for (size_t r = 0; r < n; r++) {
            trace += X[r * n + r];
            mean += X[r * n + r] / (double)n;
        }
        double share = relative * trace / (double)n;
        if (!isfinite(share)) /* the sum alone may be too large */
            share = relative * mean;
        for (size_t r = 0; r < n; r++)
            X[r * n + r] += share + ridge;
    }
}

int check_definite(size_t n, const double *A, double *scratch)
{
    spd_private_blas_hold();
    memcpy(scratch, A, n * n * sizeof *scratch);
    int good = !dense_chol(n, scratch);
    spd_private_blas_release();
    return good;
}
