/* hits.c - the k best of what is found in a search. */
#include "engine/hits.h"

static int before(hit a, hit b)
{
    return a.d2 < b.d2 || (a.d2 == b.d2 && a.index < b.index);
}

void hit_offer(hit *best, size_t *count, size_t wanted, hit h)
{
    if (*count == wanted && (wanted == 0 || !before(h, best[wanted - 1])))
        return;
    size_t at = *count < wanted ? (*count)++ : wanted - 1;
    for (; at > 0 && before(h, best[at - 1]); at--)
        best[at] = best[at - 1];
    best[at] = h;
}
