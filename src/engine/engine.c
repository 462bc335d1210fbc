/* engine.c - what all engines have alike. */
#include "engine/engine.h"

void engine_free(problem *engine)
{
    if (engine)
        engine->free(engine);
}

spd_status engine_no_cost(spd_context *ctx)
{
    ctx_fail(ctx, SPD_ENOTSPD,
             "the cost does not exist at the start: a mapped matrix is not positive definite, or "
             "all pairs have distance zero");
    return ctx_advise(ctx, SPD_ENOTSPD, SPD_REMEDY_REGULARIZE, 1e-6);
}
