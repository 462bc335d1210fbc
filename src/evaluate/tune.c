/* tune.c - the values of methods by cross-validation within their training samples.
 *
 * Every fold with every map setting is a trial (trials.h), for all methods that share the map. The
 * neighbour graphs of all trials come from one matrix of distances. */
#include "evaluate/tune.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/sized.h"
#include "classify/samples.h"
#include "ops/fault.h"
#include "evaluate/alignment.h"
#include "evaluate/auto.h"
#include "evaluate/method.h"
#include "evaluate/folds.h"
#include "evaluate/map.h"
#include "evaluate/race.h"

#define MATRIX_UP_TO 3000 /* samples: beyond, every fit searches its neighbours itself */

/* ---- folds ----------------------------------------------------------------------------------- */

static spd_status deal(tuner *t, const spd_tune_options *tuning)
{
    const samples *train = t->shared.train;
    classes c = {0};
    spd_status status = SPD_OK;
    if (tuning->group)
        return folds_deal_groups(t->ctx, train->p, train->label, tuning->group, tuning->seed,
                                 &t->shared.folds, t->fold);
    status = classes_sort(t->ctx, train->p, train->label, &t->room, &c);
    if (status == SPD_OK)
        status = folds_limit(t->ctx, &c, &t->shared.folds);
    if (status == SPD_OK)
        folds_deal(train->p, &c, t->shared.folds, tuning->seed, t->fold);
    return status;
}

/* Every fold must leave two classes to train on. */
static spd_status check_folds(const tuner *t)
{
    const samples *train = t->shared.train;
    for (size_t f = 0; f < t->shared.folds; f++) {
        int first = -1, two = 0;
        for (size_t i = 0; i < train->p; i++) {
            if (t->fold[i] == f)
                continue;
            first = first < 0 ? train->label[i] : first;
            two |= train->label[i] != first;
        }
        if (!two)
            return ctx_fail(t->ctx, SPD_EINVAL,
                            "fold %zu of %zu leaves fewer than two classes to train on: use other "
                            "groups, or none",
                            f + 1, t->shared.folds);
    }
    return SPD_OK;
}

spd_status tuner_deal(tuner *t, const spd_tune_options *tuning)
{
    t->shared.folds = (size_t)tuning->folds;
    t->fold = arena_alloc(&t->room, t->shared.train->p, sizeof *t->fold);
    t->shared.fold = t->fold;
    spd_status status = t->fold ? deal(t, tuning) : ctx_nomem(t->ctx, "folds");
    return status == SPD_OK ? check_folds(t) : status;
}

/* ---- the choice ------------------------------------------------------------------------------ */

size_t tuner_tested(const tuner *t)
{
    size_t count = 0;
    for (size_t i = 0; i < t->shared.train->p; i++)
        count += t->fold[i] != FOLD_NEVER;
    return count;
}

/* *least <- the size of the smallest class that a fold trains on, or, before folds are dealt, of all
 * samples. */
static spd_status find_smallest(const tuner *t, size_t *least)
{
    const samples *train = t->shared.train;
    const size_t *fold = t->shared.fold;
    arena room = {0};
    int *label = arena_alloc(&room, train->p, sizeof *label);
    spd_status status = arena_status(&room, t->ctx, "labels");
    *least = SIZE_MAX;
    for (size_t f = 0; f < (fold ? t->shared.folds : 1) && status == SPD_OK; f++) {
        classes c = {0};
        for (size_t i = 0; i < train->p; i++)
            label[i] = fold && fold[i] == f ? -1 : train->label[i];
        status = classes_sort(t->ctx, train->p, label, &room, &c);
        *least = c.smallest < *least ? c.smallest : *least;
    }
    arena_free(&room);
    return status;
}

/* No setting of a method works: why is in the context, if it is known. */
static spd_status fail(const tuner *t, const spd_method *method)
{
    char name[SPD_METHOD_NAME], before[SPD_METHOD_NAME + 60];
    spd_status status = t->ctx && t->ctx->error.status < 0 ? t->ctx->error.status : SPD_EINVAL;
    spd_method_name(method, name);
    snprintf(before, sizeof before, "cross-validation of %s: no setting works", name);
    ctx_prefix(t->ctx, before);
    return status;
}

/* If both were as good, the sum of the differences would have mean 0 and the sum of their squares for
 * its variance: judged once, b - c and b + c, where b and c samples are got right by one of them alone
 * (McNemar). So a single sample never decides. */
