/* fit.h - what belongs to a fit in addition to the public functions. */
#ifndef SPD_LEARN_FIT_H
#define SPD_LEARN_FIT_H

#include "base/context.h"

/* Iterations between fresh starts of the engine, which wash rounding errors out. */
#define FIT_REFRESH 50

/* *mine <- the caller's options, whatever version it was compiled with; NULL: the defaults. */
spd_status fit_options_take(spd_context *ctx, const spd_fit_options *given, spd_fit_options *mine);

/* Does the fit minimise the approximate log-Euclidean cost, with a scheme of its own
 * (log_euclidean_fit.h)? All others run on an engine. */
int fit_approximates(const spd_fit_options *options);

#endif
