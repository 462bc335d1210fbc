/* members.c - training samples by class: a counting sort. */
#include "classify/members.h"

#include <string.h>

#include "base/memory.h"

spd_status members_sort(spd_context *ctx, const samples *train, members *m)
{
    size_t classes = train->classes;
    *m = (members){.classes = classes};
    m->order = mem_alloc(train->p, sizeof *m->order);
    m->first = mem_zero(classes + 1, sizeof *m->first);
    if (!m->order || !m->first)
        return ctx_nomem(ctx, "classes");
    for (size_t i = 0; i < train->p; i++)
        m->first[train->label[i] + 1]++;
    for (size_t c = 0; c < classes; c++)
        m->first[c + 1] += m->first[c];
    for (size_t i = 0; i < train->p; i++)
        m->order[m->first[train->label[i]]++] = i;
    /* Every class has moved on to where the next begins. */
    memmove(m->first + 1, m->first, classes * sizeof *m->first);
    m->first[0] = 0;
    return SPD_OK;
}

void members_free(members *m)
{
    mem_free(m->order);
    mem_free(m->first);
    *m = (members){0};
}

size_t members_count(const members *m, size_t c)
{
    return m->first[c + 1] - m->first[c];
}
