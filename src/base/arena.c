/* arena.c - a list of blocks; each begins with the way to the one before. */
#include "base/arena.h"

#include <string.h>

#include "base/memory.h"

#define HEAD 64 /* bytes: what follows stays aligned */

struct arena_block {
    struct arena_block *before;
};

void *arena_alloc(arena *a, size_t count, size_t size)
{
    size_t bytes;
    struct arena_block *block = NULL;
    if (!a->failed && !mem_mul(count, size, &bytes) && bytes <= SIZE_MAX - HEAD)
        block = mem_alloc(bytes + HEAD, 1);
    if (!block) {
        a->failed = 1;
        return NULL;
    }
    block->before = a->last;
    a->last = block;
    return (char *)block + HEAD;
}

void *arena_zero(arena *a, size_t count, size_t size)
{
    void *block = arena_alloc(a, count, size);
    if (block)
        memset(block, 0, count * size);
    return block;
}

spd_status arena_status(const arena *a, spd_context *ctx, const char *what)
{
    return a->failed ? ctx_nomem(ctx, what) : SPD_OK;
}

void arena_free(arena *a)
{
    while (a->last) {
        struct arena_block *before = a->last->before;
        mem_free(a->last);
        a->last = before;
    }
    a->failed = 0;
}
