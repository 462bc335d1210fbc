/* auto.c - `auto`: the method too by cross-validation, from a portfolio.
 *
 * All contenders are judged on the same folds, by maps and classifiers that have not seen the fold:
 * first those without a map, then those behind several learned maps, then those behind one. The best
 * so far is the rival of those that follow, which leave when they are clearly behind (race.h). The
 * usual one is krr-stein-bag, the best or near it on most sets, and which has few values to choose:
 * of few samples the best of all candidates is one that was lucky, and so another must beat the
 * usual one by more than one standard error of the difference, between groups where there are
 * groups. If that has left, what has a map must beat so what has none. Those ahead of it that one
 * standard error does not part from the best are judged again with it on other deals of folds
 * (again.c), and the best of them in all deals is the one that must beat it; of equals the earlier.
 *
 * -bag is judged by the maps of -multi, one of each size from what the fold leaves: the five whose
 * mean is trained at the end have all seen the fold, or would have to be learned five times as
 * often. What it gains by them is not counted, but in an exhaustive search, which does learn them.
 *
 * Once one is right about all samples, those that follow are not begun, since none can beat it; but
 * for the usual one, which it would have to beat.
 *
 * The time may be limited. What is running when it is over is given up, and what follows is not
 * begun; the first contender runs in any case. */
#include "evaluate/auto.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/relay.h"
#include "base/sized.h"
#include "classify/samples.h"
#include "evaluate/folds.h"
#include "evaluate/method.h"
#include "evaluate/race.h"
#include "ops/fault.h"

#define TOGETHER 5 /* most methods behind one map */
#define LOTS     (sizeof lots / sizeof *lots)
#define USUAL    "krr-stein-bag"
#define TASK     "choosing a method"
#define UNIT     "candidates"
#define AGAIN    2.0 /* candidates: about what judging again costs */

/* What is tuned together: methods that share the map. */
static const struct {
    const char *name[TOGETHER];
    int mapped;
} lots[] = {
    {{"nn-stein"}, 0},
    {{"ts-lda"}, 0},
    {{"krr-tangent"}, 0},
    {{"krr-stein"}, 0},
    {{"krr-both"}, 0},
    {{"cdl"}, 0},
    {{"ts-lr"}, 0},
    {{"ksvm-stein"}, 0},
    {{"rsr"}, 0},
    {{"krr-stein-bag", "ksvm-stein-bag"}, 1},
    {{"nn-stein-ml", "krr-stein-ml", "krr-both-ml", "ksvm-stein-ml", "rsr-ml"}, 1},
};

/* A lot while it runs. */
typedef struct run {
    portfolio *a;
    tuner t;
    contender *first; /* and those after it, t.shared.methods */
    double began;     /* by the clock */
} run;

typedef struct choosing {
    portfolio a;
    run lot[LOTS];
    const char *rival; /* p: hits of the best so far, or NULL */
    int64_t rival_right;
    const double *D; /* of the graphs, once they are known */
    size_t done;     /* contenders */
    size_t now;      /* how many are running */
    double ends;     /* by the clock, or infinity */
    int late;
    spd_progress_fn tell; /* the caller's, or NULL */
    void *user;
    spd_progress told;
} choosing;

/* ---- progress and time ----------------------------------------------------------------------- */

static int watch(void *user, const spd_progress *inner)
{
    choosing *c = user;
    double all = (double)c->a.count, begun = isnan(c->a.again) ? 0.0 : c->a.again;
    if (strcmp(inner->task, "tuning") == 0)
        c->a.share = relay_share(inner);
    double done = isnan(c->a.again) ? (double)c->done + c->a.share * (double)c->now
                                    : all + AGAIN * (begun + c->a.share * c->a.step);
    spd_progress whole = {TASK, UNIT, done * all / (all + AGAIN), all};
    c->late |= c->done > 0 && clock_seconds() > c->ends;
    c->told = whole;
    return c->late || (c->tell && whole.done < all ? c->tell(c->user, &whole) : 0);
}

