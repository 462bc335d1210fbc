/* softmax.c - would a neighbour drawn at random, near ones more likely, be of the sample's own
 * kind? (math.md, eq. 16; Goldberger et al. 2004 with a scale of its own for each sample.)
 *
 *   f = -ln(sum over same of e^(-A d2 / s) / sum over all of e^(-A d2 / s)),  s the mean of all d2
 *
 * All candidates count. Multiplying all distances by one number changes nothing. */
#include <math.h>

#include "objective/constants.h"
#include "objective/objective.h"

/* ln(1 + e^x); *slope <- its derivative. */
static double softplus(double x, double *slope)
{
    double e = exp(-fabs(x));
    *slope = (x > 0.0 ? 1.0 : e) / (1.0 + e);
    return (x > 0.0 ? x : 0.0) + log1p(e);
}

static double sum(const objective_list *a)
{
    double total = 0.0;
    for (size_t i = 0; i < a->count; i++)
        total += a->d2[i];
    return total;
}

/* Every weight += share. */
static void add(const objective_list *a, double share)
{
    for (size_t i = 0; i < a->count; i++)
        a->weight[i] += share;
}

/* ln of the sum of e^(-A d2 / s); weight <- the shares of its terms, which add up to 1. */
static double log_sum(const objective_list *a, double s)
{
    double nearest = a->d2[0], total = 0.0;
    size_t i = 0;
    for (size_t k = 1; k < a->count; k++)
        nearest = fmin(nearest, a->d2[k]);
    do {
        a->weight[i] = exp(-OBJECTIVE_SHARPNESS * (a->d2[i] - nearest) / s);
        total += a->weight[i];
    } while (++i < a->count);
    for (size_t k = 0; k < a->count; k++)
        a->weight[k] /= total;
    return log(total) - OBJECTIVE_SHARPNESS * nearest / s;
}

/* From shares to derivatives by d2 at fixed s; returns the derivative by s. */
static double weigh(const objective_list *a, double slope, double s)
{
    double by_s = 0.0;
    for (size_t i = 0; i < a->count; i++) {
        a->weight[i] *= slope * OBJECTIVE_SHARPNESS / s;
        by_s -= a->weight[i] * a->d2[i] / s;
    }
    return by_s;
}

double objective_softmax(const objective_list *same, const objective_list *other)
{
    double count = (double)(same->count + other->count), s = (sum(same) + sum(other)) / count;
    double slope, value = softplus(log_sum(other, s) - log_sum(same, s), &slope);
    double by_s = weigh(same, slope, s) + weigh(other, -slope, s);
    add(same, by_s / count);
    add(other, by_s / count);
    return value;
}
