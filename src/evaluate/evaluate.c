/* evaluate.c - every method through every round: tune, fit, predict, score.
 *
 * The test part is looked at once, by predict; its labels are looked at by score alone. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/sized.h"
#include "classify/samples.h"
#include "evaluate/evaluation.h"
#include "evaluate/method.h"
#include "evaluate/trained.h"

/* One of the methods that are tuned together. */
typedef struct member {
    spd_method chosen;
    spd_tune_info tuned;
    spd_outcome *outcome;
} member;

typedef struct runner {
    spd_context *ctx;
    samples all;
    spd_evaluate_options options;
    spd_method *method;    /* options.methods: as they were given */
    const int *fold_group; /* all.p, or NULL */
    spd_evaluation *e;
    arena *keep;         /* e's */
    arena room;          /* until the end */
    member *members;     /* options.methods: room */
    spd_method **chosen; /* where in `members` they are */
    spd_tune_info **tuned;
    /* the round at hand */
    size_t round;
    arena parts; /* what follows */
    samples train, test;
    int *group; /* train.p: fold_group there, or NULL */
} runner;

static spd_outcome *outcome_of(const runner *u, size_t method)
{
    return u->e->method[method]->outcome[u->round];
}

static spd_status fail_in(const runner *u, size_t method, spd_status status)
{
    if (status < 0)
        ctx_prefix(u->ctx, u->e->method[method]->name);
    return status;
}

/* ---- tuning ---------------------------------------------------------------------------------- */

/* Folds by group need two groups; with one, samples are dealt out alone. */
static const int *fold_groups(const runner *u)
{
    for (size_t i = 1; u->group && i < u->train.p; i++)
        if (u->group[i] != u->group[0])
            return u->group;
    return NULL;
}

/* Makes one method and those after it that share its map the members that are tuned together.
 * Returns how many. */
static size_t gather(runner *u, size_t first)
{
    size_t count = 0;
    for (size_t m = first; m < u->e->methods; m++) {
        if (m > first && (u->method[first].automatic || u->method[m].automatic ||
                          u->method[m].map == SPD_MAP_NONE ||
                          !method_same_map(&u->method[first], &u->method[m])))
            continue;
        u->members[count].chosen = u->method[m];
        u->members[count].tuned = (spd_tune_info)SPD_STRUCT(spd_tune_info);
        u->members[count].outcome = outcome_of(u, m);
        u->chosen[count] = &u->members[count].chosen;
        u->tuned[count] = &u->members[count].tuned;
        count++;
    }
    return count;
}

static spd_status tune(runner *u, size_t first)
{
    spd_tune_options tuning = {.size = sizeof tuning,
                               .folds = u->options.folds,
                               .group = fold_groups(u),
                               .seed = u->options.seed,
                               .grid = u->options.grid,
                               .exhaustive = u->options.exhaustive,
                               .seconds = u->options.seconds};
    size_t count = gather(u, first);
    spd_league *league = NULL;
    spd_status status =
        u->method[first].automatic
            ? spd_tune_auto(u->ctx, u->chosen[0], &u->train, &tuning, u->tuned[0], &league)
            : spd_tune_together(u->ctx, count, u->chosen, &u->train, &tuning, u->tuned);
    for (size_t k = 0; k < count && status >= 0; k++) {
        spd_outcome *o = u->members[k].outcome;
        o->chosen = *u->chosen[k];
        o->settings = u->tuned[k]->settings;
        o->folds = u->tuned[k]->folds;
        o->cv_accuracy = u->tuned[k]->accuracy;
        o->cv_accuracy_no_map = u->tuned[k]->accuracy_no_map;
        o->tune_seconds = u->tuned[k]->seconds;
        o->tune_fits = u->tuned[k]->fits;
        o->tune_iterations = u->tuned[k]->iterations;
        o->expected = league ? league->accuracy : (double)NAN;
        o->expected_low = league ? league->low : (double)NAN;
        o->expected_high = league ? league->high : (double)NAN;
    }
    spd_league_free(league);
    return status;
}

/* ---- one method in one round ----------------------------------------------------------------- */

/* *auc <- of the test samples, by their scores, if it is asked for. */
static spd_status rank(const runner *u, const spd_classifier *trained, const samples *queries,
                       double *auc)
{
    arena room = {0};
    spd_classifier_facts facts = SPD_STRUCT(spd_classifier_facts);
    *auc = (double)NAN;
    if (!u->options.auc)
        return SPD_OK;
    double *score = arena_alloc(&room, queries->p, queries->classes * sizeof *score);
    spd_status status = arena_status(&room, u->ctx, "scores");
    if (status == SPD_OK)
        status = spd_classifier_info(u->ctx, trained, &facts);
    if (status == SPD_OK)
        status = spd_classifier_scores(u->ctx, trained, queries, NULL, score);
    if (status >= 0)
        status = spd_auc(u->ctx, queries->p, queries->classes, u->test.label, score,
                         facts.score_falls, auc);
    arena_free(&room);
    return status;
}

