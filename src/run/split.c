/* split.c - chunks of samples. */
#include "run/split.h"

/* Few chunks cost little, each keeps sums of its own; many serve many ranks. */
#define FEWEST  32
#define MOST    1024
#define SAMPLES 256 /* of a chunk, between these */

split split_make(spd_context *ctx, size_t all)
{
    split s = {.ranks = ranks_of(ctx), .all = all};
    int rank = ranks_rank(s.ranks);
    size_t wanted = all / SAMPLES < FEWEST ? FEWEST : all / SAMPLES > MOST ? MOST : all / SAMPLES;
    s.each = (all + wanted - 1) / wanted;
    s.chunks = (all + s.each - 1) / s.each;
    s.chunk_first = ranks_first(s.ranks, rank, s.chunks);
    s.owned = ranks_first(s.ranks, rank + 1, s.chunks) - s.chunk_first;
    s.first = split_begin(&s, rank);
    s.last = split_begin(&s, rank + 1);
    return s;
}

size_t split_begin(const split *s, int rank)
{
    size_t first = ranks_first(s->ranks, rank, s->chunks) * s->each;
    return first < s->all ? first : s->all;
}

int split_owner(const split *s, size_t sample)
{
    return ranks_owner(s->ranks, s->chunks, sample / s->each);
}
