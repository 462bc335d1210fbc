/* rounds.c - training and test samples of each round under the four protocols. */
#include <math.h>
#include <string.h>

#include "base/classes.h"
#include "base/rng.h"
#include "evaluate/evaluation.h"
#include "evaluate/folds.h"

/* ---- random splits -------------------------------------------------------------------------- */

/* How many of a class of that size train: at least one, never all. */
static size_t training_share(size_t size, double fraction, size_t per_class)
{
    size_t share = per_class ? per_class : (size_t)floor(fraction * (double)size + 0.5);
    share = share < 1 ? 1 : share;
    return share < size ? share : size - 1;
}

static spd_status check_split(spd_context *ctx, const classes *c, size_t p, double fraction,
                              size_t per_class)
{
    if (per_class == 0 && !(fraction > 0.0 && fraction < 1.0))
        return ctx_fail(ctx, SPD_EINVAL, "a split needs a fraction between 0 and 1, not %g",
                        fraction);
    if (c->labelled < p)
        return ctx_fail(ctx, SPD_EINVAL, "%zu samples have no label, but a split is made by class",
                        p - c->labelled);
    if (c->largest < 2)
        return ctx_fail(ctx, SPD_EINVAL,
                        "each class has one sample only: there is nothing left to test");
    if (per_class && per_class >= c->largest)
        return ctx_fail(ctx, SPD_EINVAL,
                        "%zu training samples per class leave nothing to test: the largest class "
                        "has %zu",
                        per_class, c->largest);
    return SPD_OK;
}

static void draw(classes *c, double fraction, size_t per_class, rng *r, char *train)
{
    for (size_t k = 0; k < c->count; k++) {
        size_t *member = c->order + c->first[k], size = class_size(c, k);
        size_t share = size < 2 ? size : training_share(size, fraction, per_class);
        for (size_t e = 0; e < share; e++) {
            size_t pick = e + rng_below(r, size - e), sample = member[pick];
            member[pick] = member[e];
            member[e] = sample;
            train[sample] = 1;
        }
    }
}

spd_status spd_split(spd_context *ctx, size_t p, const int *label, double fraction,
                     size_t per_class, uint64_t seed, size_t repeat, char *train)
{
    ctx_clear(ctx);
    arena room = {0};
    classes c = {0};
    rng r;
    if (p == 0 || !label || !train)
        return ctx_fail(ctx, SPD_EINVAL, "there are no labels to split by");
    spd_status status = classes_sort(ctx, p, label, &room, &c);
    if (status == SPD_OK)
        status = check_split(ctx, &c, p, fraction, per_class);
    if (status == SPD_OK) {
        rng_seed(&r, seed + ((uint64_t)repeat << 32));
        memset(train, 0, p);
        draw(&c, fraction, per_class, &r, train);
    }
    arena_free(&room);
    return status;
}

/* ---- rounds --------------------------------------------------------------------------------- */

/* Adds a round; flag (p): 0 out of it, 1 trains, 2 is tested. */
static spd_status add_round(spd_context *ctx, size_t p, const char *flag, int group, arena *keep,
                            spd_evaluation *e)
{
    size_t trains = 0, *sample = arena_alloc(keep, p, sizeof *sample);
    spd_round *r = arena_zero(keep, 1, sizeof *r);
    if (!r || !sample)
        return ctx_nomem(ctx, "rounds");
    for (size_t i = 0; i < p; i++)
        trains += flag[i] == 1;
    *r = (spd_round){.group = group, .train = sample, .test = sample + trains};
    for (size_t i = 0; i < p; i++)
        if (flag[i] == 1)
            r->train[r->train_count++] = i;
        else if (flag[i] == 2)
            r->test[r->test_count++] = i;
    e->round[e->rounds++] = r;
    return SPD_OK;
}

static spd_status make_room(spd_context *ctx, size_t rounds, arena *keep, spd_evaluation *e)
{
    e->round = arena_zero(keep, rounds, sizeof *e->round);
    return e->round ? SPD_OK : ctx_nomem(ctx, "rounds");
}

/* ---- the protocols --------------------------------------------------------------------------- */

static spd_status by_splits(spd_context *ctx, const samples *all, const spd_evaluate_options *o,
                            char *flag, arena *keep, spd_evaluation *e)
{
    if (o->repeats == 0)
        return ctx_fail(ctx, SPD_EINVAL, "0 random splits: at least one is needed");
    spd_status status = make_room(ctx, o->repeats, keep, e);
    for (size_t r = 0; r < o->repeats && status == SPD_OK; r++) {
        status = spd_split(ctx, all->p, all->label, o->fraction, o->per_class, o->seed, r, flag);
        for (size_t i = 0; i < all->p && status == SPD_OK; i++)
            flag[i] = flag[i] ? 1 : 2;
        if (status == SPD_OK)
            status = add_round(ctx, all->p, flag, -1, keep, e);
    }
    e->repeats_samples = o->repeats > 1;
    return status;
}

