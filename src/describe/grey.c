/* grey.c - see grey.h. */
#include "describe/grey.h"

#include <string.h>

void grey_of(const image *in, double *grey)
{
    const size_t pixels = in->width * in->height;
    if (in->channels == 1) {
        memcpy(grey, in->pixel, pixels * sizeof *grey);
        return;
    }
    for (size_t p = 0; p < pixels; p++) {
        const double *colour = in->pixel + 3 * p;
        grey[p] = 0.299 * colour[0] + 0.587 * colour[1] + 0.114 * colour[2];
    }
}
