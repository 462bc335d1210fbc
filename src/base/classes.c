/* classes.c - samples sorted by class. */
#include "base/classes.h"

#include <stdlib.h>

typedef struct member {
    int label;
    size_t sample;
} member;

/* By label, the unlabelled last; within a label by number. */
static int by_class(const void *a, const void *b)
{
    const member *x = a, *y = b;
    int unknown = (x->label < 0) - (y->label < 0);
    if (unknown)
        return unknown;
    if (x->label >= 0 && x->label != y->label)
        return x->label < y->label ? -1 : 1;
    return (x->sample > y->sample) - (x->sample < y->sample);
}

/* c->order, labelled, first and count from the sorted members. */
static void cut(size_t p, const member *sorted, classes *c)
{
    for (size_t i = 0; i < p; i++) {
        c->order[i] = sorted[i].sample;
        if (sorted[i].label < 0)
            continue;
        if (i == 0 || sorted[i].label != sorted[i - 1].label)
            c->first[c->count++] = i;
        c->labelled = i + 1;
    }
    c->first[c->count] = c->labelled;
}

static void measure(classes *c)
{
    for (size_t k = 0; k < c->count; k++) {
        size_t size = class_size(c, k);
        if (k == 0 || size < c->smallest)
            c->smallest = size;
        if (size > c->largest)
            c->largest = size;
    }
}

spd_status classes_sort(spd_context *ctx, size_t p, const int *label, arena *keep, classes *c)
{
    arena room = {0};
    member *sorted = arena_alloc(&room, p, sizeof *sorted);
    *c = (classes){.label = label,
                   .order = arena_alloc(keep, p, sizeof *c->order),
                   .first = arena_alloc(keep, p + 1, sizeof *c->first)};
    spd_status status = SPD_OK;
    if (sorted && c->order && c->first) {
        for (size_t i = 0; i < p; i++)
            sorted[i] = (member){label[i], i};
        qsort(sorted, p, sizeof *sorted, by_class);
        cut(p, sorted, c);
        measure(c);
    } else {
        status = ctx_nomem(ctx, "classes");
    }
    arena_free(&room);
    return status;
}

size_t class_size(const classes *c, size_t which)
{
    return c->first[which + 1] - c->first[which];
}

int class_label(const classes *c, size_t which)
{
    return c->label[c->order[c->first[which]]];
}