/* flag (p) <- who trains and who is tested, as the caller says; NULL is the complement. */
static spd_status name_round(spd_context *ctx, size_t p, const char *train, const char *test,
                             char *flag)
{
    size_t both = 0, first = 0, trains = 0, tests = 0;
    for (size_t i = p; i-- > 0;) {
        int learns = train ? train[i] : !test[i], tested = test ? test[i] : !train[i];
        flag[i] = learns ? 1 : tested ? 2 : 0;
        trains += learns != 0;
        tests += tested != 0;
        both += learns && tested;
        first = learns && tested ? i : first;
    }
    if (both)
        return ctx_fail(ctx, SPD_EINVAL,
                        "%zu samples train and are tested, the first is number %zu: no sample may "
                        "do both",
                        both, first);
    if (trains == 0 || tests == 0)
        return ctx_fail(ctx, SPD_EINVAL, "all samples %s",
                        trains ? "train: nothing is left to test"
                               : "are tested: nothing is left to train with");
    return SPD_OK;
}

static spd_status by_names(spd_context *ctx, const samples *all, const spd_evaluate_options *o,
                           char *flag, arena *keep, spd_evaluation *e)
{
    if (!o->train && !o->test)
        return ctx_fail(ctx, SPD_EINVAL, "no samples are named that train or are tested");
    arena room = {0};
    size_t p = all->p, rounds = o->rounds ? o->rounds : 1;
    char *tested = arena_zero(&room, p, 1);
    spd_status status = tested ? make_room(ctx, rounds, keep, e) : ctx_nomem(ctx, "rounds");
    for (size_t r = 0; r < rounds && status == SPD_OK; r++) {
        status = name_round(ctx, p, o->train ? o->train + r * p : NULL,
                            o->test ? o->test + r * p : NULL, flag);
        for (size_t i = 0; i < p && status == SPD_OK; i++) {
            e->repeats_samples |= flag[i] == 2 && tested[i];
            tested[i] |= flag[i] == 2;
        }
        if (status == SPD_OK)
            status = add_round(ctx, p, flag, -1, keep, e);
    }
    arena_free(&room);
    return status;
}

/* flag of the samples of a group <- tested, but the first of them, as options.calibration has it. */
static void leave_out(const classes *groups, size_t g, const spd_evaluate_options *o, char *flag)
{
    const size_t *member = groups->order + groups->first[g], size = class_size(groups, g);
    size_t own = (size_t)floor(o->calibration * (double)size + 0.5);
    if (o->calibration > 0.0)
        own = own < 1 ? 1 : own;
    own = own < size ? own : size - 1;
    for (size_t e = 0; e < size; e++)
        flag[member[e]] = (char)(e >= own ? 2 : 1);
}

static spd_status by_groups(spd_context *ctx, const samples *all, const spd_evaluate_options *o,
                            char *flag, arena *keep, spd_evaluation *e)
{
    arena room = {0};
    classes groups = {0};
    if (!o->group)
        return ctx_fail(ctx, SPD_EINVAL, "no groups given to leave out");
    spd_status status = classes_sort(ctx, all->p, o->group, &room, &groups);
    if (status == SPD_OK && groups.labelled < all->p)
        status = ctx_fail(ctx, SPD_EINVAL, "%zu samples are in no group", all->p - groups.labelled);
    if (status == SPD_OK && groups.count < 2)
        status = ctx_fail(ctx, SPD_EINVAL, "all samples are of one group; two are needed");
    if (status == SPD_OK)
        status = make_room(ctx, groups.count, keep, e);
    for (size_t g = 0; g < groups.count && status == SPD_OK; g++) {
        memset(flag, 1, all->p);
        leave_out(&groups, g, o, flag);
        status = add_round(ctx, all->p, flag, class_label(&groups, g), keep, e);
    }
    arena_free(&room);
    return status;
}

/* fold (p) <- samples dealt out by class, or in whole groups. SPD_EINVAL where a fold would be
 * empty. */
static spd_status deal(spd_context *ctx, const samples *all, const spd_evaluate_options *o,
                       size_t repeat, size_t *fold)
{
    arena room = {0};
    classes c = {0};
    size_t folds = (size_t)o->outer_folds, can = 0;
    uint64_t seed = o->seed + ((uint64_t)repeat << 32);
    spd_status status = classes_sort(ctx, all->p, all->label, &room, &c);
    for (size_t k = 0; k < c.count; k++)
        can += class_size(&c, k) > 1 ? class_size(&c, k) : 0;
    if (status == SPD_OK && o->group)
        status = folds_deal_groups(ctx, all->p, all->label, o->group, seed, &folds, fold);
    else if (status == SPD_OK && can >= folds)
        folds_deal(all->p, &c, folds, seed, fold);
    if (status == SPD_OK && (o->group ? folds < (size_t)o->outer_folds : can < folds))
        status = ctx_fail(ctx, SPD_EINVAL, "%d folds cannot be filled: there are %zu %s",
                          o->outer_folds, o->group ? folds : can,
                          o->group ? "groups" : "samples of classes with two or more");
    arena_free(&room);
    return status;
}

