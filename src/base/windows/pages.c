/* pages.c - aligned blocks from Windows, which wants to know that they are aligned. */
#include "base/pages.h"

#include <malloc.h>

void *pages_take(size_t bytes)
{
    return _aligned_malloc(bytes, PAGES_ALIGNMENT);
}

void pages_give(void *block)
{
    _aligned_free(block);
}
