/* affinity_drawn.c - samples that stand for all where neighbours are looked for among a few. */
#include <math.h>

#include "base/rng.h"
#include "learn/affinity_search.h"

enum { PURPOSE_CANDIDATES = 5 };

/* Of a class as large a part as of all, and no fewer than a list wants, so that each has one. */
static size_t quota(const graph_job *g, size_t which)
{
    double size = (double)class_size(g->c, which);
    double part = ceil(size * (double)g->candidates / (double)g->p);
    return (size_t)fmin(size, fmax(part, (double)g->nu_w + 1.0));
}

spd_status graph_draw(spd_context *ctx, const graph_job *g, arena *keep, size_t **which,
                      size_t *count)
{
    arena room = {0};
    const classes *c = g->c;
    char *taken = arena_zero(&room, g->p, 1);
    size_t *member = arena_alloc(&room, c->largest, sizeof *member);
    *which = arena_alloc(keep, g->p, sizeof **which);
    *count = 0;
    spd_status status =
        *which ? arena_status(&room, ctx, "neighbour graph") : ctx_nomem(ctx, "neighbour graph");
    for (size_t k = 0; status == SPD_OK && k < c->count; k++) {
        size_t size = class_size(c, k), wanted = quota(g, k);
        rng r;
        rng_seed(&r, rng_key(g->seed, PURPOSE_CANDIDATES, k));
        for (size_t i = 0; i < size; i++)
            member[i] = c->order[c->first[k] + i];
        rng_draw(&r, wanted, size, member);
        for (size_t i = 0; i < wanted; i++)
            taken[member[i]] = 1;
    }
    for (size_t i = 0; status == SPD_OK && i < g->p; i++)
        if (taken[i])
            (*which)[(*count)++] = i;
    arena_free(&room);
    return status;
}
