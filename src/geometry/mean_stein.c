/* mean_stein.c - the mean of the Stein divergence.
 *
 *   f(M) = 4 sum w d2(M, X),   -grad f = L S L',   S = 2 (I - L' K L),  K = sum w ((M + X)/2)^-1
 *
 * The factor 4 makes f agree with AIRM's d2/2 for close matrices. The fixed point of Sra and of
 * Cherian et al., M <- K^-1, is the step theta = 1/2 to first order and never overshoots; where the
 * samples spread widely f is flat and theta may be much longer. */
#include <math.h>

#include "geometry/descent.h"
#include "linalg/dense.h"

/* [((M + X)/2)^-1 | ln det((M + X)/2) - ln det(X)/2]. */
static size_t stein_terms(size_t n)
{
    return TRI(n) + 1;
}

static size_t stein_term_work(size_t n)
{
    return 2 * TRI(n) * LANES;
}

static void stein_term(const kernels *k, size_t n, size_t octets, const double *frame, double *X,
                       double *T, unsigned *bad, double *work)
{
    size_t entries = TRI(n) * LANES;
    double *A = work, *Linv = work + entries, own[LANES] __attribute__((aligned(64)));
    for (size_t g = 0; g < octets; g++, X += entries, T += entries + LANES) {
        double *cost = T + entries;
        k->average(TRI(n), frame, X, A);
        bad[g] = k->chol(n, X, own) | k->chol(n, A, cost);
        k->tri_inverse(n, A, Linv);
        k->tri_gram(n, Linv, T);
        for (size_t l = 0; l < LANES; l++)
            cost[l] -= 0.5 * own[l];
    }
}

/* frame <- lower triangle of M. */
static spd_status stein_begin(mean_state *s)
{
    spd_status status = descent_begin(s);
    dense_pack(s->n, s->M, s->frame);
    return status;
}

static spd_status stein_advance(mean_state *s, const double *sum)
{
    size_t n = s->n;
    double *S = descent_direction(s), *L = descent_factor(s);
    double logdet = dense_logdet(n, L);
    descent_view view = {.move = descent_geodesic,
                         .scale = sqrt((double)n),
                         .cost = 4.0 * (sum[TRI(n)] - 0.5 * logdet),
                         .shortest = 0.5,
                         .longest = 1e3,
                         .usual = 1.0};
    dense_unpack(n, sum, S);
    dense_congruence(n, L, S, S, s->work);
    for (size_t r = 0; r < n; r++)
        for (size_t c = 0; c < n; c++)
            S[r * n + c] = 2.0 * ((r == c ? 1.0 : 0.0) - S[r * n + c]);
    spd_status status = descent_advance(s, &view);
    dense_pack(n, s->M, s->frame);
    return status;
}

const mean_rule mean_stein = {
    .start = &mean_jeffrey,
    .terms = stein_terms,
    .term_work = stein_term_work,
    .state = descent_state,
    .advance_work = descent_work,
    .term = stein_term,
    .begin = stein_begin,
    .advance = stein_advance,
};
