/* values.c - ranks, the median, length. */
#include "classify/values.h"

#include <math.h>

#include "linalg/tall.h"

static void swap(double *a, double *b)
{
    double x = *a;
    *a = *b;
    *b = x;
}

/* Quickselect, with the middle as pivot. */
double values_largest(size_t count, double *x, size_t rank)
{
    size_t low = 0, high = count - 1;
    while (low < high) {
        double pivot = x[low + (high - low) / 2];
        size_t i = low, j = high;
        for (;;) {
            while (x[i] > pivot)
                i++;
            while (x[j] < pivot)
                j--;
            if (i >= j)
                break;
            swap(x + i++, x + j--);
        }
        /* x[low .. i-1] >= pivot >= x[j+1 .. high] */
        if (rank < i)
            high = i - 1;
        else if (rank > j)
            low = j + 1;
        else
            break;
    }
    return x[rank];
}

spd_status values_median_above(spd_context *ctx, size_t p, const double *D, double *median)
{
    size_t count = 0;
    arena room = {0};
    double *x = arena_alloc(&room, p, p * sizeof *x), middle = 0.0;
    if (!x)
        return ctx_nomem(ctx, "a median");
    for (size_t r = 0; r < p; r++)
        for (size_t c = r + 1; c < p; c++)
            x[count++] = D[r * p + c];
    if (count) {
        middle = values_largest(count, x, count / 2);
        middle = 0.5 * (middle + values_largest(count, x, (count - 1) / 2));
    }
    *median = middle > 0.0 ? middle : 1.0;
    arena_free(&room);
    return SPD_OK;
}

void values_to_unit(size_t count, double *x)
{
    double length = sqrt(tall_dot(1, count, x, x));
    for (size_t e = 0; e < count && length > 0.0; e++)
        x[e] /= length;
}
