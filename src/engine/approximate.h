/* approximate.h - nearest neighbours of all samples of a set, found in almost linear time, most of
 * them: a neighbour of a neighbour is likely to be a neighbour (Dong, Moses, Li 2011).
 *
 * First among short vectors that stand in for the matrices (stand_ins.h): random trees give first
 * lists, and rounds better them (near_lists.h). Then the same rounds with the true distances,
 * sixteen at a time. The same bits for any number of threads. */
#ifndef SPD_ENGINE_APPROXIMATE_H
#define SPD_ENGINE_APPROXIMATE_H

#include "base/arena.h"
#include "engine/hits.h"
#include "geometry/metric.h"

/* With labels a sample has two lists: number 0 has those of its own class, number 1 those of
 * others; one without a label (negative) has a list of all, number 0, and is in no other's. */
typedef struct approximate_job {
    const metric *m;
    size_t n, p;
    const double *X;   /* p x n x n */
    const double *F;   /* p x size, prepared for m */
    const int *label;  /* p, or NULL: one list */
    size_t k[2];       /* wanted in each list; may be more than there are */
    size_t queries;    /* the last so many of p: only their lists 1 are wanted; 0: all lists */
    size_t candidates; /* look among these samples only */
    const size_t *candidate; /* NULL: find the near ones */
    uint64_t seed;
} approximate_job;

typedef struct approximate_lists {
    hit *hit;        /* p x (k[0] + k[1]): list 0 of a sample, then list 1, ascending */
    size_t *count;   /* p x 2: how many there are */
    double measured; /* true distances, those of the estimate too */
    double recall;   /* share of the true neighbours that was found, of 200 samples or queries */
} approximate_lists;

spd_status approximate_run(spd_context *ctx, const approximate_job *job, arena *keep,
                           approximate_lists *found);

/* drawn (p) <- all samples, and in front `count` that a recall is estimated on. */
#define APPROXIMATE_ESTIMATE 200
void approximate_draw(uint64_t seed, size_t p, size_t count, size_t *drawn);

/* Operations of the exact search, counted, and whether they would take more than about a minute. */
int approximate_pays(const metric *m, size_t n, size_t p, size_t q);

#endif
