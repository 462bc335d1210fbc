/* state.h - a fit in progress, whole: what a checkpoint holds. */
#ifndef SPD_LEARN_STATE_H
#define SPD_LEARN_STATE_H

#include "spdml.h"

/* Pointers inside options are not part of the state: own_pairs is replaced by `pairs`, W is unused
 * once iteration 0 is there. X itself is not kept, only a fingerprint, so that a state is not
 * resumed on other data. */
struct spd_fit_state {
    size_t n, m, p;
    uint64_t fingerprint; /* of X and label */
    spd_fit_options options;
    size_t pairs;
    spd_pair *pair;       /* `pairs` of them */
    double *W, *H, *grad; /* n x m */
    double f, gradient_norm, first_gradient_norm, last_step, cost_start;
    int iteration, refreshes, small_steps; /* as in minimise_state */
    int start;                             /* which restart is running, from 0 */
    size_t memory;                         /* doubles of L-BFGS's memory, 0 for other solvers */
    double *pair_memory;
    int memory_count, memory_first;
    size_t data_passes;
    double seconds_graph, seconds_fit;
    size_t steps;
    spd_fit_step *history;
    int has_best; /* with restarts: the best of the starts that have ended; what follows is its */
    double best_cost, best_gradient, best_cost_start;
    double *best_W; /* n x m */
    int best_iterations;
    spd_stop best_stop;
    size_t best_steps;
    spd_fit_step *best_history;
};

#endif
