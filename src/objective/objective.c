/* objective.c - the table of objectives, and what several of them use. */
#include "objective/objective.h"

#include <math.h>

const objective *objective_get(spd_objective number)
{
    switch (number) {
    case SPD_OBJECTIVE_DIFFERENCE:
        return &objective_difference;
    case SPD_OBJECTIVE_RATIO:
        return &objective_ratio;
    case SPD_OBJECTIVE_LOG_MARGIN:
        return &objective_log_margin;
    case SPD_OBJECTIVE_SOFTMAX:
        return &objective_softmax;
    case SPD_OBJECTIVE_AUTO: /* chosen before */
        break;
    }
    return NULL;
}

double objective_softplus(double x, double *slope)
{
    double e = exp(-fabs(x));
    *slope = (x > 0.0 ? 1.0 : e) / (1.0 + e);
    return (x > 0.0 ? x : 0.0) + log1p(e);
}

double objective_sum(const objective_list *a)
{
    double total = 0.0;
    for (size_t i = 0; i < a->count; i++)
        total += a->d2[i];
    return total;
}

void objective_add(const objective_list *a, double share)
{
    for (size_t i = 0; i < a->count; i++)
        a->weight[i] += share;
}
