/* test_budget.c - memory that threads share. */
#include "test.h"

#include "base/budget.h"
#include "base/stop.h"
#include "run/parallel.h"

#define TOTAL  100
#define CHUNKS 400

typedef struct shared {
    budget room;
    atomic_size_t held, most, lonely;
} shared;

/* Parts of 1 to 60, and some larger than all there is. */
static spd_status take_and_give(void *user, size_t chunk, int thread)
{
    shared *s = user;
    size_t part = chunk % 50 == 7 ? TOTAL + 50 : 1 + chunk * 37 % 60;
    (void)thread;
    if (!budget_take(&s->room, part))
        return SPD_ECANCELLED;
    size_t held = atomic_fetch_add(&s->held, part) + part, most = atomic_load(&s->most);
    if (part > TOTAL) {
        atomic_fetch_add(&s->lonely, held == part);
    } else {
        while (held > most && !atomic_compare_exchange_weak(&s->most, &most, held))
            ;
    }
    atomic_fetch_sub(&s->held, part);
    budget_give(&s->room, part);
    return SPD_OK;
}

TEST(no_more_than_there_is)
{
    shared s = {.held = 0};
    spd_context *ctx = context_on(8);
    budget_begin(&s.room, TOTAL);
    CHECK(parallel_for(ctx, CHUNKS, take_and_give, &s, NULL, NULL, 0, NULL) == SPD_OK, " ");
    CHECK(s.most <= TOTAL, "%zu of %d were taken at once", (size_t)s.most, TOTAL);
    CHECK(s.lonely == CHUNKS / 50, "%zu large parts were alone", (size_t)s.lonely);
    CHECK(s.room.taken == 0, "%zu are left over", s.room.taken);
    budget_end(&s.room);
}

static int ask(void *user)
{
    return ++*(int *)user > 1;
}

/* Nobody gives anything back: the wait ends when the work is not wanted any more. */
TEST(waiting_can_be_stopped)
{
    budget room;
    int asked = 0;
    budget_begin(&room, TOTAL);
    CHECK(budget_take(&room, TOTAL), "all of it");
    stop_source before = stop_swap((stop_source){ask, &asked});
    CHECK(!budget_take(&room, 1), "there was nothing left");
    stop_swap(before);
    CHECK(asked == 2 && room.taken == TOTAL, "asked %d times, %zu taken", asked, room.taken);
    budget_give(&room, TOTAL);
    CHECK(budget_take(&room, 2 * TOTAL) && room.taken == 2 * TOTAL, "too large, but alone");
    budget_end(&room);
}
