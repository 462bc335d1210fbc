/* summary.c - the median by quickselect: a few passes, where sorting hundreds of millions of
 * distances could take longer than computing them. */
#include "cli/frame/summary.h"

#include <math.h>

/* Hoare's partition of values[low .. high], low < high: returns j < high such that nothing up to j
 * is larger than anything after it. */
static size_t partition(double *values, size_t low, size_t high)
{
    double pivot = values[low + (high - low) / 2];
    size_t i = low, j = high;
    for (;;) {
        while (values[i] < pivot)
            i++;
        while (values[j] > pivot)
            j--;
        if (i >= j)
            return j;
        double swap = values[i];
        values[i++] = values[j];
        values[j--] = swap;
    }
}

/* The value that would stand at place k if values were sorted; what stands before it is not larger.
 */
static double select_at(size_t count, double *values, size_t k)
{
    size_t low = 0, high = count - 1;
    while (low < high) {
        size_t j = partition(values, low, high);
        if (k <= j)
            high = j;
        else
            low = j + 1;
    }
    return values[k];
}

static double largest_of(size_t count, const double *values)
{
    double max = values[0];
    for (size_t i = 1; i < count; i++)
        max = fmax(max, values[i]);
    return max;
}

summary summary_of(size_t count, double *values)
{
    summary s = {count, NAN, NAN, NAN};
    if (count == 0)
        return s;
    s.min = s.max = values[0];
    for (size_t i = 1; i < count; i++) {
        s.min = fmin(s.min, values[i]);
        s.max = fmax(s.max, values[i]);
    }
    s.median = select_at(count, values, count / 2);
    if (count % 2 == 0)
        s.median = (s.median + largest_of(count / 2, values)) / 2;
    return s;
}

size_t summary_upper(size_t p, double *D)
{
    size_t count = 0;
    for (size_t i = 0; i < p; i++)
        for (size_t j = i + 1; j < p; j++)
            D[count++] = D[i * p + j];
    return count;
}
