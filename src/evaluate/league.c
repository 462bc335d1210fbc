/* league.c - the table of the contenders of `auto`, and what to expect of the chosen one.
 *
 * The best of many is better on the samples that chose it than on others. By how much is estimated by
 * the bootstrap (Tsamardinos, Greasidou and Borboudakis, Mach. Learn. 2018): samples are drawn with
 * replacement, whole groups if there are groups; of all settings that were judged on all folds the
 * best on the drawn ones is judged on those that were not drawn. By how much the mean of that is below the
 * best accuracy, the expected accuracy is below the chosen one's.
 *
 * The interval is Wilson's for N samples. With groups N is divided by the design effect, the ratio of
 * the variance between groups to that of as many independent samples, if it is above one, and the
 * quantile is Student's for one fewer than the groups. */
#include <math.h>
#include <stdlib.h>

#include "base/classes.h"
#include "base/memory.h"
#include "base/rng.h"
#include "evaluate/auto.h"
#include "evaluate/folds.h"
#include "evaluate/race.h"

#define DRAWS    200
#define QUANTILE 1.959963984540054 /* of the normal distribution, 97.5 % */

typedef struct own_league {
    spd_league league;
    arena room;
} own_league;

typedef struct judged {
    const portfolio *a;
    size_t settings;
    const char **hit; /* settings: p each */
    classes units;    /* what is drawn: samples or groups */
    arena room;
} judged;

/* ---- what was judged ------------------------------------------------------------------------- */

/* Adds the settings of a contender that were judged in every fold. */
static void add_settings(judged *j, const contender *one)
{
    const trial_shared *h = &one->t->shared;
    const settings *s = &h->settings[one->at];
    for (size_t k = 0; k < settings_count(s); k++) {
        size_t out = h->out[one->at][k / s->decisions], all = settings_count(s);
        int whole = !out || out >= h->folds;
        for (size_t f = 0; whole && f < h->folds; f++)
            whole = h->right[one->at][f * all + k] >= 0;
        if (whole)
            j->hit[j->settings++] = h->hit[one->at] + k * h->train->p;
    }
}

static spd_status open_judged(const portfolio *a, judged *j)
{
    size_t most = 0, p = a->train->p;
    *j = (judged){.a = a};
    for (size_t k = 0; k < a->count; k++)
        most += a->all[k].row.settings;
    j->hit = arena_alloc(&j->room, most, sizeof *j->hit);
    int *unit = arena_alloc(&j->room, p, sizeof *unit);
    spd_status status = arena_status(&j->room, a->ctx, "the league");
    if (status < 0)
        return status;
    for (size_t k = 0; k < a->count; k++)
        if (a->all[k].best != SIZE_MAX)
            add_settings(j, &a->all[k]);
    for (size_t i = 0; i < p; i++)
        unit[i] = a->fold[i] == FOLD_NEVER ? -1 : a->tuning.group ? a->tuning.group[i] : (int)i;
    return classes_sort(a->ctx, p, unit, &j->room, &j->units);
}

/* ---- the bootstrap --------------------------------------------------------------------------- */

static double accuracy_of(const portfolio *a, const char *hit)
{
    size_t right = 0;
    for (size_t i = 0; i < a->train->p; i++)
        right += hit[i] != 0;
    return (double)right / (double)a->tested;
}

/* weight (p) <- how often each sample is drawn. How many tested samples are not. */
static size_t draw(const judged *j, rng *r, size_t *weight)
{
    const classes *u = &j->units;
    size_t left = 0;
    for (size_t i = 0; i < j->a->train->p; i++)
        weight[i] = 0;
    for (size_t k = 0; k < u->count; k++) {
        size_t unit = rng_below(r, u->count);
        for (size_t e = u->first[unit]; e < u->first[unit + 1]; e++)
            weight[u->order[e]]++;
    }
    for (size_t e = u->first[0]; e < u->first[u->count]; e++)
        left += weight[u->order[e]] == 0;
    return left;
}

/* The accuracy on samples not drawn of the setting that is best on those drawn. */
static double judge_draw(const judged *j, const size_t *weight, size_t left)
{
    const classes *u = &j->units;
    size_t most = 0, outside = 0;
    for (size_t k = 0; k < j->settings; k++) {
        size_t inside = 0, others = 0;
        for (size_t e = u->first[0]; e < u->first[u->count]; e++) {
            size_t i = u->order[e];
            inside += j->hit[k][i] ? weight[i] : 0;
            others += j->hit[k][i] && !weight[i];
        }
        if (k == 0 || inside > most) {
            most = inside;
            outside = others;
        }
    }
    return (double)outside / (double)left;
}

/* *optimism <- by how much the best accuracy is too high; 0 if that is not seen. */
static spd_status find_optimism(judged *j, double *optimism)
{
    rng r;
    double sum = 0.0, best = 0.0;
    size_t used = 0, p = j->a->train->p;
    size_t *weight = arena_alloc(&j->room, p, sizeof *weight);
    *optimism = 0.0;
    if (!weight)
        return ctx_nomem(j->a->ctx, "the league");
    rng_seed(&r, rng_key(j->a->tuning.seed, 17, 0));
    for (size_t d = 0; d < DRAWS; d++) {
        size_t left = draw(j, &r, weight);
        if (left == 0)
            continue;
        sum += judge_draw(j, weight, left);
        used++;
    }
    for (size_t k = 0; k < j->settings; k++)
        best = fmax(best, accuracy_of(j->a, j->hit[k]));
    if (used > 0)
        *optimism = fmax(0.0, best - sum / (double)used);
    return SPD_OK;
}

