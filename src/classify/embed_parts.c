/* embed_parts.c - the parts into which a graph of neighbours falls: samples are merged along its
 * edges, every sample leading to the first of its part. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "classify/embed.h"

/* The first sample of i's part; ways are shortened as they are walked. */
static size_t root_of(size_t *leader, size_t i)
{
    while (leader[i] != i) {
        leader[i] = leader[leader[i]];
        i = leader[i];
    }
    return i;
}

static void merge(size_t *leader, size_t i, size_t j)
{
    size_t a = root_of(leader, i), b = root_of(leader, j);
    leader[a < b ? b : a] = a < b ? a : b;
}

typedef struct part_entry {
    size_t first, size;
} part_entry;

/* Largest first, ties by the first sample. */
static int by_size(const void *a, const void *b)
{
    const part_entry *x = a, *y = b;
    if (x->size != y->size)
        return x->size < y->size ? 1 : -1;
    return x->first < y->first ? -1 : 1;
}

/* Parts are counted, sorted and numbered. entry: p of them, zero. */
static void number_all(size_t p, const size_t *leader, part_entry *entry, graph_parts *parts)
{
    for (size_t i = 0; i < p; i++) {
        if (leader[i] == i) {
            parts->part[i] = parts->count;
            entry[parts->count++].first = i;
        }
        if (leader[i] != PARTS_NONE)
            entry[parts->part[leader[i]]].size++;
    }
    qsort(entry, parts->count, sizeof *entry, by_size);
    for (size_t c = 0; c < parts->count; c++) {
        parts->size[c] = entry[c].size;
        parts->part[entry[c].first] = c;
    }
    for (size_t i = 0; i < p; i++)
        parts->part[i] = leader[i] == PARTS_NONE ? PARTS_NONE : parts->part[leader[i]];
}

spd_status parts_number(spd_context *ctx, size_t p, const size_t *leader, graph_parts *parts)
{
    part_entry *entry = mem_zero(p, sizeof *entry);
    *parts = (graph_parts){.part = mem_alloc(p, sizeof *parts->part),
                           .size = mem_alloc(p, sizeof *parts->size)};
    spd_status status = SPD_OK;
    if (entry && parts->part && parts->size)
        number_all(p, leader, entry, parts);
    else
        status = ctx_nomem(ctx, "the graph of neighbours");
    mem_free(entry);
    return status;
}

spd_status parts_find(spd_context *ctx, const neighbourhoods *h, size_t k, graph_parts *parts)
{
    size_t p = h->p, *leader = mem_alloc(p, sizeof *leader);
    *parts = (graph_parts){0};
    if (!leader)
        return ctx_nomem(ctx, "the graph of neighbours");
    for (size_t i = 0; i < p; i++)
        leader[i] = i;
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j < k; j++)
            merge(leader, i, (size_t)h->index[i * h->k + j]);
    for (size_t i = 0; i < p; i++)
        leader[i] = root_of(leader, i);
    spd_status status = parts_number(ctx, p, leader, parts);
    mem_free(leader);
    return status;
}

void parts_free(graph_parts *parts)
{
    mem_free(parts->part);
    mem_free(parts->size);
    *parts = (graph_parts){0};
}

spd_status parts_refuse(spd_context *ctx, const graph_parts *parts, size_t p, size_t k, int closed)
{
    size_t last = parts->count - 1, i = 0;
    while (i < p && parts->part[i] != last)
        i++;
    if (closed)
        return ctx_fail_at(ctx, SPD_EINVAL, i, (double)parts->count,
                           "%zu groups of matrices have all their %zu nearest neighbours among "
                           "themselves, the smallest with X[%zu] and %zu others; lle would "
                           "place each group at a single point; use a larger k",
                           parts->count, k, i, parts->size[last] - 1);
    return ctx_fail_at(
        ctx, SPD_EINVAL, i, (double)parts->count,
        "the graph of %zu nearest neighbours is not connected: it has %zu parts, the largest "
        "with %zu of the %zu matrices and the smallest, with X[%zu], with %zu; use a larger k, "
        "or embed the parts separately",
        k, parts->count, parts->size[0], p, i, parts->size[last]);
}

void parts_vectors(size_t p, const graph_parts *parts, const double *weight, double *Z)
{
    for (size_t c = 0; c < parts->count; c++)
        for (size_t i = 0; i < p; i++) {
            int there = c == 0 || parts->part[i] == c - 1;
            Z[c * p + i] = there ? sqrt(weight ? weight[i] : 1.0) : 0.0;
        }
}
