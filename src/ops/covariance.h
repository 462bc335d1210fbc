/* covariance.h - mean and scatter of observations, r x n, in one pass.
 *
 *   mu = 1/r sum o_k,   S = sum (o_k - mu)(o_k - mu)'                        (math.md, eq. 11)
 *
 * Rows come in blocks. The first row is subtracted from all (exact where numbers are close, so a
 * large mean costs no digits), a block is centred on its own mean and adds B'B, and two parts of
 * a and b rows join as
 *
 *   S = S_a + S_b + a b/(a + b) d d',   d = mu_b - mu_a            (Chan, Golub, LeVeque 1979)
 *
 * With W (n x m) the rows are projected after the subtraction, so all this happens in m dimensions
 * (eq. 12). */
#ifndef SPD_OPS_COVARIANCE_H
#define SPD_OPS_COVARIANCE_H

#include "base/arena.h"

/* Observations in rows; their covariance is one diagonal block of the sample's matrix. */
typedef struct observations {
    size_t r, n;
    const double *O; /* r x n */
} observations;

/* Sums over r rows, in d dimensions: d = n, or m with W. */
typedef struct scatter {
    size_t r, d;
    double *mean;   /* d: of the rows less the first one, projected */
    double *S;      /* d x d, both triangles */
    int exponent;   /* even: S is of the size 2^exponent if that is very large or small, else 0 */
    double quartic; /* sum of |o_k - mu|^4 where it was asked for, times 2^-2 exponent; else 0 */
} scatter;

/* *sums <- of the observations; W (n x m) or NULL. with_quartic costs a second pass. Chunks
 * of rows run on the context's threads and are joined in order. SPD_ENOTFINITE names row and
 * column of an entry that is NaN or Inf; SPD_ENUMERIC if the squares leave the range of numbers. */
spd_status scatter_new(spd_context *ctx, const observations *o, size_t m, const double *W,
                       int with_quartic, arena *keep, scatter *sums);

/* C (d x d) <- the covariance that the sums give, shrunk as the options say; not regularised. */
void shrinkage_apply(const spd_covariance_options *options, const scatter *sums, double *C);

/* e tr(C)/n for r rows of n columns whose scatter S has this trace: what regularisation adds. */
double shrinkage_ridge(const spd_covariance_options *options, size_t r, size_t n, double trace);

/* Do the options make sense for blocks of these sizes, and can the result be positive definite? The
 * observations themselves are not looked at. */
spd_status covariance_check(spd_context *ctx, const spd_covariance_options *options, size_t blocks,
                            const observations *block);

/* X (n x n, n the sum of the blocks' sizes; m x m with options->W) <- covariance of the blocks,
 * block-diagonal, shrunk and regularised as the options say. With W (n x m), whose rows are split
 * as the blocks are, it is the sum of the covariances of O_b W_b, and no n x n matrix is formed.
 * SPD_EINVAL with remedy when a block has too few rows for a positive definite result (r <= n,
 * r <= m with W) and the options do not repair that. */
spd_status covariance_blocks(spd_context *ctx, const spd_covariance_options *options, size_t blocks,
                             const observations *block, double *X);

/* Do the options repair a covariance that lacks rank, by shrinkage or regularisation? */
int shrinkage_repairs(const spd_covariance_options *options);

#endif
