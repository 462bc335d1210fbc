/* map.c - fitting and applying the maps; formulas in map.h. */
#include "evaluate/map.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "classify/samples.h"
#include "evaluate/folds.h"
#include "evaluate/method.h"
#include "learn/complex_map.h"
#include "learn/fit.h"
#include "learn/start.h"

/* Limits of a fit whose map is to choose settings by, not to keep: most of what it gains comes in
 * the first iterations, and of large maps, whose iterations cost most, earlier still. */
#define ROUGH_TOLERANCE  1e-3
#define ROUGH_ITERATIONS 40
#define LEAST_ITERATIONS 15
#define SIZE_ITERATIONS  10.0 /* times n/m, between the two */

#define BAG_FOLDS 5

/* ---- the learned map ------------------------------------------------------------------------- */

spd_metric map_rough_metric(spd_metric metric)
{
    return metric == SPD_METRIC_AIRM ? SPD_METRIC_STEIN : metric;
}

/* Lowers the limits of a fit of n x n matrices whose map is to choose by. */
static void fit_roughly(size_t n, spd_fit_options *o)
{
    double most = fmin(SIZE_ITERATIONS * (double)n / (double)o->m, ROUGH_ITERATIONS);
    most = fmax(most, LEAST_ITERATIONS);
    o->max_iter = o->max_iter < (int)most ? o->max_iter : (int)most;
    o->tol = fmax(o->tol, ROUGH_TOLERANCE);
    o->metric = map_rough_metric(o->metric);
}

/* *model <- the learned map to m dimensions. */
static spd_status fit_model(spd_context *ctx, const spd_method *method, const samples *train,
                            map_graph graph, size_t m, map *a, spd_model **model)
{
    spd_fit_options options = method_fit_options(method);
    const fit_graph known = {graph.count, graph.pairs};
    const spd_set X = samples_set(train);
    options.m = m;
    if (graph.roughly)
        fit_roughly(train->n, &options);
    spd_status status =
        fit_on_graph(ctx, &X, train->label, &options, graph.pairs ? &known : NULL, model);
    a->fits += *model != NULL;
    a->iterations += *model ? (size_t)(*model)->iterations : 0;
    return status < 0 ? status : SPD_OK;
}

static void note_graph(map *a, const spd_model *model)
{
    a->nu_w = model->options->nu_w;
    a->nu_b = model->options->nu_b;
    a->objective = model->options->objective;
}

static spd_status fit_ml(spd_context *ctx, const spd_method *method, const samples *train,
                         map_graph graph, map *a)
{
    spd_status status = fit_model(ctx, method, train, graph, a->m, a, &a->model);
    if (status < 0)
        return status;
    a->W = a->model->W;
    note_graph(a, a->model);
    return SPD_OK;
}

/* m (MAP_PARTS) <- sizes below n that differ; how many, none for n = 1. */
static size_t part_sizes(const samples *train, size_t *m)
{
    static const size_t divisor[MAP_PARTS] = {8, 4, 2};
    size_t count = 0, size = samples_size(train), each = train->n / size;
    for (size_t i = 0; i < MAP_PARTS; i++) {
        size_t next = (size + divisor[i] / 2) / divisor[i];
        if (next > 0 && next < size && (count == 0 || each * next > m[count - 1]))
            m[count++] = each * next;
    }
    return count;
}

static void take_part(map *a)
{
    const spd_model *model = a->part[a->parts++];
    note_graph(a, model);
    a->m += model->m;
}

static spd_status fit_multi(spd_context *ctx, const spd_method *method, const samples *train,
                            map_graph graph, map *a)
{
    spd_status status = SPD_OK;
    size_t m[MAP_PARTS] = {0}, count = part_sizes(train, m);
    a->m = a->n;
    for (size_t i = 0; i < count && status == SPD_OK; i++) {
        status = fit_model(ctx, method, train, graph, m[i], a, &a->part[i]);
        if (status == SPD_OK)
            take_part(a);
    }
    return status;
}

/* ---- the mean of maps ------------------------------------------------------------------------ */

/* What the maps of each size span: sums of W W'. */
typedef struct spans {
    size_t count, m[MAP_PARTS];
    double *sum[MAP_PARTS]; /* n x n */
} spans;