static void begin_watching(choosing *c)
{
    spd_context *ctx = c->a.ctx;
    double limit = c->a.tuning.seconds;
    c->ends = limit > 0.0 ? clock_seconds() + limit : INFINITY;
    if (!ctx)
        return;
    c->tell = ctx->progress;
    c->user = ctx->user;
    spd_context_set_progress(ctx, watch, c);
}

static void end_watching(choosing *c)
{
    if (!c->a.ctx)
        return;
    spd_context_set_progress(c->a.ctx, c->tell, c->user);
    if (c->told.task)
        c->a.ctx->reported = c->told;
}

/* ---- one lot --------------------------------------------------------------------------------- */

/* Has the method any setting judged in all folds? Fills row, best and hit. */
static void judge(const choosing *c, contender *one, int64_t *sum, size_t *gone)
{
    const trial_shared *h = &one->t->shared;
    const settings *s = &h->settings[one->at];
    size_t folds = h->folds, most = 0, p = h->train->p;
    for (size_t map = 0; map < s->maps; map++) {
        size_t out = h->out[one->at][map];
        size_t ran = out && out < folds ? out : folds;
        gone[map] = ran < folds;
        most = ran > most ? ran : most;
    }
    race_sums(h, one->at, folds, sum);
    one->best = settings_best(s, sum, gone, 0, settings_count(s));
    size_t shown =
        one->best != SIZE_MAX ? one->best : settings_best(s, sum, NULL, 0, settings_count(s));
    one->row.settings = settings_count(s);
    one->row.folds = shown == SIZE_MAX ? 0 : (int)most;
    if (shown == SIZE_MAX)
        return;
    settings_use(s, shown, &one->row.method);
    one->hit = h->hit[one->at] + shown * p;
    double right = (double)sum[shown], here = 0.0, rivals = 0.0;
    for (size_t i = 0; one->best == SIZE_MAX && i < p; i++) {
        here += h->fold[i] < most && one->hit[i];
        rivals += h->fold[i] < most && c->rival && c->rival[i];
    }
    if (one->best == SIZE_MAX) /* as far behind the rival as it was */
        right = rivals > 0.0 ? here / rivals * (double)c->rival_right : 0.0;
    one->row.accuracy = right / (double)c->a.tested;
}

static spd_status conclude(choosing *c, run *r)
{
    arena room = {0};
    size_t most = 0, maps = r->t.settings[0].maps;
    for (size_t k = 0; k < r->t.shared.methods; k++)
        most = settings_count(&r->t.settings[k]) > most ? settings_count(&r->t.settings[k]) : most;
    int64_t *sum = arena_alloc(&room, most, sizeof *sum);
    size_t *gone = arena_alloc(&room, maps, sizeof *gone);
    spd_status status = arena_status(&room, c->a.ctx, "cross-validation");
    for (size_t k = 0; k < r->t.shared.methods && status == SPD_OK; k++)
        judge(c, &r->first[k], sum, gone);
    for (size_t e = 0; e < r->t.shared.folds * maps && status == SPD_OK; e++) {
        c->a.spent.fits += r->t.shared.effort[e].fits;
        c->a.spent.iterations += r->t.shared.effort[e].iterations;
    }
    arena_free(&room);
    return status;
}

/* The best of this lot may be the rival of the next ones. */
static void find_rival(choosing *c, const run *r)
{
    for (size_t k = 0; k < r->t.shared.methods; k++) {
        const contender *one = &r->first[k];
        int64_t right = 0;
        for (size_t i = 0; one->best != SIZE_MAX && i < c->a.train->p; i++)
            right += one->hit[i];
        if (one->best == SIZE_MAX || (c->rival && right <= c->rival_right))
            continue;
        c->rival = one->hit;
        c->rival_right = right;
    }
}

/* Why a lot did not run, or what of it failed. */
static void note_failure(const choosing *c, run *r, size_t count)
{
    const spd_error *error = spd_context_error(c->a.ctx);
    for (size_t k = 0; k < count; k++)
        if (r->first[k].row.folds == 0)
            snprintf(r->first[k].row.message, sizeof r->first->row.message, "%.*s",
                     (int)sizeof r->first->row.message - 1, error->message);
    ctx_clear(c->a.ctx);
}

