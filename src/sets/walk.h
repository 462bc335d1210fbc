/* walk.h - ways through a set, in order and with reading ahead. */
#ifndef SPD_SETS_WALK_H
#define SPD_SETS_WALK_H

#include "sets/set.h"

/* A way through samples, for one thread at a time; it has a thread of its own that reads ahead. */
typedef struct set_walk set_walk;

/* *walks (new, `count` of them, freed by set_walks_end) <- ways that hand out multiples of
 * `granule` samples, but at the end. Each keeps a few pieces of about set_piece bytes. */
spd_status set_walks_new(spd_context *ctx, const spd_set *s, size_t count, size_t granule,
                         size_t bytes, set_walk **walks);
void set_walks_end(set_walk *walks);

/* Walk `number` of those. */
set_walk *set_walk_at(set_walk *walks, size_t number);

/* What set_walks_new will take. */
double set_walks_bytes(const spd_context *ctx, const spd_set *s, size_t count, size_t granule,
                       size_t bytes);

/* `bytes`, or less where `count` walks would take more than an eighth of the context's memory. */
size_t set_piece(const spd_context *ctx, size_t count, size_t bytes);

/* Begins a walk over samples first .. last-1, or over those numbers of the list `which`. */
void set_walk_begin(set_walk *w, size_t first, size_t last, const size_t *which);

/* The next samples, *count of them, valid until the next call; NULL at the end, and, with *count
 * SIZE_MAX, when they cannot be read. */
const double *set_walk_next(set_walk *w, size_t *count);

/* Where the samples after those lie, to be prefetched and not to be read; NULL where that does not
 * help. */
const void *set_walk_ahead(const set_walk *w);

#endif
