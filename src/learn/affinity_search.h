/* affinity_search.h - the nearest neighbours of every sample, by class, and the pairs that such links
 * make. */
#ifndef SPD_LEARN_AFFINITY_SEARCH_H
#define SPD_LEARN_AFFINITY_SEARCH_H

#include "base/classes.h"
#include "sets/set.h"

/* ---- links: directed, "j is a neighbour of i" ------------------------------------------------ */

typedef enum link_kind { LINK_WITHIN = 0, LINK_BETWEEN } link_kind;

typedef struct arc {
    uint32_t low, high; /* the two samples, low < high; which one is whose neighbour is forgotten */
    uint32_t kind;
} arc;

typedef struct links {
    size_t count, room;
    arc *arc; /* room */
} links;

/* Room for so many; freed with links_free, always. */
spd_status links_new(spd_context *ctx, size_t room, links *l);
void links_free(links *l);

/* Notes that `to` is a neighbour of `from`, once per direction and kind; there must be room. */
void links_add(links *l, size_t from, size_t to, link_kind kind);

/* *pairs (new) and *count <- the links as pairs of p samples, sorted by (i, j), i < j, with
 * weight 1. A pair with links of both kinds is a within pair. l is sorted. */
spd_status links_join(spd_context *ctx, size_t p, links *l, spd_pair **pairs, size_t *count);

/* ---- the search ------------------------------------------------------------------------------- */

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
