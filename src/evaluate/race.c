/* race.c - who is clearly behind; the rule is in race.h. */
#include "evaluate/race.h"

#include <math.h>

#include "evaluate/method.h"

#define BEHIND_THE_LEADER 1.5 /* standard deviations */
#define BEHIND_NO_MAP     1.0

/* The race of one method. */
typedef struct race {
    const trial_shared *shared;
    size_t method;
    size_t done;    /* folds */
    size_t *best;   /* maps: the best setting of each map setting, SIZE_MAX where all failed */
    int64_t *right; /* maps: how many samples it got right */
} race;

int race_runs(const trial_shared *shared, size_t map_setting)
{
    for (size_t k = 0; k < shared->methods; k++)
        if (!shared->out[k][map_setting])
            return 1;
    return 0;
}

/* How many samples a setting got right; -1 if it failed in any fold. */
static int64_t right_of(const race *r, size_t setting)
{
    size_t all = settings_count(&r->shared->settings[r->method]);
    int64_t sum = 0;
    for (size_t f = 0; f < r->done; f++) {
        int64_t here = r->shared->right[r->method][f * all + setting];
        if (here < 0)
            return -1;
        sum += here;
    }
    return sum;
}

static void find_best(const race *r, size_t map)
{
    size_t decisions = r->shared->settings[r->method].decisions;
    r->best[map] = SIZE_MAX;
    r->right[map] = -1;
    for (size_t s = map * decisions; s < (map + 1) * decisions; s++) {
        int64_t right = right_of(r, s);
        if (right <= r->right[map])
            continue;
        r->right[map] = right;
        r->best[map] = s;
    }
}

/* Is a map setting behind another by more than so many standard deviations? */
static int is_behind(const race *r, size_t map, size_t other, double deviations)
{
    size_t p = r->shared->train->p;
    const char *hit = r->shared->hit[r->method];
    const char *x = hit + r->best[other] * p, *y = hit + r->best[map] * p;
    double b = 0.0, c = 0.0;
    for (size_t i = 0; i < p; i++) {
        b += x[i] && !y[i];
        c += y[i] && !x[i];
    }
    return b - c > deviations * sqrt(b + c);
}

/* The map setting that got most right, the first of equals; SIZE_MAX when there is none. */
static size_t find_leader(const race *r, const size_t *out)
{
    size_t leader = SIZE_MAX;
    for (size_t map = 0; map < r->shared->settings[r->method].maps; map++)
        if (!out[map] && r->best[map] != SIZE_MAX &&
            (leader == SIZE_MAX || r->right[map] > r->right[leader]))
            leader = map;
    return leader;
}

static void run_race(const race *r)
{
    const settings *s = &r->shared->settings[r->method];
    size_t *out = r->shared->out[r->method], plain = s->fitted;
    int must_beat = !method_fit_options(&r->shared->method[r->method]).paper;
    for (size_t map = 0; map < s->maps; map++)
        if (!out[map])
            find_best(r, map);
    size_t leader = find_leader(r, out);
    must_beat &= plain < s->maps && !out[plain] && r->best[plain] != SIZE_MAX;
    for (size_t map = 0; map < s->fitted && leader != SIZE_MAX; map++)
        if (!out[map] &&
            (r->best[map] == SIZE_MAX || is_behind(r, map, leader, BEHIND_THE_LEADER) ||
             (must_beat && is_behind(r, map, plain, BEHIND_NO_MAP))))
            out[map] = r->done;
}

spd_status race_drop(spd_context *ctx, const trial_shared *shared, size_t done)
{
    arena room = {0};
    size_t maps = shared->settings[0].maps;
    race r = {.shared = shared, .done = done};
    r.best = arena_alloc(&room, maps, sizeof *r.best);
    r.right = arena_alloc(&room, maps, sizeof *r.right);
    spd_status status = arena_status(&room, ctx, "cross-validation");
    for (r.method = 0; r.method < shared->methods && status == SPD_OK; r.method++)
        run_race(&r);
    arena_free(&room);
    return status;
}
