/* minimise.h - minimisation on the Grassmann manifold: nonlinear conjugate gradient and L-BFGS
 * along geodesics (Edelman, Arias, Smith 1998; math.md, eq. 5 to 8).
 *
 * It ends, and says by which rule (the first two: math.md, eq. 20), when
 *   gradient      |grad| <= gtol F, or zero: a turn by a radian would change f by no more than
 *                 that part of F;
 *   tolerance     |f_before - f| <= tol F in five iterations running: one alone may be an unlucky
 *                 direction, which the next iteration mends;
 *   iterations    as many as max_iter since the original start;
 *   time          max_time is over;
 *   line search   no step along -grad lowers f. A search that fails along another direction makes
 *                 an iteration of length 0, and the next one goes along -grad;
 *   cancelled     the callback said so.
 *
 * F is the larger of |f| and of what f has lost since the start. Both rules stay the same when f is
 * multiplied by a number, and a cost that passes through zero does not make them strict. */
#ifndef SPD_OPTIM_MINIMISE_H
#define SPD_OPTIM_MINIMISE_H

#include "optim/lbfgs.h"
#include "optim/problem.h"

/* Iterations with a small decrease, running, that end the minimisation. */
#define MINIMISE_SMALL_STEPS 5

typedef struct minimise_options {
    spd_solver solver;
    double tol, gtol, max_time; /* tol, max_time: as in spd_fit_options */
    int max_iter;
    int refresh; /* iterations between fresh starts of the problem at a re-orthonormalised W: 50 */
    double seconds_before;       /* time already spent, counted against max_time (resume) */
    double (*clock)(void *user); /* seconds, for max_time; NULL: the clock of this machine */
    void *clock_user;
} minimise_options;

/* Where the minimisation stands: everything that is needed to go on, with the same bits.
 *
 * The problem's own state is large and not kept. It is what came of a fresh start at `origin` and
 * of the moves since then, so a resumed run makes these again (minimise.c, replay). */
typedef struct minimise_state {
    size_t n, m;
    double f, gradient_norm;
    double first_f;   /* at the start */
    double last_step; /* the last t, made to fit H: where the next line search looks first */
    int iteration;
    int refreshes;   /* fresh starts so far beyond the first */
    int small_steps; /* iterations running, up to this one, with a relative decrease below tol */
    size_t passes;   /* over the data, since minimise_open */
    spd_stop stop;   /* set at the end */

    size_t rows;          /* of the block: minimise_rows(solver) */
    double *block;        /* rows x n m, which holds what follows */
    double *W, *H, *grad; /* n x m: point, direction of the next step, Riemannian gradient; in the
                             basis of `origin` */
    double *origin;       /* n x m: where the problem was last started afresh */
    lbfgs memory;         /* L-BFGS's pairs; empty for other solvers */

    size_t moves, room; /* iterations since then, and for how many there is room */
    double *move;       /* moves x (n m + 1): H, and t; 0 where the search found none */
} minimise_state;

size_t minimise_rows(spd_solver solver);

/* Room for a minimisation; the start is to be written to s->W. SPD_ENOMEM leaves nothing open. */
spd_status minimise_open(minimise_state *s, spd_solver solver, size_t n, size_t m);

/* *to <- a copy of *from, of which the block, the moves and the numbers count; to is not open. */
spd_status minimise_copy(minimise_state *to, const minimise_state *from);

/* Frees the memory; a state that is all zero is fine. */
void minimise_close(minimise_state *s);

/* After an iteration from f_before: counts it where the decrease was small. */
void minimise_count_small(const minimise_options *options, minimise_state *s, double f_before);

/* Non-zero, and s->stop says why, by the first two of the rules above. */
int minimise_converged(const minimise_options *options, minimise_state *s);

/* Called after the start (iteration 0, not when resumed) and after each iteration; non-zero
 * cancels. */
typedef int (*minimise_fn)(void *user, const minimise_state *state, const spd_fit_step *last);

/* s->W (orthonormal) is the start. resumed == 0: f, H, grad and counters are computed; otherwise
 * s is a copy of what `after` once saw, and the run ends as that one did, bit for bit. SPD_OK
 * however it ends, also when cancelled, with s->stop set and W'W = I to rounding. Otherwise the
 * status of a function of the problem; SPD_ENUMERIC when cost or gradient are not finite where
 * they must be, or an SVD did not converge; SPD_ENOMEM. No message is made here. */
spd_status minimise(problem *p, const minimise_options *options, int resumed, minimise_state *s,
                    minimise_fn after, void *user);

#endif
