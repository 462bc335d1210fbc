/* report.h - the message about a matrix that is not what it should be. */
#ifndef SPD_ENGINE_REPORT_H
#define SPD_ENGINE_REPORT_H

#include "base/context.h"

/* Looks at X (n x n), which was found unfit, and records why: "`name`[`index`] holds NaN or
 * Inf at row 2, column 5" (SPD_ENOTFINITE) or "... is not positive definite (smallest
 * eigenvalue -3.1e-12)" (SPD_ENOTSPD). Returns that status. */
spd_status report_bad_matrix(spd_context *ctx, size_t n, const double *X, const char *name,
                             size_t index);

#endif
