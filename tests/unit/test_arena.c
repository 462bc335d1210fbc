/* test_arena.c - arenas: blocks apart from each other, one failure for all, nothing left behind. */
#include "test.h"

#include "base/arena.h"

TEST(blocks_are_apart)
{
    enum { BLOCKS = 20 };
    arena a = {0};
    unsigned char *block[BLOCKS];
    for (size_t i = 0; i < BLOCKS; i++) {
        block[i] = arena_alloc(&a, i, 7);
        CHECK(block[i] && ((uintptr_t)block[i] & 63) == 0, "block %zu", i);
        memset(block[i], (int)i, i * 7);
    }
    for (size_t i = 0; i < BLOCKS; i++)
        for (size_t e = 0; e < i * 7; e++)
            CHECK(block[i][e] == i, "block %zu is overwritten at %zu", i, e);
    double *zero = arena_zero(&a, 9, sizeof *zero);
    for (size_t e = 0; e < 9; e++)
        CHECK(zero[e] == 0.0, "not zero");
    CHECK(arena_status(&a, NULL, "blocks") == SPD_OK, "status");
    arena_free(&a);
    CHECK(!a.last, "blocks are left");
}

/* After a failure there are no more blocks until the arena is freed. */
TEST(one_failure_stays)
{
    arena a = {0};
    spd_context *ctx = context_on(0);
    CHECK(arena_alloc(&a, 1, 8), "the first");
    mem_fail_at(1);
    CHECK(!arena_zero(&a, 1, 8), "the one that fails");
    mem_fail_at(0);
    CHECK(!arena_alloc(&a, 1, 8) && a.failed, "none after it");
    CHECK(arena_status(&a, ctx, "a test") == SPD_ENOMEM && strstr(said(ctx), "a test"), "%s",
          said(ctx));
    arena_free(&a);
    CHECK(arena_alloc(&a, 1, 8) && arena_status(&a, ctx, "a test") == SPD_OK, "anew");
    CHECK(!arena_alloc(&a, SIZE_MAX / 2, 4), "a product that overflows");
    arena_free(&a);
    CHECK(!arena_alloc(&a, SIZE_MAX, 1), "no room for the head");
    arena_free(&a);
}
