/* hash.c - multiply and mix over words of 8 bytes. Four lanes take turns, so that the processor
 * need not wait for one multiplication before it begins the next. */
#include "base/hash.h"

#include <string.h>

#define ODD UINT64_C(0x9e3779b97f4a7c15) /* 2^64 over the golden ratio */

/* A bijection of the word for every hash: no single change is lost. */
static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * ODD;
    return hash ^ (hash >> 29);
}

void hash_begin(hash_stream *s, uint64_t hash)
{
    *s = (hash_stream){.hash = hash};
    for (size_t l = 0; l < HASH_LANES; l++)
        s->lane[l] = mix(hash, l);
}

static void take_words(hash_stream *s, const unsigned char *at)
{
    uint64_t word[HASH_LANES];
    memcpy(word, at, sizeof word);
    for (size_t l = 0; l < HASH_LANES; l++)
        s->lane[l] = mix(s->lane[l], word[l]);
}

void hash_add(hash_stream *s, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    const size_t room = sizeof s->tail - s->left, first = size < room ? size : room;
    s->size += size;
    if (s->left > 0) {
        memcpy(s->tail + s->left, at, first);
        s->left += first;
        at += first;
        size -= first;
        if (s->left < sizeof s->tail)
            return;
        take_words(s, s->tail);
        s->left = 0;
    }
    for (; size >= sizeof s->tail; size -= sizeof s->tail, at += sizeof s->tail)
        take_words(s, at);
    memcpy(s->tail, at, size);
    s->left = size;
}

uint64_t hash_end(const hash_stream *s)
{
    uint64_t word[HASH_LANES] = {0}, hash = mix(s->hash, s->size);
    memcpy(word, s->tail, s->left);
    for (size_t l = 0; l < HASH_LANES; l++)
        hash = mix(hash, mix(s->lane[l], word[l]));
    return hash;
}

uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    hash_stream s;
    hash_begin(&s, hash);
    hash_add(&s, bytes, size);
    return hash_end(&s);
}