/* Adds the maps that are learned from some of the samples. */
static spd_status add_spans(spd_context *ctx, const spd_method *method, const samples *part,
                            spans *s, map *a)
{
    const map_graph roughly = {.roughly = 1};
    spd_status status = SPD_OK;
    size_t n = part->n;
    for (size_t i = 0; i < s->count && status == SPD_OK; i++) {
        spd_model *model = NULL;
        status = fit_model(ctx, method, part, roughly, s->m[i], a, &model);
        for (size_t e = 0; e < n * n && status == SPD_OK; e++)
            for (size_t k = 0; k < s->m[i]; k++)
                s->sum[i][e] += model->W[e / n * s->m[i] + k] * model->W[e % n * s->m[i] + k];
        spd_model_free(model);
    }
    return status;
}

/* *model <- one that is not learned further: the leading eigenvectors of the sum. */
static spd_status take_span(spd_context *ctx, const spd_method *method, const samples *train,
                            const double *sum, size_t m, spd_model **model)
{
    arena room = {0};
    const spd_set X = samples_set(train);
    spd_fit_options options = method_fit_options(method);
    double *W = arena_alloc(&room, train->n, m * sizeof *W);
    spd_status status = W ? start_leading(ctx, train->n, m, sum, W) : ctx_nomem(ctx, "a map");
    options.m = m;
    options.init = SPD_INIT_GIVEN;
    options.W = W;
    options.max_iter = 0;
    if (status == SPD_OK)
        status = fit_on_graph(ctx, &X, train->label, &options, NULL, model);
    arena_free(&room);
    return status < 0 ? status : SPD_OK;
}

/* Are there two samples of a class out of the fold? Without them no map can be learned. */
static int leaves_pairs(const classes *c, const size_t *fold, size_t f)
{
    for (size_t k = 0; k < c->count; k++) {
        size_t left = 0;
        for (size_t e = c->first[k]; e < c->first[k + 1]; e++)
            left += fold[c->order[e]] != f;
        if (left > 1)
            return 1;
    }
    return 0;
}

/* Without each fifth of every class, if it can be spared. Groups are not kept together: no fold judges another here, and
 * the means of two maps of one subject each were worse. */
static spd_status learn_spans(spd_context *ctx, const spd_method *method, const samples *train,
                              arena *room, spans *s, map *a)
{
    classes c;
    size_t p = train->p, *index = arena_alloc(room, p, sizeof *index);
    size_t *fold = arena_alloc(room, p, sizeof *fold);
    spd_status status = arena_status(room, ctx, "maps");
    if (status == SPD_OK)
        status = classes_sort(ctx, p, train->label, room, &c);
    if (status == SPD_OK)
        folds_deal(p, &c, BAG_FOLDS, method->fit ? method->fit->seed : 1, fold);
    for (size_t f = 0; f < BAG_FOLDS && status == SPD_OK; f++) {
        arena own = {0};
        samples part;
        size_t count = 0;
        int spared = leaves_pairs(&c, fold, f);
        for (size_t i = 0; i < p; i++)
            if (fold[i] != f || !spared)
                index[count++] = i;
        status = samples_part(ctx, train, count, index, &own, &part);
        if (status == SPD_OK)
            status = add_spans(ctx, method, &part, s, a);
        arena_free(&own);
    }
    return status;
}

static spd_status fit_bag(spd_context *ctx, const spd_method *method, const samples *train, map *a)
{
    arena room = {0};
    spans s = {0};
    s.count = part_sizes(train, s.m);
    for (size_t i = 0; i < s.count; i++)
        s.sum[i] = arena_zero(&room, a->n, a->n * sizeof **s.sum);
    spd_status status = arena_status(&room, ctx, "maps");
    if (status == SPD_OK)
        status = learn_spans(ctx, method, train, &room, &s, a);
    a->m = a->n;
    for (size_t i = 0; i < s.count && status == SPD_OK; i++) {
        status = take_span(ctx, method, train, s.sum[i], s.m[i], &a->part[i]);
        if (status == SPD_OK)
            take_part(a);
    }
    arena_free(&room);
    return status;
}

static spd_status map_room(spd_context *ctx, arena *keep, map *a)
{
    a->W = arena_alloc(keep, a->n, a->m * sizeof *a->W);
    return a->W ? SPD_OK : ctx_nomem(ctx, "a map");
}

