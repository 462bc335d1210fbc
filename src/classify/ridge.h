/* ridge.h - kernel ridge regression, and what it predicts for samples from the others, in closed form.
 *
 *   minimise  |Y - K A - 1 b'|^2 + lambda tr A'KA,   Y (p x count), the intercept b free
 *   C = H K H, H = I - 11'/p:   A = (C + lambda I)^-1 H Y,   b = (Y - K A)'1/p
 *   without the samples g:   Y_g - (R_gg)^-1 r_g,   r = R Y
 *                            R = lambda (C + lambda I)^-1 - 11'/p
 *
 * (docs/math.md, equation 26). One decomposition C = Q T Q' serves every lambda, Q orthogonal and T
 * tridiagonal: no eigenvalue is needed, and half the time of eigenvectors. A kernel with an eigenvalue
 * below zero is decomposed to the end, and that eigenvalue counts as zero; A has no part along it.
 *
 * Of a kernel K = V V' with short vectors V (p x dim), T is diagonal, and Q = H V W T^-1/2 has as
 * many columns as V, W the eigenvectors of V'HV. Then w = V'A is what is found. */
#ifndef SPD_CLASSIFY_RIDGE_H
#define SPD_CLASSIFY_RIDGE_H

#include "base/classes.h"

/* What is regressed on. */
typedef struct ridge_targets {
    size_t p, count;       /* samples, columns of Y */
    const double *Y;       /* p x count */
    const size_t *at;      /* p: the column of the class of each sample; NULL: Y are no classes */
    const classes *groups; /* samples that are left out together; NULL: each alone */
} ridge_targets;

typedef struct ridge {
    const ridge_targets *to; /* borrowed */
    int of_vectors;          /* else of a kernel */
    size_t rank, dim;        /* dim: of the vectors, which may be 0 */
    int clamped;             /* does T have eigenvalues that were below zero? It is diagonal then */
    double *Qt;              /* rank x p: Q' */
    double *d, *e;           /* rank: diagonal of T, and what is beside it */
    double *mean;            /* of the rows of K: p; or of the vectors: dim */
    double *W;               /* rank x dim: T^-1/2 W', of vectors */
    double *F;               /* rank x count: Q'Y */
    double *z, *w, *l;       /* rank x count, rank, rank: of the lambda at hand */
} ridge;

/* How well samples are predicted by the others. */
typedef struct ridge_quality {
    size_t right; /* the largest column is that of the class */
    double error; /* sum of squares of what is missing to Y */
} ridge_quality;

/* r <- of the kernel K (p x p, symmetric), which is borrowed and becomes Q'. */
spd_status ridge_open(spd_context *ctx, const ridge_targets *to, double *K, arena *keep, ridge *r);

/* r <- of the vectors V (p x dim), which are centred here. */
spd_status ridge_open_vectors(spd_context *ctx, const ridge_targets *to, size_t dim, double *V,
                              arena *keep, ridge *r);

/* left (p x count) <- what is predicted for each sample without it, or without its group. */
spd_status ridge_leave_out(spd_context *ctx, ridge *r, double lambda, double *left,
                           ridge_quality *quality);

/* A (p x count), of vectors w (dim x count), and b (count). */
void ridge_solve(ridge *r, double lambda, double *A, double *b);

/* All of this for one lambda, by the inverse of C + lambda I: the lower triangle of K (p x p), which
 * becomes that inverse; the upper one is left alone. SPD_ENUMERIC: it is not definite. */
spd_status ridge_once(spd_context *ctx, const ridge_targets *to, double lambda, double *K,
                      double *left, ridge_quality *quality, double *A, double *b);

/* More samples right or, of as many, a smaller error? */
int ridge_is_better(ridge_quality a, ridge_quality b);

/* The factor of the scores that makes their softmax probabilities: the one under which the labels
 * are most likely, given the scores of samples left out. A label counts as right with (p + 1)/(p +
 * 2), since p samples cannot say more (Laplace's rule of succession): so it is finite. 1 where Y are
 * no classes. */
double ridge_sharpness(const ridge_targets *to, const double *left);

#endif
