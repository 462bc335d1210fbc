/* state.h - a fit in progress, whole: what a checkpoint holds.
 *
 * Options are those of `now`. X itself is not kept, only a fingerprint, so that a state is not
 * resumed on other data. */
#ifndef SPD_LEARN_STATE_H
#define SPD_LEARN_STATE_H

#include "optim/minimise.h"

struct spd_fit_state {
    size_t p;
    uint64_t fingerprint; /* of X and label */
    size_t pairs;
    spd_pair *pair;    /* `pairs` of them: the graph of the running round */
    int start;         /* which restart is running, from 0; the last one during rounds */
    double *L;         /* n x n: the factor of M (learn/coordinates.h); NULL for plain ones */
    minimise_state at; /* what the optimiser carries, in these coordinates */
    spd_model *now;    /* what the running start has found so far, and the whole fit has cost; its
                          rounds say which round of the graph is running */
    spd_model *best;   /* the best of the starts that have ended; NULL before, and during rounds */
};

/* *model <- a copy of the better of now and best; SPD_ENOMEM without a message. */
spd_status state_model(const spd_fit_state *state, spd_model **model);

#endif
