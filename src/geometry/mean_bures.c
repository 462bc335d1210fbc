/* mean_bures.c - the Bures-Wasserstein mean.
 *
 * The fixed point of Alvarez-Esteban, del Barrio, Cuesta-Albertos and Matran (2016), in the frame
 * of the Cholesky factor M = L L':
 *
 *   T = sum w (L' X L)^1/2,   B = L'^-1 T,   M <- B B'
 *
 * is the step theta = 1 along S = B - L in the coordinates in which the distance is Euclidean,
 * where f(M) = sum w d2(M, X) = |L|^2 - 2 tr T + constant. Longer steps (descent.h) need fewer of
 * them. From M = I the first step gives (sum w X^1/2)^2, exact when the samples commute. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "geometry/descent.h"
#include "geometry/spdfun.h"
#include "linalg/definite.h"
#include "linalg/dense.h"
#include "linalg/tall.h"

static size_t bures_terms(size_t n)
{
    return TRI(n);
}

/* L spread over the lanes, and full scratch. */
static size_t bures_term_work(size_t n)
{
    return (TRI(n) + n * n) * LANES + spdfun_work(n);
}

/* Square roots; what rounding made negative is zero. A NaN stays one. */
static void root_rule(const void *user, size_t count, double *lambda)
{
    (void)user;
    for (size_t i = 0; i < count; i++)
        lambda[i] = lambda[i] < 0.0 ? 0.0 : sqrt(lambda[i]);
}

static void bures_term(const kernels *k, size_t n, size_t octets, const double *frame, double *X,
                       double *T, unsigned *bad, double *work)
{
    size_t entries = TRI(n) * LANES;
    double *L = work, *full = L + entries, *rest = full + n * n * LANES;
    unsigned indefinite[MEAN_OCTETS];
    k->spread(TRI(n), frame, L);
    for (size_t g = 0; g < octets; g++) {
        k->expand(n, L, X + g * entries, T + g * entries, full);
        indefinite[g] = definite_chol(k, n, X + g * entries, full, NULL, rest);
    }
    spdfun_map(k, root_rule, NULL, n, octets, T, bad, rest);
    for (size_t g = 0; g < octets; g++)
        bad[g] |= indefinite[g];
}

static spd_status bures_begin(mean_state *s)
{
    size_t n = s->n;
    memset(s->M, 0, n * n * sizeof *s->M);
    for (size_t r = 0; r < n; r++)
        s->M[r * n + r] = 1.0;
    spd_status status = descent_begin(s);
    dense_pack(n, descent_factor(s), s->frame);
    return status;
}

/* What rounding leaves of B: the root of an eigenvalue of L' X L near zero is off by the root of
 * eps, relative to the largest, and the solve by L' magnifies that by the root of M's condition. */
static double bures_rounding(size_t n, const double *L)
{
    double low = INFINITY, high = 0.0;
    for (size_t r = 0; r < n; r++) {
        low = fmin(low, fabs(L[r * n + r]));
        high = fmax(high, fabs(L[r * n + r]));
    }
    return sqrt((double)n * DBL_EPSILON) * high / low;
}

/* The leap from M = I says nothing about the next step: that one is plain too. */
static spd_status bures_advance(mean_state *s, const double *sum)
{
    size_t n = s->n;
    const double *L = descent_factor(s);
    double *S = descent_direction(s), roots = 0.0;
    dense_unpack(n, sum, S);
    for (size_t r = 0; r < n; r++)
        roots += S[r * n + r];
    dense_solve_trans(n, L, S);
    double size = tall_dot(n, n, S, S);
    for (size_t e = 0; e < n * n; e++)
        S[e] -= L[e];
    descent_view view = {.move = descent_straight,
                         .scale = sqrt(size),
                         .rounding = bures_rounding(n, L),
                         .cost = tall_dot(n, n, L, L) - 2.0 * roots,
                         .shortest = s->iterations == 1 ? 1.0 : 0.5,
                         .longest = s->iterations == 1 ? 1.0 : 1e3,
                         .usual = 1.0};
    spd_status status = descent_advance(s, &view);
    dense_pack(n, descent_factor(s), s->frame);
    return status;
}

const mean_rule mean_bures_wasserstein = {
    .terms = bures_terms,
    .term_work = bures_term_work,
    .state = descent_state,
    .advance_work = descent_work,
    .term = bures_term,
    .begin = bures_begin,
    .advance = bures_advance,
};
