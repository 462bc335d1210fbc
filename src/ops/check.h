/* check.h - the check of a set whose name in messages is not X. */
#ifndef SPD_OPS_CHECK_H
#define SPD_OPS_CHECK_H

#include "base/context.h"

/* spd_check of the set called `name`, for callers that have checked their arguments. */
spd_status check_set(spd_context *ctx, const char *name, size_t n, size_t p, const double *X,
                     double tolerance);

/* The same of matrices that are part of a set, from number `first` on. */
spd_status check_part(spd_context *ctx, const char *name, size_t n, size_t p, const double *X,
                      size_t first, double tolerance);

/* Has the one matrix A (n x n) a Cholesky factor? scratch: n x n. */
int check_definite(size_t n, const double *A, double *scratch);

#endif
