/* order.c - see order.h. */
#include "base/order.h"

int order_ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Quickselect, with the middle as pivot. */
double order_largest(size_t count, double *x, size_t rank)
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
            double other = x[i];
            x[i++] = x[j];
            x[j--] = other;
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

double order_median(size_t count, double *x)
{
    double middle = order_largest(count, x, count / 2);
    return 0.5 * (middle + order_largest(count, x, (count - 1) / 2));
}
