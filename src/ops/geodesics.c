/* geodesics.c - the public geodesics: checks, memory, and BLAS held to one thread.
 *
 * Many of AIRM's run interleaved: with X = L L' and L^-1 Y L^-T = Z diag(lambda) Z' the point is
 * (L Z) diag(lambda^t) (L Z)'. Eigenvalues that spread wide, and other metrics, go one by one. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/stop.h"
#include "ops/batch.h"
#include "run/blas.h"
#include "ops/check.h"
#include "ops/scale.h"
#include "geometry/geodesic.h"
#include "linalg/dense.h"

#define WIDE_SPREAD 0x1p-30 /* as in geodesic.c */

static void explain(spd_context *ctx, spd_status status, spd_metric metric, size_t n,
                    const double *X, const double *Y, double t)
{
    double x = scale_largest(n * n, X), y = scale_largest(n * n, Y), low, high;
    int usual = scale_is_usual(n, 1, X, &low, &high) && scale_is_usual(n, 1, Y, &low, &high);
    if (status == SPD_ENUMERIC && !usual)
        ctx_fail(ctx, status,
                 "the geodesic at t = %g leaves the range of numbers: the largest entries of the "
                 "matrices are %.2g and %.2g; bring them to a scale near 1",
                 t, x, y);
    else if (status == SPD_ENOTSPD)
        ctx_fail_at(ctx, status, SPD_NO_INDEX, t,
                    "at t = %g the %s geodesic has left the positive definite matrices; "
                    "stay within 0 to 1",
                    t, spd_name(SPD_ENUM_METRIC, metric));
    else
        ctx_fail(ctx, status, "the geodesic at t = %g cannot be represented", t);
}

/* The geodesic of c X and c Y is c times that of X and Y. Bures-Wasserstein's works with products
 * of the two, which must not leave the range of numbers: c = 2^-e is chosen by their common size.
 */
static int common_exponent(spd_metric metric, size_t n, const double *X, const double *Y)
{
    double x = scale_largest(n * n, X), y = scale_largest(n * n, Y);
    return metric == SPD_METRIC_BURES_WASSERSTEIN ? scale_exponent(sqrt(x) * sqrt(y), SCALE_USUAL)
                                                  : 0;
}

/* G <- the point; room: 2 n n + geodesic_work(n) doubles. */
static spd_status scaled_point(spd_metric metric, size_t n, const double *X, const double *Y,
                               double t, double *G, double *room)
{
    int e = common_exponent(metric, n, X, Y);
    double *A = room, *B = A + n * n, *work = B + n * n;
    if (e == 0)
        return geodesic_point(metric, n, X, Y, t, G, work);
    scale_by(n * n, X, -e, A);
    scale_by(n * n, Y, -e, B);
    spd_status status = geodesic_point(metric, n, A, B, t, G, work);
    scale_by(n * n, G, e, G);
    for (size_t k = 0; k < n * n && status == SPD_OK; k++)
        status = isfinite(G[k]) ? SPD_OK : SPD_ENUMERIC;
    return status;
}

spd_status spd_geodesic(spd_context *ctx, spd_metric metric, size_t n, const double *X,
                        const double *Y, double t, double *G)
{
    ctx_clear(ctx);
    if (!spd_name(SPD_ENUM_METRIC, metric))
        return ctx_fail(ctx, SPD_EINVAL, "unknown metric");
    if (n == 0 || !X || !Y || !G)
        return ctx_fail(ctx, SPD_EINVAL, "a geodesic needs two matrices and an output array");
    if (!isfinite(t))
        return ctx_fail(ctx, SPD_EINVAL, "t must be a finite number");
    spd_status status = check_set(ctx, "X", n, 1, X, 0.0);
    if (status == SPD_OK)
        status = check_set(ctx, "Y", n, 1, Y, 0.0);
    if (status < 0)
        return status;
    double *room = mem_alloc(3 * n * n + geodesic_work(n), sizeof *room);
    if (!room)
        return ctx_nomem(ctx, "a geodesic");
    spd_private_blas_hold();
    status = scaled_point(metric, n, X, Y, t, room, room + n * n);
    spd_private_blas_release();
    if (status == SPD_OK)
        memcpy(G, room, n * n * sizeof *G);
    else
        explain(ctx, status, metric, n, X, Y, t);
    mem_free(room);
    return status;
}

