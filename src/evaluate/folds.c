/* folds.c - dealing samples out to folds. */
#include "evaluate/folds.h"

#include <stdlib.h>

#include "base/rng.h"

spd_status folds_limit(spd_context *ctx, const classes *c, size_t *folds)
{
    for (size_t k = 0; k < c->count; k++) {
        size_t size = class_size(c, k);
        if (size >= 2 && size < *folds)
            *folds = size;
    }
    if (c->count < 2 || c->largest < 2)
        return ctx_fail(
            ctx, SPD_EINVAL,
            "too few samples for cross-validation (%zu class%s, the largest of %zu): two classes "
            "are needed, and two samples of one",
            c->count, c->count == 1 ? "" : "es", c->largest);
    return SPD_OK;
}

void folds_deal(size_t p, classes *c, size_t folds, uint64_t seed, size_t *fold)
{
    rng r;
    size_t next = 0;
    rng_seed(&r, seed);
    for (size_t i = 0; i < p; i++)
        fold[i] = FOLD_NEVER;
    for (size_t k = 0; k < c->count; k++) {
        size_t *member = c->order + c->first[k], size = class_size(c, k);
        for (size_t left = size; left > 0 && size >= 2; left--) {
            size_t pick = rng_below(&r, left), sample = member[pick];
            member[pick] = member[left - 1];
            fold[sample] = next++ % folds;
        }
    }
}

/* ---- groups ---------------------------------------------------------------------------------- */

typedef struct lot {
    size_t which; /* group */
    size_t size;
    uint64_t draw; /* decides between groups of one size */
} lot;

static int largest_first(const void *a, const void *b)
{
    const lot *x = a, *y = b;
    if (x->size != y->size)
        return x->size > y->size ? -1 : 1;
    return (x->draw > y->draw) - (x->draw < y->draw);
}

typedef struct dealer {
    const classes *groups;
    const int *label;
    size_t classes; /* class numbers are below */
    size_t folds;
    size_t *count; /* folds x classes */
    size_t *own;   /* classes: of the group at hand */
    size_t *total; /* folds */
} dealer;

/* By how much the sum of squared counts of a fold grows with the group at hand: it has own[c]
 * samples of class c, each of which stands for its share of 2 count own + own^2. */
static size_t growth(const dealer *d, size_t fold, size_t which)
{
    size_t sum = 0;
    for (size_t e = d->groups->first[which]; e < d->groups->first[which + 1]; e++) {
        size_t c = (size_t)d->label[d->groups->order[e]];
        sum += 2 * d->count[fold * d->classes + c] + d->own[c];
    }
    return sum;
}

static size_t best_fold(const dealer *d, size_t which)
{
    size_t best = 0, least = SIZE_MAX;
    for (size_t f = 0; f < d->folds; f++) {
        size_t g = growth(d, f, which);
        if (g < least || (g == least && d->total[f] < d->total[best])) {
            least = g;
            best = f;
        }
    }
    return best;
}

/* An empty fold comes first: every fold gets a group. */
static size_t empty_fold(const dealer *d, size_t groups_left)
{
    size_t empty = 0, first = SIZE_MAX;
    for (size_t f = 0; f < d->folds; f++)
        if (d->total[f] == 0) {
            empty++;
            first = first == SIZE_MAX ? f : first;
        }
    return empty >= groups_left ? first : SIZE_MAX;
}

static void deal_group(dealer *d, size_t which, size_t groups_left, size_t *fold)
{
    const classes *g = d->groups;
    for (size_t e = g->first[which]; e < g->first[which + 1]; e++)
        d->own[d->label[g->order[e]]]++;
    size_t to = empty_fold(d, groups_left);
    if (to == SIZE_MAX)
        to = best_fold(d, which);
    for (size_t e = g->first[which]; e < g->first[which + 1]; e++) {
        size_t c = (size_t)d->label[g->order[e]];
        d->count[to * d->classes + c]++;
        d->own[c] = 0;
        fold[g->order[e]] = to;
    }
    d->total[to] += class_size(g, which);
}

static size_t highest(size_t p, const int *label)
{
    int top = 0;
    for (size_t i = 0; i < p; i++)
        top = label[i] > top ? label[i] : top;
    return (size_t)top + 1;
}

static spd_status deal_lots(spd_context *ctx, dealer *d, uint64_t seed, arena *room, size_t *fold)
{
    rng r;
    size_t groups = d->groups->count;
    lot *lots = arena_alloc(room, groups, sizeof *lots);
    d->count = arena_zero(room, d->folds, d->classes * sizeof *d->count);
    d->own = arena_zero(room, d->classes, sizeof *d->own);
    d->total = arena_zero(room, d->folds, sizeof *d->total);
    if (room->failed)
        return ctx_nomem(ctx, "folds");
    rng_seed(&r, seed);
    for (size_t g = 0; g < groups; g++)
        lots[g] = (lot){g, class_size(d->groups, g), rng_next(&r)};
    qsort(lots, groups, sizeof *lots, largest_first);
    for (size_t g = 0; g < groups; g++)
        deal_group(d, lots[g].which, groups - g, fold);
    return SPD_OK;
}

spd_status folds_deal_groups(spd_context *ctx, size_t p, const int *label, const int *group,
                             uint64_t seed, size_t *folds, size_t *fold)
{
    arena room = {0};
    classes groups = {0};
    spd_status status = classes_sort(ctx, p, group, &room, &groups);
    if (status == SPD_OK && groups.count < 2)
        status = ctx_fail(ctx, SPD_EINVAL,
                          "all samples are of one group: cross-validation by groups needs two");
    if (status == SPD_OK && groups.labelled < p)
        status = ctx_fail(ctx, SPD_EINVAL, "%zu samples are in no group", p - groups.labelled);
    if (status == SPD_OK) {
        *folds = groups.count < *folds ? groups.count : *folds;
        dealer d = {
            .groups = &groups, .label = label, .classes = highest(p, label), .folds = *folds};
        status = deal_lots(ctx, &d, seed, &room, fold);
    }
    arena_free(&room);
    return status;
}
