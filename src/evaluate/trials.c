/* trials.c - running the trials of each fold, with progress, cancellation and the first failure. */
#include "evaluate/trials.h"

#include <stdatomic.h>
#include <string.h>

#include "base/relay.h"
#include "classify/samples.h"
#include "evaluate/map.h"
#include "evaluate/method.h"
#include "evaluate/race.h"
#include "learn/affinity.h"
#include "learn/fit.h"
#include "run/parallel.h"

/* ---- one fold made ready -------------------------------------------------------------------- */

/* a <- the samples of the fold (inside), or all others. */
static spd_status take_side(spd_context *ctx, const part_source *from, size_t fold, int inside,
                            arena *keep, side *a)
{
    samples all = *from->train;
    size_t count = 0;
    if (spd_method_on_vectors(from->method))
        all.X = NULL;
    else
        all.V = NULL;
    a->index = arena_alloc(keep, all.p, sizeof *a->index);
    if (!a->index)
        return ctx_nomem(ctx, "a part of the samples");
    for (size_t i = 0; i < all.p; i++)
        if ((from->fold[i] == fold) == inside)
            a->index[count++] = i;
    return samples_part(ctx, &all, count, a->index, keep, &a->s);
}

/* The graph of one way, from the distances D between the training samples. */
static spd_status learn_graph(spd_context *ctx, const part_source *from, const part *a, size_t way,
                              const double *D, part_graph *graph)
{
    spd_method method = *from->method;
    settings_use(from->settings, way * from->settings->decisions, &method);
    spd_fit_options options = method_fit_options(&method);
    if (!from->exhaustive)
        usual_nu_roughly(&options);
    spd_status status = affinity_of_distances(ctx, a->train.s.p, D, a->train.s.label, &options,
                                              &graph->pairs, &graph->count);
    if (status < 0) {
        if (ctx)
            graph->error = *spd_context_error(ctx);
        graph->error.status = status;
    }
    return trial_is_fatal(status) ? status : SPD_OK;
}

static spd_status take_graphs(spd_context *ctx, const part_source *from, part *a)
{
    size_t p = a->train.s.p, all = from->train->p, ways = from->settings->ways;
    arena room = {0};
    double *D = arena_alloc(&room, p, p * sizeof *D);
    a->graph = arena_zero(&a->room, ways, sizeof *a->graph);
    if (!D || !a->graph) {
        arena_free(&room);
        return ctx_nomem(ctx, "distances");
    }
    a->graphs = ways;
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j < p; j++)
            D[i * p + j] = from->D[a->train.index[i] * all + a->train.index[j]];
    spd_status status = SPD_OK;
    for (size_t way = 0; way < ways && status == SPD_OK; way++)
        status = learn_graph(ctx, from, a, way, D, &a->graph[way]);
    arena_free(&room);
    return status;
}

/* a <- the part that tests fold number `fold`; to be freed with part_free, always. A way without a
 * graph is no failure. */
static spd_status part_make(spd_context *ctx, const part_source *from, size_t fold, part *a)
{
    *a = (part){0};
    spd_status status = take_side(ctx, from, fold, 0, &a->room, &a->train);
    if (status == SPD_OK)
        status = take_side(ctx, from, fold, 1, &a->room, &a->test);
    a->truth = a->test.s.label;
    a->test.s.label = NULL;
    if (status == SPD_OK && from->D)
        status = take_graphs(ctx, from, a);
    return status;
}

static void part_free(part *a)
{
    for (size_t way = 0; way < a->graphs; way++)
        spd_pairs_free(a->graph[way].pairs);
    arena_free(&a->room);
    *a = (part){0};
}

/* ---- one trial ------------------------------------------------------------------------------ */

typedef struct trial {
    const trial_shared *shared;
    const part *part;
    size_t fold, map_setting;
    arena room;          /* all of it */
    spd_method method;   /* the first, with the values of the map setting */
    samples train, test; /* the sides of the part, mapped */
    map map;
    int *label; /* test: what is decided */
} trial;

