/* grey.c - see grey.h. */
#include "describe/grey.h"

#include <math.h>
#include <string.h>

#define ROUNDING 1e-9 /* a step of 16 bits is 1.5e-5; resizing errs by 1e-15 */

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

int grey_is_uniform(size_t count, size_t stride, const double *value)
{
    for (size_t i = 1; i < count; i++)
        if (fabs(value[i * stride] - value[0]) > ROUNDING)
            return 0;
    return 1;
}
