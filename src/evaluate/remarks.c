/* remarks.c - what accuracies under a protocol do not tell: classes that are never tested, or never
 * trained. */
#include "evaluate/evaluation.h"

#include "classify/samples.h"
#include "evaluate/alignment.h"

/* Room for all that there may be comes with the first. */
static spd_status add(spd_context *ctx, spd_remark remark, arena *keep, spd_evaluation *e)
{
    spd_remark *own = arena_alloc(keep, 1, sizeof *own);
    if (!e->remark)
        e->remark = arena_alloc(keep, 3 + e->rounds, sizeof *e->remark);
    if (!own || !e->remark)
        return ctx_nomem(ctx, "remarks");
    *own = remark;
    e->remark[e->remarks++] = own;
    return SPD_OK;
}

/* A class of one sample cannot train and be tested. size (classes), trains (p): zero. */
static spd_status remark_singles(spd_context *ctx, const samples *all, size_t *size, size_t *trains,
                                 arena *keep, spd_evaluation *e)
{
    spd_remark found = {.kind = SPD_REMARK_SINGLES};
    for (size_t i = 0; i < all->p; i++)
        size[all->label[i]]++;
    for (size_t r = 0; r < e->rounds; r++)
        for (size_t i = 0; i < e->round[r]->train_count; i++)
            trains[e->round[r]->train[i]]++;
    for (size_t i = all->p; i-- > 0;)
        if (size[all->label[i]] == 1 && trains[i] == e->rounds) {
            found.count++;
            found.label = all->label[i];
        }
    return found.count ? add(ctx, found, keep, e) : SPD_OK;
}

/* The only class that a round tests; -1 where there are several. */
static int only_class(const samples *all, const spd_round *round)
{
    int only = all->label[round->test[0]];
    for (size_t i = 1; i < round->test_count; i++)
        if (all->label[round->test[i]] != only)
            return -1;
    return only;
}

/* With one class in the test part, whoever always answers it is right. */
static spd_status remark_only_class(spd_context *ctx, const samples *all, arena *keep,
                                    spd_evaluation *e)
{
    spd_remark found = {.kind = SPD_REMARK_POOR_ROUNDS, .total = e->rounds};
    size_t same = 0;
    int first = only_class(all, e->round[0]);
    for (size_t r = e->rounds; r-- > 0;) {
        int only = only_class(all, e->round[r]);
        if (only < 0)
            continue;
        same += only == first;
        found.count++;
        found.round = r;
        found.label = only;
    }
    if (same == e->rounds)
        found.kind = SPD_REMARK_ONE_CLASS;
    return found.count ? add(ctx, found, keep, e) : SPD_OK;
}

/* PCA of features whose means are not known. */
static spd_status remark_pooled(spd_context *ctx, const samples *all, const spd_method *method,
                                arena *keep, spd_evaluation *e)
{
    const spd_remark found = {.kind = SPD_REMARK_POOLED};
    for (size_t m = 0; m < e->methods; m++)
        if (method[m].map == SPD_MAP_PCA &&
            (alignment_is_on(&method[m]) || !samples_have_means(all)))
            return add(ctx, found, keep, e);
    return SPD_OK;
}

spd_status remarks_on_protocol(spd_context *ctx, const samples *all, const spd_method *method,
                               arena *keep, spd_evaluation *e)
{
    arena room = {0};
    size_t *size = arena_zero(&room, all->classes, sizeof *size);
    size_t *trains = arena_zero(&room, all->p, sizeof *trains);
    spd_status status = arena_status(&room, ctx, "remarks");
    if (status == SPD_OK)
        status = remark_singles(ctx, all, size, trains, keep, e);
    if (status == SPD_OK)
        status = remark_only_class(ctx, all, keep, e);
    if (status == SPD_OK)
        status = remark_pooled(ctx, all, method, keep, e);
    arena_free(&room);
    return status;
}

spd_status remarks_on_round(spd_context *ctx, const samples *all, size_t round, arena *keep,
                            spd_evaluation *e)
{
    const spd_round *r = e->round[round];
    spd_remark found = {.kind = SPD_REMARK_UNSEEN, .round = round, .total = r->test_count};
    arena room = {0};
    char *known = arena_zero(&room, all->classes, 1);
    if (!known)
        return ctx_nomem(ctx, "remarks");
    for (size_t i = 0; i < r->train_count; i++)
        known[all->label[r->train[i]]] = 1;
    for (size_t i = r->test_count; i-- > 0;)
        if (!known[all->label[r->test[i]]]) {
            found.count++;
            found.label = all->label[r->test[i]];
        }
    arena_free(&room);
    return found.count ? add(ctx, found, keep, e) : SPD_OK;
}
