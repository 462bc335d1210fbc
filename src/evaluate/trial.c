/* trial.c - one fold with one map setting, for all methods that share the map. */
#include "evaluate/trial.h"

#include <string.h>

#include "base/memory.h"
#include "classify/samples.h"
#include "evaluate/map.h"
#include "evaluate/method.h"
#include "learn/affinity.h"

/* One side of a fold. */
typedef struct side {
    samples *own;  /* copies */
    samples s;     /* what the classifier sees of them: mapped */
    size_t *index; /* s.p: which of all samples */
} side;

typedef struct trial {
    const trial_shared *shared;
    spd_method method; /* the first, with the values of the map setting */
    side train, test;
    spd_pair *pairs;
    size_t count; /* of pairs */
    map map;
    double *mapped_train, *mapped_test;
    int *label; /* test: what is decided */
} trial;

/* One method behind the map. */
typedef struct contender {
    const classifier *kind;
    const settings *settings;
    spd_method method; /* with the values of the map setting */
    void *prepared, *met;
} contender;

int trial_is_fatal(spd_status status)
{
    return status == SPD_ENOMEM || status == SPD_ECANCELLED;
}

/* The neighbour graph of the training part, from the distances between all samples. */
static spd_status take_graph(spd_context *ctx, trial *t)
{
    const trial_shared *h = t->shared;
    size_t p = t->train.s.p, all = h->train->p;
    spd_fit_options options = method_fit_options(&t->method);
    if (!h->D || t->method.map != SPD_MAP_ML || options.m == t->train.s.n)
        return SPD_OK;
    double *D = mem_alloc(p, p * sizeof *D);
    if (!D)
        return ctx_nomem(ctx, "distances");
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j < p; j++)
            D[i * p + j] = h->D[t->train.index[i] * all + t->train.index[j]];
    spd_status status =
        affinity_of_distances(ctx, p, D, t->train.own->label, &options, &t->pairs, &t->count);
    mem_free(D);
    return status;
}

/* A side as the classifier sees it. */
static spd_status map_side(spd_context *ctx, const map *a, side *b, double **mapped)
{
    spd_status status = map_apply(ctx, a, b->s.p, b->s.X, mapped);
    if (*mapped) {
        b->s.X = *mapped;
        b->s.n = a->m;
    }
    return status;
}

static spd_status take_map(spd_context *ctx, trial *t)
{
    if (spd_method_on_vectors(&t->method))
        return SPD_OK;
    spd_status status = take_graph(ctx, t);
    if (status == SPD_OK)
        status = map_fit(ctx, &t->method, &t->train.s, (map_graph){t->pairs, t->count}, &t->map);
    if (status == SPD_OK)
        status = map_side(ctx, &t->map, &t->train, &t->mapped_train);
    if (status == SPD_OK)
        status = map_side(ctx, &t->map, &t->test, &t->mapped_test);
    return status;
}

/* a <- the samples of the fold (inside), or all others: of matrices and vectors what the method
 * reads. */
static spd_status take_side(spd_context *ctx, const trial *t, size_t fold, int inside, side *a)
{
    const trial_shared *h = t->shared;
    samples all = *h->train;
    size_t count = 0;
    if (spd_method_on_vectors(&t->method))
        all.X = NULL;
    else
        all.V = NULL;
    a->index = mem_alloc(all.p, sizeof *a->index);
    if (!a->index)
        return ctx_nomem(ctx, "a part of the samples");
    for (size_t i = 0; i < all.p; i++)
        if ((h->fold[i] == fold) == inside)
            a->index[count++] = i;
    spd_status status = spd_samples_subset(ctx, &all, count, a->index, &a->own);
    if (status == SPD_OK)
        a->s = *a->own;
    return status;
}

