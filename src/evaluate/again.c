/* again.c - the leaders of `auto` once more, on other deals of folds.
 *
 * Which of two good methods is right about more samples depends on the folds, and so does which of
 * its settings is the best. Those that lead are judged with the values that they have on folds that
 * did not choose these. What counts is how often a sample was right in all deals. */
#include <string.h>

#include "base/clock.h"
#include "base/rng.h"
#include "evaluate/auto.h"

#define DEALS   3
#define PURPOSE 23 /* of seeds */

const char *auto_times(const contender *one)
{
    return one->score ? one->score : one->hit;
}

size_t auto_right(const portfolio *a, const contender *one)
{
    size_t right = 0;
    for (size_t i = 0; i < a->train->p; i++)
        right += (size_t)auto_times(one)[i];
    return right;
}

/* hit (p) <- of a leader, on the folds of a deal; none where it fails. */
static spd_status judge(portfolio *a, contender *one, const tuner *deal, char *hit)
{
    tuner t;
    double began = clock_seconds();
    spd_status status = tuner_open(&t, a->ctx, a->train, 1, a->tuning.exhaustive);
    if (status == SPD_OK) {
        t.method[0] = one->row.method;
        t.mapped = one->mapped;
        t.fold = deal->fold;
        t.shared.fold = deal->fold;
        t.shared.folds = deal->shared.folds;
        t.shared.D = one->t->shared.D;
        status = tuner_plan(&t, NULL);
    }
    if (status == SPD_OK)
        status = tuner_search(&t);
    if (status == SPD_OK)
        memcpy(hit, t.hit[0], a->train->p);
    for (size_t e = 0; status == SPD_OK && e < t.shared.folds * t.settings[0].maps; e++) {
        a->spent.fits += t.shared.effort[e].fits;
        a->spent.iterations += t.shared.effort[e].iterations;
    }
    one->row.seconds += clock_seconds() - began;
    tuner_close(&t);
    return status;
}

/* All leaders on one more deal; it counts when it is complete. */
static spd_status judge_deal(portfolio *a, const tuner *deal, char *hit)
{
    size_t p = a->train->p, at = 0;
    spd_status status = SPD_OK;
    for (size_t k = 0; k < a->count && status == SPD_OK; k++) {
        if (!a->all[k].leads)
            continue;
        a->share = 0.0;
        status = judge(a, &a->all[k], deal, hit + p * at++);
        a->again += a->step;
    }
    at = 0;
    for (size_t k = 0; k < a->count && status == SPD_OK; k++) {
        contender *one = &a->all[k];
        if (!one->leads)
            continue;
        for (size_t i = 0; i < p; i++)
            one->score[i] = (char)(one->score[i] + hit[p * at + i]);
        one->row.folds += (int)deal->shared.folds;
        at++;
    }
    a->deals += status == SPD_OK;
    return status;
}

/* Folds dealt anew; where that is not possible, none. */
static spd_status deal_again(portfolio *a, char *hit)
{
    tuner deal;
    spd_tune_options tuning = a->tuning;
    tuning.seed = rng_key(tuning.seed, PURPOSE, a->deals);
    spd_status status = tuner_open(&deal, a->ctx, a->train, 1, 0);
    if (status == SPD_OK)
        status = tuner_deal(&deal, &tuning);
    if (status == SPD_OK)
        status = judge_deal(a, &deal, hit);
    tuner_close(&deal);
    return status;
}

/* Scores begin with the first deal. */
static spd_status open_scores(portfolio *a)
{
    for (size_t k = 0; k < a->count; k++) {
        contender *one = &a->all[k];
        one->score = one->leads ? arena_alloc(&a->room, a->train->p, 1) : NULL;
        if (one->score)
            memcpy(one->score, one->hit, a->train->p);
    }
    return arena_status(&a->room, a->ctx, "cross-validation");
}

spd_status auto_judge_again(portfolio *a)
{
    arena room = {0};
    size_t leaders = 0;
    for (size_t k = 0; k < a->count; k++)
        leaders += a->all[k].leads != 0;
    char *hit = arena_zero(&room, leaders, a->train->p);
    a->again = 0.0;
    a->step = 1.0 / (double)((DEALS - 1) * leaders);
    spd_status status = arena_status(&room, a->ctx, "cross-validation");
    /* Groups that are a fold each leave no choice: another seed makes the same folds. */
    int wanted = leaders > 1 && (!a->tuning.group || a->groups.count > a->folds);
    if (status == SPD_OK && wanted)
        status = open_scores(a);
    while (status == SPD_OK && wanted && a->deals < DEALS)
        status = deal_again(a, hit);
    for (size_t k = 0; k < a->count; k++)
        if (a->all[k].score)
            a->all[k].row.accuracy =
                (double)auto_right(a, &a->all[k]) / (double)(a->tested * a->deals);
    arena_free(&room);
    return status;
}
