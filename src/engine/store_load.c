/* store_load.c - a copy of a store in memory. */
#include <string.h>

#include "base/memory.h"
#include "engine/walk.h"

/* Rounds to float32; what is too large for one becomes Inf, which a check then names. */
static void narrow(size_t count, const double *from, float *to)
{
    for (size_t e = 0; e < count; e++)
        to[e] = (float)from[e];
}

spd_status spd_store_load(spd_context *ctx, const spd_store *from, int as_float, spd_store **store)
{
    static const double nothing = 0.0; /* until there is something */
    spd_store *fresh = NULL;
    store_walk *walk = NULL;
    ctx_clear(ctx);
    if (!from || !store)
        return ctx_fail(ctx, SPD_EINVAL, "there is no set of matrices to load");
    size_t n2 = from->n * from->n, width = as_float ? sizeof(float) : sizeof(double), count;
    spd_status status = spd_store_lend(ctx, from->n, from->p, &nothing, &fresh);
    if (status == SPD_OK && !(fresh->block = mem_alloc(from->p, n2 * width)))
        status = ctx_nomem(ctx, "a set of matrices");
    if (status == SPD_OK)
        status = store_walks_new(ctx, from, 1, 1, (size_t)1 << 24, &walk);
    if (status == SPD_OK)
        store_walk_begin(walk, 0, from->p, NULL);
    for (size_t i = 0; fresh && fresh->block && i < from->p && status == SPD_OK; i += count) {
        const double *X = store_walk_next(walk, &count);
        if (!X)
            status = store_fail(ctx, from, SPD_EIO);
        else if (as_float)
            narrow(count * n2, X, (float *)fresh->block + i * n2);
        else
            memcpy((double *)fresh->block + i * n2, X, count * n2 * sizeof *X);
        if (X && ctx_progress(ctx, "reading", "matrices", (double)i, (double)from->p))
            status = ctx_fail(ctx, SPD_ECANCELLED, "reading cancelled");
    }
    store_walks_end(walk);
    if (status < 0 || !fresh) {
        spd_store_free(fresh);
        return status;
    }
    fresh->width = width;
    fresh->X = NULL;
    if (as_float)
        fresh->X32 = fresh->block;
    else
        fresh->X = fresh->block;
    *store = fresh;
    return SPD_OK;
}
