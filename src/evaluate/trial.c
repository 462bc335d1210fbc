/* trial.c - one fold with one map setting, for all methods that share the map. */
#include "evaluate/trials.h"

#include "classify/samples.h"
#include "evaluate/map.h"
#include "evaluate/method.h"
#include "learn/affinity.h"

/* One side of a fold. */
typedef struct side {
    samples s;     /* what the classifier sees: mapped */
    size_t *index; /* s.p: which of all samples */
} side;

typedef struct trial {
    const trial_shared *shared;
    size_t fold, map_setting;
    arena room;        /* all of it */
    spd_method method; /* the first, with the values of the map setting */
    side train, test;
    spd_pair *pairs;
    size_t count; /* of pairs */
    map map;
    const int *truth; /* test */
    int *label;       /* test: what is decided */
} trial;

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
    if (!h->D || !method_learns_map(&t->method) || options.m == t->train.s.n)
        return SPD_OK;
    arena room = {0};
    double *D = arena_alloc(&room, p, p * sizeof *D);
    if (!D)
        return ctx_nomem(ctx, "distances");
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j < p; j++)
            D[i * p + j] = h->D[t->train.index[i] * all + t->train.index[j]];
    spd_status status =
        affinity_of_distances(ctx, p, D, t->train.s.label, &options, &t->pairs, &t->count);
    arena_free(&room);
    return status;
}

static spd_status take_map(spd_context *ctx, trial *t)
{
    if (spd_method_on_vectors(&t->method))
        return SPD_OK;
    spd_status status = take_graph(ctx, t);
    map_graph graph = {t->pairs, t->count};
    if (status == SPD_OK)
        status = map_fit(ctx, &t->method, &t->train.s, graph, &t->room, &t->map);
    if (status == SPD_OK)
        status = map_apply(ctx, &t->map, &t->room, &t->train.s);
    if (status == SPD_OK)
        status = map_apply(ctx, &t->map, &t->room, &t->test.s);
    return status;
}

/* a <- the samples of the fold (inside), or all others: of matrices and vectors what the method
 * reads. */
static spd_status take_side(spd_context *ctx, trial *t, int inside, side *a)
{
    const trial_shared *h = t->shared;
    samples all = *h->train;
    size_t count = 0;
    if (spd_method_on_vectors(&t->method))
        all.X = NULL;
    else
        all.V = NULL;
    a->index = arena_alloc(&t->room, all.p, sizeof *a->index);
    if (!a->index)
        return ctx_nomem(ctx, "a part of the samples");
    for (size_t i = 0; i < all.p; i++)
        if ((h->fold[i] == t->fold) == inside)
            a->index[count++] = i;
    return samples_part(ctx, &all, count, a->index, &t->room, &a->s);
}

/* The two sides, mapped. */
static spd_status take_sides(spd_context *ctx, trial *t)
{
    spd_status status = take_side(ctx, t, 0, &t->train);
    if (status == SPD_OK)
        status = take_side(ctx, t, 1, &t->test);
    if (status < 0)
        return status;
    t->truth = t->test.s.label;
    t->test.s.label = NULL; /* queries have none */
    t->label = arena_alloc(&t->room, t->test.s.p, sizeof *t->label);
    return t->label ? take_map(ctx, t) : ctx_nomem(ctx, "labels");
}

/* ---- one method -------------------------------------------------------------------------------
 */

/* Where a method's results are. */
static int64_t *right_of(const trial *t, size_t which)
{
    const settings *s = &t->shared->settings[which];
    return t->shared->right[which] + t->fold * settings_count(s) + t->map_setting * s->decisions;
}

/* *right and hit (all samples) <- of one classifier setting. */
static spd_status decide(spd_context *ctx, const trial *t, const settings *all, size_t setting,
                         course *c, int64_t *right, char *hit)
{
    settings_use(all, setting, &c->method);
    method_standard_values(&c->method, &c->train);
    spd_status status = c->kind->train ? c->kind->train(ctx, c) : SPD_OK;
    if (status >= 0)
        status = c->kind->decide(ctx, c, t->label);
    if (status >= 0) {
        *right = 0;
        for (size_t i = 0; i < c->queries.p; i++) {
            hit[t->test.index[i]] = t->label[i] == t->truth[i];
            *right += hit[t->test.index[i]];
        }
    }
    arena_free(&c->training);
    return status;
}

/* The results of all classifier settings of a method; the last failure when none works. */
static spd_status decide_all(spd_context *ctx, const trial *t, size_t which, course *c)
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
    course c = {.kind = classifier_of(method->classifier),
                .method = *method,
                .train = t->train.s,
                .queries = t->test.s};
    spd_status status = c.kind->prepare ? c.kind->prepare(ctx, &c) : SPD_OK;
    if (status >= 0)
        status = c.kind->meet(ctx, &c);
    if (status >= 0)
        status = decide_all(ctx, t, which, &c);
    course_free(&c);
    return status;
}

/* ---- all of them ------------------------------------------------------------------------------
 */

spd_status trial_run(spd_context *ctx, const trial_shared *shared, size_t fold, size_t map_setting)
{
    const settings *all = shared->settings;
    trial t = {.shared = shared, .fold = fold, .map_setting = map_setting};
    spd_error first = {0};
    for (size_t k = 0; k < shared->methods; k++)
        for (size_t d = 0; d < all[k].decisions; d++)
            right_of(&t, k)[d] = -1;
    t.method = shared->method[0];
    settings_use(&all[0], map_setting * all[0].decisions, &t.method);
    spd_status status = take_sides(ctx, &t);
    for (size_t k = 0; k < shared->methods && status >= 0; k++) {
        spd_status one = contend(ctx, &t, k);
        if (one < 0 && first.status == SPD_OK) {
            first = *spd_context_error(ctx);
            first.status = one;
        }
        if (trial_is_fatal(one))
            status = one;
    }
    map_free(&t.map);
    spd_pairs_free(t.pairs);
    arena_free(&t.room);
    if (status < 0 || first.status == SPD_OK)
        return status < 0 ? status : SPD_OK;
    return ctx_pass_on(ctx, &first);
}
