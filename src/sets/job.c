/* job.c - an operation on sets: an engine, or the processor and the way to it and back. */
#include "sets/job.h"

#include "base/arena.h"
#include "sets/set.h"

/* On the host: copies of what lies elsewhere, and results taken back. */
static spd_status run_here(spd_context *ctx, const set_job *j)
{
    arena room = {0};
    spd_set X, Y = {0};
    set_job own = *j;
    const engine_table *away = engine_of(j->X);
    spd_status status = SPD_OK;
    if (away || !j->streams) {
        status = set_to_host(ctx, j->X, &room, &X);
        own.X = &X;
        if (status == SPD_OK && j->Y)
            status = set_to_host(ctx, j->Y, &room, &Y);
        own.Y = j->Y ? &Y : NULL;
    }
    for (int i = 0; i < 2 && away && status == SPD_OK; i++)
        if (j->out[i]) {
            own.out[i] = arena_alloc(&room, 1, j->bytes[i]);
            status = arena_status(&room, ctx, "results on the host");
        }
    if (status == SPD_OK)
        status = j->here(ctx, &own);
    for (int i = 0; i < 2 && away && status >= 0; i++)
        if (j->out[i]) {
            spd_status sent = away->copy(ctx, j->X, own.out[i], j->bytes[i], j->out[i]);
            status = sent < 0 ? sent : status;
        }
    arena_free(&room);
    return status;
}

static spd_status scale(spd_context *ctx, const set_job *j)
{
    size_t count = j->bytes[j->shared] / sizeof(double);
    double *x = j->out[j->shared];
    if (engine_of(j->X))
        return engine_of(j->X)->scale(ctx, j->X, j->share, count, x);
    for (size_t i = 0; i < count; i++)
        x[i] *= j->share;
    return SPD_OK;
}

spd_status job_run(spd_context *ctx, const set_job *j)
{
    const engine_table *e = engine_for(ctx, j);
    spd_status status = e && e->run[j->of] ? e->run[j->of](ctx, j) : SPD_DECLINED;
    if (status == SPD_DECLINED)
        status = run_here(ctx, j);
    if (status < 0 || j->share == 0.0 || j->share == 1.0)
        return status;
    spd_status scaled = scale(ctx, j);
    return scaled < 0 ? scaled : status;
}
