/* difference.c - the objective f = Sw - Sb (math.md, eq. 3). */
#include "objective/objective.h"

static double difference(double within, double between, double *scale)
{
    scale[0] = scale[1] = 1.0;
    return within - between;
}

const objective objective_difference = {.of_sums = difference, .fixed = 1};
