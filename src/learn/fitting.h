/* fitting.h - a fit in progress, from the inside: what fit.c, fit_graph.c, fit_start.c and
 * fingerprint.c share. */
#ifndef SPD_LEARN_FITTING_H
#define SPD_LEARN_FITTING_H

#include "base/store.h"
#include "learn/fit.h"
#include "learn/state.h"

/* A fit in progress. */
typedef struct fit {
    spd_context *ctx;
    size_t n, m;
    const spd_store *set; /* the samples */
    const int *label;
    spd_fit_options o;
    spd_fit_watch watch;
    spd_fit_state state;
    double *mean; /* SPD_MAXIMAL_VARIANCE: the sample that all others are measured from */
    double *logs; /* the samples of the approximate log-Euclidean cost (logarithms.h); else NULL */
    problem *engine; /* in the coordinates of the fit */
    double *work;    /* of tall_orthonormalise, and of changes of coordinates */
    size_t room;     /* for steps in the history of state.now */
    size_t row;      /* of the history where the running start or round begins */
    double seconds_graph, seconds_before, began;
    int no_room; /* for the history */
} fit;

/* All samples are good; state.fingerprint <- that of them, the labels and the sizes
 * (fingerprint.c). */
spd_status fitting_examine(fit *f);

/* The graph is a copy of one that is known. */
spd_status fitting_take_graph(fit *f, size_t pairs, const spd_pair *from);

/* The star: every sample is pushed away from the mean, which is sample number p. */
spd_status fitting_star_graph(fit *f);

/* The graph that the options ask for, or a copy of `known`, unless that is NULL. */
spd_status fitting_make_graph(fit *f, const fit_graph *known);

/* SPD_EINVAL, with the reason, for a graph without a cost to minimise. */
spd_status fitting_check_graph(const fit *f);

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
 * has kept to subspaces that no sample mixes. */
spd_status fitting_judge_end(fit *f);

/* *cost <- that at W, in the original coordinates; state.at.grad is overwritten. */
spd_status fitting_cost(fit *f, const double *W, double *cost);

/* *pairs (new), *count <- the graph of W'XW, W that of state.now. */
spd_status fitting_mapped_graph(fit *f, spd_pair **pairs, size_t *count);

#endif
