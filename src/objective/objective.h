/* objective.h - what a fit minimises: a function of the squared distances of its pairs.
 *
 * An objective answers with its value and with its derivative by every distance, the pair's weight;
 * what a distance is and how it moves with W is the engine's affair (math.md, eq. 4). There are two
 * kinds, and each is one small file with one function:
 *
 *   of sums     f(Sw, Sb) of the sums over the within and over the between pairs. All pairs have a
 *               weight, whatever W is, so distances and their derivatives come from one pass.
 *   of samples  the mean over samples of f(distances of the sample to its own kind, distances to
 *               others). The pairs of the graph are candidates: all distances come first, and only
 *               pairs that then have a weight need derivatives.
 */
#ifndef SPD_OBJECTIVE_OBJECTIVE_H
#define SPD_OBJECTIVE_OBJECTIVE_H

#include "spdml.h"

/* One sample's squared distances to its nearest candidates of one kind, ascending, and where the
 * derivatives by them go; these are zero at first. */
typedef struct objective_list {
    size_t count; /* >= 1 */
    const double *d2;
    double *weight;
} objective_list;

typedef struct objective {
    int needs_both; /* there is no value without within and between pairs */

    /* Of sums: the value; scale[0], scale[1] <- its derivatives by `within` and by -between. With
     * `fixed` these are 1 and 1 whatever the sums. */
    double (*of_sums)(double within, double between, double *scale);
    int fixed;

    /* Of samples: the value of one. `same` is near pairs, `other` far ones; some distance is above
     * rounding, others may be zero. */
    double (*of_sample)(const objective_list *same, const objective_list *other);
    size_t nearest_same, nearest_other; /* how many it looks at; 0: all candidates */
} objective;

/* NULL for a number without one. */
const objective *objective_get(spd_objective number);

extern const objective objective_difference, objective_ratio, objective_log_margin,
    objective_softmax;

/* ln(1 + e^x); *slope <- its derivative. */
double objective_softplus(double x, double *slope);

/* The sum of a list's distances; every weight of it += share. */
double objective_sum(const objective_list *a);
void objective_add(const objective_list *a, double share);

#endif
