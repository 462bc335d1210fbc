/* select.c - the smallest of many, by quickselect: a few passes where sorting takes many. */
#include "engine/select.h"

static int comes_before(const double *bound, size_t a, size_t b)
{
    double x = bound[a], y = bound[b];
    return x < y || (a < b && x == y);
}

void select_smallest(size_t *candidate, size_t total, size_t count, const double *bound)
{
    size_t low = 0, high = total;
    while (count > low && count < high && high - low > 1) {
        size_t pivot = candidate[low + (high - low - 1) / 2], i = low, j = high - 1;
        for (;;) {
            while (comes_before(bound, candidate[i], pivot))
                i++;
            while (comes_before(bound, pivot, candidate[j]))
                j--;
            if (i >= j)
                break;
            size_t t = candidate[i];
            candidate[i] = candidate[j];
            candidate[j] = t;
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
