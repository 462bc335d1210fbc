/* affinity_links.c - directed links become weighted pairs: two counting sorts, then one merge, so
 * that the work is linear in samples and links. */
#include "learn/affinity_links.h"

#include <string.h>

#include "base/arena.h"
#include "base/memory.h"

spd_status links_new(spd_context *ctx, size_t room, links *l)
{
    *l = (links){.room = room, .arc = mem_alloc(room, sizeof *l->arc)};
    return l->arc ? SPD_OK : ctx_nomem(ctx, "neighbour graph");
}

void links_free(links *l)
{
    mem_free(l->arc);
    *l = (links){0};
}

void links_add(links *l, size_t from, size_t to, link_kind kind)
{
    uint32_t a = (uint32_t)from, b = (uint32_t)to;
    l->arc[l->count++] = a < b ? (arc){a, b, kind} : (arc){b, a, kind};
}

/* out <- in, sorted stably by low or high; start: p + 1. */
static void counting_sort(size_t p, size_t count, const arc *in, int by_high, size_t *start,
                          arc *out)
{
    memset(start, 0, (p + 1) * sizeof *start);
    for (size_t e = 0; e < count; e++)
        start[(by_high ? in[e].high : in[e].low) + 1]++;
    for (size_t i = 0; i < p; i++)
        start[i + 1] += start[i];
    for (size_t e = 0; e < count; e++)
        out[start[by_high ? in[e].high : in[e].low]++] = in[e];
}

/* The pair of the links first .. last-1, which join the same two samples. */
static spd_pair merge(const arc *first, const arc *last)
{
    spd_pair pair = {.i = first->low, .j = first->high};
    for (const arc *e = first; e < last; e++)
        if (e->kind == LINK_WITHIN)
            pair.within = 1.0;
    pair.between = 1.0 - pair.within;
    return pair;
}

spd_status links_join(spd_context *ctx, size_t p, links *l, spd_pair **pairs, size_t *count)
{
    arena room = {0};
    size_t *start = arena_alloc(&room, p + 1, sizeof *start), made = 0;
    arc *sorted = arena_alloc(&room, l->count, sizeof *sorted);
    spd_pair *pair = arena_alloc(&room, l->count, sizeof *pair), *fitted;
    spd_status status = arena_status(&room, ctx, "neighbour graph");
    if (status < 0)
        goto done;
    counting_sort(p, l->count, l->arc, 1, start, sorted);
    counting_sort(p, l->count, sorted, 0, start, l->arc);
    for (size_t e = 0, next; e < l->count; e = next) {
        const arc *here = l->arc + e;
        for (next = e + 1; next < l->count; next++)
            if (l->arc[next].low != here->low || l->arc[next].high != here->high)
                break;
        pair[made++] = merge(here, l->arc + next);
    }
    /* Mutual links leave up to half of the room unused: hand over what is needed. */
    fitted = mem_alloc(made, sizeof *pair);
    if (fitted) {
        *pairs = memcpy(fitted, pair, made * sizeof *pair);
        *count = made;
    } else {
        status = ctx_nomem(ctx, "neighbour graph");
    }
done:
    arena_free(&room);
    return status;
}
