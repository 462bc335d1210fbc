/* relay.c - a callback that stands in for the caller's while a part of the work runs. */
#include "base/relay.h"

#include "base/clock.h"

#define SECONDS_BETWEEN 0.05

double relay_share(const spd_progress *part)
{
    return part->total > 0.0 ? part->done / part->total : 0.0;
}

static int pass_on(void *user, const spd_progress *part)
{
    relay *r = user;
    double now = clock_seconds();
    if (r->cancelled)
        return r->cancelled;
    spd_progress whole = r->whole(r->user, part);
    int ends = whole.total > 0.0 && whole.done >= whole.total;
    if (!ends && now - r->told_at < SECONDS_BETWEEN)
        return 0;
    r->told = whole;
    r->told_at = now;
    r->cancelled = r->tell(r->tell_user, &whole);
    return r->cancelled;
}

void relay_open(relay *r, spd_context *ctx, relay_whole whole, const void *user)
{
    *r = (relay){.whole = whole, .user = user};
    if (!ctx || !ctx->progress)
        return;
    r->ctx = ctx;
    r->tell = ctx->progress;
    r->tell_user = ctx->user;
    spd_context_set_progress(ctx, pass_on, r);
}

/* What is repeated later (ctx_report_again) is what the caller has heard. */
void relay_close(relay *r)
{
    if (!r->ctx)
        return;
    spd_context_set_progress(r->ctx, r->tell, r->tell_user);
    if (r->told.task)
        r->ctx->reported = r->told;
}
