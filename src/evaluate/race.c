/* race.c - who is clearly behind; the rule is in race.h. */
#include "evaluate/race.h"

#include <math.h>

#include "evaluate/method.h"

#define BEHIND_THE_LEADER 1.5 /* standard deviations */
#define BEHIND_NO_MAP     1.0
#define LEAST_PLACES      2

/* The race of one method. */
typedef struct race {
    const trial_shared *shared;
    size_t method;
    size_t done;    /* folds */
    int64_t *sum;   /* settings: how many samples each got right */
    size_t *best;   /* maps: the best setting of each map setting, SIZE_MAX where all failed */
    size_t *placed; /* maps: non-zero for those that do not compete for a place */
} race;

int race_runs(const trial_shared *shared, size_t map_setting)
{
    for (size_t k = 0; k < shared->methods; k++)
        if (!shared->out[k][map_setting])
            return 1;
    return 0;
}

size_t race_places(const settings *s, size_t done)
{
    size_t places = s->fitted;
    for (size_t f = 0; f < done && places > LEAST_PLACES; f++)
        places = (places + 1) / 2;
    return places;
}

/* In how many of the first `done` folds a setting was tried. */
static size_t folds_of(const trial_shared *shared, size_t method, size_t setting, size_t done)
{
    size_t left = shared->out[method][setting / shared->settings[method].decisions];
    return left && left < done ? left : done;
}

/* The most that any setting got right in each of the first folds, added up. */
static int64_t most_right(const trial_shared *shared, size_t method, size_t folds)
{
    size_t all = settings_count(&shared->settings[method]);
    int64_t sum = 0;
    for (size_t f = 0; f < folds; f++) {
        int64_t most = 0;
        for (size_t s = 0; s < all; s++)
            if (f < folds_of(shared, method, s, folds) && shared->right[method][f * all + s] > most)
                most = shared->right[method][f * all + s];
        sum += most;
    }
    return sum;
}

void race_sums(const trial_shared *shared, size_t method, size_t done, int64_t *sum)
{
    size_t all = settings_count(&shared->settings[method]);
    for (size_t s = 0; s < all; s++) {
        size_t folds = folds_of(shared, method, s, done);
        sum[s] = 0;
        for (size_t f = 0; f < folds; f++) {
            int64_t here = shared->right[method][f * all + s];
            sum[s] = here < 0 || sum[s] < 0 ? -1 : sum[s] + here;
        }
        int64_t most = folds < done ? most_right(shared, method, folds) : 0;
        if (most > 0 && sum[s] > 0)
            sum[s] = sum[s] * most_right(shared, method, done) / most;
    }
}

/* The best settings of all map settings that are in the race. */
static void find_best(const race *r)
{
    const settings *s = &r->shared->settings[r->method];
    for (size_t map = 0; map < s->maps; map++) {
        r->best[map] = SIZE_MAX;
        for (size_t k = map * s->decisions; k < (map + 1) * s->decisions; k++)
            if (r->sum[k] >= 0 && (r->best[map] == SIZE_MAX || r->sum[k] > r->sum[r->best[map]]))
                r->best[map] = k;
    }
}

/* The hits of the best setting of a map setting. */
static const char *hits_of(const race *r, size_t map)
{
    return r->shared->hit[r->method] + r->best[map] * r->shared->train->p;
}

/* Is a map setting behind these hits, in the folds tested so far, by more than so many standard
 * deviations? */
static int is_behind(const race *r, size_t map, const char *x, double deviations)
{
    const char *y = hits_of(r, map);
    double b = 0.0, c = 0.0;
    for (size_t i = 0; i < r->shared->train->p; i++) {
        if (r->shared->fold[i] >= r->done)
            continue;
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
            (leader == SIZE_MAX || r->sum[r->best[map]] > r->sum[r->best[leader]]))
            leader = map;
    return leader;
}

int race_waits(const settings *s, size_t map)
{
    size_t sizes = s->fitted / s->ways + (s->maps > s->fitted), size = map / s->ways;
    return map < s->fitted && size > 0 && (sizes - 1 - size) % 2 == 1;
}