int trial_is_fatal(spd_status status)
{
    return status == SPD_ENOMEM || status == SPD_ECANCELLED || status == SPD_EDEVICE;
}

/* What is known of the map: its graph, unless the fit shall make its own. */
static spd_status take_graph(spd_context *ctx, const trial *t, map_graph *graph)
{
    const settings *s = &t->shared->settings[0];
    *graph = (map_graph){.roughly = !t->shared->exhaustive};
    if (t->part->graphs == 0 || t->map_setting >= s->fitted)
        return SPD_OK;
    const part_graph *known = &t->part->graph[t->map_setting % s->ways];
    graph->pairs = known->pairs;
    graph->count = known->count;
    return known->error.status < 0 ? ctx_pass_on(ctx, &known->error) : SPD_OK;
}

/* The two sides, mapped. */
static spd_status take_sides(spd_context *ctx, trial *t)
{
    map_graph graph;
    t->train = t->part->train.s;
    t->test = t->part->test.s;
    t->label = arena_alloc(&t->room, t->test.p, sizeof *t->label);
    if (!t->label)
        return ctx_nomem(ctx, "labels");
    if (spd_method_on_vectors(&t->method))
        return SPD_OK;
    spd_status status = take_graph(ctx, t, &graph);
    if (status == SPD_OK)
        status = map_fit(ctx, &t->method, &t->train, graph, &t->room, &t->map);
    if (status == SPD_OK)
        status = map_apply(ctx, &t->map, &t->room, &t->train);
    if (status == SPD_OK)
        status = map_apply(ctx, &t->map, &t->room, &t->test);
    return status;
}

/* ---- one method ------------------------------------------------------------------------------ */

/* Where a method's results are. */
static int64_t *right_of(const trial *t, size_t which)
{
    const settings *s = &t->shared->settings[which];
    return t->shared->right[which] + t->fold * settings_count(s) + t->map_setting * s->decisions;
}

/* Trains with the method's values, unless what is there was trained with these. */
static spd_status train(spd_context *ctx, training_state *c, const double *last)
{
    int same = c->trained != NULL;
    for (unsigned i = 0; i < SPD_PARAMETERS; i++)
        same &= (c->kind->decides >> i & 1u) || same_number(last[i], c->method.value[i]);
    if (same || !c->kind->train)
        return SPD_OK;
    arena_free(&c->training);
    c->trained = NULL;
    spd_status status = c->kind->train(ctx, c);
    if (status < 0)
        c->trained = NULL;
    return status;
}

/* *right and hit (all samples) <- of one classifier setting. */
static spd_status decide(spd_context *ctx, const trial *t, const settings *all, size_t setting,
                         training_state *c, int64_t *right, char *hit)
{
    double last[SPD_PARAMETERS];
    memcpy(last, c->method.value, sizeof last);
    settings_use(all, setting, &c->method);
    method_standard_values(&c->method, &c->train);
    spd_status status = train(ctx, c, last);
    if (status >= 0)
        status = c->kind->decide(ctx, c, t->label);
    if (status >= 0) {
        *right = 0;
        for (size_t i = 0; i < c->queries.p; i++) {
            size_t sample = t->part->test.index[i];
            hit[sample] = t->label[i] == t->part->truth[i];
            *right += hit[sample];
        }
    }
    return status;
}

/* The results of all classifier settings of a method; the last failure when none works. */
static spd_status decide_all(spd_context *ctx, const trial *t, size_t which, training_state *c)
{
    const settings *all = &t->shared->settings[which];
    size_t works = 0, first = t->map_setting * all->decisions, p = t->shared->train->p;
    int64_t *right = right_of(t, which);
    char *hit = t->shared->hit[which] + first * p;
    spd_status status = SPD_OK;
    for (size_t d = 0; d < all->decisions && !trial_is_fatal(status); d++) {
        status = decide(ctx, t, all, first + d, c, &right[d], hit + d * p);
        works += status >= 0;
    }
    return works && !trial_is_fatal(status) ? SPD_OK : status;
}

