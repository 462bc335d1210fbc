/* index.h - what a search of a set for queries can be prepared with, once for all of them: sketches
 * of the samples (sketch.h), and links from each to samples that are near by these. */
#ifndef SPD_SEARCH_INDEX_H
#define SPD_SEARCH_INDEX_H

#include "search/sketch.h"

#define INDEX_DEGREE 48 /* links of a sample */

struct spd_index {
    arena room; /* all of it */
    spd_metric metric;
    size_t n, p;
    uint64_t hash; /* of the samples */
    unfolding u;
    sketches v;
    int64_t *link; /* p x INDEX_DEGREE */
};

/* index <- of the samples of a search, which are prepared; to be freed with spd_index_free. */
spd_status index_make(spd_context *ctx, const search *s, spd_index **index);

/* found->list and count, empty, and exact <- most of the neighbours of some queries, by the index of
 * the samples. */
spd_status index_run(spd_context *ctx, const search *s, const spd_index *index, subset queries,
                     search_result *found);

/* How many samples it measures for a query. */
size_t index_pool(const search *s);

/* SPD_EINVAL, with the remedy, unless the index is of these samples and this metric. */
spd_status index_check(spd_context *ctx, const spd_index *index, spd_metric id,
                       const spd_set *samples);

#endif
