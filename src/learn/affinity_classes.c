/* affinity_classes.c - samples sorted by class. */
#include "learn/affinity_classes.h"

#include <stdlib.h>

#include "base/memory.h"

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

spd_status classes_sort(spd_context *ctx, size_t p, const int *label, classes *c)
{
    *c = (classes){0};
    member *sorted = mem_alloc(p, sizeof *sorted);
    c->order = mem_alloc(p, sizeof *c->order);
    c->first = mem_alloc(p + 1, sizeof *c->first);
    spd_status status = SPD_OK;
    if (!sorted || !c->order || !c->first) {
        status = ctx_nomem(ctx, "classes");
        goto done;
    }
    for (size_t i = 0; i < p; i++)
        sorted[i] = (member){label[i], i};
    qsort(sorted, p, sizeof *sorted, by_class);
    cut(p, sorted, c);
    measure(c);
done:
    mem_free(sorted);
    return status;
}

void classes_free(classes *c)
{
    mem_free(c->order);
    mem_free(c->first);
    *c = (classes){0};
}

size_t class_size(const classes *c, size_t which)
{
    return c->first[which + 1] - c->first[which];
}
