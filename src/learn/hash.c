/* hash.c - multiply and mix over words of 8 bytes. Four lanes take turns, so that the processor
 * need not wait for one multiplication before it begins the next. */
#include "learn/hash.h"

#include <string.h>

#define LANES 4
#define ODD   UINT64_C(0x9e3779b97f4a7c15) /* 2^64 over the golden ratio */

/* A bijection of the word for every hash: no single change is lost. */
static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * ODD;
    return hash ^ (hash >> 29);
}

uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    uint64_t lane[LANES], word[LANES];
    size_t left = size;
    for (size_t l = 0; l < LANES; l++)
        lane[l] = mix(hash, l);
    for (; left >= sizeof word; left -= sizeof word, at += sizeof word) {
        memcpy(word, at, sizeof word);
        for (size_t l = 0; l < LANES; l++)
            lane[l] = mix(lane[l], word[l]);
    }
    memset(word, 0, sizeof word);
    if (left)
        memcpy(word, at, left);
    hash = mix(hash, size);
    for (size_t l = 0; l < LANES; l++)
        hash = mix(hash, mix(lane[l], word[l]));
    return hash;
}
