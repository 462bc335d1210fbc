/* poles.c - the tables of poles.h, which have two functions, and what follows from them:
 *
 *   log x   = (x - 1) sum v_j/(x + s_j) = sum v_j - sum v_j (1 + s_j)/(x + s_j)
 *   x^(1/2) = x sum w_j/(x + s_j)       = sum w_j - sum w_j s_j/(x + s_j)  */
#include "linalg/poles.h"

#include "linalg/poles_table.h"

double poles_reach(size_t range)
{
    return range_reach[range];
}

void poles_get(poles_function f, size_t range, poles *found)
{
    const double *shift = f == POLES_LOG ? quotient_shift : root_shift;
    const double *weight = f == POLES_LOG ? quotient_weight : root_weight;
    for (size_t before = 0; before < range; before++) {
        shift += range_count[before];
        weight += range_count[before];
    }
    found->reach = range_reach[range];
    found->count = range_count[range];
    found->constant = 0.0;
    for (size_t j = 0; j < found->count; j++) {
        double s = shift[j], w = weight[j];
        found->shift[j] = s;
        found->weight[j] = f == POLES_INVSQRT ? w : f == POLES_SQRT ? -w * s : -w * (1.0 + s);
        found->constant += f == POLES_INVSQRT ? 0.0 : w;
    }
}
