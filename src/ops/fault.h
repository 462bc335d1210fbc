/* fault.h - the messages about a matrix or a pair that is not what it should be. */
#ifndef SPD_OPS_FAULT_H
#define SPD_OPS_FAULT_H

#include "base/context.h"

/* Looks at X (n x n), which was found unfit, and records why: "`name`[`index`] holds NaN or
 * Inf at row 2, column 5" (SPD_ENOTFINITE) or "... is not positive definite (smallest
 * eigenvalue -3.1e-2)" (SPD_ENOTSPD). Returns that status. */
spd_status fault_matrix(spd_context *ctx, size_t n, const double *X, const char *name,
                        size_t index);

/* The distance between two matrices X and Y (n x n) that were found fit is no number: SPD_ENUMERIC,
 * with both named, `x`[i] and `y`[j], which may be one and the same, and why: their size, or their
 * condition. */
spd_status fault_pair(spd_context *ctx, size_t n, const char *x, size_t i, const double *X,
                      const char *y, size_t j, const double *Y);

/* The mean of X (p x n x n), whose matrices were found fit, has broken down, at X[index] or as a
 * whole (SPD_NO_INDEX): SPD_ENUMERIC, likewise. */
spd_status fault_mean(spd_context *ctx, size_t n, size_t p, const double *X, size_t index);

/* The message that begins with "X[i]" <- the same of sample `first` + i: for callers whose samples
 * are a range of a set. */
void fault_renumber(spd_context *ctx, size_t first);

/* For callers whose samples are a part of the user's set, and numbered otherwise: a message of
 * SPD_ENUMERIC that names one is replaced by one that names none. Returns status. */
spd_status fault_unnamed(spd_context *ctx, spd_status status);

#endif
