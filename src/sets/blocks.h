/* blocks.h - a set, block after block: for what knows sets in memory alone. */
#ifndef SPD_SETS_BLOCKS_H
#define SPD_SETS_BLOCKS_H

#include "sets/walk.h"

/* Bytes of a block; samples come in multiples of 64, but at the end. */
#define BLOCK_BYTES   ((size_t)16 << 20)
#define BLOCK_GRANULE 64

/* Does samples first .. first+count-1, which X holds (n x n each). */
typedef spd_status (*block_body)(spd_context *ctx, void *user, size_t first, size_t count, size_t n,
                                 const double *X);

/* body for all samples, in order, until it fails; a set in memory is one block. task: for progress
 * in matrices. */
spd_status blocks_run(spd_context *ctx, const spd_set *set, const char *task, block_body body,
                      void *user);

/* The same for the part of this rank, which body sees as a process alone; then all ranks know the
 * first failure. */
spd_status blocks_share(spd_context *ctx, const spd_set *set, const char *task, block_body body,
                        void *user);

#endif