/* Of contenders that the time did not suffice for. */
static void note_late(const choosing *c, const run *r, size_t count)
{
    double took = clock_seconds() - r->began;
    for (size_t k = 0; k < count; k++) {
        r->first[k].row.late = 1;
        r->first[k].row.left = c->a.share > 0.01 && r->t.shared.methods > 0
                                   ? took * (1.0 - c->a.share) / c->a.share
                                   : (double)NAN;
    }
    ctx_clear(c->a.ctx);
}

static spd_status open_lot(choosing *c, run *r, size_t count)
{
    const portfolio *a = &c->a;
    spd_status status = tuner_open(&r->t, a->ctx, a->train, count, a->tuning.exhaustive);
    for (size_t k = 0; k < count && status == SPD_OK; k++) {
        r->t.method[k] = r->first[k].row.method;
        r->first[k].t = &r->t;
        r->first[k].at = k;
        status = classifier_ask(a->ctx, classifier_of(r->t.method[k].classifier), a->train->p);
    }
    r->t.fold = a->fold;
    r->t.mapped = r->first->mapped;
    r->t.shared.fold = a->fold;
    r->t.shared.folds = a->folds;
    r->t.shared.rival = a->tuning.exhaustive ? NULL : c->rival;
    r->t.shared.D = c->D;
    return status == SPD_OK ? tuner_plan(&r->t, NULL) : status;
}

/* Is one right about all samples, and the usual one not among these? */
static int is_needless(const choosing *c, const run *r, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (strcmp(r->first[k].row.name, USUAL) == 0)
            return 0;
    return !c->a.tuning.exhaustive && c->rival_right == (int64_t)c->a.tested;
}

/* Fails only if the whole does. */
static spd_status run_lot(choosing *c, run *r, size_t count)
{
    r->began = clock_seconds();
    c->a.share = 0.0;
    c->now = count;
    if (c->done > 0 && r->began > c->ends)
        c->late = 1;
    if (c->late) {
        note_late(c, r, count);
        return SPD_OK;
    }
    if (is_needless(c, r, count))
        return SPD_OK;
    spd_status status = open_lot(c, r, count);
    int fits = status == SPD_OK && (!r->t.mapped || r->t.settings[0].fitted > 0);
    if (fits)
        status = tuner_search(&r->t);
    if (c->late && status == SPD_ECANCELLED) {
        note_late(c, r, count);
        return SPD_OK;
    }
    int judged = fits && status == SPD_OK;
    if (status == SPD_ECANCELLED || status == SPD_EDEVICE)
        return status;
    if (judged && r->t.shared.D)
        c->D = r->t.shared.D;
    if (judged)
        status = conclude(c, r);
    note_failure(c, r, count);
    double took = clock_seconds() - r->began;
    for (size_t k = 0; k < count; k++)
        r->first[k].row.seconds = took / (double)count;
    if (judged && status == SPD_OK)
        find_rival(c, r);
    return SPD_OK;
}

static spd_status run_all(choosing *c)
{
    spd_status status = SPD_OK;
    contender *next = c->a.all;
    for (size_t k = 0; k < LOTS && status == SPD_OK; k++) {
        size_t count = 0;
        while (count < TOGETHER && lots[k].name[count])
            count++;
        c->lot[k].a = &c->a;
        c->lot[k].first = next;
        status = run_lot(c, &c->lot[k], count);
        c->done += count;
        next += count;
    }
    return status;
}

/* ---- the choice ------------------------------------------------------------------------------ */

/* The best, with a map or without, the first of equals; SIZE_MAX if none was judged on all folds. */
static size_t best_of(const portfolio *a, int with_map)
{
    size_t best = SIZE_MAX;
    for (size_t k = 0; k < a->count; k++)
        if (a->all[k].best != SIZE_MAX && (with_map || !a->all[k].mapped) &&
            (best == SIZE_MAX || auto_right(a, &a->all[k]) > auto_right(a, &a->all[best])))
            best = k;
    return best;
}

/* The one that others must beat: the usual one, or if that has left the best without a map. SIZE_MAX
 * if none was judged on all folds. */
