/* test_sized.c - structs of other versions: smaller, larger, without a size. */
#include "test.h"

#include "base/sized.h"

typedef struct old_options {
    size_t size;
    double a;
} old_options;

typedef struct options {
    size_t size;
    double a, b;
} options;

typedef struct newer_options {
    size_t size;
    double a, b, c;
} newer_options;

static const options defaults = {sizeof(options), 1.0, 2.0};

TEST(takes_what_both_know)
{
    old_options old = {sizeof old, 7.0};
    options mine = defaults;
    CHECK(sized_take(NULL, "options", sizeof mine, &mine, &old) == SPD_OK, "sized");
    CHECK(mine.a == 7.0 && mine.b == 2.0 && mine.size == sizeof mine, "sized");
    CHECK(sized_take(NULL, "options", sizeof mine, &mine, NULL) == SPD_OK, "sized");
    CHECK(mine.a == 7.0, "sized");
}

TEST(refuses_what_it_does_not_know)
{
    newer_options newer = {sizeof newer, 7.0, 8.0, 0.0};
    options mine = defaults;
    CHECK(sized_take(NULL, "options", sizeof mine, &mine, &newer) == SPD_OK, "sized");
    CHECK(mine.a == 7.0 && mine.b == 8.0 && mine.size == sizeof mine, "sized");
    newer.c = 1.0;
    mine = defaults;
    CHECK(sized_take(NULL, "options", sizeof mine, &mine, &newer) == SPD_EINVAL, "sized");
    CHECK(mine.a == 1.0 && mine.b == 2.0, "sized");
}

TEST(refuses_no_size)
{
    spd_context *ctx = context_on(0);
    options none = {0, 7.0, 8.0}, mine = defaults;
    CHECK(sized_take(ctx, "spd_options", sizeof mine, &mine, &none) == SPD_EINVAL, "sized");
    CHECK_SAYS(ctx, "spd_options");
    CHECK(sized_check(ctx, "spd_options", &none) == SPD_EINVAL, "sized");
    CHECK(sized_check(ctx, "spd_options", NULL) == SPD_OK, "sized");
    none.size = SIZE_MAX / 3; /* as memory that was never set holds it */
    CHECK(sized_check(ctx, "spd_options", &none) == SPD_EINVAL, "sized");
    CHECK(mine.a == 1.0, "sized");
}

TEST(gives_what_both_know)
{
    old_options old = {sizeof old, 0.0};
    newer_options newer = {sizeof newer, 0.0, 0.0, 9.0};
    sized_give(sizeof defaults, &defaults, &old);
    sized_give(sizeof defaults, &defaults, &newer);
    sized_give(sizeof defaults, &defaults, NULL);
    CHECK(old.size == sizeof old && old.a == 1.0, "sized");
    CHECK(newer.size == sizeof newer && newer.a == 1.0 && newer.b == 2.0 && newer.c == 0.0,
          "sized");
}