spd_status map_of_model(spd_context *ctx, const spd_model *model, arena *keep, map *a)
{
    *a = (map){.n = model->n,
               .m = model->m,
               .nu_w = model->options->nu_w,
               .nu_b = model->options->nu_b,
               .objective = model->options->objective};
    spd_status status = map_room(ctx, keep, a);
    if (status == SPD_OK)
        memcpy(a->W, model->W, a->n * a->m * sizeof *a->W);
    return status;
}

/* ---- maps without learning ------------------------------------------------------------------- */

/* random, and pca of matrices without means, are starts of the learner. */
static spd_status fit_start(spd_context *ctx, const spd_method *method, const samples *train,
                            const map *a)
{
    rng r;
    rng_seed(&r, method->fit ? method->fit->seed : 1);
    spd_init init = method->map == SPD_MAP_RANDOM ? SPD_INIT_RANDOM : SPD_INIT_MEAN;
    return start_point(ctx, init, SPD_SET(a->n, train->p, train->X), a->m, NULL, &r, a->W);
}

static spd_status check_means(spd_context *ctx, const samples *train)
{
    size_t blocks = samples_blocks(train);
    if (train->n % blocks)
        return ctx_fail(ctx, SPD_EINVAL, "%zu x %zu matrices do not have %zu blocks of one size",
                        train->n, train->n, blocks);
    for (size_t e = 0; e < train->p * blocks; e++)
        if (!(train->observations[e] >= 1.0 && isfinite(train->observations[e])))
            return ctx_fail_at(ctx, SPD_EINVAL, e / blocks, train->observations[e],
                               "sample %zu has %g observations; a number of at least 1 is needed",
                               e / blocks, train->observations[e]);
    return SPD_OK;
}

/* T (n x n, zero) += block b, d x d: the covariance of all its observations. mu (d) <- their mean,
 * gap: d doubles of scratch. Shares are divided first, so that nothing overflows. */
static void add_total(const samples *train, size_t b, size_t d, double *mu, double *gap, double *T)
{
    size_t n = train->n, blocks = samples_blocks(train), at = b * d;
    double all = 0.0;
    for (size_t i = 0; i < train->p; i++)
        all += train->observations[i * blocks + b];
    for (size_t i = 0; i < train->p; i++)
        for (size_t j = 0; j < d; j++)
            mu[j] += train->observations[i * blocks + b] / all * train->mean[i * n + at + j];
    for (size_t i = 0; i < train->p; i++) {
        double r = train->observations[i * blocks + b], rest = all > 1.0 ? all - 1.0 : 1.0;
        const double *X = train->X + i * n * n;
        for (size_t j = 0; j < d; j++)
            gap[j] = train->mean[i * n + at + j] - mu[j];
        for (size_t j = 0; j < d; j++)
            for (size_t k = 0; k < d; k++)
                T[(at + j) * n + at + k] +=
                    (r - 1.0) / rest * X[(at + j) * n + at + k] + r / rest * gap[j] * gap[k];
    }
}

static spd_status fit_pca(spd_context *ctx, const samples *train, const map *a)
{
    size_t n = a->n, blocks = samples_blocks(train), d = n / blocks;
    arena room = {0};
    spd_status status = check_means(ctx, train);
    if (status < 0)
        return status;
    double *T = arena_zero(&room, n, n * sizeof *T);
    double *mu = arena_zero(&room, n, sizeof *mu), *gap = arena_alloc(&room, n, sizeof *gap);
    status = arena_status(&room, ctx, "a map");
    for (size_t b = 0; b < blocks && status == SPD_OK; b++)
        add_total(train, b, d, mu + b * d, gap, T);
    if (status == SPD_OK)
        status = start_leading(ctx, n, a->m, T, a->W);
    arena_free(&room);
    return status;
}

