/* fitting.h - a fit in progress, from the inside. */
#ifndef SPD_LEARN_FITTING_H
#define SPD_LEARN_FITTING_H

#include "sets/set.h"
#include "learn/fit.h"
#include "learn/model.h"

/* A fit in progress. */
typedef struct fit {
    spd_context *ctx;
    size_t n, m;
    const spd_set *set;   /* the samples */
    const spd_set *there; /* the same on a GPU, or NULL */
    int yields;           /* the processor does what a GPU asked for by name has no kernels for */
    const int *label;
    spd_fit_options o;
    spd_fit_hooks watch;
    spd_fit_state state;
    double *mean; /* SPD_LEARNING_VARIANCE: the sample that all others are measured from */
    double *logs; /* the samples of the approximate log-Euclidean cost (logarithms.h); else NULL */
    problem *engine; /* in the coordinates of the fit */
    double *work;    /* of tall_orthonormalise, and of changes of coordinates */
    size_t room;     /* for steps in the history of state.now */
    double seconds_graph, seconds_before, began;
    int no_room; /* for the history */
} fit;

/* All samples are good; state.fingerprint <- that of them, the labels and the sizes
 * (fingerprint.c). */
spd_status fitting_examine(fit *f);

/* What the graph has left of max_time; the least number above 0 when nothing is left, since 0 is no
 * limit. */
double fitting_time(const fit *f);

/* The map under Stein, if the first start is to begin there: state.at.W, and o.init says so. Before
 * the engine is opened, so that there is one at a time. */
spd_status fitting_approach(fit *f);

/* state.at.W <- where the start at hand begins, in the original coordinates; o.init, if it is left
 * to choose, <- what was taken. The engine is that of the original coordinates. */
spd_status fitting_start(fit *f);

/* The stop of a fit that has converged <- SPD_STOP_INVARIANT if it began at the paper's start and
 * rows of W have stayed zero, since no sample mixes their variables with the others. */
void fitting_judge_end(fit *f);

/* A fit of the same samples, which have been checked, with another metric or start. */
spd_status fitting_again(const fit *f, const spd_fit_options *options, const fit_graph *graph,
                         spd_model **model);

/* *cost <- that at W, in the original coordinates; state.at.grad is overwritten. */
spd_status fitting_cost(fit *f, const double *W, double *cost);

#endif
