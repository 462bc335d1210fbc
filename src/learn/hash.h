/* hash.h - a fingerprint of memory: which data a checkpoint belongs to, and whether it is whole. */
#ifndef SPD_LEARN_HASH_H
#define SPD_LEARN_HASH_H

#include <stddef.h>
#include <stdint.h>

/* The hash of size bytes, continued from `hash` (0 to begin with). Every byte counts; it runs at
 * the speed of memory. No protection against those who mean harm. */
uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size);

#endif
