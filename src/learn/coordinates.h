/* coordinates.h - the same cost in other coordinates (math.md, eq. 17).
 *
 * The cost depends on the space that W spans, and not on the basis in which the matrices are
 * written: with M = L L' any SPD matrix, that of L^-1 X L^-T at W' = orth(L'W) is that of X at W.
 * What does change is how long a step is, and so how fast descent is. No matrix is transformed:
 * a problem is wrapped so that the optimiser sees W', and the engine L^-T W'. (M^1/2 in place of L
 * would turn W' as a whole, which the optimiser does not notice.) */
#ifndef SPD_LEARN_COORDINATES_H
#define SPD_LEARN_COORDINATES_H

#include "fit/engine.h"

/* Those of the options, and for `auto` what was found best by measurement (docs/notes/learning.md); cost
 * is that at the start, where coordinates_need_cost. */
spd_coordinates coordinates_choose(const spd_fit_options *options, double cost);
int coordinates_need_cost(const spd_fit_options *options);

/* L (n x n, lower triangle) <- the Cholesky factor of M for these coordinates, which are neither
 * auto nor plain. */
spd_status coordinates_factor(spd_context *ctx, spd_coordinates coordinates, const engine_input *in,
                              double *L);

/* *wrapped <- the problem in the coordinates of L, which must outlive it; it owns `inside`, also
 * when this fails. */
spd_status coordinates_wrap(spd_context *ctx, problem *inside, const double *L, problem **wrapped);

/* W (n x m) <- orth(L'W), and back <- orth(L^-T W). work: coordinates_work doubles. */
size_t coordinates_work(size_t n, size_t m);
void coordinates_enter(size_t n, size_t m, const double *L, double *W, double *work);
void coordinates_leave(size_t n, size_t m, const double *L, double *W, double *work);

#endif
