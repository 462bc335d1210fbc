/* lists.c - see lists.h. */
#include "search/lists.h"

static int before(neighbour a, neighbour b)
{
    return a.d2 < b.d2 || (a.d2 == b.d2 && a.index < b.index);
}

int list_offer(neighbour *list, size_t *count, size_t wanted, neighbour x)
{
    if (wanted == 0 || (*count == wanted && !before(x, list[wanted - 1])))
        return 0;
    size_t at = *count < wanted ? (*count)++ : wanted - 1;
    for (; at > 0 && before(x, list[at - 1]); at--)
        list[at] = list[at - 1];
    list[at] = x;
    return 1;
}

static int comes_before(const double *value, size_t a, size_t b)
{
    double x = value[a], y = value[b];
    return x < y || (a < b && x == y);
}

void select_smallest(size_t *sample, size_t total, size_t count, const double *value)
{
    size_t low = 0, high = total;
    while (count > low && count < high && high - low > 1) {
        size_t pivot = sample[low + (high - low - 1) / 2], i = low, j = high - 1;
        for (;;) {
            while (comes_before(value, sample[i], pivot))
                i++;
            while (comes_before(value, pivot, sample[j]))
                j--;
            if (i >= j)
                break;
            size_t t = sample[i];
            sample[i] = sample[j];
            sample[j] = t;
            i++;
            j--;
        }
        size_t middle = j + 1;
        if (count < middle)
            high = middle;
        else
            low = middle;
    }
}
