/* affinity_search.h - the nearest neighbours of every sample, by class. */
#ifndef SPD_LEARN_AFFINITY_SEARCH_H
#define SPD_LEARN_AFFINITY_SEARCH_H

#include "base/classes.h"
#include "sets/set.h"
#include "learn/affinity_links.h"

/* Whose neighbours are wanted, and how many. */
typedef struct graph_job {
    size_t p;
    const spd_set *set; /* the samples; NULL if D is known */
    const int *label;   /* p; negative: unknown. NULL: unsupervised */
    const classes *c;   /* of label */
    spd_metric metric;
    size_t nu_w, nu_b;
    size_t near_unknown, far_unknown; /* the same for samples without a label, no larger */
    uint64_t seed;                    /* of the far pairs */
    const double *D;                  /* p x p squared distances where they are known; else NULL */
    spd_search search;                /* in: how; out: which it was */
    double recall;                    /* out */
} graph_job;

/* Links that graph_by_class and graph_far_unknown add at most. */
size_t graph_room(const graph_job *g);

/* Up to this many samples one distance matrix serves both graphs; beyond, p x p is never held. */
#define GRAPH_MATRIX_UP_TO 1500

/* l += for a sample with a label: its nu_w nearest of the same class (within) and its nu_b nearest
 * among the other classes (between); for one without: its near_unknown nearest of all (within).
 * Ties by lower index; what there is, where there are fewer. matrix_up_to is GRAPH_MATRIX_UP_TO but
 * in tests: the links are the same, except perhaps where distances tie up to rounding for matrices
 * of extreme condition. */
spd_status graph_by_class(spd_context *ctx, graph_job *g, size_t matrix_up_to, links *l);

/* l += the nu_w nearest of each sample (within), and nu_b samples drawn at random from those that
 * are not among its nearest max(10, 2 nu_w), in small sets not among the nearest half (between).
 * l is made here. */
spd_status graph_near_far(spd_context *ctx, graph_job *g, links *l);

/* l += for each sample without a label: far_unknown samples drawn at random (between), which stand
 * for far ones; one that is near after all stays a within pair (links_join). far_unknown < p. */
spd_status graph_far_unknown(spd_context *ctx, const graph_job *g, links *l);

/* Is an approximate search wanted, and worth it? */
int graph_approximates(const graph_job *g);

#endif
