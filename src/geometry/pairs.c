/* pairs.c - the pair rules of Stein, AIRM, Jeffrey, log-Euclidean and Euclidean: gather, factor,
 * weigh. */
#include "geometry/pairs.h"

#include <math.h>
#include <string.h>

#define OCTETS (PAIR_BATCH / LANES)

/* Three triangles per octet, eigenvectors, full scratch, eigenvalues and two functions of them,
 * eigenvalue scratch. */
size_t pairs_work(size_t m)
{
    return (3 * OCTETS * TRI(m) + OCTETS * m * m + m * m + 3 * OCTETS * m) * LANES +
           kernels_eigh_work(m);
}

static size_t lanes_of(size_t count, size_t octet)
{
    size_t left = count - octet * LANES;
    return left < LANES ? left : LANES;
}

/* octet <- packed matrices `of` (p x TRI) at pairs[].i, or .j when second. */
static void gather_side(const kernels *k, size_t m, size_t lanes, const pair *pairs, int second,
                        const double *of, double *octet)
{
    const double *source[LANES];
    for (size_t l = 0; l < lanes; l++)
        source[l] = of + (second ? pairs[l].j : pairs[l].i) * TRI(m);
    k->gather(TRI(m), lanes, source, octet);
}

/* M (lanes x TRI) <- the lanes of octet. */
static void split_octet(const kernels *k, size_t m, size_t lanes, const double *octet, double *M)
{
    double *target[LANES];
    for (size_t l = 0; l < lanes; l++)
        target[l] = M + l * TRI(m);
    k->split(TRI(m), lanes, octet, target);
}

/* ---- Stein ---------------------------------------------------------------------------------- */

static void stein_octet(const kernels *k, size_t m, size_t lanes, const pair *pairs,
                        const pair_samples *s, double *d2, double *M, double *work)
{
    double *A = work, *B = A + TRI(m) * LANES;
    _Alignas(64) double middle[LANES];
    gather_side(k, m, lanes, pairs, 0, s->S, A);
    gather_side(k, m, lanes, pairs, 1, s->S, B);
    k->middle(TRI(m), A, B, A);
    k->chol(m, A, middle);
    for (size_t l = 0; l < lanes; l++)
        d2[l] = middle[l] - 0.5 * (s->logdet[pairs[l].i] + s->logdet[pairs[l].j]);
    if (!M)
        return;
    k->tri_inverse(m, A, B);
    k->tri_gram(m, B, A);
    split_octet(k, m, lanes, A, M);
}

static void stein_batch(const kernels *k, size_t m, size_t count, const pair *pairs,
                        const pair_samples *s, double *d2, double *M, double *work)
{
    for (size_t first = 0; first < count; first += LANES)
        stein_octet(k, m, lanes_of(count, first / LANES), pairs + first, s, d2 + first,
                    M ? M + first * TRI(m) : NULL, work);
}

/* ---- AIRM ----------------------------------------------------------------------------------- */

typedef struct airm_work {
    double *L, *C;                   /* OCTETS x TRI x 8 */
    double *V;                       /* OCTETS x m m x 8 */
    double *full;                    /* m m x 8 */
    double *lambda, *log, *quotient; /* OCTETS x m x 8 */
    double *rest;
} airm_work;

static airm_work airm_share(size_t m, double *work)
{
    airm_work w;
    w.L = work;
    w.C = w.L + OCTETS * TRI(m) * LANES;
    w.V = w.C + OCTETS * TRI(m) * LANES;
    w.full = w.V + OCTETS * m * m * LANES;
    w.lambda = w.full + m * m * LANES;
    w.log = w.lambda + OCTETS * m * LANES;
    w.quotient = w.log + OCTETS * m * LANES;
    w.rest = w.quotient + OCTETS * m * LANES;
    return w;
}

/* log <- 4 ln lambda, quotient <- 4 ln lambda / lambda, d2 <- sum ln^2 lambda of one octet; NaN
 * when an eigenvalue is not positive. */
