/* hits.c - see hits.h. */
#include "engine/hits.h"

static int before(hit a, hit b)
{
    return a.d2 < b.d2 || (a.d2 == b.d2 && a.index < b.index);
}

int hits_offer(hit *best, size_t *count, size_t wanted, hit h)
{
    if (wanted == 0 || (*count == wanted && !before(h, best[wanted - 1])))
        return 0;
    size_t at = *count < wanted ? (*count)++ : wanted - 1;
    for (; at > 0 && before(h, best[at - 1]); at--)
        best[at] = best[at - 1];
    best[at] = h;
    return 1;
}
