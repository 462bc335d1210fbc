/* objective.h - what a fit minimises: a function of the squared distances of its pairs.
 *
 * An objective answers with its value and with its derivative by every distance, the pair's weight;
 * what a distance is and how it moves with W is the engine's affair (math.md, eq. 4).
 *
 *   difference  the paper's Sw - Sb: sums over the within and over the between pairs. All pairs
 *               have a weight, whatever W is, so distances and their derivatives come from one
 *               pass.
 *   softmax     the mean over samples of f(distances of the sample to its own kind, distances to
 *               others). The pairs of the graph are candidates: all distances come first, then
 *               their weights.
 */
#ifndef SPD_OBJECTIVE_OBJECTIVE_H
#define SPD_OBJECTIVE_OBJECTIVE_H

#include "spdml.h"

/* Does it weigh the candidates of each sample? Otherwise it is the difference of sums. */
static inline int objective_of_samples(spd_objective objective)
{
    return objective == SPD_OBJECTIVE_SOFTMAX;
}

/* One sample's squared distances to its candidates of one kind, and where the derivatives by them
 * go; these are zero at first. */
typedef struct objective_list {
    size_t count; /* >= 1 */
    const double *d2;
    double *weight;
} objective_list;

/* The value of one sample. `same` is near pairs, `other` far ones; some distance is above rounding,
 * others may be zero. */
double objective_softmax(const objective_list *same, const objective_list *other);

#endif
