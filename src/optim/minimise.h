/* minimise.h - minimisation on the Grassmann manifold: nonlinear conjugate gradient and L-BFGS
 * along geodesics (Edelman, Arias, Smith 1998; math.md, eq. 5 to 8).
 *
 * It ends, and says by which rule, when
 *   gradient      |grad| <= gtol times the first one, or zero;
 *   tolerance     |f_before - f| <= tol |f| in five iterations running: one alone may be an unlucky
 *                 direction, which the next iteration mends;
 *   iterations    as many as max_iter since the original start;
 *   time          max_time is over;
 *   line search   no step along -grad lowers f. A search that fails along another direction makes
 *                 an iteration of length 0, and the next one goes along -grad;
 *   cancelled     the callback said so. */
#ifndef SPD_OPTIM_MINIMISE_H
#define SPD_OPTIM_MINIMISE_H

#include "optim/problem.h"

/* Iterations with a small decrease, running, that end the minimisation. */
#define MINIMISE_SMALL_STEPS 5

typedef struct minimise_options {
    spd_solver solver;
    spd_transport transport;
    double tol, gtol, max_time; /* as in spd_fit_options */
    int max_iter;
    int refresh; /* iterations between fresh starts of the problem at a re-orthonormalised W: 50 */
    double seconds_before; /* time already spent, counted against max_time (resume) */
} minimise_options;

/* Where the minimisation stands: everything that is needed to go on. Arrays are n x m. */
typedef struct minimise_state {
    double *W, *H, *grad; /* point, direction of the next step, Riemannian gradient */
    double f, gradient_norm, first_gradient_norm;
    double last_step; /* the last t, made to fit H: where the next line search looks first */
    int iteration;
    int refreshes;   /* fresh starts so far beyond the first */
    int small_steps; /* iterations running, up to this one, with a relative decrease below tol */
    double *memory;  /* L-BFGS's pairs: minimise_memory(n, m) doubles of the caller's; else NULL */
    int memory_count, memory_first; /* which of them are in use */
    spd_stop stop;                  /* set at the end */
} minimise_state;

/* Doubles of minimise_state.memory; 0 for solvers without. */
size_t minimise_memory(spd_solver solver, size_t n, size_t m);

/* Called after the start (iteration 0, not when resumed) and after each iteration; non-zero
 * cancels. */
typedef int (*minimise_fn)(void *user, const minimise_state *state, const spd_fit_step *last);

/* s->W (orthonormal) is the start, s->W, H and grad are the caller's memory. resumed == 0: f, H,
 * grad and counters are computed; otherwise they are continued from. SPD_OK however it ends, also
 * when cancelled, with s->stop set and W'W = I to rounding. Otherwise the status of a function of
 * the problem; SPD_ENUMERIC when cost or gradient are not finite where they must be, or an SVD did
 * not converge; SPD_ENOMEM. No message is made here. */
spd_status minimise(const problem *p, const minimise_options *options, int resumed,
                    minimise_state *s, minimise_fn after, void *user);

#endif