/* ---- many ------------------------------------------------------------------------------------ */

typedef struct geodesic_job {
    const kernels *k;
    spd_metric metric;
    size_t n, steps;
    const double *X, *Y, *t;
    double *G; /* p x n x n, apart from X and Y */
} geodesic_job;

static double step_of(const geodesic_job *j, size_t i)
{
    return j->t[j->steps == 1 ? 0 : i];
}

static size_t single_work(size_t n)
{
    return 2 * n * n + geodesic_work(n);
}

static int one_point(const geodesic_job *j, size_t i, double *work)
{
    size_t at = i * j->n * j->n;
    return scaled_point(j->metric, j->n, j->X + at, j->Y + at, step_of(j, i), j->G + at, work) < 0;
}

static unsigned single_body(void *user, size_t first, size_t count, double *work)
{
    const geodesic_job *j = user;
    unsigned bad = 0;
    for (size_t i = 0; i < count && !stop_wanted(); i++)
        bad |= (unsigned)one_point(j, first + i, work) << i;
    return bad;
}

/* Factors and triangles of both octets, their vectors and eigenvalues, full scratch. */
static size_t octets_work(size_t n)
{
    return (BATCH_OCTETS * (2 * TRI(n) + n * n + n) + n * n) * LANES + kernels_eigh_work(n);
}

/* lambda (n x 8) <- to the powers t; returns the mask of lanes to be done one by one. */
static unsigned raise(const geodesic_job *j, size_t first, size_t lanes, double *lambda)
{
    unsigned mask = 0;
    for (size_t l = 0; l < lanes; l++) {
        double low = INFINITY, high = 0.0, t = step_of(j, first + l);
        for (size_t i = 0; i < j->n; i++) {
            double x = lambda[i * LANES + l];
            low = fmin(low, x);
            high = fmax(high, x);
            lambda[i * LANES + l] = pow(x, t);
        }
        mask |= (unsigned)!(low >= WIDE_SPREAD * high && low > 0x1p-900 && high < 0x1p900) << l;
    }
    return mask;
}

static unsigned octets_body(void *user, size_t first, size_t count, double *work)
{
    const geodesic_job *j = user;
    size_t n = j->n, tri = TRI(n) * LANES, square = n * n * LANES, n2 = n * n;
    double *L = work, *C = L + BATCH_OCTETS * tri, *Z = C + BATCH_OCTETS * tri;
    double *lambda = Z + BATCH_OCTETS * square, *full = lambda + BATCH_OCTETS * n * LANES;
    unsigned lost[BATCH_OCTETS], bad = 0;
    size_t used = octets_pack(j->k, n, first, count, j->X, L);
    octets_pack(j->k, n, first, count, j->Y, C);
    for (size_t g = 0; g < used; g++) {
        j->k->chol(n, L + g * tri, NULL);
        j->k->reduce(n, L + g * tri, C + g * tri, C + g * tri, full);
    }
    j->k->eigh(n, used, C, lambda, Z, lost, full + square);
    for (size_t g = 0; g < used; g++) {
        size_t lanes = count - g * LANES < LANES ? count - g * LANES : LANES;
        lost[g] |= raise(j, first + g * LANES, lanes, lambda + g * n * LANES);
        j->k->lower_times(n, n, L + g * tri, Z + g * square);
        j->k->rebuild(n, Z + g * square, lambda + g * n * LANES, C + g * tri, full);
    }
    octets_unpack(j->k, n, first, count, C, j->G);
    unsigned apart = octets_mask(used, lost, count);
    for (size_t i = 0; i < count; i++)
        if (apart >> i & 1u)
            bad |= (unsigned)one_point(j, first + i, work) << i;
        else if (!isfinite(scale_largest(n2, j->G + (first + i) * n2)))
            bad |= 1u << i;
    return bad;
}