int tuner_beats(const tuner *t, const char *first, const char *second)
{
    double sum = 0.0, squares = 0.0;
    for (size_t i = 0; i < t->shared.train->p; i++) {
        double difference = first[i] - second[i];
        sum += difference;
        squares += difference * difference;
    }
    return sum > sqrt(squares);
}

/* *best <- the chosen setting of a method; sum (its settings) is scratch. */
static spd_status choose(const tuner *t, size_t method, int64_t *sum, size_t *best,
                         spd_tune_info *found)
{
    const spd_method *own = &t->shared.method[method];
    const settings *s = &t->settings[method];
    const size_t *out = t->out[method];
    size_t fitted = s->fitted * s->decisions, all = settings_count(s);
    race_sums(&t->shared, method, t->shared.folds, sum);
    size_t plain = settings_best(s, sum, out, fitted, all);
    *best = settings_best(s, sum, out, 0, all);
    if (*best == SIZE_MAX)
        return fail(t, own);
    if (plain != SIZE_MAX)
        found->accuracy_no_map = (double)sum[plain] / (double)tuner_tested(t);
    if (own->map == SPD_MAP_ML && !method_fit_options(own).paper && plain != SIZE_MAX) {
        size_t mapped = settings_best(s, sum, out, 0, fitted);
        size_t p = t->shared.train->p;
        const char *hit = t->hit[method];
        int better = mapped != SIZE_MAX && tuner_beats(t, hit + mapped * p, hit + plain * p);
        *best = better ? mapped : plain;
    }
    found->accuracy = (double)sum[*best] / (double)tuner_tested(t);
    return SPD_OK;
}

/* best and found (methods each) <- what the search says, when it does for all of them; most: the
 * largest number of settings. */
static spd_status conclude(tuner *t, size_t most, size_t *best, spd_tune_info *found)
{
    int64_t *sum = arena_alloc(&t->room, most, sizeof *sum);
    spd_status status = arena_status(&t->room, t->ctx, "cross-validation");
    effort total = {0, 0};
    for (size_t k = 0; k < t->shared.folds * t->settings[0].maps; k++) {
        total.fits += t->shared.effort[k].fits;
        total.iterations += t->shared.effort[k].iterations;
    }
    for (size_t k = 0; k < t->shared.methods && status == SPD_OK; k++) {
        found[k].folds = (int)t->shared.folds;
        found[k].fits = total.fits;
        found[k].iterations = total.iterations;
        status = choose(t, k, sum, &best[k], &found[k]);
    }
    if (status == SPD_OK)
        ctx_clear(t->ctx); /* single failures are not about the choice */
    return status;
}

/* ---- the search ------------------------------------------------------------------------------ */

/* The distances that the graphs of all trials come from. */
static spd_status measure(tuner *t)
{
    const samples *s = t->shared.train;
    const spd_method *method = &t->shared.method[0];
    if (t->shared.D || !method_learns_map(method) || t->settings[0].fitted == 0 ||
        s->p > MATRIX_UP_TO)
        return SPD_OK;
    double *D = arena_alloc(&t->room, s->p, s->p * sizeof *D);
    t->shared.D = D;
    spd_metric metric = method->metric;
    if (!t->shared.exhaustive)
        metric = map_rough_metric(metric);
    return D ? spd_pairwise2(t->ctx, metric, SPD_SET(s->n, s->p, s->X), NULL, D)
             : ctx_nomem(t->ctx, "distances");
}

static spd_status make_right(tuner *t)
{
    for (size_t k = 0; k < t->shared.methods; k++) {
        size_t all = settings_count(&t->settings[k]);
        t->right[k] = arena_alloc(&t->room, t->shared.folds, all * sizeof **t->right);
        t->hit[k] = arena_zero(&t->room, all, t->shared.train->p);
        t->out[k] = arena_zero(&t->room, t->settings[k].maps, sizeof **t->out);
    }
    for (size_t k = 0; k < t->shared.methods && !t->room.failed; k++) {
        const settings *s = &t->settings[k];
        for (size_t i = 0; i < t->shared.folds * settings_count(s); i++)
            t->right[k][i] = -1;
        if (t->mapped && s->maps > s->fitted)
            t->out[k][s->fitted] = 1;
    }
    t->shared.effort =
        arena_zero(&t->room, t->shared.folds, t->settings[0].maps * sizeof *t->shared.effort);
    return arena_status(&t->room, t->ctx, "cross-validation");
}

spd_status tuner_search(tuner *t)
{
    spd_status status = make_right(t);
    if (status == SPD_OK)
        status = measure(t);
    return status == SPD_OK ? trials_run(t->ctx, &t->shared) : status;
}

