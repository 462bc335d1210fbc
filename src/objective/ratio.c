/* ratio.c - the objective f = ln Sw - ln Sb (math.md, eq. 14), infinite where a sum is zero. */
#include <math.h>

#include "objective/objective.h"

static double ratio(double within, double between, double *scale)
{
    scale[0] = 1.0 / within;
    scale[1] = 1.0 / between;
    return between == 0.0 ? INFINITY : log(within) - log(between);
}

const objective objective_ratio = {.needs_both = 1, .of_sums = ratio};
