/* search.h - nearest neighbours: one job for all who want them.
 *
 * Exact neighbours are found by lower bounds (pruned.c) or by all distances (tiles.c), most of the
 * neighbours by neighbour descent (descent.c). The same bits for any number of threads and ranks.
 */
#ifndef SPD_SEARCH_SEARCH_H
#define SPD_SEARCH_SEARCH_H

#include "base/arena.h"
#include "search/lists.h"
#include "sets/set.h"

/* A query has a list of neighbours or, with labels, two (lists.h). */
typedef struct search_job {
    spd_metric metric;
    const spd_set *samples;
    const spd_set *queries; /* may be the samples: then none is its own neighbour */
    const int *label;       /* of the samples, which are then the queries too; NULL: one list */
    size_t k[MAX_LISTS];    /* wanted in each list; there may be fewer samples */
    size_t k_unlabelled;    /* the same of a query without a label, k[0] at most */
    spd_search search;
    int brute; /* compute every distance */
    int here;  /* on the processor */
    uint64_t seed;
} search_job;

typedef struct search_result {
    neighbour *list;   /* q x (k[0] + k[1]): list 0 of a query, then list 1, ascending */
    size_t *count;     /* q x 2: how many there are */
    double pairs;      /* of a query and a sample */
    double exact;      /* distances computed, those of the estimate too */
    spd_search search; /* which it was, exact or approximate */
    double recall;     /* share of the true neighbours that was found, estimated; 1 if exact */
} search_result;

spd_status search_run(spd_context *ctx, const search_job *job, arena *keep, search_result *found);

/* Will it be approximate? Of other queries than the samples it is exact. */
int search_approximates(const search_job *job);

/* How many neighbours a list of a query is to have, if there are as many. */
size_t search_wanted(const search_job *job, size_t query, int list);

/* Would the exact search take more than about a minute, by the operations counted? */
int search_is_long(spd_metric id, size_t n, size_t p, size_t q);

/* queries (q) <- all of them, in front `count` that a recall is estimated on. */
#define RECALL_QUERIES 200
void search_draw(uint64_t seed, size_t q, size_t count, size_t *queries);

/* For small sets whose lists alone matter, not their distances: the exact lists of a job within one
 * set, by one matrix of all distances, which measures each pair once. Where a list ends between
 * samples that only rounding tells apart, these are as search_run has them. */
spd_status search_by_matrix(spd_context *ctx, const search_job *job, arena *keep,
                            search_result *found);

/* The same by squared distances D (p x p) that are known. */
spd_status search_in_matrix(spd_context *ctx, const search_job *job, size_t p, const double *D,
                            arena *keep, search_result *found);

#endif