spd_status tuner_open(tuner *t, spd_context *ctx, const samples *train, size_t count,
                      int exhaustive)
{
    *t = (tuner){.ctx = ctx};
    t->method = arena_alloc(&t->room, count, sizeof *t->method);
    t->settings = arena_zero(&t->room, count, sizeof *t->settings);
    t->right = arena_zero(&t->room, count, sizeof *t->right);
    t->hit = arena_zero(&t->room, count, sizeof *t->hit);
    t->out = arena_zero(&t->room, count, sizeof *t->out);
    t->shared = (trial_shared){.methods = count,
                               .method = t->method,
                               .settings = t->settings,
                               .train = train,
                               .right = t->right,
                               .hit = t->hit,
                               .out = t->out,
                               .exhaustive = exhaustive};
    return arena_status(&t->room, ctx, "cross-validation");
}

spd_status tuner_plan(tuner *t, const spd_grid *grid)
{
    size_t least;
    spd_status status = find_smallest(t, &least);
    for (size_t k = 0; k < t->shared.methods && status == SPD_OK; k++)
        status = settings_make(t->ctx, &t->method[k], t->shared.train, grid, least, &t->room,
                               &t->settings[k]);
    return status;
}

void tuner_close(tuner *t)
{
    arena_free(&t->room);
}

/* found, *most <- what there is to choose from, for each method and at most. */
static spd_status plan(tuner *t, const spd_tune_options *tuning, spd_tune_info *found, size_t *most)
{
    spd_status status = tuner_plan(t, tuning->grid);
    *most = 0;
    for (size_t k = 0; k < t->shared.methods && status == SPD_OK; k++) {
        found[k] = (spd_tune_info){
            .accuracy = NAN, .accuracy_no_map = NAN, .settings = settings_count(&t->settings[k])};
        *most = found[k].settings > *most ? found[k].settings : *most;
    }
    return status;
}

/* t->method and found <- what is chosen. */
static spd_status tune_all(tuner *t, const spd_tune_options *tuning, spd_tune_info *found)
{
    size_t methods = t->shared.methods, most = 0;
    size_t *best = arena_zero(&t->room, methods, sizeof *best);
    spd_status status = arena_status(&t->room, t->ctx, "cross-validation");
    if (status == SPD_OK)
        status = plan(t, tuning, found, &most);
    if (status == SPD_OK && most > 1)
        status = tuner_deal(t, tuning);
    if (status == SPD_OK && most > 1) /* folds may leave less to choose from */
        status = plan(t, tuning, found, &most);
    if (status == SPD_OK && most > 1)
        status = tuner_search(t);
    if (status == SPD_OK && most > 1)
        status = conclude(t, most, best, found);
    for (size_t k = 0; k < methods && status == SPD_OK; k++)
        settings_use(&t->settings[k], best[k], &t->method[k]);
    return status;
}

/* ---- the public functions -------------------------------------------------------------------- */

spd_status tuner_options(spd_context *ctx, const spd_tune_options *given, spd_tune_options *mine)
{
    *mine = (spd_tune_options){.size = sizeof *mine};
    spd_status status = sized_take(ctx, "spd_tune_options", sizeof *mine, mine, given);
    if (status == SPD_OK && mine->folds < 2)
        status =
            ctx_fail(ctx, SPD_EINVAL, "%d folds; cross-validation needs at least 2", mine->folds);
    return status;
}

/* mine (count) <- the caller's methods, when they go together. */
static spd_status take_methods(spd_context *ctx, size_t count, spd_method *const *method,
                               spd_method *mine)
{
    spd_status status = SPD_OK;
    for (size_t k = 0; k < count && status == SPD_OK; k++) {
        status = method_take(ctx, method[k], &mine[k]);
        if (status == SPD_OK && mine[k].automatic)
            status = ctx_fail(ctx, SPD_EINVAL, "auto cannot be tuned together with others");
        if (status == SPD_OK && !method_same_map(&mine[0], &mine[k]))
            status = ctx_fail(ctx, SPD_EINVAL,
                              "methods that are tuned together must share map, metric and fit");
    }
    return status;
}

/* Samples <- aligned, in `room`, once for all folds; group (or NULL), which methods that leave out
 * samples follow too, is that of those that stay. They can train the methods (count), which align
 * alike. */
