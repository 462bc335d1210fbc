/* trials.h - the trials of a search: a fold with a map setting each.
 *
 * In a trial the map is fitted once; each method that stands behind it is prepared and met once,
 * and then decides with every setting of its own.
 *
 * Folds are tested one after the other, each with all map settings that are still in the race
 * (race.h). The trials of a fold are independent of each other and of the number of threads: each
 * runs on a context of one thread, many at a time; or, where there are few or they are large, one
 * after the other on all threads. */
#ifndef SPD_EVALUATE_TRIALS_H
#define SPD_EVALUATE_TRIALS_H

#include "evaluate/settings.h"

/* All trials of the fold read the same part. A graph depends on the way to learn (objective and
 * neighbours) and not on the size of the map, so there is one for each way. */

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
    int exhaustive;           /* graphs are those of the final maps */
} part_source;

/* What the learned maps of a trial took. */
typedef struct effort {
    size_t fits, iterations;
} effort;

/* What all trials share; read only, but for what they write to `right`, `hit` and `effort`. */
typedef struct trial_shared {
    size_t methods;
    const spd_method *method; /* methods: map, metric, fit and map settings are the same for all */
    const settings *settings; /* methods */
    const samples *train;     /* all of them */
    size_t folds;
    const size_t *fold;    /* train->p */
    const double *D;       /* p x p squared distances for the neighbour graphs, or NULL */
    int64_t *const *right; /* methods: folds x settings each, how many samples of the fold a setting
                              gets right, -1 where it fails */
    char *const *hit;      /* methods: settings x train->p each, 1 where the setting is right about
                              a sample, else 0 */
    size_t *const *out;    /* methods: map settings each, 0 while a map setting is in the race of
                              the method, else in how many folds it was tried */
    const char *rival;     /* train->p: samples that another method is right about, which all of
                              these must not be clearly behind (race.h); NULL: there is none */
    effort *effort;        /* folds x map settings */
    int exhaustive; /* non-zero: none leaves the race, and maps are fitted as finely as asked */
} trial_shared;

/* Fills `right`, `hit`, `out` and `effort`. Fails only for want of memory or when it is cancelled;
 * of other failures the message of the first is left in the context. */
spd_status trials_run(spd_context *ctx, const trial_shared *shared);

/* One of them. Ends early for want of memory or when it is cancelled; returns the first
 * failure that leaves a method without any setting. */
spd_status trial_run(spd_context *ctx, const trial_shared *shared, const part *home, size_t fold,
                     size_t map_setting);

/* Is this a failure that no other setting could mend? */
int trial_is_fatal(spd_status status);

#endif
