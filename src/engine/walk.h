/* walk.h - ways through a store, in order and with reading ahead. */
#ifndef SPD_ENGINE_WALK_H
#define SPD_ENGINE_WALK_H

#include "base/store.h"

/* A way through samples, for one thread at a time; it has a thread of its own that reads ahead. */
typedef struct store_walk store_walk;

/* *walks (new, `count` of them, freed by store_walks_end) <- ways that hand out multiples of
 * `granule` samples, but at the end. Each keeps a few pieces of about store_piece bytes. */
spd_status store_walks_new(spd_context *ctx, const spd_store *s, size_t count, size_t granule,
                           size_t bytes, store_walk **walks);
void store_walks_end(store_walk *walks);

/* Walk `number` of those. */
store_walk *store_walk_at(store_walk *walks, size_t number);

/* What store_walks_new will take. */
double store_walks_bytes(const spd_context *ctx, const spd_store *s, size_t count, size_t granule,
                         size_t bytes);

/* `bytes`, or less where `count` walks would take more than an eighth of the context's memory. */
size_t store_piece(const spd_context *ctx, size_t count, size_t bytes);

/* Begins a walk over samples first .. last-1, or over those numbers of the list `which`. */
void store_walk_begin(store_walk *w, size_t first, size_t last, const size_t *which);

/* The next samples, *count of them, valid until the next call; NULL at the end, and, with *count
 * SIZE_MAX, when they cannot be read. */
const double *store_walk_next(store_walk *w, size_t *count);

/* Where the samples after those lie, to be prefetched and not to be read; NULL where that does not
 * help. */
const void *store_walk_ahead(const store_walk *w);

#endif