static void airm_value(const kernels *k, size_t m, size_t lanes, const double *lambda, double *log,
                       double *quotient, double *d2)
{
    double sum[LANES] = {0};
    k->log(m, lambda, log);
    for (size_t e = 0; e < m * LANES; e++) {
        if (!(lambda[e] > 0x1p-1022))
            sum[e % LANES] = NAN;
        sum[e % LANES] += log[e] * log[e];
        log[e] *= 4.0;
        quotient[e] = log[e] / lambda[e];
    }
    memcpy(d2, sum, lanes * sizeof *d2);
}

/* M_i <- V quotient V', M_j <- -V log V' of octet g. */
static void airm_weights(const kernels *k, size_t m, size_t lanes, const airm_work *w, size_t g,
                         double *Mi, double *Mj)
{
    double *V = w->V + g * m * m * LANES, *A = w->C + g * TRI(m) * LANES;
    double *log = w->log + g * m * LANES;
    k->solve_trans(m, m, w->L + g * TRI(m) * LANES, V);
    k->rebuild(m, V, w->quotient + g * m * LANES, A, w->full);
    split_octet(k, m, lanes, A, Mi);
    for (size_t e = 0; e < m * LANES; e++)
        log[e] = -log[e];
    k->rebuild(m, V, log, A, w->full);
    split_octet(k, m, lanes, A, Mj);
}

static void airm_batch(const kernels *k, size_t m, size_t count, const pair *pairs,
                       const pair_samples *s, double *d2, double *M, double *work)
{
    airm_work w = airm_share(m, work);
    size_t octets = (count + LANES - 1) / LANES, entries = TRI(m) * LANES;
    unsigned bad[OCTETS];
    for (size_t g = 0; g < octets; g++) {
        gather_side(k, m, lanes_of(count, g), pairs + g * LANES, 0, s->S, w.C + g * entries);
        gather_side(k, m, lanes_of(count, g), pairs + g * LANES, 1, s->L, w.L + g * entries);
        k->reduce(m, w.L + g * entries, w.C + g * entries, w.C + g * entries, w.full);
    }
    if (M)
        k->eigh(m, octets, w.C, w.lambda, w.V, bad, w.rest);
    else
        k->eigvals(m, octets, w.C, w.lambda, bad, w.rest);
    for (size_t g = 0; g < octets; g++) {
        size_t lanes = lanes_of(count, g), at = g * m * LANES;
        airm_value(k, m, lanes, w.lambda + at, w.log + at, w.quotient + at, d2 + g * LANES);
        if (M)
            airm_weights(k, m, lanes, &w, g, M + g * LANES * TRI(m),
                         M + (count + g * LANES) * TRI(m));
    }
}

/* ---- Jeffrey -------------------------------------------------------------------------------- */

/* One side of one octet: own i (or j when second), other the opposite. trace (8) <- tr(S_own^-1
 * S_other); W <- S_own^-1 S_other S_own^-1 and Inv <- S_own^-1, both TRI x 8. */
static void jeffrey_side(const kernels *k, size_t m, size_t lanes, const pair *pairs, int second,
                         const pair_samples *s, double *trace, double *W, double *Inv, double *work)
{
    double *L = work, *C = L + TRI(m) * LANES, *full = C + TRI(m) * LANES;
    gather_side(k, m, lanes, pairs, second, s->L, L);
    gather_side(k, m, lanes, pairs, !second, s->S, C);
    k->reduce(m, L, C, C, full);
    for (size_t l = 0; l < LANES; l++) {
        trace[l] = 0.0;
        for (size_t r = 0; r < m; r++)
            trace[l] += C[(TRI(r) + r) * LANES + l];
    }
    k->tri_inverse(m, L, Inv);
    k->expand(m, Inv, C, W, full);
    memcpy(L, Inv, TRI(m) * LANES * sizeof *L);
    k->tri_gram(m, L, Inv);
}

/* M (lanes x TRI) <- A - B */
static void split_difference(const kernels *k, size_t m, size_t lanes, double *A, const double *B,
                             double *M)
{
    k->axpy(TRI(m) * LANES, -1.0, B, A);
    split_octet(k, m, lanes, A, M);
}