static size_t to_beat(const portfolio *a)
{
    size_t k = 0, plain = best_of(a, 0);
    while (strcmp(a->all[k].row.name, USUAL) != 0)
        k++;
    if (a->all[k].best != SIZE_MAX)
        return k;
    return plain != SIZE_MAX ? plain : best_of(a, 1);
}

/* Is the first right more often than the second by over one standard error of the difference? Both
 * (p): how often each sample was right, as often judged. With groups it is that of as many sums as
 * there are groups, whose samples are alike. */
static int beats(const portfolio *a, const contender *one, const char *first, const char *second)
{
    const classes *g = &a->groups;
    double sum = 0.0, squares = 0.0;
    if (!a->tuning.group)
        return tuner_beats(one->t, first, second);
    for (size_t k = 0; k < g->count; k++) {
        double gap = 0.0;
        for (size_t e = g->first[k]; e < g->first[k + 1]; e++)
            gap += first[g->order[e]] - second[g->order[e]];
        sum += gap;
        squares += gap * gap;
    }
    return sum > sqrt(squares);
}

/* Those with more right than the one to beat, but for what is clearly behind the best; and itself. */
static void find_leaders(portfolio *a, size_t own)
{
    const char *best = a->all[best_of(a, 1)].hit;
    size_t right = auto_right(a, &a->all[own]);
    for (size_t k = 0; k < a->count; k++) {
        contender *one = &a->all[k];
        one->leads = k == own || (one->best != SIZE_MAX && auto_right(a, one) > right &&
                                  !beats(a, one, best, one->hit));
    }
}

/* The best of the leaders, if it beats the one to beat. */
static size_t find_chosen(const portfolio *a, size_t own)
{
    size_t best = own;
    for (size_t k = 0; k < a->count; k++)
        if (a->all[k].leads && auto_right(a, &a->all[k]) > auto_right(a, &a->all[best]))
            best = k;
    const contender *one = &a->all[best];
    return beats(a, one, auto_times(one), auto_times(&a->all[own])) ? best : own;
}

static spd_status choose(choosing *c)
{
    portfolio *a = &c->a;
    size_t own = to_beat(a), plain = best_of(a, 0);
    if (own == SIZE_MAX)
        return ctx_fail(a->ctx, SPD_EINVAL, "auto: no method works: %s", a->all[0].row.message);
    find_leaders(a, own);
    spd_status status = c->late ? SPD_OK : auto_judge_again(a);
    if (status < 0 && !(c->late && status == SPD_ECANCELLED))
        return status;
    ctx_clear(a->ctx);
    a->accuracy_no_map = plain == SIZE_MAX ? (double)NAN : a->all[plain].row.accuracy;
    a->chosen = find_chosen(a, own);
    return SPD_OK;
}

/* ---- samples and folds ----------------------------------------------------------------------- */

/* Folds that keep groups together need classes in several of them: seen (classes, zero) <- group +
 * 1 of a class, -1 for several. */
static spd_status check_groups(const portfolio *a, int *seen)
{
    const samples *train = a->train;
    const int *group = a->tuning.group;
    size_t alone = 0, first = 0;
    for (size_t i = 0; i < train->p; i++) {
        int *at = &seen[train->label[i]];
        *at = *at == 0 || *at == group[i] + 1 ? group[i] + 1 : -1;
    }
    for (size_t i = train->p; i-- > 0;)
        if (seen[train->label[i]] > 0) {
            alone++;
            first = i;
        }
    if (2 * alone <= train->p)
        return SPD_OK;
    return ctx_fail_at(a->ctx, SPD_EINVAL, first, 0.0,
                       "%zu of %zu samples, the first is number %zu, are of classes that occur in "
                       "one group only, so no fold trains them; use other groups, or none",
                       alone, train->p, first);
}

