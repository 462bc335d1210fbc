/* blocks.c - a set, block after block, with progress over all of it. */
#include "sets/blocks.h"

#include "base/relay.h"
#include "run/split.h"

typedef struct place {
    const char *task;
    double before, here, total; /* matrices before this block, in it, and all */
} place;

static spd_progress in_block(const void *user, const spd_progress *part)
{
    const place *at = user;
    return (spd_progress){at->task, "matrices", at->before + relay_share(part) * at->here,
                          at->total};
}

static spd_status run(spd_context *ctx, const spd_set *set, size_t begin, size_t end,
                      const char *task, block_body body, void *user)
{
    set_walk *walk = NULL;
    place at = {task, 0.0, 0.0, (double)(end - begin)};
    relay whole;
    size_t count = 0;
    spd_status status = set_walks_new(ctx, set, 1, BLOCK_GRANULE, BLOCK_BYTES, &walk);
    if (status == SPD_OK)
        set_walk_begin(walk, begin, end, NULL);
    for (size_t first = begin; first < end && status == SPD_OK; first += count) {
        const double *X = set_walk_next(walk, &count);
        at.before = (double)(first - begin);
        at.here = (double)count;
        relay_open(&whole, ctx, in_block, &at);
        status = X ? body(ctx, user, first, count, set->n, X) : set_fail(ctx, set, SPD_EIO);
        relay_close(&whole);
    }
    set_walks_end(walk);
    return status;
}

spd_status blocks_run(spd_context *ctx, const spd_set *set, const char *task, block_body body,
                      void *user)
{
    return run(ctx, set, 0, set->p, task, body, user);
}

spd_status blocks_share(spd_context *ctx, const spd_set *set, const char *task, block_body body,
                        void *user)
{
    spd_status status = ranks_agree(ctx, set->p, "number of matrices");
    if (status == SPD_OK)
        status = ranks_agree(ctx, set->n, "size of matrices");
    split cut = split_make(ctx, set->p);
    if (!cut.ranks || status < 0)
        return status < 0 ? status : blocks_run(ctx, set, task, body, user);
    ctx->alone++;
    status = run(ctx, set, cut.first, cut.last, task, body, user);
    ctx->alone--;
    return ranks_settle(ctx, status);
}