static void jeffrey_batch(const kernels *k, size_t m, size_t count, const pair *pairs,
                          const pair_samples *s, double *d2, double *M, double *work)
{
    size_t entries = TRI(m) * LANES;
    double *W[2] = {work, work + entries}, *Inv[2] = {work + 2 * entries, work + 3 * entries};
    for (size_t first = 0; first < count; first += LANES) {
        size_t lanes = lanes_of(count, first / LANES);
        double trace[2][LANES];
        for (int side = 0; side < 2; side++)
            jeffrey_side(k, m, lanes, pairs + first, side, s, trace[side], W[side], Inv[side],
                         work + 4 * entries);
        for (size_t l = 0; l < lanes; l++)
            d2[first + l] = 0.5 * (trace[0][l] + trace[1][l]) - (double)m;
        if (!M)
            continue;
        split_difference(k, m, lanes, Inv[1], W[0], M + first * TRI(m));
        split_difference(k, m, lanes, Inv[0], W[1], M + (count + first) * TRI(m));
    }
}

/* ---- log-Euclidean and Euclidean ------------------------------------------------------------ */

/* D (TRI x 8) <- A - B, d2 (8) <- |A - B|_F^2, lane by lane. */
static void difference(size_t m, const double *A, const double *B, double *D, double *d2)
{
    memset(d2, 0, LANES * sizeof *d2);
    for (size_t r = 0, e = 0; r < m; r++)
        for (size_t c = 0; c <= r; c++)
            for (size_t l = 0; l < LANES; l++, e++) {
                D[e] = A[e] - B[e];
                d2[l] += (c < r ? 2.0 : 1.0) * D[e] * D[e];
            }
}

/* The rule for the matrices `of` (p x TRI). */
static void flat_batch(const kernels *k, size_t m, size_t count, const pair *pairs,
                       const double *of, double *d2, double *M, double *work)
{
    size_t entries = TRI(m) * LANES;
    double *A = work, *B = A + entries, *D = B + entries;
    for (size_t first = 0; first < count; first += LANES) {
        size_t lanes = lanes_of(count, first / LANES);
        double lane[LANES];
        gather_side(k, m, lanes, pairs + first, 0, of, A);
        gather_side(k, m, lanes, pairs + first, 1, of, B);
        difference(m, A, B, D, lane);
        memcpy(d2 + first, lane, lanes * sizeof *d2);
        if (!M)
            continue;
        for (size_t e = 0; e < entries; e++) {
            A[e] = 4.0 * D[e];
            B[e] = -A[e];
        }
        split_octet(k, m, lanes, A, M + first * TRI(m));
        split_octet(k, m, lanes, B, M + (count + first) * TRI(m));
    }
}

static void log_batch(const kernels *k, size_t m, size_t count, const pair *pairs,
                      const pair_samples *s, double *d2, double *M, double *work)
{
    flat_batch(k, m, count, pairs, s->L, d2, M, work);
}

static void euclidean_batch(const kernels *k, size_t m, size_t count, const pair *pairs,
                            const pair_samples *s, double *d2, double *M, double *work)
{
    flat_batch(k, m, count, pairs, s->S, d2, M, work);
}

/* ---- the table ------------------------------------------------------------------------------ */

const pair_rule *pair_rule_get(spd_metric metric)
{
    static const pair_rule stein = {1, 1, 0, 0, 1e-14, stein_batch},
                           airm = {2, 0, 0, 0, 1e-14, airm_batch},
                           jeffrey = {2, 0, 0, 0, 1e-14, jeffrey_batch},
                           log_euclidean = {2, 0, 1, 0, 1e-28, log_batch},
                           euclidean = {2, 0, 0, 1, 1e-28, euclidean_batch};
    switch (metric) {
    case SPD_METRIC_STEIN:
        return &stein;
    case SPD_METRIC_AIRM:
        return &airm;
    case SPD_METRIC_JEFFREY:
        return &jeffrey;
    case SPD_METRIC_LOG_EUCLIDEAN:
        return &log_euclidean;
    case SPD_METRIC_EUCLIDEAN:
        return &euclidean;
    default:
        return NULL;
    }
}