static spd_status deal(choosing *c)
{
    portfolio *a = &c->a;
    tuner t;
    spd_status status = tuner_open(&t, a->ctx, a->train, 1, 0);
    int *seen = arena_zero(&t.room, a->train->classes, sizeof *seen);
    if (status == SPD_OK)
        status = arena_status(&t.room, a->ctx, "folds");
    if (status == SPD_OK && a->tuning.group)
        status = check_groups(a, seen);
    if (status == SPD_OK && a->tuning.group)
        status = classes_sort(a->ctx, a->train->p, a->tuning.group, &a->room, &a->groups);
    if (status == SPD_OK)
        status = tuner_deal(&t, &a->tuning);
    if (status == SPD_OK) {
        memcpy(a->fold, t.fold, a->train->p * sizeof *a->fold);
        a->folds = t.shared.folds;
        a->tested = tuner_tested(&t);
    }
    tuner_close(&t);
    return status;
}

static spd_status list_contenders(choosing *c, const spd_fit_options *fit)
{
    portfolio *a = &c->a;
    for (size_t k = 0; k < LOTS; k++)
        for (size_t i = 0; i < TOGETHER && lots[k].name[i]; i++)
            a->count++;
    a->all = arena_zero(&a->room, a->count, sizeof *a->all);
    a->fold = arena_alloc(&a->room, a->train->p, sizeof *a->fold);
    spd_status status = arena_status(&a->room, a->ctx, "candidates");
    contender *next = a->all;
    for (size_t k = 0; k < LOTS && status == SPD_OK; k++)
        for (size_t i = 0; i < TOGETHER && lots[k].name[i] && status == SPD_OK; i++, next++) {
            *next = (contender){.mapped = lots[k].mapped, .best = SIZE_MAX};
            next->row.accuracy = next->row.left = (double)NAN;
            spd_method parsed = SPD_STRUCT(spd_method);
            status = spd_method_parse(a->ctx, lots[k].name[i], &parsed);
            parsed.fit = fit;
            if (status == SPD_OK)
                status = method_take(a->ctx, &parsed, &next->row.method);
            spd_method_name(&parsed, next->row.name);
        }
    return status;
}

static void tell(const choosing *c, double seconds, spd_tune_info *tuned)
{
    const portfolio *a = &c->a;
    *tuned = (spd_tune_info){.size = sizeof *tuned,
                             .folds = (int)a->folds,
                             .accuracy = a->all[a->chosen].row.accuracy,
                             .seconds = seconds,
                             .accuracy_no_map = a->accuracy_no_map,
                             .fits = a->spent.fits,
                             .iterations = a->spent.iterations};
    for (size_t k = 0; k < a->count; k++)
        tuned->settings += a->all[k].row.settings;
}

static spd_status choose_watched(choosing *c, const spd_fit_options *fit)
{
    spd_status status = list_contenders(c, fit);
    if (status == SPD_OK)
        status = deal(c);
    if (status < 0)
        return status;
    begin_watching(c);
    status = fault_unnamed(c->a.ctx, run_all(c));
    if (status == SPD_OK)
        status = fault_unnamed(c->a.ctx, choose(c));
    end_watching(c);
    if (status == SPD_OK)
        ctx_finish(c->a.ctx, TASK, (double)c->a.count);
    return status;
}

spd_status auto_choose(spd_context *ctx, spd_method *method, const samples *train,
                       const spd_tune_options *tuning, spd_tune_info *tuned, spd_league **league)
{
    double began = clock_seconds();
    choosing c = {
        .a = {.ctx = ctx, .train = train, .tuning = *tuning, .deals = 1, .again = (double)NAN}};
    spd_method chosen;
    if (tuning->seconds > 0.0 && ranks_of(ctx))
        return ctx_fail(ctx, SPD_EINVAL,
                        "the time cannot be limited on several processes, which "
                        "would have to agree on it");
    spd_status status = choose_watched(&c, method->fit);
    if (status == SPD_OK && league)
        status = league_make(&c.a, league);
    if (status == SPD_OK) {
        chosen = c.a.all[c.a.chosen].row.method;
        if (tuned)
            tell(&c, clock_seconds() - began, tuned);
        if (league)
            (*league)->seconds = clock_seconds() - began;
        *method = chosen;
        ctx_clear(ctx);
    }
    for (size_t k = 0; k < LOTS; k++)
        tuner_close(&c.lot[k].t);
    arena_free(&c.a.room);
    return status;
}
