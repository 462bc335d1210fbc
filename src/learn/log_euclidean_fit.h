/* log_euclidean_fit.h - learning a map for the log-Euclidean metric, approximately.
 *
 * log(W'XW) is replaced by W' log(X) W (Harandi, Salzmann, Hartley 2017): SPD_LOG_COST_APPROXIMATE.
 * The exact cost is a pair rule (geometry/pairs.h), on an engine like the others. With L_i =
 * log X_i
 *
 *   f(W) = sum over ordered pairs of A_ij |W'(L_i - L_j)W|_F^2 = tr(W' F(W) W)
 *   F(W) = sum over ordered pairs of A_ij (L_i - L_j) W W' (L_i - L_j)
 *   D_W f = 4 F(W) W
 *
 * and, for the ratio (math.md, eq. 14), f = ln Sw - ln Sb with the weights within/Sw and
 * between/Sb. The scheme alternates: W <- eigenvectors of F(W) to the m smallest eigenvalues. A
 * fixed point has no gradient. Each step minimises tr(V' F(W) V) over V, not f, so f may rise on
 * the way; the best W seen is kept. Unlike the other metrics, this f is no function of the
 * distances between the mapped matrices themselves, and not invariant when W is not orthonormal. */
#ifndef SPD_LEARN_LOG_EUCLIDEAN_FIT_H
#define SPD_LEARN_LOG_EUCLIDEAN_FIT_H

#include "engine/engine.h"
#include "optim/minimise.h"

/* What minimise (optim/minimise.h) does, by the alternating scheme: s, resumed, after and user
 * likewise; of the options the limits are used. s->W, f and grad are those of the last iterate, at
 * the end too: the result is the last one with f <= s->best_f, which `after` has seen. It stops
 * with SPD_STOP_LINE_SEARCH when ten iterations have not found a better W. Messages go to ctx. */
spd_status log_euclidean_minimise(spd_context *ctx, const engine_input *in,
                                  const minimise_options *options, int resumed, minimise_state *s,
                                  minimise_fn after, void *user);

/* *cost and gradient (n x m, or NULL) <- f and D_W f at W (n x m); rubbish when it fails. */
spd_status log_euclidean_cost(spd_context *ctx, const engine_input *in, const double *W,
                              double *cost, double *gradient);

#endif
