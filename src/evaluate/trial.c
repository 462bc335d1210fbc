/* trial.c - one fold with one map setting, for all methods that share the map. */
#include "evaluate/trials.h"

#include "evaluate/map.h"
#include "evaluate/method.h"

typedef struct trial {
    const trial_shared *shared;
    const part *part;
    size_t fold, map_setting;
    arena room;          /* all of it */
    spd_method method;   /* the first, with the values of the map setting */
    samples train, test; /* the sides of the part, mapped */
    map map;
    int *label; /* test: what is decided */
} trial;

int trial_is_fatal(spd_status status)
{
    return status == SPD_ENOMEM || status == SPD_ECANCELLED || status == SPD_EDEVICE;
}

/* What is known of the map: its graph, unless the fit shall make its own. */
static spd_status take_graph(spd_context *ctx, const trial *t, map_graph *graph)
{
    const settings *s = &t->shared->settings[0];
    *graph = (map_graph){.roughly = !t->shared->exhaustive};
    if (t->part->graphs == 0 || t->map_setting >= s->fitted)
        return SPD_OK;
    const part_graph *known = &t->part->graph[t->map_setting % s->ways];
    graph->pairs = known->pairs;
    graph->count = known->count;
    return known->error.status < 0 ? ctx_pass_on(ctx, &known->error) : SPD_OK;
}

/* The two sides, mapped. */
static spd_status take_sides(spd_context *ctx, trial *t)
{
    map_graph graph;
    t->train = t->part->train.s;
    t->test = t->part->test.s;
    t->label = arena_alloc(&t->room, t->test.p, sizeof *t->label);
    if (!t->label)
        return ctx_nomem(ctx, "labels");
    if (spd_method_on_vectors(&t->method))
        return SPD_OK;
    spd_status status = take_graph(ctx, t, &graph);
    if (status == SPD_OK)
        status = map_fit(ctx, &t->method, &t->train, graph, &t->room, &t->map);
    if (status == SPD_OK)
        status = map_apply(ctx, &t->map, &t->room, &t->train);
    if (status == SPD_OK)
        status = map_apply(ctx, &t->map, &t->room, &t->test);
    return status;
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
            size_t sample = t->part->test.index[i];
            hit[sample] = t->label[i] == t->part->truth[i];
            *right += hit[sample];
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
                .train = t->train,
                .queries = t->test};
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

spd_status trial_run(spd_context *ctx, const trial_shared *shared, const part *home, size_t fold,
                     size_t map_setting)
{
    const settings *all = shared->settings;
    trial t = {.shared = shared, .part = home, .fold = fold, .map_setting = map_setting};
    spd_error first = {0};
    for (size_t k = 0; k < shared->methods; k++)
        for (size_t d = 0; d < all[k].decisions; d++)
            right_of(&t, k)[d] = -1;
    t.method = shared->method[0];
    settings_use(&all[0], map_setting * all[0].decisions, &t.method);
    settings_limit(&all[0], home->smallest, &t.method);
    spd_status status = take_sides(ctx, &t);
    for (size_t k = 0; k < shared->methods && status >= 0; k++) {
        spd_status one = shared->out[k][map_setting] ? SPD_OK : contend(ctx, &t, k);
        if (one < 0 && first.status == SPD_OK) {
            first = *spd_context_error(ctx);
            first.status = one;
        }
        if (trial_is_fatal(one))
            status = one;
    }
    shared->effort[fold * all[0].maps + map_setting] = (effort){t.map.fits, t.map.iterations};
    map_free(&t.map);
    arena_free(&t.room);
    if (status < 0 || first.status == SPD_OK)
        return status < 0 ? status : SPD_OK;
    return ctx_pass_on(ctx, &first);
}