static spd_status run_method(const runner *u, size_t method)
{
    spd_outcome *o = outcome_of(u, method);
    spd_classifier *trained = NULL;
    spd_score score = SPD_STRUCT(spd_score);
    samples queries = u->test;
    queries.label = NULL;
    double began = clock_seconds();
    spd_status status = spd_classifier_fit(u->ctx, &o->chosen, &u->train, NULL, &trained);
    double fitted = clock_seconds();
    if (status >= 0) {
        memcpy(o->value, spd_classifier_method(trained)->value, sizeof o->value);
        status = spd_classifier_predict(u->ctx, trained, &queries, o->predicted);
    }
    o->chosen.fit = NULL; /* the caller's */
    o->fit_seconds = fitted - began;
    o->test_seconds = clock_seconds() - fitted;
    if (status >= 0)
        status = rank(u, trained, &queries, &o->auc);
    if (status >= 0 && u->round == 0) {
        o->model = trained->map.model; /* ours now: the classifier is only freed */
        trained->map.model = NULL;
    }
    spd_classifier_free(trained);
    if (status >= 0)
        status = spd_score_predictions(u->ctx, queries.p, queries.classes, u->test.label,
                                       o->predicted, &score, NULL);
    o->correct = score.correct;
    o->accuracy = score.accuracy;
    o->balanced = score.balanced;
    o->kappa = score.kappa;
    o->macro_f1 = score.macro_f1;
    return status < 0 ? status : SPD_OK;
}

static spd_status tell(const runner *u, size_t method)
{
    const spd_evaluate_options *o = &u->options;
    if (o->after && o->after(o->user, u->e, u->round, method))
        return ctx_fail(u->ctx, SPD_ECANCELLED, "cancelled");
    return SPD_OK;
}

/* ---- rounds ---------------------------------------------------------------------------------- */

static spd_status take_parts(runner *u)
{
    const spd_round *r = u->e->round[u->round];
    arena *keep = &u->parts;
    u->group = u->fold_group ? arena_alloc(keep, r->train_count, sizeof *u->group) : NULL;
    spd_status status = arena_status(keep, u->ctx, "a part of the samples");
    if (status < 0)
        return status;
    if (u->group)
        samples_rows(r->train_count, r->train, sizeof *u->group, u->fold_group, u->group);
    status = samples_part(u->ctx, &u->all, r->train_count, r->train, keep, &u->train);
    if (status == SPD_OK)
        status = samples_part(u->ctx, &u->all, r->test_count, r->test, keep, &u->test);
    if (status == SPD_OK && u->group)
        u->train.fold_group = u->group;
    return status;
}

static spd_status run_round(runner *u)
{
    spd_status status = tell(u, SPD_NO_INDEX);
    if (status == SPD_OK)
        status = take_parts(u);
    for (size_t m = 0; m < u->e->methods && status == SPD_OK; m++) {
        if (outcome_of(u, m)->settings == 0)
            status = fail_in(u, m, tune(u, m));
        if (status == SPD_OK)
            status = fail_in(u, m, run_method(u, m));
        if (status == SPD_OK)
            status = tell(u, m);
    }
    arena_free(&u->parts);
    return status;
}

/* ---- rounds that ranks share ---------------------------------------------------------------- */

static spd_status run_later_round(void *user, size_t item)
{
    runner *u = user;
    u->round = item + 1;
    return run_round(u);
}

/* What a method has come to in a round <- as rank `from` found it; maps stay where they are. */
static void pass_round(ranks *r, int from, const spd_round *round, spd_outcome *o)
{
    spd_outcome got = *o;
    r->broadcast(r, from, &got, sizeof got);
    got.predicted = o->predicted;
    got.model = o->model;
    *o = got;
    r->broadcast(r, from, o->predicted, round->test_count * sizeof *o->predicted);
}

/* Ranks share the work within the first round, whose maps all of them keep; of the others each
 * takes the next, whole, when it has time. */
static spd_status run_dealt(runner *u, ranks *r)
{
    spd_evaluation *e = u->e;
    size_t later = e->rounds - 1;
    int64_t *owner = arena_alloc(&u->room, later, sizeof *owner);
    spd_status status = ranks_settle(u->ctx, owner ? SPD_OK : ctx_nomem(u->ctx, "rounds"));
    if (status == SPD_OK)
        status = run_round(u);
    if (status == SPD_OK)
        status = ranks_distribute(u->ctx, later, run_later_round, u, owner);
    for (size_t k = 0; k < later && owner && status == SPD_OK; k++)
        for (size_t m = 0; m < e->methods; m++)
            pass_round(r, (int)owner[k], e->round[k + 1], e->method[m]->outcome[k + 1]);
    for (size_t k = 0; k < e->rounds && status == SPD_OK; k++)
        status = remarks_on_round(u->ctx, &u->all, k, u->keep, e);
    return status;
}