static spd_status fit_mean(spd_context *ctx, const spd_method *method, const samples *train,
                           const map *a)
{
    arena room = {0};
    double *M = arena_alloc(&room, a->n, a->n * sizeof *M);
    spd_status status =
        M ? spd_mean(ctx, method->metric, SPD_SET(a->n, train->p, train->X), NULL, M, NULL)
          : ctx_nomem(ctx, "a map");
    if (status >= 0)
        status = start_leading(ctx, a->n, a->m, M, a->W);
    arena_free(&room);
    return status;
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* a->W <- that of a map that is not learned. */
static spd_status fit_plain(spd_context *ctx, const spd_method *method, const samples *train,
                            const map *a)
{
    spd_status status;
    if (method->map == SPD_MAP_MEAN)
        status = fit_mean(ctx, method, train, a);
    else if (method->map == SPD_MAP_CSP)
        status = start_csp(ctx, method->metric, SPD_SET(a->n, train->p, train->X), a->m,
                           train->label, a->W);
    else if (method->map == SPD_MAP_PCA && samples_have_means(train))
        status = fit_pca(ctx, train, a);
    else
        status = fit_start(ctx, method, train, a);
    return status < 0 || !train->hermitian ? status : complex_map_nearest(ctx, a->n, a->m, a->W);
}

spd_status map_fit(spd_context *ctx, const spd_method *method, const samples *train,
                   map_graph graph, arena *keep, map *a)
{
    size_t size = samples_size(train), m = method_count(method, SPD_PARAMETER_M);
    *a = (map){.n = train->n};
    if (method->map == SPD_MAP_BAG && !graph.roughly)
        return fit_bag(ctx, method, train, a);
    if (method_has_parts(method))
        return fit_multi(ctx, method, train, graph, a);
    if (method->map == SPD_MAP_NONE)
        m = size;
    if (m < 1 || m > size)
        return ctx_fail(ctx, SPD_EINVAL,
                        "m = %zu is out of range: a map of %zu x %zu matrices has 1 <= m <= %zu", m,
                        size, size, size);
    a->m = train->hermitian ? 2 * m : m;
    if (a->m == a->n)
        return SPD_OK;
    if (method->map == SPD_MAP_ML)
        return fit_ml(ctx, method, train, graph, a);
    spd_status status = map_room(ctx, keep, a);
    return status < 0 ? status : fit_plain(ctx, method, train, a);
}

void map_free(map *a)
{
    spd_model_free(a->model);
    for (size_t i = 0; i < MAP_PARTS; i++)
        spd_model_free(a->part[i]); /* the last may be that of a fit that was cancelled */
    *a = (map){0};
}

/* Block `at` of each of the p matrices S (whole x whole) <- the matrix of B (size x size). */
static void put_block(size_t p, size_t size, const double *B, size_t whole, size_t at, double *S)
{
    for (size_t i = 0; i < p; i++)
        for (size_t r = 0; r < size; r++)
            memcpy(S + (i * whole + at + r) * whole + at, B + (i * size + r) * size,
                   size * sizeof *S);
}

/* Mapped matrices in the place of the others; means are of the features before the map. */
static void replace(const map *a, const double *S, samples *s)
{
    s->X = S;
    s->n = a->m;
    s->mean = s->observations = NULL;
}

static spd_status apply_multi(spd_context *ctx, const map *a, arena *keep, samples *s)
{
    arena room = {0};
    size_t at = 0, most = a->part[a->parts - 1]->m;
    double *S = arena_zero(keep, s->p, a->m * a->m * sizeof *S);
    double *B = arena_alloc(&room, s->p, most * most * sizeof *B);
    spd_status status = S && B ? SPD_OK : ctx_nomem(ctx, "mapped matrices");
    for (size_t i = 0; i < a->parts && status == SPD_OK; i++) {
        size_t m = a->part[i]->m;
        status = spd_congruence(ctx, SPD_SET(a->n, s->p, s->X), m, a->part[i]->W, B);
        put_block(s->p, m, B, a->m, at, S);
        at += m;
    }
    if (status == SPD_OK)
        put_block(s->p, a->n, s->X, a->m, at, S);
    arena_free(&room);
    replace(a, S, s);
    return status;
}

spd_status map_apply(spd_context *ctx, const map *a, arena *keep, samples *s)
{
    if (a->parts > 0)
        return apply_multi(ctx, a, keep, s);
    if (!a->W)
        return SPD_OK;
    double *S = arena_alloc(keep, s->p, a->m * a->m * sizeof *S);
    spd_status status = S ? spd_congruence(ctx, SPD_SET(a->n, s->p, s->X), a->m, a->W, S)
                          : ctx_nomem(ctx, "mapped matrices");
    replace(a, S, s);
    return status;
}
