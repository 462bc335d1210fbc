/* embedded.c - nearest neighbours in an embedding: `riemannian-lle`, `riemannian-hessian-lle`,
 * `riemannian-laplacian` (Goh and Vidal 2008).
 *
 * These are transductive: training samples and queries are embedded together, and a query gets the
 * class of the training sample nearest to it in the first `dimensions` coordinates (Euclidean, ties
 * by lower index). Neighbours and their inner products do not depend on parameters and are kept
 * as far as the largest k that is usually asked for; with a larger k they are made anew. A graph in
 * several components is no fault here, since well separated classes make one: which component a
 * sample is in is then told by the first coordinates. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "classify/classifier.h"
#include "classify/embed.h"
#include "classify/vectors.h"

#define KEPT 30 /* neighbours */

typedef struct embedded {
    spd_embedding kind;
    spd_metric metric;
    samples train;
} embedded;

typedef struct embedded_met {
    samples queries;
    neighbourhoods h; /* of training samples and queries, in this order */
} embedded_met;

/* ---- parameters -------------------------------------------------------------------------------
 */

/* What is tried, and the default among it. */
typedef struct choices {
    size_t count[2];    /* of k, of dimensions */
    double value[2][4]; /* ascending */
    double standard[2];
    int hessian; /* every k must do for every number of dimensions */
} choices;

static const choices usual = {{3, 4}, {{5, 10, 20}, {5, 10, 20, 40}}, {10, 10}, 0};
static const choices hessian = {{3, 3}, {{15, 20, 30}, {2, 3, 4}}, {15, 3}, 1};

/* The largest value that the training samples allow: fewer neighbours and dimensions than there are
 * samples; for Hessians, dimensions that the smallest k determines and the manifold has. */
static double most_for(const choices *c, const samples *train, spd_parameter parameter)
{
    double samples_allow = train->p > 2 ? (double)train->p - 1.0 : 1.0, d = 1.0;
    double manifold = (double)train->n * ((double)train->n + 1.0) / 2.0;
    double least_k = fmin(c->value[0][0], samples_allow);
    if (parameter == SPD_PARAM_K || !c->hessian)
        return samples_allow;
    while (d + 1.0 <= manifold && 1.0 + (d + 1.0) + (d + 1.0) * (d + 2.0) / 2.0 <= least_k)
        d += 1.0;
    return d;
}

static double standard_of(const choices *c, const samples *train, spd_parameter parameter)
{
    return fmin(c->standard[parameter == SPD_PARAM_DIMENSIONS], most_for(c, train, parameter));
}

static size_t grid_of(const choices *c, const samples *train, spd_parameter parameter,
                      double *values, size_t room)
{
    int which = parameter == SPD_PARAM_DIMENSIONS;
    size_t count = 0;
    for (size_t i = 0; i < c->count[which]; i++) {
        double value = fmin(c->value[which][i], most_for(c, train, parameter));
        if (count < room && (count == 0 || value > values[count - 1]))
            values[count++] = value;
    }
    return count;
}

static double standard_usual(const samples *train, spd_parameter parameter)
{
    return standard_of(&usual, train, parameter);
}

static double standard_hessian(const samples *train, spd_parameter parameter)
{
    return standard_of(&hessian, train, parameter);
}

static size_t grid_usual(const samples *train, spd_parameter parameter, double *values, size_t room)
{
    return grid_of(&usual, train, parameter, values, room);
}

static size_t grid_hessian(const samples *train, spd_parameter parameter, double *values,
                           size_t room)
{
    return grid_of(&hessian, train, parameter, values, room);
}

/* ---- steps ------------------------------------------------------------------------------------
 */

static spd_status prepare_kind(spd_context *ctx, spd_embedding kind, const spd_method *method,
                               const samples *train, void **prepared)
{
    spd_status status = embed_check_metric(ctx, kind, method->metric);
    if (status < 0)
        return status;
    embedded *t = mem_alloc(1, sizeof *t);
    if (!t)
        return ctx_nomem(ctx, "the embedding");
    *t = (embedded){.kind = kind, .metric = method->metric, .train = *train};
    *prepared = t;
    return SPD_OK;
}

static spd_status prepare_lle(spd_context *ctx, const spd_method *method, const samples *train,
                              void **prepared)
{
    return prepare_kind(ctx, SPD_EMBED_LLE, method, train, prepared);
}

static spd_status prepare_hlle(spd_context *ctx, const spd_method *method, const samples *train,
                               void **prepared)
{
    return prepare_kind(ctx, SPD_EMBED_HESSIAN_LLE, method, train, prepared);
}

static spd_status prepare_laplacian(spd_context *ctx, const spd_method *method,
                                    const samples *train, void **prepared)
{
    return prepare_kind(ctx, SPD_EMBED_LAPLACIAN, method, train, prepared);
}

