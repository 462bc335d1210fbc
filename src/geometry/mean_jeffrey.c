/* mean_jeffrey.c - the mean of the Jeffrey divergence (Moakher, Batchelor 2006).
 *
 * The minimiser of sum w_i d2(M, X_i) solves M^-1 A M^-1 = B with A = sum w X, B = sum w X^-1: it
 * is the geometric mean of the arithmetic mean A and the harmonic mean B^-1,
 *
 *   A = L L',  L' B L = V diag(lambda) V',  M = L V diag(lambda^-1/2) V' L'
 *
 * Equivariant under congruence, exact for two samples under AIRM too, and cheap: so it is also
 * where the iterations of AIRM and Stein start. */
#include <math.h>
#include <string.h>

#include "geometry/mean.h"
#include "linalg/definite.h"
#include "linalg/dense.h"

static size_t jeffrey_terms(size_t n)
{
    return 2 * TRI(n);
}

static size_t jeffrey_term_work(size_t n)
{
    return 2 * TRI(n) * LANES;
}

/* [X | X^-1]. */
static void jeffrey_term(const kernels *k, size_t n, size_t octets, const double *frame, double *X,
                         double *T, unsigned *bad, double *work)
{
    size_t entries = TRI(n) * LANES;
    double *L = work, *Linv = work + entries;
    (void)frame;
    for (size_t g = 0; g < octets; g++, X += entries, T += 2 * entries) {
        memcpy(T, X, entries * sizeof *T);
        bad[g] = definite_chol(k, n, X, L, NULL, Linv);
        k->tri_inverse(n, L, Linv);
        k->tri_gram(n, Linv, T + entries);
    }
}

static size_t jeffrey_advance_work(size_t n)
{
    return 3 * n * n + n + dense_eigh_work(n);
}

static spd_status jeffrey_advance(mean_state *s, const double *sum)
{
    size_t n = s->n;
    double *L = s->work, *V = L + n * n, *B = V + n * n, *lambda = B + n * n;
    dense_unpack(n, sum, L);
    dense_unpack(n, sum + TRI(n), V);
    if (dense_chol(n, L))
        return SPD_ENUMERIC;
    dense_congruence(n, L, V, V, B);
    if (dense_eigh(n, 1, V, lambda, lambda + n) || !(lambda[0] > 0.0))
        return SPD_ENUMERIC;
    for (size_t i = 0; i < n; i++)
        lambda[i] = 1.0 / sqrt(sqrt(lambda[i]));
    dense_product(n, L, V, B);
    dense_scale_columns(n, B, lambda, B);
    dense_gram(n, B, s->M);
    s->done = 1;
    return SPD_OK;
}

const mean_rule mean_jeffrey = {
    .terms = jeffrey_terms,
    .term_work = jeffrey_term_work,
    .advance_work = jeffrey_advance_work,
    .term = jeffrey_term,
    .advance = jeffrey_advance,
};
