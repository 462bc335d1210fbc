/* trials.c - running the trials of each fold, with progress, cancellation and the first failure. */
#include "evaluate/trials.h"

#include <stdatomic.h>

#include "base/clock.h"
#include "engine/parallel.h"
#include "evaluate/method.h"
#include "evaluate/race.h"

#define ROOM_FOR_TRIALS         2.0e9 /* bytes that trials running at once may take */
#define SECONDS_BETWEEN_REPORTS 0.1
#define USUAL_DEGREE            8.0 /* pairs of a sample, where they are not known */

typedef struct trials trials;

/* What belongs to one thread. */
typedef struct lane {
    trials *home;
    spd_context *ctx; /* of one thread */
    int first;        /* the caller's own thread, which may report progress */
    double reported;  /* when it last did */
    size_t failed;    /* the trial that failed here, or SIZE_MAX */
    spd_error error;
} lane;

struct trials {
    spd_context *ctx;
    const trial_shared *shared;
    size_t at;                /* the fold at hand */
    part part;                /* of it */
    size_t count;             /* of map settings that are tried in it */
    size_t *map;              /* count */
    size_t begin, end;        /* those that run now */
    size_t batch;             /* so many of them a rank takes at a time */
    int64_t *owner;           /* count: room for who has had each batch */
    spd_error first;          /* failure of a setting in the fold at hand or before */
    int64_t first_at;         /* which it was, of this fold; INT64_MAX: none */
    double *weight;           /* count: about what each costs */
    double work;              /* the weights of all trials from the fold at hand on */
    double before;            /* the weights of all trials of the folds before */
    size_t tried;             /* so many they were */
    size_t fits;              /* and with all that are left */
    lane *lane;               /* threads of them */
    spd_progress_fn progress; /* the caller's */
    void *user;
    atomic_int cancelled;
    atomic_size_t done; /* trials of the fold at hand: those at the beginning of its list */
};

/* How far the search is, in fits, each by its weight. Those that may leave the race yet are counted
 * as left. */
static spd_progress progress_of(const trials *t)
{
    double done = t->before;
    for (size_t k = 0; k < atomic_load(&t->done) && k < t->count; k++)
        done += t->weight[k];
    double fits = (double)t->fits;
    return (spd_progress){"tuning", "fits", fits * (done / (t->before + t->work)), fits};
}

/* Progress of a trial: the caller's thread passes it on, all learn of a cancellation. */
static int relay(void *user, const spd_progress *progress)
{
    (void)progress;
    lane *l = user;
    trials *t = l->home;
    double now = clock_seconds();
    if (l->first)
        ranks_stir(t->ctx);
    if (l->first && t->progress && now - l->reported >= SECONDS_BETWEEN_REPORTS) {
        spd_progress ours = progress_of(t);
        l->reported = now;
        if (t->ctx)
            t->ctx->told = ours;
        if (t->progress(t->user, &ours))
            atomic_store(&t->cancelled, 1);
    }
    return atomic_load(&t->cancelled);
}

static spd_status run_trial(trials *t, spd_context *ctx, size_t which)
{
    spd_status status = trial_run(ctx, t->shared, &t->part, t->at, t->map[which]);
    atomic_fetch_add(&t->done, 1);
    return status;
}

/* A setting that does not work is out; only what no other could mend ends the search. */
static spd_status trial_body(void *user, size_t chunk, int thread)
{
    trials *t = user;
    lane *l = &t->lane[thread];
    spd_status status = run_trial(t, l->ctx, t->begin + chunk);
    if (status < 0 && (l->failed == SIZE_MAX || trial_is_fatal(status))) {
        l->failed = t->begin + chunk;
        l->error = *spd_context_error(l->ctx);
    }
    return trial_is_fatal(status) ? status : SPD_OK;
}

static void note_first(trials *t, size_t which, const spd_error *error)
{
    if (t->first.status < 0)
        return;
    t->first = *error;
    t->first_at = (int64_t)which;
}

/* The message of the lowest trial that failed is kept; of one that ended the search it is the
 * caller's. */
static void take_over_error(trials *t, int threads, spd_status status)
{
    const lane *lowest = NULL;
    for (int i = 0; i < threads; i++) {
        const lane *l = &t->lane[i];
        int counts = status == SPD_OK || l->error.status == status;
        if (l->failed != SIZE_MAX && counts && (!lowest || l->failed < lowest->failed))
            lowest = l;
    }
    if (lowest)
        note_first(t, lowest->failed, &lowest->error);
    if (lowest && status < 0 && t->ctx)
        t->ctx->error = lowest->error;
}