/* One method behind the map. */
static spd_status contend(spd_context *ctx, const trial *t, size_t which)
{
    const spd_method *method = &t->shared->method[which];
    training_state c = {.kind = classifier_of(method->classifier),
                        .method = *method,
                        .train = t->train,
                        .queries = t->test};
    spd_status status = c.kind->prepare ? c.kind->prepare(ctx, &c) : SPD_OK;
    if (status >= 0)
        status = c.kind->meet(ctx, &c);
    if (status >= 0)
        status = decide_all(ctx, t, which, &c);
    training_state_free(&c);
    return status;
}

/* ---- all of them ----------------------------------------------------------------------------- */

spd_status trial_run(spd_context *ctx, const trial_shared *shared, const part *home, size_t fold,
                     size_t map_setting)
{
    const settings *all = shared->settings;
    trial t = {.shared = shared, .part = home, .fold = fold, .map_setting = map_setting};
    spd_error first = {0};
    for (size_t k = 0; k < shared->methods; k++)
        for (size_t d = 0; d < all[k].decisions; d++)
            right_of(&t, k)[d] = -1;
    t.method = shared->method[0];
    settings_use(&all[0], map_setting * all[0].decisions, &t.method);
    spd_status status = take_sides(ctx, &t);
    for (size_t k = 0; k < shared->methods && status >= 0; k++) {
        spd_status one = shared->out[k][map_setting] ? SPD_OK : contend(ctx, &t, k);
        if (one < 0 && first.status == SPD_OK) {
            first = *spd_context_error(ctx);
            first.status = one;
        }
        if (trial_is_fatal(one))
            status = one;
    }
    shared->effort[fold * all[0].maps + map_setting] = (effort){t.map.fits, t.map.iterations};
    map_free(&t.map);
    arena_free(&t.room);
    if (status < 0 || first.status == SPD_OK)
        return status < 0 ? status : SPD_OK;
    return ctx_pass_on(ctx, &first);
}

/* ---- all trials ----------------------------------------------------------------------------- */

#define ROOM_FOR_TRIALS 2.0e9 /* bytes that trials running at once may take */
#define TASK            "tuning"
#define UNIT            "fits"
#define USUAL_DEGREE    8.0 /* pairs of a sample, where they are not known */

typedef struct trials trials;

/* What belongs to one thread. */
typedef struct lane {
    trials *home;
    spd_context *ctx; /* of one thread */
    int first;        /* the caller's own thread, which may report progress */
    size_t failed;    /* the trial that failed here, or SIZE_MAX */
    spd_error error;
} lane;

struct trials {
    spd_context *ctx;
    const trial_shared *shared;
    size_t at;         /* the fold at hand */
    part part;         /* of it */
    size_t count;      /* of map settings that are tried in it, or in this half of it */
    size_t waiting;    /* of those that may be tried in its second half */
    size_t most;       /* of both halves */
    size_t *map;       /* count */
    size_t begin, end; /* those that run now */
    size_t batch;      /* so many of them a rank takes at a time */
    int64_t *owner;    /* count: room for who has had each batch */
    spd_error first;   /* failure of a setting in the fold at hand or before */
    int64_t first_at;  /* which it was, of this fold; INT64_MAX: none */
    double *weight;    /* count: about what each costs */
    double work;       /* the weights of all trials from the fold at hand on */
    double before;     /* the weights of all trials of the folds before */
    size_t tried;      /* so many they were */
    size_t fits;       /* and with all that are left */
    lane *lane;        /* threads of them */
    atomic_int cancelled;
    atomic_size_t done; /* trials of the fold at hand: those at the beginning of its list */
};

