/* krr_fit.h - the choice of beta and lambda of kernel ridge regression, and its coefficients.
 *
 *   K = exp(-beta D2) + scale T T',   D2 squared Stein distances, T vectors; either may be missing
 */
#ifndef SPD_CLASSIFY_KRR_FIT_H
#define SPD_CLASSIFY_KRR_FIT_H

#include "classify/ridge.h"

/* Samples that are regressed on. */
typedef struct krr_problem {
    ridge_targets to;
    double *D2;      /* p x p; with landmarks some x p; NULL: there is no Stein kernel */
    double median;   /* of the distances: betas are beta-scales over it. Of many that of some */
    const double *T; /* p x rank, or NULL */
    size_t rank;
    double scale;
    size_t some;         /* of many samples those on which settings are tried; 0: all */
    const size_t *index; /* some: their numbers, ascending */
    int landmarks;       /* non-zero: the others are compared with these alone */
} krr_problem;

/* The values that are tried of one parameter. */
typedef struct tried {
    size_t count;
    const double *value;
} tried;

/* What is tried: of beta, where beta is NaN, beta-scales. */
typedef struct krr_grid {
    double beta;
    tried scale, lambda;
} krr_grid;

/* What was found. */
typedef struct krr_fit {
    ridge_quality quality;
    double scale, beta, lambda;
    double missed; /* share of the Stein kernel that landmarks miss, a mean over the samples */
    double *A;     /* p, or some, x count: of the Stein kernel */
    double *w;     /* rank x count: of the vectors */
    double *bias;  /* count */
    double *left;  /* p x count: what is predicted for each sample without it, or its group */
} krr_fit;

/* With more samples every setting is tried on so many of them, and the coefficients are of all:
 * through the inverse of the kernel (ridge_once) or, with landmarks, of the kernel that these span
 * (Nystrom). */
#define KRR_TRIED_ON 2000

/* f <- the best of what is tried, in keep. */
spd_status krr_fit_best(spd_context *ctx, const krr_problem *p, const krr_grid *grid, arena *keep,
                        krr_fit *f);

#endif