static spd_status align(spd_context *ctx, size_t count, const spd_method *method, arena *room,
                        samples *train, const int **group)
{
    alignment found;
    if (train->target)
        return ctx_fail(
            ctx, SPD_EINVAL,
            "there are numbers in place of classes: methods that learn from them choose "
            "their parameters as they are trained, without tuning");
    if (*group)
        train->fold_group = *group;
    spd_status status = alignment_fit(ctx, &method[0], room, room, train, &found);
    if (*group)
        *group = train->fold_group;
    for (size_t k = 0; k < count && status == SPD_OK; k++)
        status = method_check_samples(ctx, &method[k], train);
    return status;
}

/* method and tuned, or NULL <- of `auto`, on samples that are aligned as it asks. The chosen method
 * aligns its samples in the same way. */
static spd_status tune_automatic(spd_context *ctx, spd_method *method, samples train,
                                 spd_tune_options tuning, spd_tune_info *tuned, spd_league **league)
{
    spd_method asked, own;
    spd_tune_info found;
    arena room = {0};
    spd_status status = method_take(ctx, method, &asked);
    if (status == SPD_OK)
        status = align(ctx, 1, &asked, &room, &train, &tuning.group);
    own = asked;
    if (status == SPD_OK)
        status = auto_choose(ctx, &own, &train, &tuning, &found, league);
    if (status == SPD_OK) {
        own.normalize = asked.normalize;
        own.recenter = asked.recenter;
        sized_give(sizeof own, &own, method);
        sized_give(sizeof found, &found, tuned);
    }
    arena_free(&room);
    return status;
}

spd_status spd_tune_auto(spd_context *ctx, spd_method *method, const spd_samples *given,
                         const spd_tune_options *asked, spd_tune_info *tuned, spd_league **league)
{
    ctx_clear(ctx);
    samples train = {0};
    spd_tune_options tuning;
    if (!method || !asked || !method_is_automatic(method))
        return ctx_fail(ctx, SPD_EINVAL,
                        "the method is missing or not auto, or the tuning options "
                        "are missing");
    spd_status status = tuner_options(ctx, asked, &tuning);
    if (status == SPD_OK)
        status = samples_take(ctx, given, &train);
    if (status == SPD_OK)
        status = sized_check(ctx, "spd_tune_info", tuned);
    return status == SPD_OK ? tune_automatic(ctx, method, train, tuning, tuned, league) : status;
}

spd_status spd_tune_together(spd_context *ctx, size_t count, spd_method *const *method,
                             const spd_samples *given, const spd_tune_options *asked,
                             spd_tune_info *const *tuned)
{
    ctx_clear(ctx);
    double began = clock_seconds();
    samples train = {0};
    spd_tune_options tuning;
    if (!method || !asked || count == 0)
        return ctx_fail(ctx, SPD_EINVAL, "the method or the tuning options are missing");
    spd_status status = tuner_options(ctx, asked, &tuning);
    if (status == SPD_OK)
        status = samples_take(ctx, given, &train);
    for (size_t k = 0; tuned && k < count && status == SPD_OK; k++)
        status = sized_check(ctx, "spd_tune_info", tuned[k]);
    if (status < 0)
        return status;
    if (count == 1 && method[0] && method_is_automatic(method[0]))
        return tune_automatic(ctx, method[0], train, tuning, tuned ? tuned[0] : NULL, NULL);
    tuner t = {0};
    arena room = {0};
    spd_tune_info *found = arena_alloc(&room, count, sizeof *found);
    spd_method *own = arena_alloc(&room, count, sizeof *own);
    status = arena_status(&room, ctx, "cross-validation");
    if (status == SPD_OK)
        status = take_methods(ctx, count, method, own);
    if (status == SPD_OK)
        status = align(ctx, count, own, &room, &train, &tuning.group);
    if (status == SPD_OK)
        status = tuner_open(&t, ctx, &train, count, tuning.exhaustive);
    if (status == SPD_OK) {
        memcpy(t.method, own, count * sizeof *own);
        status = fault_unnamed(ctx, tune_all(&t, &tuning, found));
    }
    for (size_t k = 0; k < count && status == SPD_OK; k++) {
        found[k].seconds = (clock_seconds() - began) / (double)count;
        sized_give(sizeof *t.method, &t.method[k], method[k]);
        if (tuned)
            sized_give(sizeof *found, &found[k], tuned[k]);
    }
    arena_free(&room);
    tuner_close(&t);
    return status;
}

spd_status spd_tune(spd_context *ctx, spd_method *method, const spd_samples *train,
                    const spd_tune_options *tuning, spd_tune_info *tuned)
{
    return spd_tune_together(ctx, 1, &method, train, tuning, tuned ? &tuned : NULL);
}
