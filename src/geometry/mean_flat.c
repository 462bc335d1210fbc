/* mean_flat.c - means of the metrics that are Euclidean after a change of coordinates: the average
 * of the prepared samples, taken back.
 *
 *   Euclidean      M = sum w X
 *   log-Euclidean  M = exp(sum w log X)
 *   log-Cholesky   low(L) = sum w low(L_i),  diag L = exp(sum w log diag L_i),  M = L L'  */
#include <math.h>
#include <string.h>

#include "geometry/flat.h"
#include "geometry/mean.h"
#include "geometry/spdfun.h"
#include "linalg/definite.h"
#include "linalg/dense.h"

static size_t square(size_t n)
{
    return n * n;
}

/* The lower triangle, as everywhere. */
static spd_status euclidean_advance(mean_state *s, const double *sum)
{
    for (size_t r = 0; r < s->n; r++)
        for (size_t c = 0; c <= r; c++)
            s->M[r * s->n + c] = s->M[c * s->n + r] = sum[r * s->n + c];
    s->done = 1;
    return SPD_OK;
}

const mean_rule mean_euclidean = {
    .plain = 1,
    .terms = square,
    .advance = euclidean_advance,
};

/* Both octets at once, unlike metric.prepare. */
static void log_term(const kernels *k, size_t n, size_t octets, const double *frame, double *X,
                     double *T, unsigned *bad, double *work)
{
    (void)frame;
    memcpy(T, X, octets * TRI(n) * LANES * sizeof *T);
    spdfun_judged(k, SPD_FUNCTION_LOG, 0.0, n, octets, T, bad, work);
}

static spd_status log_euclidean_advance(mean_state *s, const double *sum)
{
    dense_unpack(s->n, sum, s->M);
    s->done = 1;
    return spdfun_dense(SPD_FUNCTION_EXP, 0.0, s->n, s->M, s->work) ? SPD_ENUMERIC : SPD_OK;
}

const mean_rule mean_log_euclidean = {
    .terms = flat_size,
    .term_work = spdfun_judged_work,
    .advance_work = spdfun_dense_work,
    .term = log_term,
    .advance = log_euclidean_advance,
};

static void log_cholesky_term(const kernels *k, size_t n, size_t octets, const double *frame,
                              double *X, double *T, unsigned *bad, double *work)
{
    (void)frame;
    for (size_t g = 0; g < octets; g++)
        bad[g] =
            metric_log_cholesky.prepare(k, n, X + g * TRI(n) * LANES, T + g * TRI(n) * LANES, work);
}

static spd_status log_cholesky_advance(mean_state *s, const double *sum)
{
    size_t n = s->n;
    double *L = s->work;
    memset(L, 0, n * n * sizeof *L);
    for (size_t r = 0; r < n; r++) {
        memcpy(L + r * n, sum + TRI(r), (r + 1) * sizeof *L);
        L[r * n + r] = exp(L[r * n + r]);
    }
    dense_gram(n, L, s->M);
    s->done = 1;
    return definite_matrix(n, s->M, L) ? SPD_OK : SPD_ENUMERIC;
}

static size_t log_cholesky_work(size_t n)
{
    return metric_log_cholesky.work(n);
}

const mean_rule mean_log_cholesky = {
    .terms = flat_size,
    .term_work = log_cholesky_work,
    .advance_work = square,
    .term = log_cholesky_term,
    .advance = log_cholesky_advance,
};
