/* pages.c - aligned blocks from the system, the large ones in huge pages. */
#define _DEFAULT_SOURCE /* madvise */
#include "base/pages.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#define HUGE_PAGE  ((uintptr_t)1 << 21)
#define MANY_PAGES ((size_t)1 << 23)

/* Fresh pages are made one by one as they are touched, which takes as long as a pass over them;
 * huge ones take a fraction of that. A hint only: it may be refused. */
#ifdef MADV_HUGEPAGE
static void ask_for_huge_pages(void *block, size_t bytes)
{
    uintptr_t first = ((uintptr_t)block + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    uintptr_t last = ((uintptr_t)block + bytes) / HUGE_PAGE * HUGE_PAGE;
    if (block && bytes >= MANY_PAGES && last > first)
        madvise((void *)first, last - first, MADV_HUGEPAGE);
}
#else
static void ask_for_huge_pages(void *block, size_t bytes)
{
    (void)block;
    (void)bytes;
}
#endif

void *pages_take(size_t bytes)
{
    void *block = aligned_alloc(PAGES_ALIGNMENT, bytes);
    ask_for_huge_pages(block, bytes);
    return block;
}

void pages_give(void *block)
{
    free(block);
}