static spd_status make_lanes(trials *t, int threads, arena *keep)
{
    t->lane = arena_zero(keep, (size_t)threads, sizeof *t->lane);
    for (int i = 0; t->lane && i < threads; i++) {
        lane *l = &t->lane[i];
        *l = (lane){
            .home = t, .first = i == 0, .failed = SIZE_MAX, .ctx = ctx_beside(t->ctx, threads)};
        if (!l->ctx)
            return ctx_nomem(t->ctx, "threads");
        spd_context_set_progress(l->ctx, relay, l);
    }
    return arena_status(keep, t->ctx, "threads");
}

/* Do all threads find work, and memory, with a trial each? About four copies of the samples are
 * alive in a fit. */
static int pays_to_part(const trials *t, int threads)
{
    const samples *s = t->shared->train;
    double bytes = 4.0 * sizeof(double) * (double)s->p * (double)s->n * (double)s->n;
    return threads > 1 && t->end - t->begin >= 2 * (size_t)threads && s->X &&
           bytes * threads <= ROOM_FOR_TRIALS;
}

/* Many at a time. */
static spd_status run_parted(trials *t, int threads)
{
    arena room = {0};
    spd_status status = make_lanes(t, threads, &room);
    if (status == SPD_OK) {
        status = parallel_for(t->ctx, t->end - t->begin, trial_body, t, NULL, NULL, 0.0, NULL);
        take_over_error(t, threads, status);
    }
    for (int i = 0; t->lane && i < threads; i++)
        ctx_rejoin(t->ctx, t->lane[i].ctx);
    arena_free(&room);
    return status;
}

/* One after the other, each on all threads; progress is still that of the whole. */
static spd_status run_in_turn(trials *t)
{
    lane only = {.home = t, .first = 1};
    spd_status status = SPD_OK;
    spd_context_set_progress(t->ctx, relay, &only);
    for (size_t which = t->begin; which < t->end && !trial_is_fatal(status); which++) {
        status = run_trial(t, t->ctx, which);
        if (status < 0)
            note_first(t, which, spd_context_error(t->ctx));
    }
    spd_context_set_progress(t->ctx, t->progress, t->user);
    return status;
}

/* The map settings that are tried in the fold at hand: large m first, since they take longest. */
static void list_maps(trials *t)
{
    t->count = 0;
    for (size_t map = t->shared->settings[0].maps; map-- > 0;)
        if (race_runs(t->shared, map))
            t->map[t->count++] = map;
}

/* About what a trial costs: in every iteration the p matrices are mapped and the pairs compared;
 * before, all matrices are gone over once. */
static double weigh(const trials *t, size_t map)
{
    const settings *s = &t->shared->settings[0];
    const part *a = &t->part;
    double n = (double)a->train.s.n,
           m = s->value[map * s->decisions * SPD_PARAMETERS + SPD_PARAM_M];
    double once = 0.1 * n * n * n + 1.0, degree = USUAL_DEGREE;
    if (map >= s->fitted || !method_learns_map(&t->shared->method[0]))
        return once;
    if (a->graphs > 0)
        degree = (double)a->graph[map % s->ways].count / (double)a->train.s.p;
    m = m > 0.0 ? m : n;
    return once + n * n * m + 0.5 * degree * m * m * m;
}

/* Do map settings leave between folds? */
static int is_race(const trials *t)
{
    return !t->shared->exhaustive && method_learns_map(&t->shared->method[0]);
}

/* How many trials a later fold has at most: each method has its places, and no map stays. */
static size_t most_in(const trials *t, size_t fold)
{
    const settings *s = &t->shared->settings[0];
    size_t most = t->shared->methods * race_places(s, fold) + s->maps - s->fitted;
    return is_race(t) && most < t->count ? most : t->count;
}

/* What is left from the fold at hand on at most; those of later folds weigh as much as these. */
static void foresee(trials *t)
{
    size_t later = 0;
    double here = 0.0;
    for (size_t fold = t->at + 1; fold < t->shared->folds; fold++)
        later += most_in(t, fold);
    for (size_t k = 0; k < t->count; k++) {
        t->weight[k] = weigh(t, t->map[k]);
        here += t->weight[k];
    }
    t->fits = t->tried + t->count + later;
    t->work = here + (double)later * here / (double)(t->count ? t->count : 1);
    atomic_store(&t->done, 0);
}

