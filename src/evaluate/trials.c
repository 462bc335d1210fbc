/* trials.c - running all trials, with progress, cancellation and the first failure. */
#include "evaluate/trials.h"

#include <stdatomic.h>

#include "base/clock.h"
#include "engine/parallel.h"

#define ROOM_FOR_TRIALS         2.0e9 /* bytes that trials running at once may take */
#define SECONDS_BETWEEN_REPORTS 0.1

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
    lane *lane;               /* threads of them */
    spd_progress_fn progress; /* the caller's */
    void *user;
    atomic_int cancelled;
    atomic_size_t done;
};

static size_t trials_count(const trials *t)
{
    return t->shared->folds * t->shared->settings[0].maps;
}

/* Progress of a trial: the caller's thread passes it on, all learn of a cancellation. */
static int relay(void *user, const spd_progress *progress)
{
    (void)progress;
    lane *l = user;
    trials *t = l->home;
    double now = clock_seconds();
    if (l->first && t->progress && now - l->reported >= SECONDS_BETWEEN_REPORTS) {
        spd_progress ours = {"tuning", "trials", (double)atomic_load(&t->done),
                             (double)trials_count(t)};
        l->reported = now;
        if (t->progress(t->user, &ours))
            atomic_store(&t->cancelled, 1);
    }
    return atomic_load(&t->cancelled);
}

/* Trial number `chunk`: large m first, since they take longest. */
static spd_status run_trial(trials *t, spd_context *ctx, size_t chunk)
{
    size_t folds = t->shared->folds, map = t->shared->settings[0].maps - 1 - chunk / folds;
    spd_status status = trial_run(ctx, t->shared, chunk % folds, map);
    atomic_fetch_add(&t->done, 1);
    return status;
}

/* A setting that does not work is out; only what no other could mend ends the search. */
static spd_status trial_body(void *user, size_t chunk, int thread)
{
    trials *t = user;
    lane *l = &t->lane[thread];
    spd_status status = run_trial(t, l->ctx, chunk);
    if (status < 0 && l->failed == SIZE_MAX) {
        l->failed = chunk;
        l->error = *spd_context_error(l->ctx);
    }
    return trial_is_fatal(status) ? status : SPD_OK;
}

/* The message of the lowest trial that failed becomes the caller's. */
static void take_over_error(trials *t, int threads)
{
    const lane *lowest = NULL;
    for (int i = 0; i < threads; i++)
        if (t->lane[i].failed != SIZE_MAX && (!lowest || t->lane[i].failed < lowest->failed))
            lowest = &t->lane[i];
    if (lowest && t->ctx)
        t->ctx->error = lowest->error;
}

static spd_status make_lanes(trials *t, int threads, arena *keep)
{
    t->lane = arena_zero(keep, (size_t)threads, sizeof *t->lane);
    for (int i = 0; t->lane && i < threads; i++) {
        lane *l = &t->lane[i];
        *l = (lane){.home = t, .first = i == 0, .failed = SIZE_MAX, .ctx = spd_context_new()};
        if (!l->ctx)
            return ctx_nomem(t->ctx, "threads");
        spd_context_set_threads(l->ctx, 1);
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
    return threads > 1 && trials_count(t) >= 2 * (size_t)threads && s->X &&
           bytes * threads <= ROOM_FOR_TRIALS;
}

/* Many at a time. */
static spd_status run_parted(trials *t, int threads)
{
    arena room = {0};
    spd_status status = make_lanes(t, threads, &room);
    if (status == SPD_OK) {
        status = parallel_for(t->ctx, trials_count(t), trial_body, t, "tuning", "trials",
                              (double)trials_count(t), NULL);
        take_over_error(t, threads);
    }
    for (int i = 0; t->lane && i < threads; i++)
        spd_context_free(t->lane[i].ctx);
    arena_free(&room);
    return status;
}

/* One after the other, each on all threads; progress is still that of the whole. */
static spd_status run_in_turn(trials *t)
{
    lane only = {.home = t, .first = 1};
    spd_error first = {0};
    spd_status status = SPD_OK;
    spd_context_set_progress(t->ctx, relay, &only);
    for (size_t chunk = 0; chunk < trials_count(t) && !trial_is_fatal(status); chunk++) {
        status = run_trial(t, t->ctx, chunk);
        if (status < 0 && first.status == SPD_OK)
            first = *spd_context_error(t->ctx);
    }
    spd_context_set_progress(t->ctx, t->progress, t->user);
    if (t->ctx)
        t->ctx->error = first;
    return status;
}

spd_status trials_run(spd_context *ctx, const trial_shared *shared)
{
    int threads = parallel_threads(ctx);
    trials t = {.ctx = ctx, .shared = shared};
    t.progress = ctx ? ctx->progress : NULL;
    t.user = ctx ? ctx->user : NULL;
    spd_status status = pays_to_part(&t, threads) ? run_parted(&t, threads) : run_in_turn(&t);
    return trial_is_fatal(status) ? status : SPD_OK;
}
