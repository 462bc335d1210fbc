/* blocks.c - a set, block after block, with progress over all of it. */
#include "sets/blocks.h"

#include "run/split.h"

/* Progress within a block is told as that of the whole. */
typedef struct relay {
    spd_context *ctx;
    const char *task;
    double before, here, total; /* matrices before this block, in it, and all */
    spd_progress_fn tell;       /* the caller's, which relay_block stands in for */
    void *tell_user;
} relay;

static int relay_block(void *user, const spd_progress *progress)
{
    const relay *r = user;
    double share = progress->total > 0.0 ? progress->done / progress->total : 0.0;
    const spd_progress told = {r->task, "matrices", r->before + share * r->here, r->total};
    return r->tell ? r->tell(r->tell_user, &told) : 0;
}

static spd_status run_block(relay *r, block_body body, void *user, size_t first, size_t count,
                            size_t n, const double *X)
{
    r->here = (double)count;
    spd_context_set_progress(r->ctx, relay_block, r);
    spd_status status = body(r->ctx, user, first, count, n, X);
    spd_context_set_progress(r->ctx, r->tell, r->tell_user);
    return status;
}

static spd_status run(spd_context *ctx, const spd_set *set, size_t begin, size_t end,
                      const char *task, block_body body, void *user)
{
    set_walk *walk = NULL;
    relay r = {ctx, task, 0.0, 0.0, (double)(end - begin), NULL, NULL};
    size_t count = 0;
    if (ctx) {
        r.tell = ctx->progress;
        r.tell_user = ctx->user;
    }
    spd_status status = set_walks_new(ctx, set, 1, BLOCK_GRANULE, BLOCK_BYTES, &walk);
    if (status == SPD_OK)
        set_walk_begin(walk, begin, end, NULL);
    for (size_t first = begin; first < end && status == SPD_OK; first += count) {
        const double *X = set_walk_next(walk, &count);
        r.before = (double)(first - begin);
        status =
            X ? run_block(&r, body, user, first, count, set->n, X) : set_fail(ctx, set, SPD_EIO);
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
