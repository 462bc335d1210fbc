/* pairs.c - the pair loop: gather, factor, weigh, scatter. */
#include "geometry/pairs.h"

#include <math.h>
#include <string.h>

#define GROUPS 2
#define BATCH  (GROUPS * LANES)

/* Two pieces of TRI per group, eigenvectors, full scratch, eigenvalues and two functions of
 * them, eigenvalue scratch. */
size_t pairs_work(size_t m)
{
    return (3 * GROUPS * TRI(m) + GROUPS * m * m + m * m + 3 * GROUPS * m) * LANES +
           kernels_eigh_work(m);
}

/* group <- packed matrices `of` (p x TRI) at pairs[].i, or .j when second. */
static void gather_side(const kernels *k, size_t m, size_t count, const pair *pairs, int second,
                        const double *of, double *group)
{
    const double *source[LANES];
    for (size_t l = 0; l < count; l++)
        source[l] = of + (second ? pairs[l].j : pairs[l].i) * TRI(m);
    k->gather(TRI(m), count, source, group);
}

/* Z at pairs[].i (or .j) += factor c group. */
static void scatter_side(const kernels *k, size_t m, size_t count, const pair *pairs, int second,
                         double factor, const double *group, double *Z)
{
    double *target[LANES], scale[LANES];
    for (size_t l = 0; l < count; l++) {
        target[l] = Z + (second ? pairs[l].j : pairs[l].i) * TRI(m);
        scale[l] = factor * pairs[l].c;
    }
    k->scatter(TRI(m), count, group, scale, target);
}

/* ---- Stein ---------------------------------------------------------------------------------- */

static double stein_eight(const kernels *k, size_t m, size_t count, const pair *pairs,
                          const double *S, const double *logdet, double *Z, double *work)
{
    size_t entries = TRI(m) * LANES;
    double *A = work, *B = A + entries, f = 0.0;
    _Alignas(64) double middle[LANES];
    gather_side(k, m, count, pairs, 0, S, A);
    gather_side(k, m, count, pairs, 1, S, B);
    k->middle(TRI(m), A, B, A);
    if (k->chol(m, A, middle) & ((1u << count) - 1u))
        return NAN;
    for (size_t l = 0; l < count; l++)
        f += pairs[l].c * (middle[l] - 0.5 * (logdet[pairs[l].i] + logdet[pairs[l].j]));
    if (!Z)
        return f;
    k->tri_inverse(m, A, B);
    k->tri_gram(m, B, A);
    scatter_side(k, m, count, pairs, 0, 1.0, A, Z);
    scatter_side(k, m, count, pairs, 1, 1.0, A, Z);
    return f;
}

double pairs_stein(const kernels *k, size_t m, size_t count, const pair *pairs, const double *S,
                   const double *logdet, double *Z, double *work)
{
    double f = 0.0;
    for (size_t first = 0; first < count; first += LANES) {
        size_t lanes = count - first < LANES ? count - first : LANES;
        f += stein_eight(k, m, lanes, pairs + first, S, logdet, Z, work);
    }
    return f;
}

/* ---- AIRM ----------------------------------------------------------------------------------- */

typedef struct airm_work {
    double *L, *C;                   /* GROUPS x TRI x 8 */
    double *V;                       /* GROUPS x m m x 8 */
    double *full;                    /* m m x 8 */
    double *lambda, *log, *quotient; /* GROUPS x m x 8 */
    double *rest;
} airm_work;

static airm_work airm_share(size_t m, double *work)
{
    airm_work w;
    w.L = work;
    w.C = w.L + GROUPS * TRI(m) * LANES;
    w.V = w.C + GROUPS * TRI(m) * LANES;
    w.full = w.V + GROUPS * m * m * LANES;
    w.lambda = w.full + m * m * LANES;
    w.log = w.lambda + GROUPS * m * LANES;
    w.quotient = w.log + GROUPS * m * LANES;
    w.rest = w.quotient + GROUPS * m * LANES;
    return w;
}

/* Logarithms of one group's eigenvalues; f over its pairs, NaN when one is not positive. */
static double airm_value(const kernels *k, size_t m, size_t lanes, const pair *pairs,
                         const double *lambda, double *log, double *quotient)
{
    double d2[LANES] = {0}, f = 0.0;
    k->log(m, lambda, log);
    for (size_t e = 0; e < m * LANES; e++) {
        if (!(lambda[e] > 0x1p-1022))
            d2[e % LANES] = NAN;
        d2[e % LANES] += log[e] * log[e];
        quotient[e] = log[e] / lambda[e];
    }
    for (size_t l = 0; l < lanes; l++)
        f += pairs[l].c * d2[l];
    return f;
}

static void airm_weights(const kernels *k, size_t m, size_t lanes, const pair *pairs,
                         const airm_work *w, size_t g, double *Z)
{
    double *V = w->V + g * m * m * LANES, *A = w->C + g * TRI(m) * LANES;
    k->solve_trans(m, m, w->L + g * TRI(m) * LANES, V);
    k->rebuild(m, V, w->quotient + g * m * LANES, A, w->full);
    scatter_side(k, m, lanes, pairs, 0, 4.0, A, Z);
    k->rebuild(m, V, w->log + g * m * LANES, A, w->full);
    scatter_side(k, m, lanes, pairs, 1, -4.0, A, Z);
}

static double airm_batch(const kernels *k, size_t m, size_t count, const pair *pairs,
                         const double *S, const double *L, double *Z, double *work)
{
    airm_work w = airm_share(m, work);
    size_t groups = (count + LANES - 1) / LANES, entries = TRI(m) * LANES;
    unsigned bad[GROUPS];
    double f = 0.0;
    for (size_t g = 0; g < groups; g++) {
        size_t lanes = count - g * LANES < LANES ? count - g * LANES : LANES;
        gather_side(k, m, lanes, pairs + g * LANES, 0, S, w.C + g * entries);
        gather_side(k, m, lanes, pairs + g * LANES, 1, L, w.L + g * entries);
        k->reduce(m, w.L + g * entries, w.C + g * entries, w.C + g * entries, w.full);
    }
    if (Z)
        k->eigh(m, groups, w.C, w.lambda, w.V, bad, w.rest);
    else
        k->eigvals(m, groups, w.C, w.lambda, bad, w.rest);
    for (size_t g = 0; g < groups; g++) {
        size_t lanes = count - g * LANES < LANES ? count - g * LANES : LANES, at = g * m * LANES;
        f += airm_value(k, m, lanes, pairs + g * LANES, w.lambda + at, w.log + at, w.quotient + at);
        if (Z)
            airm_weights(k, m, lanes, pairs + g * LANES, &w, g, Z);
    }
    return f;
}

double pairs_airm(const kernels *k, size_t m, size_t count, const pair *pairs, const double *S,
                  const double *L, double *Z, double *work)
{
    double f = 0.0;
    for (size_t first = 0; first < count; first += BATCH) {
        size_t batch = count - first < BATCH ? count - first : BATCH;
        f += airm_batch(k, m, batch, pairs + first, S, L, Z, work);
    }
    return f;
}