static spd_status run_in_turn(runner *u)
{
    spd_status status = SPD_OK;
    for (u->round = 0; u->round < u->e->rounds && status == SPD_OK; u->round++) {
        status = run_round(u);
        if (status == SPD_OK)
            status = remarks_on_round(u->ctx, &u->all, u->round, u->keep, u->e);
    }
    return status;
}

/* What does not fit into memory shall fail now, not after hours with other methods. */
static spd_status ask_memory(const runner *u)
{
    size_t most = 0;
    spd_status status = SPD_OK;
    for (size_t r = 0; r < u->e->rounds; r++)
        most = u->e->round[r]->train_count > most ? u->e->round[r]->train_count : most;
    for (size_t m = 0; m < u->options.methods && status == SPD_OK; m++)
        status =
            fail_in(u, m, classifier_ask(u->ctx, classifier_of(u->method[m].classifier), most));
    return status;
}

static spd_status run(runner *u)
{
    ranks *r = ranks_of(u->ctx);
    spd_status status = rounds_make(u->ctx, &u->all, &u->options, u->keep, u->e);
    if (status == SPD_OK)
        status = rounds_fold_groups(u->ctx, &u->all, &u->options, u->e, &u->fold_group);
    if (status == SPD_OK)
        status = evaluation_room(u->ctx, u->options.methods, u->method, u->keep, u->e);
    if (status == SPD_OK)
        status = ask_memory(u);
    if (status == SPD_OK)
        status = remarks_on_protocol(u->ctx, &u->all, u->method, u->keep, u->e);
    if (status == SPD_OK)
        status = r && u->e->rounds > (size_t)r->count ? run_dealt(u, r) : run_in_turn(u);
    return status == SPD_OK ? evaluation_conclude(u->ctx, &u->all, u->e) : status;
}

/* ---- the public functions -------------------------------------------------------------------- */

void spd_evaluate_defaults(spd_evaluate_options *options, size_t size)
{
    spd_evaluate_options usual = {
        .repeats = 10, .fraction = 0.5, .folds = 5, .seed = 1, .outer_folds = 5};
    options->size = size;
    sized_give(sizeof usual, &usual, options);
}

static spd_status take_options(runner *u, const spd_samples *given,
                               const spd_evaluate_options *options)
{
    spd_evaluate_defaults(&u->options, sizeof u->options);
    spd_status status =
        sized_take(u->ctx, "spd_evaluate_options", sizeof u->options, &u->options, options);
    if (status == SPD_OK && (u->options.methods == 0 || !u->options.method))
        status = ctx_fail(u->ctx, SPD_EINVAL, "no methods given");
    if (status == SPD_OK)
        status = samples_take(u->ctx, given, &u->all);
    if (status == SPD_OK && (u->all.p == 0 || !u->all.label))
        status = ctx_fail(u->ctx, SPD_EINVAL, "there are no samples, or they have no labels");
    if (status == SPD_OK && u->all.target)
        status = ctx_fail(u->ctx, SPD_EINVAL,
                          "there are numbers in place of classes, and evaluations are of classes");
    if (status == SPD_OK)
        status = samples_check_labels(u->ctx, &u->all);
    if (status < 0)
        return status;
    size_t methods = u->options.methods;
    u->method = arena_alloc(&u->room, methods, sizeof *u->method);
    u->members = arena_alloc(&u->room, methods, sizeof *u->members);
    u->chosen = arena_alloc(&u->room, methods, sizeof *u->chosen);
    u->tuned = arena_alloc(&u->room, methods, sizeof *u->tuned);
    status = arena_status(&u->room, u->ctx, "methods");
    for (size_t m = 0; m < methods && status == SPD_OK; m++)
        status = method_take(u->ctx, u->options.method[m], &u->method[m]);
    return status;
}

spd_status spd_evaluate(spd_context *ctx, const spd_samples *given,
                        const spd_evaluate_options *options, spd_evaluation **evaluation)
{
    ctx_clear(ctx);
    runner u = {.ctx = ctx};
    if (!evaluation)
        return ctx_fail(ctx, SPD_EINVAL, "no room for an evaluation given");
    spd_status status = take_options(&u, given, options);
    arena keep = {0};
    own_evaluation *own = arena_zero(&keep, 1, sizeof *own);
    if (status == SPD_OK && !own)
        status = ctx_nomem(ctx, "an evaluation");
    if (own) {
        own->room = keep;
        u.e = &own->e;
        u.keep = &own->room;
        u.e->classes = u.all.classes;
    }
    if (status == SPD_OK)
        status = run(&u);
    arena_free(&u.room);
    if (status < 0)
        spd_evaluation_free(u.e);
    else
        *evaluation = u.e;
    return status;
}
