/* log_margin.c - how much nearer a sample's own kind is than others, in logarithms of distances
 * (math.md, eq. 15).
 *
 *   f = mean over t in same, l in other of softplus(A (B + ln(a_t + e) - ln(b_l + e)))
 *
 * with e = TINY times the mean of all a and b: duplicates, whose logarithm is infinite, count like
 * very near ones. Multiplying all distances by one number changes nothing. */
#include <math.h>

#include "objective/constants.h"
#include "objective/objective.h"

/* From derivatives by ln(d2 + e) to those by d2 + e; returns their sum, the derivative by e. */
static double unlog(const objective_list *a, double e)
{
    double by_e = 0.0;
    for (size_t i = 0; i < a->count; i++) {
        a->weight[i] /= a->d2[i] + e;
        by_e += a->weight[i];
    }
    return by_e;
}

static double log_margin(const objective_list *same, const objective_list *other)
{
    double share = OBJECTIVE_TINY / (double)(same->count + other->count);
    double e = share * (objective_sum(same) + objective_sum(other)), value = 0.0, slope;
    double each = 1.0 / (double)(same->count * other->count), log_other[OBJECTIVE_NEAREST_OTHER];
    for (size_t l = 0; l < other->count; l++)
        log_other[l] = log(other->d2[l] + e);
    for (size_t t = 0; t < same->count; t++) {
        double log_same = log(same->d2[t] + e);
        for (size_t l = 0; l < other->count; l++) {
            value += each * objective_softplus(OBJECTIVE_SHARPNESS *
                                                   (OBJECTIVE_MARGIN + log_same - log_other[l]),
                                               &slope);
            same->weight[t] += each * OBJECTIVE_SHARPNESS * slope;
            other->weight[l] -= each * OBJECTIVE_SHARPNESS * slope;
        }
    }
    double by_e = unlog(same, e) + unlog(other, e);
    objective_add(same, share * by_e);
    objective_add(other, share * by_e);
    return value;
}

const objective objective_log_margin = {.needs_both = 1,
                                        .of_sample = log_margin,
                                        .nearest_same = OBJECTIVE_NEAREST_SAME,
                                        .nearest_other = OBJECTIVE_NEAREST_OTHER};