/* The two sides, mapped. */
static spd_status take_sides(spd_context *ctx, trial *t, size_t fold)
{
    spd_status status = take_side(ctx, t, fold, 0, &t->train);
    if (status == SPD_OK)
        status = take_side(ctx, t, fold, 1, &t->test);
    t->test.s.label = NULL; /* queries have none */
    if (status == SPD_OK) {
        t->label = mem_alloc(t->test.s.p, sizeof *t->label);
        status = t->label ? take_map(ctx, t) : ctx_nomem(ctx, "labels");
    }
    return status;
}

static void release(trial *t)
{
    map_free(&t->map);
    spd_pairs_free(t->pairs);
    mem_free(t->mapped_train);
    mem_free(t->mapped_test);
    mem_free(t->label);
    spd_samples_free(t->train.own);
    spd_samples_free(t->test.own);
    mem_free(t->train.index);
    mem_free(t->test.index);
}

/* ---- one method -------------------------------------------------------------------------------
 */

/* *right <- of one classifier setting. */
static spd_status decide(spd_context *ctx, trial *t, const contender *c, size_t setting,
                         int64_t *right)
{
    void *trained = NULL;
    spd_method method = c->method;
    spd_status status = SPD_OK;
    settings_use(c->settings, setting, &method);
    method_standard_values(&method, &t->train.s);
    if (c->kind->train)
        status = c->kind->train(ctx, c->prepared, &method, &trained);
    if (status >= 0)
        status = c->kind->decide(ctx, c->prepared, trained, c->met, &method, t->label);
    if (status >= 0) {
        *right = 0;
        for (size_t i = 0; i < t->test.s.p; i++)
            *right += t->label[i] == t->test.own->label[i];
    }
    classifier_release(c->kind, NULL, trained, NULL);
    return status;
}

/* right (decisions) <- of all classifier settings; the last failure when none works. */
static spd_status decide_all(spd_context *ctx, trial *t, const contender *c, size_t map_setting,
                             int64_t *right)
{
    size_t decisions = c->settings->decisions, works = 0;
    spd_status status = SPD_OK;
    for (size_t d = 0; d < decisions && !trial_is_fatal(status); d++) {
        status = decide(ctx, t, c, map_setting * decisions + d, &right[d]);
        works += status >= 0;
    }
    return works && !trial_is_fatal(status) ? SPD_OK : status;
}

static spd_status contend(spd_context *ctx, trial *t, size_t which, size_t map_setting,
                          int64_t *right)
{
    const trial_shared *h = t->shared;
    contender c = {.kind = classifier_of(h->method[which].classifier),
                   .settings = &h->settings[which],
                   .method = h->method[which]};
    settings_use(c.settings, map_setting * c.settings->decisions, &c.method);
    spd_status status = c.kind->prepare(ctx, &c.method, &t->train.s, &c.prepared);
    if (status >= 0)
        status = c.kind->meet(ctx, c.prepared, &t->test.s, &c.met);
    if (status >= 0)
        status = decide_all(ctx, t, &c, map_setting, right);
    classifier_release(c.kind, c.prepared, NULL, c.met);
    return status;
}

/* ---- all of them ------------------------------------------------------------------------------
 */

spd_status trial_run(spd_context *ctx, const trial_shared *shared, size_t fold, size_t map_setting,
                     int64_t *const *right)
{
    trial t = {.shared = shared, .method = shared->method[0]};
    spd_error first = {0};
    spd_status status = SPD_OK;
    for (size_t k = 0; k < shared->methods; k++)
        for (size_t d = 0; d < shared->settings[k].decisions; d++)
            right[k][d] = -1;
    settings_use(&shared->settings[0], map_setting * shared->settings[0].decisions, &t.method);
    status = take_sides(ctx, &t, fold);
    for (size_t k = 0; k < shared->methods && status >= 0; k++) {
        spd_status one = contend(ctx, &t, k, map_setting, right[k]);
        if (one < 0 && first.status == SPD_OK) {
            first = *spd_context_error(ctx);
            first.status = one;
        }
        if (trial_is_fatal(one))
            status = one;
    }
    release(&t);
    if (status < 0 || first.status == SPD_OK)
        return status < 0 ? status : SPD_OK;
    return ctx_pass_on(ctx, &first);
}
