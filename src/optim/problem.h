/* problem.h - what the optimiser knows of a cost on the Grassmann manifold.
 *
 * The cost is a function of the space spanned by W (n x m, W'W = I), f(W R) = f(W) for orthogonal
 * R. The problem keeps whatever it needs at the current point W; the optimiser keeps W itself and
 * moves both along geodesics. For a tangent H = U diag(sigma) V' (thin SVD) at W:
 *
 *   W(t) = W V cos(sigma t) + U sin(sigma t)                            (math.md, eq. 6)
 *
 * The trailing V' of equation 6 is left out: after aim(U, sigma, V) the current point is W V, the
 * same space in another basis, in which gradients are given from then on. aim and step may return
 * before their work is done; faults then come with the next call. All matrices are row-major with
 * m columns. A non-zero return of any function ends the optimisation with that status. The same
 * calls in the same order give the same bits: that is how a resumed run comes back to its point.
 *
 * Whoever implements a cost begins a struct of its own with this one (fit/cpu.c). */
#ifndef SPD_OPTIM_PROBLEM_H
#define SPD_OPTIM_PROBLEM_H

#include "spdml.h"

typedef struct problem problem;

struct problem {
    size_t n, m;

    /* Makes W (n x m, orthonormal) the current point, from scratch: a pass over the data. */
    spd_status (*start)(problem *p, const double *W);

    /* *f and G (n x m) <- cost and Euclidean gradient at the current point. Asked for after start
     * and after step alone: aim and probes overwrite what it is made of. */
    spd_status (*cost_grad)(problem *p, double *f, double *G);

    /* Prepares the geodesic from the current point along U diag(sigma) V', with a pass over the
     * data; the current point is then W V. U is n x m, sigma m, V m x m. Columns of U whose sigma
     * is zero are arbitrary and need not be orthogonal to W; those of small sigma are orthogonal to
     * others only in so far as sigma weighs (tall_axes). */
    spd_status (*aim)(problem *p, const double *U, const double *sigma, const double *V);

    /* The first probe after aim will be at t: what can be begun is. NULL: nothing can. */
    void (*ahead)(problem *p, double t);

    /* *f, *df <- cost and its derivative at W(t). *f is NaN where the cost does not exist: a
     * failed probe, not an error. */
    spd_status (*probe)(problem *p, double t, double *f, double *df);

    /* Moves to W(t), the point probed last. */
    spd_status (*step)(problem *p, double t);

    void (*free)(problem *p);

    int grad_pass; /* is cost_grad a pass over the data of its own? */

    /* text <- what it runs on and how well, for people. NULL: nothing to say. */
    void (*about)(problem *p, size_t room, char *text);
};

#endif
