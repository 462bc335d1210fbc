/* minimise.h - minimisation on the Grassmann manifold: nonlinear conjugate gradient and L-BFGS
 * along geodesics (Edelman, Arias, Smith 1998; math.md, eq. 5 to 8). */
#ifndef SPD_OPTIM_MINIMISE_H
#define SPD_OPTIM_MINIMISE_H

#include "optim/problem.h"

typedef struct minimise_options {
    spd_solver solver;
    spd_transport transport;
    double tol, gtol, max_time; /* as in spd_fit_options */
    int max_iter;
    int refresh; /* iterations between fresh starts of the problem at a re-orthonormalised W: 50 */
    double seconds_before; /* time already spent, counted against max_time (resume) */
} minimise_options;

/* Where the minimisation stands. Everything needed to go on is in W, H, grad, f and the counters;
 * L-BFGS forgets its memory when it is resumed. All arrays n x m. */
typedef struct minimise_state {
    double *W, *H, *grad; /* point, direction of the next step, Riemannian gradient */
    double f, gradient_norm, first_gradient_norm, last_step;
    int iteration;
    int refreshes; /* fresh starts so far beyond the first */
    spd_stop stop;
} minimise_state;

/* Called after the start (iteration 0) and after each iteration; non-zero cancels. */
typedef int (*minimise_fn)(void *user, const minimise_state *state, const spd_fit_step *last);

/* s->W (orthonormal) is the start, s->W, H and grad are the caller's memory. resumed == 0: f, H,
 * grad and counters are computed; otherwise they are continued from. Ends with s->stop set. */
spd_status minimise(const problem *p, const minimise_options *options, int resumed,
                    minimise_state *s, minimise_fn after, void *user);

#endif
