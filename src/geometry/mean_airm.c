/* mean_airm.c - the mean of the affine-invariant metric (Karcher, Frechet).
 *
 *   f(M) = sum w d2(M, X)/2,   -grad f = L S L',   S = sum w log C,  C = L^-1 X L^-T
 *
 * The second derivative of f along the manifold lies between 1 and
 *
 *   beta = sum w (x/2) coth(x/2),   x = log of the condition number of C
 *
 * (Bini, Iannazzo 2013), hence theta = 2/(1 + beta) is safe near the mean, and 1/beta to 1 bounds
 * every sensible step. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "geometry/descent.h"
#include "geometry/spdfun.h"
#include "linalg/dense.h"

/* [log C | half its squared norm | beta's term]. */
static size_t airm_terms(size_t n)
{
    return TRI(n) + 2;
}

/* L spread over the lanes, and full scratch. */
static size_t airm_term_work(size_t n)
{
    return (TRI(n) + n * n) * LANES + spdfun_work(n);
}

/* half (8) <- half the squared norm of the matrices C (TRI x 8). */
static void half_norm(size_t n, const double *C, double *half)
{
    memset(half, 0, LANES * sizeof *half);
    for (size_t r = 0; r < n; r++) {
        for (size_t e = 0; e < r * LANES; e++, C++)
            half[e % LANES] += *C * *C;
        for (size_t l = 0; l < LANES; l++, C++)
            half[l] += 0.5 * *C * *C;
    }
}

static void airm_term(const kernels *k, size_t n, size_t octets, const double *frame, double *X,
                      double *T, unsigned *bad, double *work)
{
    size_t entries = TRI(n) * LANES;
    double *L = work, *full = L + entries, *rest = full + n * n * LANES;
    _Alignas(64) double edges[MEAN_OCTETS * 2 * LANES];
    k->spread(TRI(n), frame, L);
    for (size_t g = 0; g < octets; g++)
        k->reduce(n, L, X + g * entries, X + g * entries, full);
    spdfun_edges(k, SPD_FUNCTION_LOG, 0.0, n, octets, X, edges, bad, rest);
    for (size_t g = 0; g < octets; g++, T += airm_terms(n) * LANES) {
        const double *low = edges + 2 * g * LANES, *high = low + LANES;
        double *beta = T + entries + LANES;
        memcpy(T, X + g * entries, entries * sizeof *T);
        half_norm(n, T, T + entries);
        for (size_t l = 0; l < LANES; l++) {
            double x = 0.5 * (high[l] - low[l]);
            beta[l] = x > 1e-4 ? x / tanh(x) : 1.0;
        }
    }
}

static spd_status airm_begin(mean_state *s)
{
    spd_status status = descent_begin(s);
    dense_pack(s->n, descent_factor(s), s->frame);
    return status;
}

/* Rounding moves the smallest eigenvalue of C, hence its logarithm, by eps times C's condition,
 * which is exp(2 beta) for a typical sample. */
static spd_status airm_advance(mean_state *s, const double *sum)
{
    double beta = sum[TRI(s->n) + 1];
    descent_view view = {.move = descent_geodesic,
                         .scale = sqrt((double)s->n),
                         .rounding = (double)s->n * DBL_EPSILON * exp(2.0 * beta),
                         .cost = sum[TRI(s->n)],
                         .shortest = 1.0 / beta,
                         .longest = 1.0,
                         .usual = 2.0 / (1.0 + beta)};
    dense_unpack(s->n, sum, descent_direction(s));
    spd_status status = descent_advance(s, &view);
    dense_pack(s->n, descent_factor(s), s->frame);
    return status;
}

const mean_rule mean_airm = {
    .start = &mean_jeffrey,
    .terms = airm_terms,
    .term_work = airm_term_work,
    .state = descent_state,
    .advance_work = descent_work,
    .term = airm_term,
    .begin = airm_begin,
    .advance = airm_advance,
};
