/* fit_options.c - the options of a fit: defaults, and what came from a caller. */
#include "base/sized.h"
#include "learn/fit.h"

void spd_fit_defaults(spd_fit_options *options, size_t size)
{
    const spd_fit_options standard = {.size = sizeof standard,
                                      .metric = SPD_STEIN,
                                      .affinity_weight = 1.0,
                                      .restarts = 1,
                                      .seed = 1,
                                      .solver = SPD_LBFGS,
                                      .tol = 1e-5,
                                      .gtol = 1e-9,
                                      .max_iter = 200};
    options->size = size;
    sized_give(sizeof standard, &standard, options);
}

spd_status fit_options_take(spd_context *ctx, const spd_fit_options *given, spd_fit_options *mine)
{
    spd_fit_defaults(mine, sizeof *mine);
    return sized_take(ctx, "spd_fit_options", sizeof *mine, mine, given);
}