/* The fold at hand is behind us. */
static void look_back(trials *t)
{
    for (size_t k = 0; k < t->count; k++)
        t->before += t->weight[k];
    t->tried += t->count;
}

/* Results of a trial <- as the rank that has run it found them. */
static void pass_round(const trials *t, ranks *r, int from, size_t map)
{
    const trial_shared *h = t->shared;
    size_t p = h->train->p, maps = h->settings[0].maps;
    for (size_t m = 0; m < h->methods; m++) {
        const settings *s = &h->settings[m];
        size_t first = map * s->decisions;
        r->broadcast(r, from, h->right[m] + t->at * settings_count(s) + first,
                     s->decisions * sizeof **h->right);
        r->broadcast(r, from, h->hit[m] + first * p, s->decisions * p);
    }
    r->broadcast(r, from, &h->effort[t->at * maps + map], sizeof *h->effort);
}

/* The first failure of a setting: that of the lowest in the first fold that had one. */
static void agree_on_first(trials *t, ranks *r)
{
    int64_t lowest = r->least(r, t->first_at);
    if (lowest != INT64_MAX)
        r->broadcast(r, (int)t->owner[(size_t)lowest / t->batch], &t->first, sizeof t->first);
}

static spd_status run_here(trials *t)
{
    int threads = parallel_threads(t->ctx);
    return pays_to_part(t, threads) ? run_parted(t, threads) : run_in_turn(t);
}

static spd_status run_batch(void *user, size_t batch)
{
    trials *t = user;
    t->begin = batch * t->batch;
    t->end = t->begin + t->batch < t->count ? t->begin + t->batch : t->count;
    atomic_store(&t->done, t->begin);
    spd_status status = run_here(t);
    return trial_is_fatal(status) ? status : SPD_OK;
}

/* Ranks take batches, each as a process alone, as they come to them: the long ones come first. Then
 * all have all results. */
static spd_status run_shared(trials *t, ranks *r)
{
    int threads = parallel_threads(t->ctx);
    int64_t batch = r->least(r, pays_to_part(t, threads * r->count) ? 2 * threads : 1);
    t->batch = (size_t)batch;
    spd_status status =
        ranks_deal(t->ctx, (t->count + t->batch - 1) / t->batch, run_batch, t, t->owner);
    if (status < 0)
        return status;
    agree_on_first(t, r);
    for (size_t k = 0; k < t->count; k++)
        pass_round(t, r, (int)t->owner[k / t->batch], t->map[k]);
    return status;
}

/* All of one fold; then those that are behind leave. */
static spd_status run_fold(trials *t)
{
    const trial_shared *h = t->shared;
    ranks *r = ranks_of(t->ctx);
    part_source from = {h->method, h->settings, h->train, h->fold, h->D};
    list_maps(t);
    t->begin = 0;
    t->end = t->count;
    t->first_at = INT64_MAX;
    spd_status status = part_make(t->ctx, &from, t->at, &t->part);
    if (status == SPD_OK) {
        foresee(t);
        status = r ? run_shared(t, r) : run_here(t);
        look_back(t);
    }
    part_free(&t->part);
    if (trial_is_fatal(status))
        return status;
    return is_race(t) ? race_drop(t->ctx, h, t->at + 1) : SPD_OK;
}

spd_status trials_run(spd_context *ctx, const trial_shared *shared)
{
    arena room = {0};
    trials t = {.ctx = ctx, .shared = shared};
    t.progress = ctx ? ctx->progress : NULL;
    t.user = ctx ? ctx->user : NULL;
    t.map = arena_alloc(&room, shared->settings[0].maps, sizeof *t.map);
    t.owner = arena_alloc(&room, shared->settings[0].maps, sizeof *t.owner);
    t.weight = arena_alloc(&room, shared->settings[0].maps, sizeof *t.weight);
    spd_status status = arena_status(&room, ctx, "cross-validation");
    for (t.at = 0; t.at < shared->folds && status == SPD_OK; t.at++)
        status = run_fold(&t);
    if (status == SPD_OK && ctx)
        ctx->error = t.first;
    arena_free(&room);
    return status;
}
