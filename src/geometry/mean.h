/* mean.h - how a metric's mean is found: sums over the samples, and what is done with them.
 *
 * A mean is a loop: one pass sums  w_1 T(X_1) + ... + w_p T(X_p)  over the samples (sum w = 1), T a
 * term of `terms` doubles that depends on the moving point; then `advance` moves the point. The
 * rule knows both, and neither threads nor memory: the engine runs the pass and lends the state.
 * A closed form is a rule that is done after one pass. */
#ifndef SPD_GEOMETRY_MEAN_H
#define SPD_GEOMETRY_MEAN_H

#include "linalg/kernels.h"
#include "spdml.h"

/* Most octets that one call of term takes. */
#define MEAN_OCTETS 2

/* The moving point; all pointers lead into memory lent by the engine. */
typedef struct mean_state {
    size_t n;
    double tol;
    double *M;     /* n x n: the point, valid when done or out of patience */
    double *frame; /* TRI(n): what terms need to know of the point */
    double *own;   /* state(n) doubles of the rule */
    double *work;  /* advance_work(n) doubles */

    int iterations;  /* advances so far; the start does not count */
    double residual; /* size of the step at the point, relative to it */
    int done;        /* the stopping rule is satisfied */

    double best; /* smallest residual that counted as progress */
    int stalled; /* advances since then */
} mean_state;

typedef struct mean_rule {
    /* Rule of one pass whose result is the first point; NULL: begin makes it from nothing. */
    const struct mean_rule *start;

    /* Numbers of doubles; NULL for none. */
    size_t (*terms)(size_t n);
    size_t (*term_work)(size_t n);
    size_t (*state)(size_t n);
    size_t (*advance_work)(size_t n);

    /* The term is the matrix itself, all n n entries of it: it is summed where it lies. */
    int plain;

    /* T (octets x terms x 8) <- terms of the matrices in X (octets x TRI(n) x 8, destroyed).
     * bad[g] <- mask of lanes without a term. */
    void (*term)(const kernels *k, size_t n, size_t octets, const double *frame, double *X,
                 double *T, unsigned *bad, double *work);

    /* Prepares frame and own, from M when there is a start. NULL: nothing to prepare. Both return
     * SPD_ENUMERIC when the numbers break down. */
    spd_status (*begin)(mean_state *s);

    /* Moves the point by the sum (terms doubles), or finds that it is good: sets M, residual and
     * done. */
    spd_status (*advance)(mean_state *s, const double *sum);
} mean_rule;

/* The rule of a metric; NULL for a number that is no metric. */
const mean_rule *mean_get(spd_metric metric);

/* Records the residual of an advance. Done when it is at most tol, or when it has stopped to
 * shrink below 1e-8: rounding allows no more then. Where rounding may amount to more, at the
 * condition of the samples and the point, residuals that have stopped to shrink below that are
 * done too; s->residual is then the best one, and its point (stalled was 0) the one to return. */
void mean_judge(mean_state *s, double residual, double rounding);

extern const mean_rule mean_airm, mean_stein, mean_log_euclidean, mean_jeffrey,
    mean_bures_wasserstein, mean_log_cholesky, mean_euclidean;

#endif
