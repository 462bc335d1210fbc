/* fault.h - the messages about a matrix or a pair that is not what it should be. */
#ifndef SPD_ENGINE_FAULT_H
#define SPD_ENGINE_FAULT_H

#include "base/context.h"

/* Looks at X (n x n), which was found unfit, and records why: "`name`[`index`] holds NaN or
 * Inf at row 2, column 5" (SPD_ENOTFINITE) or "... is not positive definite (smallest
 * eigenvalue -3.1e-12)" (SPD_ENOTSPD). Returns that status. */
spd_status fault_matrix(spd_context *ctx, size_t n, const double *X, const char *name,
                        size_t index);

/* The distance between two matrices that were found fit is no number: SPD_ENUMERIC, with both
 * named, `x`[i] and `y`[j]; they may be one and the same. */
spd_status fault_pair(spd_context *ctx, const char *x, size_t i, const char *y, size_t j);

/* For callers whose samples are a part of the user's set, and numbered otherwise: a message of
 * SPD_ENUMERIC that names one is replaced by one that names none. Returns status. */
spd_status fault_unnamed(spd_context *ctx, spd_status status);

#endif
