/* pair_tiles.h - all pairs of a set under Stein, tile by tile: a graph in which every sample is
 * joined to every other, as candidates are in small sets.
 *
 *   d2_ij = ln det M - (ln det S_i + ln det S_j)/2,   M = (S_i + S_j)/2
 *   Z_i += c_ij M^-1,  Z_j += c_ij M^-1                                     (math.md, eq. 4)
 *
 * Samples are interleaved by eights once. A tile has the pairs of a block of rows i and a block of
 * columns j > i: eight columns at a time meet one row, so no pair is gathered, and no matrix of a
 * pair is stored: it is added to the sums of its row and of its columns while it is at hand. Sums
 * of a tile are its own; those of a sample are added up in the order of blocks. Blocks number the
 * samples of all ranks, and a rank makes the tiles that its own samples need: the bits are those
 * of a process alone. */
#ifndef SPD_FIT_PAIR_TILES_H
#define SPD_FIT_PAIR_TILES_H

#include "base/arena.h"
#include "fit/pair_order.h"

typedef struct pair_tiles pair_tiles;

/* Bytes that the sums of tiles take, of all ranks together. */
size_t pair_tiles_bytes(size_t m, size_t samples);

/* Are these all pairs i < j of so many samples, in order, and are tiles good for them? */
int pair_tiles_serve(size_t m, size_t samples, size_t count, const spd_pair *pairs);

/* The tiles of an order that knows all samples; the caller looks at keep. */
pair_tiles *pair_tiles_new(spd_context *ctx, size_t m, const pair_order *order, arena *keep);

/* d2 (one for each slot) <- squared distances of the samples S (triangles), NaN where one cannot be
 * had. logdet: theirs. */
spd_status pair_tiles_measure(pair_tiles *t, const double *S, const double *logdet, double *d2);

/* Z (triangles of own samples) += the weight matrices of the samples measured last; weight: one for
 * each slot. */
spd_status pair_tiles_weigh(pair_tiles *t, const double *weight, double *Z);

#endif