/* *h <- neighbourhoods of training samples and queries. */
static spd_status find_neighbours(spd_context *ctx, const embedded *t, const samples *queries,
                                  size_t k, neighbourhoods *h)
{
    size_t n = t->train.n, p = t->train.p, q = queries->p, each = n * n;
    double *X = mem_alloc(p + q, each * sizeof *X);
    *h = (neighbourhoods){0};
    if (!X)
        return ctx_nomem(ctx, "training samples and queries");
    memcpy(X, t->train.X, p * each * sizeof *X);
    memcpy(X + p * each, queries->X, q * each * sizeof *X);
    spd_status status =
        neighbourhoods_find(ctx, t->metric, n, p + q, X, k, t->kind != SPD_EMBED_LAPLACIAN, h);
    mem_free(X);
    return status;
}

static void release_met(void *met)
{
    embedded_met *m = met;
    if (m)
        neighbourhoods_free(&m->h);
    mem_free(m);
}

static spd_status meet(spd_context *ctx, const void *prepared, const samples *queries, void **met)
{
    const embedded *t = prepared;
    size_t all = t->train.p + queries->p, k = KEPT < all - 1 ? KEPT : all - 1;
    embedded_met *m = mem_zero(1, sizeof *m);
    if (!m)
        return ctx_nomem(ctx, "the embedding");
    m->queries = *queries;
    spd_status status = find_neighbours(ctx, t, queries, k, &m->h);
    if (status == SPD_OK)
        *met = m;
    else
        release_met(m);
    return status;
}

/* A parameter as a count; 0 where it is none. */
static size_t count_of(double value)
{
    return value >= 0.5 && value < 1e9 ? (size_t)floor(value + 0.5) : 0;
}

/* Y ((p + q) x d) <- coordinates of all. */
static spd_status coordinates(spd_context *ctx, const embedded *t, const embedded_met *m,
                              const spd_embed_options *o, double *Y)
{
    neighbourhoods more = {0};
    double *lambda = mem_alloc(o->dimensions, sizeof *lambda), t_used;
    spd_status status = lambda ? SPD_OK : ctx_nomem(ctx, "the embedding");
    if (status == SPD_OK && o->k > m->h.k)
        status = find_neighbours(ctx, t, &m->queries, o->k, &more);
    if (status == SPD_OK)
        status = embed_graph(ctx, o, o->k > m->h.k ? &more : &m->h, 0, Y, lambda, &t_used);
    neighbourhoods_free(&more);
    mem_free(lambda);
    return status;
}

static spd_status decide(spd_context *ctx, const void *prepared, const void *trained,
                         const void *met, const spd_method *method, int *label)
{
    const embedded *t = prepared;
    const embedded_met *m = met;
    size_t p = t->train.p, q = m->queries.p, d = count_of(method->value[SPD_PARAM_DIMENSIONS]);
    spd_embed_options o = {.kind = t->kind, .metric = t->metric, .dimensions = d};
    o.k = count_of(method->value[SPD_PARAM_K]);
    (void)trained;
    spd_status status = embed_check(ctx, &o, t->train.n, p + q);
    if (status < 0)
        return status;
    double *Y = mem_alloc(p + q, d * sizeof *Y);
    int64_t *index = mem_alloc(q, sizeof *index);
    status = Y && index ? coordinates(ctx, t, m, &o, Y) : ctx_nomem(ctx, "coordinates");
    if (status == SPD_OK)
        status = vectors_nearest(ctx, d, p, Y, q, Y + p * d, index);
    for (size_t i = 0; status == SPD_OK && i < q; i++)
        label[i] = t->train.label[index[i]];
    mem_free(Y);
    mem_free(index);
    return status;
}

const classifier classifier_lle = {
    .kind = SPD_LLE,
    .uses = USES(SPD_PARAM_K) | USES(SPD_PARAM_DIMENSIONS),
    .standard = standard_usual,
    .grid = grid_usual,
    .prepare = prepare_lle,
    .meet = meet,
    .decide = decide,
    .release_met = release_met,
    .release_prepared = mem_free,
};

const classifier classifier_hlle = {
    .kind = SPD_HLLE,
    .uses = USES(SPD_PARAM_K) | USES(SPD_PARAM_DIMENSIONS),
    .standard = standard_hessian,
    .grid = grid_hessian,
    .prepare = prepare_hlle,
    .meet = meet,
    .decide = decide,
    .release_met = release_met,
    .release_prepared = mem_free,
};

const classifier classifier_laplacian = {
    .kind = SPD_LAPLACIAN,
    .uses = USES(SPD_PARAM_K) | USES(SPD_PARAM_DIMENSIONS),
    .standard = standard_usual,
    .grid = grid_usual,
    .prepare = prepare_laplacian,
    .meet = meet,
    .decide = decide,
    .release_met = release_met,
    .release_prepared = mem_free,
};
