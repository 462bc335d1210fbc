/* embed_closed.c - components that are closed: all neighbours of their members are members,
 * and every member leads to every other. LLE writes samples by their neighbours alone, one way, so
 * that on each closed component any constant is free (embed_lle.c).
 *
 * They are the strongly connected components without an edge that leaves them. Components come from
 * a walk in depth (Tarjan 1972), without recursion: the way back is kept in `from`. */
#include "classify/embed.h"

#define UNSEEN SIZE_MAX

typedef struct walk {
    const neighbourhoods *h;
    size_t k;
    size_t *order; /* p: when a sample was met; UNSEEN before */
    size_t *low;   /* p: the earliest that it leads back to, among those still open */
    size_t *next;  /* p: its neighbour to look at next */
    size_t *from;  /* p: whence it was met */
    size_t *open;  /* p: those met whose component is not known yet */
    size_t met, opened, components;
    size_t *component; /* p; UNSEEN while open */
} walk;

static void meet(walk *w, size_t i, size_t from)
{
    w->order[i] = w->low[i] = w->met++;
    w->next[i] = 0;
    w->from[i] = from;
    w->open[w->opened++] = i;
}

/* All neighbours of i are done: closes the component that i is the first of. */
static void leave(walk *w, size_t i)
{
    size_t last = UNSEEN;
    while (w->low[i] == w->order[i] && last != i) {
        last = w->open[--w->opened];
        w->component[last] = w->components;
    }
    w->components += last == i;
    if (w->from[i] != i && w->low[i] < w->low[w->from[i]])
        w->low[w->from[i]] = w->low[i];
}

static void walk_from(walk *w, size_t start)
{
    size_t i = start;
    meet(w, start, start);
    for (;;) {
        if (w->next[i] == w->k) {
            leave(w, i);
            if (i == start)
                return;
            i = w->from[i];
            continue;
        }
        size_t j = (size_t)w->h->index[i * w->h->k + w->next[i]++];
        if (w->order[j] == UNSEEN) {
            meet(w, j, i);
            i = j;
        } else if (w->component[j] == UNSEEN && w->order[j] < w->low[i]) {
            w->low[i] = w->order[j];
        }
    }
}

/* leader (p) <- the first sample of i's component where that is closed, else NO_COMPONENT. first
 * (p) is scratch. */
static void find_leaders(const walk *w, size_t *first, size_t *leader)
{
    size_t p = w->h->p;
    for (size_t c = 0; c < w->components; c++)
        first[c] = UNSEEN;
    for (size_t i = p; i-- > 0;)
        first[w->component[i]] = i;
    for (size_t i = 0; i < p; i++)
        for (size_t c = 0; c < w->k; c++)
            if (w->component[w->h->index[i * w->h->k + c]] != w->component[i])
                first[w->component[i]] = NO_COMPONENT;
    for (size_t i = 0; i < p; i++)
        leader[i] = first[w->component[i]];
}

spd_status components_find_closed(spd_context *ctx, const neighbourhoods *h, size_t k, arena *keep,
                                  graph_components *components)
{
    size_t p = h->p;
    arena room = {0};
    walk w = {.h = h,
              .k = k,
              .order = arena_alloc(&room, p, sizeof *w.order),
              .low = arena_alloc(&room, p, sizeof *w.low),
              .next = arena_alloc(&room, p, sizeof *w.next),
              .from = arena_alloc(&room, p, sizeof *w.from),
              .open = arena_alloc(&room, p, sizeof *w.open),
              .component = arena_alloc(&room, p, sizeof *w.component)};
    spd_status status = arena_status(&room, ctx, "the graph of neighbours");
    if (status == SPD_OK) {
        for (size_t i = 0; i < p; i++)
            w.order[i] = w.component[i] = UNSEEN;
        for (size_t i = 0; i < p; i++)
            if (w.order[i] == UNSEEN)
                walk_from(&w, i);
        find_leaders(&w, w.open, w.low);
        status = components_number(ctx, p, w.low, keep, components);
    }
    arena_free(&room);
    return status;
}