/* ---- the interval ---------------------------------------------------------------------------- */

/* The variance of the accuracy between groups over that of independent samples, at least 1. */
static double design_effect(const judged *j, const contender *one)
{
    const classes *u = &j->units;
    double tested = (double)j->a->tested, units = (double)u->count, sum = 0.0;
    double accuracy = one->row.accuracy, deals = one->score ? (double)j->a->deals : 1.0;
    double alone = accuracy * (1.0 - accuracy) / tested;
    if (!j->a->tuning.group || u->count < 2 || alone <= 0.0)
        return 1.0;
    for (size_t k = 0; k < u->count; k++) {
        double gap = -accuracy * (double)class_size(u, k);
        for (size_t e = u->first[k]; e < u->first[k + 1]; e++)
            gap += auto_times(one)[u->order[e]] / deals;
        sum += gap * gap;
    }
    return fmax(1.0, sum / (tested * tested) * units / (units - 1.0) / alone);
}

/* Student's, from the normal one (Abramowitz and Stegun 26.7.5). */
static double student(double freedom)
{
    double z = QUANTILE, z2 = z * z;
    return z + z * (z2 + 1.0) / (4.0 * freedom) +
           z * ((5.0 * z2 + 16.0) * z2 + 3.0) / (96.0 * freedom * freedom);
}

static void set_interval(const judged *j, spd_league *l)
{
    const contender *chosen = &j->a->all[j->a->chosen];
    double N = (double)j->a->tested / design_effect(j, chosen);
    double z =
        j->a->tuning.group && j->units.count > 1 ? student((double)j->units.count - 1.0) : QUANTILE;
    double a = l->accuracy, z2 = z * z, middle = (a + z2 / (2.0 * N)) / (1.0 + z2 / N);
    double half = z / (1.0 + z2 / N) * sqrt(a * (1.0 - a) / N + z2 / (4.0 * N * N));
    l->low = fmax(0.0, middle - half);
    l->high = fmin(1.0, middle + half);
}

/* ---- the table ------------------------------------------------------------------------------- */

/* Those judged on all folds first, by accuracy; then those that left; then those without any. */
static int better_first(const void *x, const void *y)
{
    const contender *a = *(contender *const *)x, *b = *(contender *const *)y;
    int rank_a = a->best != SIZE_MAX ? 0 : a->row.folds ? 1 : 2;
    int rank_b = b->best != SIZE_MAX ? 0 : b->row.folds ? 1 : 2;
    if (rank_a != rank_b)
        return rank_a - rank_b;
    if (rank_a < 2 && (a->row.accuracy < b->row.accuracy || a->row.accuracy > b->row.accuracy))
        return a->row.accuracy > b->row.accuracy ? -1 : 1;
    return a < b ? -1 : 1;
}

static spd_status fill_table(const portfolio *a, arena *keep, spd_league *l)
{
    arena room = {0};
    contender **order = arena_alloc(&room, a->count, sizeof *order);
    l->candidate = arena_zero(keep, a->count, sizeof *l->candidate);
    spd_candidate *rows = arena_alloc(keep, a->count, sizeof *rows);
    spd_status status = arena_status(keep, a->ctx, "the league");
    if (status == SPD_OK)
        status = arena_status(&room, a->ctx, "the league");
    for (size_t k = 0; k < a->count && status == SPD_OK; k++)
        order[k] = &a->all[k];
    if (status == SPD_OK)
        qsort(order, a->count, sizeof *order, better_first);
    for (size_t k = 0; k < a->count && status == SPD_OK; k++) {
        rows[k] = order[k]->row;
        rows[k].method.fit = NULL;
        l->candidate[k] = &rows[k];
        if (order[k] == &a->all[a->chosen])
            l->chosen = k;
    }
    l->candidates = status == SPD_OK ? a->count : 0;
    arena_free(&room);
    return status;
}

spd_status league_make(const portfolio *a, spd_league **league)
{
    judged j;
    double optimism = 0.0;
    own_league *own = mem_zero(1, sizeof *own);
    if (!own)
        return ctx_nomem(a->ctx, "the league");
    spd_league *l = &own->league;
    l->folds = (int)a->folds;
    l->tested = a->tested;
    l->seed = a->tuning.seed;
    spd_status status = fill_table(a, &own->room, l);
    spd_status open = open_judged(a, &j);
    status = status < 0 ? status : open;
    if (status == SPD_OK)
        status = find_optimism(&j, &optimism);
    if (status == SPD_OK) {
        l->accuracy = fmax(0.0, l->candidate[l->chosen]->accuracy - optimism);
        set_interval(&j, l);
        *league = l;
    }
    arena_free(&j.room);
    if (status < 0)
        spd_league_free(l);
    return status;
}

void spd_league_free(spd_league *league)
{
    if (!league)
        return;
    arena room = ((own_league *)league)->room;
    arena_free(&room);
    mem_free(league);
}
