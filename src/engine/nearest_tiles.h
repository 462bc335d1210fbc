/* nearest_tiles.h - exact nearest neighbours in sets that need not lie in memory.
 *
 * As many queries as there is room for are prepared and held; all samples stream by, are prepared
 * block by block and measured against them. Then come the next queries. Every distance is computed,
 * by the same kernel as in nearest.c, so that neighbours are the same, bit for bit. */
#ifndef SPD_ENGINE_NEAREST_TILES_H
#define SPD_ENGINE_NEAREST_TILES_H

#include "engine/walk.h"
#include "engine/hits.h"

#define TILE_LISTS 2

/* What is searched for. A query has up to two lists of neighbours, for instance those of its own
 * class and those of others. */
typedef struct tile_search {
    spd_metric metric;
    const spd_store *samples, *queries; /* the same within one set, where nobody is its own */
    size_t lists;
    size_t k[TILE_LISTS]; /* room of each list */
    /* How many neighbours list number `list` of a query takes, k[list] at most, and whether it
     * takes that sample; NULL: all k, all samples. */
    size_t (*wanted)(const void *user, size_t list, size_t query);
    int (*admits)(const void *user, size_t list, size_t query, size_t sample);
    const void *user;
    hit *best[TILE_LISTS];     /* q x k, ascending */
    size_t *found[TILE_LISTS]; /* q: how many there are; zeros before */
} tile_search;

spd_status tiles_run(spd_context *ctx, const tile_search *search);

#endif
