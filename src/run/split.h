/* split.h - how the samples of a sum are cut into chunks, and whose chunks they are.
 *
 * Chunks depend on the number of samples alone. A rank has a contiguous range of them. */
#ifndef SPD_RUN_SPLIT_H
#define SPD_RUN_SPLIT_H

#include "base/context.h"

typedef struct split {
    ranks *ranks;
    size_t all;                /* samples */
    size_t chunks, each;       /* chunks of `each` samples */
    size_t chunk_first, owned; /* chunks of this rank: the first, and how many */
    size_t first, last;        /* samples of this rank */
} split;

split split_make(spd_context *ctx, size_t all);

/* The first sample of a rank. */
size_t split_begin(const split *s, int rank);

/* The rank that a sample belongs to. */
int split_owner(const split *s, size_t sample);

#endif