/* How far the search is, in fits, each by its weight. Those that may leave the race yet are counted
 * as left. */
static spd_progress in_trial(const void *user, const spd_progress *inner)
{
    (void)inner;
    const trials *t = user;
    double done = t->before;
    for (size_t k = 0; k < atomic_load(&t->done) && k < t->count; k++)
        done += t->weight[k];
    double fits = (double)t->fits;
    return (spd_progress){TASK, UNIT, fits * (done / (t->before + t->work)), fits};
}

/* Progress of a trial in a lane: the caller's thread reports that of all, all learn of a
 * cancellation. */
static int hear(void *user, const spd_progress *inner)
{
    lane *l = user;
    trials *t = l->home;
    if (l->first && !atomic_load(&t->cancelled)) {
        spd_progress all = in_trial(t, inner);
        ranks_poll(t->ctx);
        if (ctx_report(t->ctx, all.task, all.unit, all.done, all.total))
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
        spd_context_set_progress(l->ctx, hear, l);
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
    relay whole;
    spd_status status = SPD_OK;
    relay_open(&whole, t->ctx, in_trial, t);
    for (size_t which = t->begin; which < t->end && !trial_is_fatal(status); which++) {
        status = run_trial(t, t->ctx, which);
        if (status < 0)
            note_first(t, which, spd_context_error(t->ctx));
    }
    relay_close(&whole);
    return status;
}

/* Do map settings leave between folds? */
static int is_race(const trials *t)
{
    return t->shared->rival || (!t->shared->exhaustive && method_learns_map(&t->shared->method[0]));
}

/* The map settings that are tried in the fold at hand, or in this half of it: large m first, since
 * they take longest. t->waiting <- how many may follow in the second half. */
static void list_maps(trials *t, int second)
{
    const settings *s = &t->shared->settings[0];
    /* the first fold is tested in two halves, of which the second is what the first leaves */
    int halved = t->at == 0 && !t->shared->exhaustive && method_learns_map(&t->shared->method[0]);
    t->count = t->waiting = 0;
    for (size_t map_at = s->maps; map_at-- > 0;) {
        int waits = halved && race_waits(s, map_at);
        if (!race_runs(t->shared, map_at))
            continue;
        if (waits == second)
            t->map[t->count++] = map_at;
        else if (waits)
            t->waiting++;
    }
    if (!second)
        t->most = t->count + t->waiting;
}

/* About what a trial costs: in every iteration the p matrices are mapped and the pairs compared;
 * before, all matrices are gone over once. */
static double weigh(const trials *t, size_t map_at)
{
    const settings *s = &t->shared->settings[0];
    const part *a = &t->part;
    double n = (double)a->train.s.n,
           m = s->value[map_at * s->decisions * SPD_PARAMETERS + SPD_PARAMETER_M];
    double once = 0.1 * n * n * n + 1.0, degree = USUAL_DEGREE;
    if (map_at >= s->fitted || !method_learns_map(&t->shared->method[0]))
        return once;
    if (a->graphs > 0)
        degree = (double)a->graph[map_at % s->ways].count / (double)a->train.s.p;
    m = m > 0.0 ? m : n;
    return once + n * n * m + 0.5 * degree * m * m * m;
}

/* How many trials a later fold has at most: each method has its places, and no map stays. */
static size_t most_in(const trials *t, size_t fold)
{
    const settings *s = &t->shared->settings[0];
    size_t most = t->shared->methods * race_places(s, fold) + s->maps - s->fitted;
    return is_race(t) && most < t->most ? most : t->most;
}

/* What is left from the fold at hand on at most; those of later folds weigh as much as these. */
static void foresee(trials *t)
{
    size_t later = t->waiting;
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

/* Results of a trial <- as the rank that has run it found them. */
static void pass_round(const trials *t, ranks *r, int from, size_t map_at)
{
    const trial_shared *h = t->shared;
    size_t p = h->train->p, maps = h->settings[0].maps;
    for (size_t m = 0; m < h->methods; m++) {
        const settings *s = &h->settings[m];
        size_t first = map_at * s->decisions;
        r->broadcast(r, from, h->right[m] + t->at * settings_count(s) + first,
                     s->decisions * sizeof **h->right);
        r->broadcast(r, from, h->hit[m] + first * p, s->decisions * p);
    }
    r->broadcast(r, from, &h->effort[t->at * maps + map_at], sizeof *h->effort);
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
        ranks_distribute(t->ctx, (t->count + t->batch - 1) / t->batch, run_batch, t, t->owner);
    if (status < 0)
        return status;
    const int64_t lowest = r->least(r, t->first_at); /* setting that failed in this fold */
    if (lowest != INT64_MAX)
        r->broadcast(r, (int)t->owner[(size_t)lowest / t->batch], &t->first, sizeof t->first);
    for (size_t k = 0; k < t->count; k++)
        pass_round(t, r, (int)t->owner[k / t->batch], t->map[k]);
    return status;
}

/* From here on this is a tuning, whatever was reported before it. */
static spd_status begin_fold(trials *t, const ranks *r)
{
    foresee(t);
    const spd_progress now = in_trial(t, NULL);
    if (!r && ctx_report(t->ctx, now.task, now.unit, now.done, now.total))
        return ctx_fail(t->ctx, SPD_ECANCELLED, "tuning cancelled");
    return SPD_OK;
}

/* The map settings that are listed, on the part. */
static spd_status run_listed(trials *t)
{
    ranks *r = ranks_of(t->ctx);
    t->begin = 0;
    t->end = t->count;
    t->first_at = INT64_MAX;
    spd_status status = begin_fold(t, r);
    if (status == SPD_OK) {
        status = r ? run_shared(t, r) : run_here(t);
        for (size_t k = 0; k < t->count; k++)
            t->before += t->weight[k];
        t->tried += t->count;
    }
    return trial_is_fatal(status) ? status : SPD_OK;
}

/* What waited, unless its neighbours say that it cannot win. */
static spd_status run_waiting(trials *t)
{
    spd_status status = race_drop_between(t->ctx, t->shared);
    if (status < 0)
        return status;
    list_maps(t, 1);
    return t->count > 0 ? run_listed(t) : SPD_OK;
}

/* All of one fold; then those that are behind leave. */
static spd_status run_fold(trials *t)
{
    const trial_shared *h = t->shared;
    part_source from = {h->method, h->settings, h->train, h->fold, h->D, h->exhaustive};
    list_maps(t, 0);
    if (t->count == 0)
        return SPD_OK; /* a rival is better */
    int halved = t->waiting > 0;
    spd_status status = part_make(t->ctx, &from, t->at, &t->part);
    if (status == SPD_OK)
        status = run_listed(t);
    if (status == SPD_OK && halved)
        status = run_waiting(t);
    part_free(&t->part);
    if (trial_is_fatal(status))
        return status;
    return is_race(t) ? race_drop(t->ctx, h, t->at + 1) : SPD_OK;
}

spd_status trials_run(spd_context *ctx, const trial_shared *shared)
{
    arena room = {0};
    trials t = {.ctx = ctx, .shared = shared};
    t.map = arena_alloc(&room, shared->settings[0].maps, sizeof *t.map);
    t.owner = arena_alloc(&room, shared->settings[0].maps, sizeof *t.owner);
    t.weight = arena_alloc(&room, shared->settings[0].maps, sizeof *t.weight);
    spd_status status = arena_status(&room, ctx, "cross-validation");
    for (t.at = 0; t.at < shared->folds && status == SPD_OK; t.at++)
        status = run_fold(&t);
    if (status == SPD_OK)
        ctx_finish(ctx, TASK, (double)t.fits);
    if (status == SPD_OK && ctx)
        ctx->error = t.first;
    arena_free(&room);
    return status;
}
