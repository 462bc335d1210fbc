/* ridge.h - kernel ridge regression on one-hot labels, and what it predicts for each sample from the
 * others, in closed form.
 *
 *   minimise  |Y - K A - 1 b'|^2 + lambda tr A'KA,   Y (p x classes) one-hot, the intercept b free
 *   H K H = V diag(s) V',  H = I - 11'/p:   A = V diag(1/(s + lambda)) V'Y,   b = (Y - K A)'1/p
 *   without sample i:   y_i - r_i/d_i,   r = lambda (H K H + lambda I)^-1 H Y
 *                       d_i = lambda [(H K H + lambda I)^-1]_ii - 1/p
 *
 * One decomposition serves every lambda. Negative eigenvalues, of a kernel that is not definite,
 * count as zero, and A has no part along them. */
#ifndef SPD_CLASSIFY_RIDGE_H
#define SPD_CLASSIFY_RIDGE_H

#include "base/classes.h"

typedef struct ridge {
    size_t p;
    const classes *of; /* borrowed */
    size_t *at;        /* p: the class of each sample, below of->count */
    double *V;         /* p x p */
    double *s;         /* p, none below zero */
    double *mean;      /* p: means of the rows of K */
    double *F;         /* p x of->count: V'HY */
    double *work;      /* p x of->count */
} ridge;

/* How well samples are predicted by the others. */
typedef struct ridge_quality {
    size_t right;
    double error; /* sum of squares of what is missing to Y */
} ridge_quality;

/* r <- of the kernel K (p x p, symmetric), which is borrowed and becomes V. */
spd_status ridge_open(spd_context *ctx, size_t p, const classes *of, double *K, arena *keep,
                      ridge *r);

/* left (p x of->count) <- what each sample's scores are when it is left out. */
ridge_quality ridge_leave_one_out(const ridge *r, double lambda, double *left);

/* More samples right or, of as many, a smaller error? */
int ridge_is_better(ridge_quality a, ridge_quality b);

/* A (p x of->count) and b (of->count). */
void ridge_solve(const ridge *r, double lambda, double *A, double *b);

/* The factor of the scores that makes their softmax probabilities: the one under which the labels
 * are most likely, given the scores of samples left out. A label counts as right with (p + 1)/(p +
 * 2), since p samples cannot say more (Laplace's rule of succession): so it is finite. */
double ridge_sharpness(const ridge *r, const double *left);

#endif
