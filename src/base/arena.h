/* arena.h - blocks of memory that live and die together.
 *
 * A function asks for all it needs, looks once whether it got it, and frees everything at once:
 *
 *   arena room = {0};
 *   double *A = arena_alloc(&room, n, n * sizeof *A), *b = arena_alloc(&room, n, sizeof *b);
 *   spd_status status = arena_status(&room, ctx, "equations");
 *   ...
 *   arena_free(&room);
 *
 * What is to outlive the function is asked for from an arena of the caller's, named `keep`. */
#ifndef SPD_BASE_ARENA_H
#define SPD_BASE_ARENA_H

#include "base/context.h"

/* All zero is an empty one. */
typedef struct arena {
    struct arena_block *last;
    int failed; /* a block could not be had; from then on there are no more */
} arena;

/* As mem_alloc and mem_zero. */
void *arena_alloc(arena *a, size_t count, size_t size);
void *arena_zero(arena *a, size_t count, size_t size);

/* SPD_OK when every block was had, else "out of memory" with what it was for. */
spd_status arena_status(const arena *a, spd_context *ctx, const char *what);

/* Frees all blocks; the arena is empty again. */
void arena_free(arena *a);

#endif
