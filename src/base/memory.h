/* memory.h - the only place that asks the system for memory.
 *
 * Every block is aligned to 64 bytes (one AVX-512 vector, one cache line). Sizes are checked for
 * overflow here, so callers may pass products of file headers without fear. Tests make the k-th
 * allocation fail and count what is still alive. */
#ifndef SPD_BASE_MEMORY_H
#define SPD_BASE_MEMORY_H

#include <stddef.h>

/* count * size bytes, uninitialised; NULL when out of memory or when the product overflows.
 * A product of zero gives a valid block. */
void *mem_alloc(size_t count, size_t size);

/* The same, filled with zeros. */
void *mem_zero(size_t count, size_t size);

/* A block of new_bytes that starts with old_bytes of block, which is freed; block may be NULL.
 * On failure NULL, and block is untouched. */
void *mem_grow(void *block, size_t old_bytes, size_t new_bytes);

/* A list of count elements with room for one more: its room doubles when it is full, at powers of
 * two. NULL when out of memory, and the list is untouched. */
void *mem_list(void *list, size_t count, size_t size);

/* A copy of text, and of its first length bytes with a NUL. */
char *mem_text(const char *text);
char *mem_part(const char *text, size_t length);

void mem_free(void *block);

/* Could so many bytes be had now? Asked before work that needs them later, or before a library that
 * does not look whether it got what it asked for. */
int mem_could(double bytes);

/* Bytes of the last request of this thread, if it failed and could be told; else 0. */
size_t mem_refused(void);

/* *product <- a * b; non-zero when it does not fit. */
int mem_mul(size_t a, size_t b, size_t *product);

/* For tests: the k-th allocation from now (1 = the next) fails, once; 0 turns this off. Returns how
 * many were to come until the failure that was asked for before: 0 when it has come. */
long mem_fail_at(long k);

/* For tests: blocks allocated and not yet freed. */
long mem_live(void);

#endif