static spd_status by_folds(spd_context *ctx, const samples *all, const spd_evaluate_options *o,
                           char *flag, arena *keep, spd_evaluation *e)
{
    arena room = {0};
    size_t folds = o->outer_folds < 0 ? 0 : (size_t)o->outer_folds;
    if (folds < 2 || o->repeats == 0)
        return ctx_fail(ctx, SPD_EINVAL, "%d folds, dealt %zu times: two and one are needed",
                        o->outer_folds, o->repeats);
    if (folds > all->p || o->repeats > SIZE_MAX / folds)
        return ctx_fail(ctx, SPD_EINVAL, "%zu folds for %zu samples", folds, all->p);
    size_t *fold = arena_alloc(&room, all->p, sizeof *fold);
    spd_status status = arena_status(&room, ctx, "folds");
    if (status == SPD_OK)
        status = make_room(ctx, folds * o->repeats, keep, e);
    for (size_t r = 0; r < folds * o->repeats && status == SPD_OK; r++) {
        if (r % folds == 0)
            status = deal(ctx, all, o, r / folds, fold);
        for (size_t i = 0; i < all->p && status == SPD_OK; i++)
            flag[i] = fold[i] == r % folds ? 2 : 1;
        if (status == SPD_OK)
            status = add_round(ctx, all->p, flag, -1, keep, e);
    }
    e->repeats_samples = o->repeats > 1;
    arena_free(&room);
    return status;
}

spd_status rounds_make(spd_context *ctx, const samples *all, const spd_evaluate_options *options,
                       arena *keep, spd_evaluation *e)
{
    arena room = {0};
    if (!(options->calibration >= 0.0 && options->calibration < 1.0))
        return ctx_fail(ctx, SPD_EINVAL, "calibration takes a share from 0 to below 1, not %g",
                        options->calibration);
    if (options->calibration > 0.0 && options->protocol != SPD_PROTOCOL_LEAVE_OUT)
        return ctx_fail(ctx, SPD_EINVAL,
                        "calibration takes a share of a group that is left out, but none is");
    char *flag = arena_alloc(&room, all->p, 1);
    if (!flag)
        return ctx_nomem(ctx, "rounds");
    spd_status status =
        options->protocol == SPD_PROTOCOL_SPLITS      ? by_splits(ctx, all, options, flag, keep, e)
        : options->protocol == SPD_PROTOCOL_GIVEN     ? by_names(ctx, all, options, flag, keep, e)
        : options->protocol == SPD_PROTOCOL_LEAVE_OUT ? by_groups(ctx, all, options, flag, keep, e)
        : options->protocol == SPD_PROTOCOL_FOLDS     ? by_folds(ctx, all, options, flag, keep, e)
                                                  : ctx_fail(ctx, SPD_EINVAL, "no such protocol");
    arena_free(&room);
    return status;
}

/* ---- folds ----------------------------------------------------------------------------------- */

/* seen (classes, zero) <- group + 1 of the training samples of a class, -1 for several groups. Do
 * most training samples find their class in several? */
static int groups_share_classes(const samples *all, const int *group, const spd_round *round,
                                int *seen)
{
    size_t shared = 0;
    for (size_t i = 0; i < round->train_count; i++) {
        int *at = &seen[all->label[round->train[i]]], here = group[round->train[i]] + 1;
        *at = *at == 0 || *at == here ? here : -1;
    }
    for (size_t i = 0; i < round->train_count; i++)
        shared += seen[all->label[round->train[i]]] < 0;
    return 2 * shared >= round->train_count;
}

spd_status rounds_fold_groups(spd_context *ctx, const samples *all,
                              const spd_evaluate_options *options, spd_evaluation *e,
                              const int **group)
{
    *group = options->fold_group;
    if (!*group &&
        (options->protocol == SPD_PROTOCOL_LEAVE_OUT || options->protocol == SPD_PROTOCOL_FOLDS))
        *group = options->group;
    if (options->fold_rule == SPD_FOLD_RULE_SINGLE)
        *group = NULL;
    if (*group && options->fold_rule == SPD_FOLD_RULE_IF_SHARED) {
        arena room = {0};
        int *seen = arena_zero(&room, all->classes, sizeof *seen);
        if (!seen)
            return ctx_nomem(ctx, "folds");
        if (!groups_share_classes(all, *group, e->round[0], seen))
            *group = NULL;
        arena_free(&room);
    }
    e->folds_grouped = *group != NULL;
    return SPD_OK;
}
