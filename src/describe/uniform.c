/* uniform.c - see uniform.h. */
#include "describe/uniform.h"

#include <math.h>

#define ROUNDING 1e-9 /* a step of 16 bits is 1.5e-5; resizing errs by 1e-15 */

int uniform_values(size_t count, size_t stride, const double *value)
{
    for (size_t i = 1; i < count; i++)
        if (fabs(value[i * stride] - value[0]) > ROUNDING)
            return 0;
    return 1;
}
