/* lasso_dual.h - the dual of the problem of lasso.h, for codes that use most atoms. With Q = K^-1 it
 * is a quadratic problem in a box:
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
    double *part;  /* p: of v, the free ones */
    arena *keep;
    size_t room;
    double *factor;         /* room x room: of Q over `factored` h_j, these; from keep */
    size_t factored, *held; /* set factored to 0 before another Q */
} lasso_dual;

/* What of it does not grow. */
void lasso_dual_make(lasso_dual *d, size_t p, arena *keep);

/* y <- y + scale A x for A (p x p, symmetric). */
void lasso_add_product(const kernels *kernel, size_t p, double scale, const double *A,
                       const double *x, double *y);

/* From the walls, for v0 = Q k and qs = Q sign(v0). */
void lasso_dual_start(lasso_dual *d, double half, const double *v0, const double *qs);

/* From near the gradient g, for k and K + shift I with k + shift centre, Q being the inverse: v is
 * centre + Q (slope - h) with the gradient there, slope = k - K centre, so that rounding is that of
 * the difference. */
void lasso_dual_start_near(lasso_dual *d, const double *Q, double half, const double *g,
                           const double *centre, const double *slope);

/* From d->h and d->v to the code in d->v, exact zeros where it is not used; near: most h_j are free,
 * or not, as they will be in the end. *found <- 0 when a larger share of them than most_free came
 * free: this is not the way then. SPD_ENOMEM. */
spd_status lasso_dual_solve(lasso_dual *d, const double *Q, double half, double most_free, int near,
                            int *found);

#endif
