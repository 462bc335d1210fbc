/* hash.h - a fingerprint of memory: which data a checkpoint belongs to, and whether it is whole. */
#ifndef SPD_BASE_HASH_H
#define SPD_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_LANES 4

/* The hash of bytes that come one after the other: the same as of all at once. */
typedef struct hash_stream {
    uint64_t hash, lane[HASH_LANES];
    size_t size;                        /* bytes so far */
    unsigned char tail[8 * HASH_LANES]; /* the last of them, `left`, which fill no words yet */
    size_t left;
} hash_stream;
void hash_begin(hash_stream *s, uint64_t hash);
void hash_add(hash_stream *s, const void *bytes, size_t size);
uint64_t hash_end(const hash_stream *s);

/* The hash of size bytes, continued from `hash` (0 to begin with). Every byte counts; it runs at
 * the speed of memory. No protection against those who mean harm. */
uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size);

#endif