/* Why there is no point number i. */
static spd_status explain_one(spd_context *ctx, const geodesic_job *j, size_t i)
{
    size_t at = i * j->n * j->n;
    double *room = mem_alloc(j->n * j->n + single_work(j->n), sizeof *room);
    if (!room)
        return ctx_nomem(ctx, "a geodesic");
    spd_status status = scaled_point(j->metric, j->n, j->X + at, j->Y + at, step_of(j, i), room,
                                     room + j->n * j->n);
    if (status == SPD_OK) /* it was the power that overflowed */
        status = SPD_ENUMERIC;
    explain(ctx, status, j->metric, j->n, j->X + at, j->Y + at, step_of(j, i));
    ctx_append(ctx, " (pair %zu)", i);
    if (ctx)
        ctx->error.index = i;
    mem_free(room);
    return status;
}

static spd_status run_many(spd_context *ctx, geodesic_job *j, size_t p)
{
    size_t bad = SPD_NO_INDEX, alone = single_work(j->n), together = octets_work(j->n);
    int interleaved = (j->metric == SPD_METRIC_AIRM || j->metric == SPD_METRIC_STEIN ||
                       j->metric == SPD_METRIC_JEFFREY) &&
                      j->n < kernels_dense_from(j->k);
    octet_loop loop = {p, !interleaved || alone > together ? alone : together,
                       interleaved ? octets_body : single_body, j, "geodesics"};
    spd_private_blas_hold();
    spd_status status = octets_run(ctx, &loop, &bad);
    spd_private_blas_release();
    return status == SPD_ENUMERIC ? explain_one(ctx, j, bad) : status;
}

typedef struct steps {
    size_t count;
    const double *t;
} steps;

static spd_status geodesics_here(spd_context *ctx, const set_job *of)
{
    const steps *s = of->user;
    size_t n = of->X->n, p = of->X->p;
    geodesic_job j = {.k = kernels_get(), .metric = of->metric, .n = n, .steps = s->count};
    j.X = set_doubles(of->X);
    j.Y = set_doubles(of->Y);
    j.t = s->t;
    spd_status status = check_set(ctx, "X", n, p, j.X, 0.0);
    if (status == SPD_OK)
        status = check_set(ctx, "Y", n, p, j.Y, 0.0);
    if (status < 0)
        return status;
    j.G = mem_alloc(p, n * n * sizeof *j.G);
    status = j.G ? run_many(ctx, &j, p) : ctx_nomem(ctx, "geodesics");
    if (status == SPD_OK && j.G)
        memcpy(of->out[0], j.G, of->bytes[0]);
    mem_free(j.G);
    return status;
}

spd_status spd_geodesics(spd_context *ctx, spd_metric metric, const spd_set *from,
                         const spd_set *to, size_t count, const double *t, double *G)
{
    spd_set X, Y;
    const spd_set *second = NULL;
    const steps s = {count, t};
    ctx_clear(ctx);
    if (!spd_name(SPD_ENUM_METRIC, metric))
        return ctx_fail(ctx, SPD_EINVAL, "unknown metric");
    spd_status status = set_take(ctx, "X", from, &X);
    if (status == SPD_OK)
        status = set_take_second(ctx, "Y", to, &X, &Y, &second);
    if (status == SPD_OK && (!second || Y.p != X.p || !G))
        status = ctx_fail(ctx, SPD_EINVAL,
                          "geodesics need two sets of as many matrices and an output array");
    if (status < 0)
        return status;
    if (!t || (count != 1 && count != X.p))
        return ctx_fail(ctx, SPD_EINVAL, "%zu numbers t for %zu geodesics", t ? count : 0, X.p);
    for (size_t i = 0; i < count; i++)
        if (!isfinite(t[i]))
            return ctx_fail_at(ctx, SPD_EINVAL, i, t[i], "t[%zu] must be a finite number", i);
    const set_job j = {.X = &X,
                       .Y = second,
                       .metric = metric,
                       .out = {G},
                       .bytes = {X.p * X.n * X.n * sizeof *G},
                       .here = geodesics_here,
                       .user = &s};
    return job_run(ctx, &j);
}
