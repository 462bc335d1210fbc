/* part.h - one fold made ready: what trains and what is tested, and the graphs of the learned maps.
 *
 * All trials of the fold read the same part. A graph depends on the way to learn (objective and
 * neighbours) and not on the size of the map, so there is one for each way. */
#ifndef SPD_EVALUATE_PART_H
#define SPD_EVALUATE_PART_H

#include "evaluate/settings.h"

/* One side of a fold. */
typedef struct side {
    samples s;     /* of matrices and vectors what the methods read */
    size_t *index; /* s.p: which of all samples */
} side;

/* The graph of one way; error.status < 0 where there is none. */
typedef struct part_graph {
    spd_pair *pairs;
    size_t count;
    spd_error error;
} part_graph;

typedef struct part {
    side train, test;  /* test.s has no labels: queries have none */
    const int *truth;  /* test.s.p: what they would be */
    size_t smallest;   /* of the classes in train */
    size_t graphs;     /* the ways of the settings, or 0: every fit makes its own */
    part_graph *graph; /* graphs */
    arena room;        /* all of it but the pairs */
} part;

/* What a part is made from. */
typedef struct part_source {
    const spd_method *method; /* one of those that share the map */
    const settings *settings; /* its own */
    const samples *train;     /* all samples */
    const size_t *fold;       /* train->p */
    const double *D;          /* train->p x train->p squared distances for the graphs, or NULL */
} part_source;

/* a <- the part that tests fold number `fold`; to be freed with part_free, always. A way without a
 * graph is no failure. */
spd_status part_make(spd_context *ctx, const part_source *from, size_t fold, part *a);
void part_free(part *a);

#endif
