/* embed_components.c - the components into which a graph of neighbours falls: samples are merged
 * along its edges, every sample leading to the first of its component. */
#include <math.h>
#include <stdlib.h>

#include "classify/embed.h"

/* The first sample of i's component; ways are shortened as they are walked. */
static size_t root_of(size_t *leader, size_t i)
{
    while (leader[i] != i) {
        leader[i] = leader[leader[i]];
        i = leader[i];
    }
    return i;
}

typedef struct component_entry {
    size_t first, size;
} component_entry;

/* Largest first, ties by the first sample. */
static int by_size(const void *a, const void *b)
{
    const component_entry *x = a, *y = b;
    if (x->size != y->size)
        return x->size < y->size ? 1 : -1;
    return x->first < y->first ? -1 : 1;
}

/* Components are counted, sorted and numbered. entry: p of them, zero. */
static void number_all(size_t p, const size_t *leader, component_entry *entry,
                       graph_components *components)
{
    for (size_t i = 0; i < p; i++) {
        if (leader[i] == i) {
            components->component[i] = components->count;
            entry[components->count++].first = i;
        }
        if (leader[i] != NO_COMPONENT)
            entry[components->component[leader[i]]].size++;
    }
    qsort(entry, components->count, sizeof *entry, by_size);
    for (size_t c = 0; c < components->count; c++) {
        components->size[c] = entry[c].size;
        components->component[entry[c].first] = c;
    }
    for (size_t i = 0; i < p; i++)
        components->component[i] =
            leader[i] == NO_COMPONENT ? NO_COMPONENT : components->component[leader[i]];
}

spd_status components_number(spd_context *ctx, size_t p, const size_t *leader, arena *keep,
                             graph_components *components)
{
    arena room = {0};
    component_entry *entry = arena_zero(&room, p, sizeof *entry);
    *components =
        (graph_components){.component = arena_alloc(keep, p, sizeof *components->component),
                           .size = arena_alloc(keep, p, sizeof *components->size)};
    spd_status status = SPD_OK;
    if (entry && !keep->failed)
        number_all(p, leader, entry, components);
    else
        status = ctx_nomem(ctx, "the graph of neighbours");
    arena_free(&room);
    return status;
}

spd_status components_find(spd_context *ctx, const neighbourhoods *h, size_t k, arena *keep,
                           graph_components *components)
{
    arena room = {0};
    size_t p = h->p, *leader = arena_alloc(&room, p, sizeof *leader);
    if (!leader)
        return ctx_nomem(ctx, "the graph of neighbours");
    for (size_t i = 0; i < p; i++)
        leader[i] = i;
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j < k; j++) {
            size_t a = root_of(leader, i), b = root_of(leader, (size_t)h->index[i * h->k + j]);
            leader[a < b ? b : a] = a < b ? a : b;
        }
    for (size_t i = 0; i < p; i++)
        leader[i] = root_of(leader, i);
    spd_status status = components_number(ctx, p, leader, keep, components);
    arena_free(&room);
    return status;
}

spd_status components_refuse(spd_context *ctx, const graph_components *components, size_t p,
                             size_t k, int closed)
{
    size_t last = components->count - 1, i = 0;
    while (i < p && components->component[i] != last)
        i++;
    if (closed)
        return ctx_fail_at(ctx, SPD_EINVAL, i, (double)components->count,
                           "%zu groups of matrices have all their %zu nearest neighbours among "
                           "themselves, the smallest with X[%zu] and %zu others; lle would place "
                           "each group at a single point; use a larger k",
                           components->count, k, i, components->size[last] - 1);
    return ctx_fail_at(
        ctx, SPD_EINVAL, i, (double)components->count,
        "the graph of %zu nearest neighbours is not connected: it has %zu parts, the largest with "
        "%zu of the %zu matrices and the smallest, with X[%zu], with %zu; use a larger k, or embed "
        "the parts separately",
        k, components->count, components->size[0], p, i, components->size[last]);
}

void components_vectors(size_t p, const graph_components *components, const double *weight,
                        double *Z)
{
    for (size_t c = 0; c < components->count; c++)
        for (size_t i = 0; i < p; i++) {
            int there = c == 0 || components->component[i] == c - 1;
            Z[c * p + i] = there ? sqrt(weight ? weight[i] : 1.0) : 0.0;
        }
}
