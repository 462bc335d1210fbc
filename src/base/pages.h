/* pages.h - aligned blocks from the system, for memory.c alone. */
#ifndef SPD_BASE_PAGES_H
#define SPD_BASE_PAGES_H

#include <stddef.h>

#define PAGES_ALIGNMENT 64

/* bytes is a multiple of the alignment, and not zero. NULL when out of memory. */
void *pages_take(size_t bytes);
void pages_give(void *block);

#endif