static int is_clearly_behind(const race *r, size_t map, size_t leader)
{
    return r->best[map] != SIZE_MAX && is_behind(r, map, hits_of(r, leader), BEHIND_THE_LEADER);
}

/* Those that have failed or are clearly behind leave. */
static void drop_behind(const race *r)
{
    const settings *s = &r->shared->settings[r->method];
    size_t *out = r->shared->out[r->method], plain = s->fitted, leader = find_leader(r, out);
    int must_beat = !method_fit_options(&r->shared->method[r->method]).paper && plain < s->maps &&
                    !out[plain] && r->best[plain] != SIZE_MAX;
    for (size_t map = 0; map < s->fitted && leader != SIZE_MAX; map++)
        if (!out[map] &&
            (r->best[map] == SIZE_MAX || is_behind(r, map, hits_of(r, leader), BEHIND_THE_LEADER) ||
             (must_beat && is_behind(r, map, hits_of(r, plain), BEHIND_NO_MAP))))
            out[map] = r->done;
}

/* Of those that are left, the best for which there are places stay; ties as in the final choice. */
static void fill_places(const race *r)
{
    const settings *s = &r->shared->settings[r->method];
    size_t *out = r->shared->out[r->method], places = race_places(s, r->done);
    for (size_t map = 0; map < s->maps; map++)
        r->placed[map] = out[map];
    for (size_t k = 0; k < places; k++) {
        size_t next = settings_best(s, r->sum, r->placed, 0, s->fitted * s->decisions);
        if (next == SIZE_MAX)
            break;
        r->placed[next / s->decisions] = 1;
    }
    for (size_t map = 0; map < s->fitted; map++)
        if (!r->placed[map])
            out[map] = r->done;
}

/* Those between two sizes that are both clearly behind the leader leave untried. */
static void drop_between(const race *r)
{
    const settings *s = &r->shared->settings[r->method];
    size_t *out = r->shared->out[r->method], leader = find_leader(r, out);
    for (size_t map = 0; map < s->fitted && leader != SIZE_MAX; map++) {
        size_t larger = map + s->ways < s->fitted ? map + s->ways : s->fitted; /* then no map */
        if (race_waits(s, map) && is_clearly_behind(r, map - s->ways, leader) &&
            is_clearly_behind(r, larger, leader))
            out[map] = r->done;
    }
}

static void drop_after_fold(const race *r)
{
    drop_behind(r);
    fill_places(r);
    size_t *out = r->shared->out[r->method], maps = r->shared->settings[r->method].maps;
    for (size_t map = 0; map < maps && r->shared->rival; map++) /* which is outside; no map too */
        if (!out[map] &&
            (r->best[map] == SIZE_MAX || is_behind(r, map, r->shared->rival, BEHIND_THE_LEADER)))
            out[map] = r->done;
}

/* For each method, with what its settings got right in the first folds. */
static spd_status drop(spd_context *ctx, const trial_shared *shared, size_t done,
                       void (*which)(const race *r))
{
    arena room = {0};
    size_t maps = shared->settings[0].maps, most = 0;
    race r = {.shared = shared, .done = done};
    for (size_t k = 0; k < shared->methods; k++)
        most = settings_count(&shared->settings[k]) > most ? settings_count(&shared->settings[k])
                                                           : most;
    r.sum = arena_alloc(&room, most, sizeof *r.sum);
    r.best = arena_alloc(&room, maps, sizeof *r.best);
    r.placed = arena_alloc(&room, maps, sizeof *r.placed);
    spd_status status = arena_status(&room, ctx, "cross-validation");
    for (r.method = 0; r.method < shared->methods && status == SPD_OK; r.method++) {
        race_sums(shared, r.method, done, r.sum);
        find_best(&r);
        which(&r);
    }
    arena_free(&room);
    return status;
}

spd_status race_drop_between(spd_context *ctx, const trial_shared *shared)
{
    return drop(ctx, shared, 1, drop_between);
}

spd_status race_drop(spd_context *ctx, const trial_shared *shared, size_t done)
{
    return drop(ctx, shared, done, drop_after_fold);
}
