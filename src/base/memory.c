/* memory.c - aligned allocation with overflow checks and a switch for failure tests. */
#include "base/memory.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/pages.h"

#define ALIGNMENT PAGES_ALIGNMENT
#define LARGE     ((size_t)1 << 28) /* bytes from which on the limits of the system are asked */

static atomic_long live_blocks;
static atomic_long fail_countdown;
static _Thread_local size_t refused_bytes; /* by the last request of this thread that failed */

static int told_to_fail(void)
{
    if (atomic_load_explicit(&fail_countdown, memory_order_relaxed) <= 0)
        return 0;
    return atomic_fetch_sub(&fail_countdown, 1) == 1;
}

int mem_mul(size_t a, size_t b, size_t *product)
{
    return __builtin_mul_overflow(a, b, product);
}

/* Linux grants more than there is, and ends the process when it is used: what can never be there
 * is refused instead. */
static int is_beyond_limits(size_t bytes)
{
    return bytes >= LARGE && (double)bytes > limits_total();
}

void *mem_alloc(size_t count, size_t size)
{
    size_t bytes;
    refused_bytes = 0;
    if (mem_mul(count, size, &bytes) || bytes > (size_t)PTRDIFF_MAX - ALIGNMENT || told_to_fail())
        return NULL;
    bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    void *block = is_beyond_limits(bytes) ? NULL : pages_take(bytes ? bytes : ALIGNMENT);
    if (block)
        atomic_fetch_add_explicit(&live_blocks, 1, memory_order_relaxed);
    else
        refused_bytes = bytes;
    return block;
}

size_t mem_refused(void)
{
    return refused_bytes;
}

int mem_could(double bytes)
{
    if (told_to_fail() || bytes > limits_left())
        return 0;
    void *block = bytes < (double)PTRDIFF_MAX ? malloc((size_t)bytes) : NULL;
    free(block);
    return block != NULL;
}

void *mem_zero(size_t count, size_t size)
{
    void *block = mem_alloc(count, size);
    if (block)
        memset(block, 0, count * size);
    return block;
}

void *mem_grow(void *block, size_t old_bytes, size_t new_bytes)
{
    void *grown = mem_alloc(new_bytes, 1);
    if (!grown)
        return NULL;
    if (block) {
        memcpy(grown, block, old_bytes < new_bytes ? old_bytes : new_bytes);
        mem_free(block);
    }
    return grown;
}

void *mem_list(void *list, size_t count, size_t size)
{
    if (count & (count - 1))
        return list;
    return mem_grow(list, count * size, (count ? 2 * count : 1) * size);
}

char *mem_part(const char *text, size_t length)
{
    char *copy = mem_alloc(length + 1, 1);
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

char *mem_text(const char *text)
{
    return mem_part(text, strlen(text));
}

void mem_free(void *block)
{
    if (!block)
        return;
    atomic_fetch_sub_explicit(&live_blocks, 1, memory_order_relaxed);
    pages_give(block);
}

long mem_fail_at(long k)
{
    return atomic_exchange(&fail_countdown, k);
}

long mem_live(void)
{
    return atomic_load(&live_blocks);
}
