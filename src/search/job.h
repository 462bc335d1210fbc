/* job.h - a search as its methods see it. */
#ifndef SPD_SEARCH_JOB_H
#define SPD_SEARCH_JOB_H

#include "geometry/metric.h"
#include "search/search.h"

#define SEARCH_BLOCK (METRIC_OCTETS * LANES) /* samples that are measured at once */

typedef struct search {
    const search_job *job;
    const kernels *kernels;
    const metric *metric;
    size_t n, p, q;
    size_t size; /* doubles of a prepared matrix */
    size_t each; /* neighbours of a query: k[0] + k[1] */
    int within;
    const double *X, *Q; /* samples and queries; NULL: read piece by piece */
    const double *F, *G; /* the same, prepared */
} search;

/* Some of the queries, or all samples: their numbers; NULL: the first `count`. */
typedef struct subset {
    size_t count;
    const size_t *number;
} subset;

/* Lists of `rows` queries, empty. */
spd_status search_lists(spd_context *ctx, const search *s, size_t rows, arena *keep,
                        neighbour **list, size_t **count);

/* Names a query and a sample that have no distance. */
spd_status search_fault(spd_context *ctx, const search *s, size_t query, size_t sample);

/* list (rows x each), count (rows x 2), empty, <- the lists of some queries, row by row, by all
 * distances: tiles.c. */
spd_status tiles_run(spd_context *ctx, const search *s, subset queries, neighbour *list,
                     size_t *count);

/* found->list and count, empty, and exact <- the exact lists of all queries among all samples,
 * which are in memory, and, within one set, most of the neighbours in almost linear time. */
spd_status pruned_run(spd_context *ctx, const search *s, search_result *found);
spd_status descent_run(spd_context *ctx, const search *s, search_result *found);

#endif
