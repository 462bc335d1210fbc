/* lasso_dual.h - the problem of lasso.h from the other side, for codes that use most atoms.
 *
 * With Q = K^-1 the dual is a quadratic problem in a box:
 *
 *   minimise (k - h)' Q (k - h)   over   |h_j| <= lambda/2,      v = Q (k - h),
 *
 * h being the gradient k - Kv. Atoms that are used rest on the wall that their sign says, so where
 * few are unused, few h_j are free, and a solution costs little more than the product Q k. The
 * inverse is made once for all queries. */
#ifndef SPD_CLASSIFY_LASSO_DUAL_H
#define SPD_CLASSIFY_LASSO_DUAL_H

#include "base/arena.h"
#include "linalg/kernels.h"

typedef struct lasso_dual {
    const kernels *kernel;
    size_t p;
    double *h, *v; /* p: the point, and Q (k - h) */
    size_t *free;  /* p: numbers of the free h_j */
    double *step;  /* p: theirs */
    arena *keep;
    size_t room;
    double *factor; /* room x room: of Q over the free ones; from keep */
} lasso_dual;

/* What of it does not grow. */
void lasso_dual_make(lasso_dual *d, size_t p, arena *keep);

/* d->v <- the code for v0 = Q k and qs = Q sign(v0), exact zeros where it is not used; *found <- 0
 * when most h_j came free: this is not the way then. SPD_ENOMEM. */
spd_status lasso_dual_solve(lasso_dual *d, const double *Q, double half, const double *v0,
                            const double *qs, int *found);

#endif
