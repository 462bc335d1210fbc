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

#include "classify/classifier.h"
#include "classify/embed.h"
#include "classify/samples.h"
#include "classify/vectors.h"

#define KEPT            30 /* neighbours */
#define HESSIAN_LEAST_K 15 /* that riemannian-hessian-lle tries */

static spd_embedding kind_of(const training_state *c)
{
    return c->kind == &classifier_lle    ? SPD_EMBEDDING_LLE
           : c->kind == &classifier_hlle ? SPD_EMBEDDING_HESSIAN_LLE
                                         : SPD_EMBEDDING_LAPLACIAN;
}

/* ---- parameters ------------------------------------------------------------------------------ */

/* Fewer neighbours and dimensions than there are samples. */
static double most_for_samples(const samples *train)
{
    return train->p > 2 ? (double)train->p - 1.0 : 1.0;
}

/* Dimensions that the smallest k determines and the manifold has: every k must do for every number
 * of dimensions. */
static double most_for_hessians(const samples *train)
{
    double manifold = (double)samples_degrees(train), d = 1.0;
    double least_k = fmin(HESSIAN_LEAST_K, most_for_samples(train));
    while (d + 1.0 <= manifold && 1.0 + (d + 1.0) + (d + 1.0) * (d + 2.0) / 2.0 <= least_k)
        d += 1.0;
    return d;
}

/* ---- steps ----------------------------------------------------------------------------------- */

static spd_status prepare(spd_context *ctx, training_state *c)
{
    return embed_check_metric(ctx, kind_of(c), c->method.metric);
}

/* *h <- neighbourhoods of training samples and queries, in this order. */
static spd_status find_neighbours(spd_context *ctx, const training_state *c, size_t k, arena *keep,
                                  neighbourhoods *h)
{
    size_t n = c->train.n, p = c->train.p, q = c->queries.p, each = n * n;
    arena room = {0};
    double *X = arena_alloc(&room, p + q, each * sizeof *X);
    if (!X)
        return ctx_nomem(ctx, "training samples and queries");
    memcpy(X, c->train.X, p * each * sizeof *X);
    memcpy(X + p * each, c->queries.X, q * each * sizeof *X);
    spd_status status = neighbourhoods_find(ctx, c->method.metric, n, p + q, X, k,
                                            kind_of(c) != SPD_EMBEDDING_LAPLACIAN, keep, h);
    arena_free(&room);
    return status;
}

static spd_status meet(spd_context *ctx, training_state *c)
{
    size_t all = c->train.p + c->queries.p, k = KEPT < all - 1 ? KEPT : all - 1;
    neighbourhoods *h = c->met = arena_zero(&c->meeting, 1, sizeof *h);
    return h ? find_neighbours(ctx, c, k, &c->meeting, h) : ctx_nomem(ctx, "the embedding");
}

/* A parameter as a count; 0 where it is none. */
static size_t count_of(double value)
{
    return value >= 0.5 && value < 1e9 ? (size_t)floor(value + 0.5) : 0;
}

static spd_status decide(spd_context *ctx, training_state *c, int *label)
{
    size_t p = c->train.p, q = c->queries.p,
           d = count_of(c->method.value[SPD_PARAMETER_DIMENSIONS]);
    spd_embed_options o = {.kind = kind_of(c), .metric = c->method.metric, .dimensions = d};
    o.k = count_of(c->method.value[SPD_PARAMETER_K]);
    spd_status status = embed_check(ctx, &o, c->train.n, p + q);
    if (status < 0)
        return status;
    arena room = {0};
    neighbourhoods more, *h = c->met;
    double *Y = arena_alloc(&room, p + q, d * sizeof *Y), bandwidth;
    double *lambda = arena_alloc(&room, d, sizeof *lambda);
    status = arena_status(&room, ctx, "coordinates");
    if (status == SPD_OK && o.k > h->k) { /* more neighbours than were kept */
        h = &more;
        status = find_neighbours(ctx, c, o.k, &room, h);
    }
    if (status == SPD_OK)
        status = embed_graph(ctx, &o, h, 0, Y, lambda, &bandwidth);
    if (status == SPD_OK)
        status = vectors_nearest(ctx, d, p, Y, c->train.label, q, Y + p * d, label,
                                 c->train.classes, c->score);
    arena_free(&room);
    return status;
}

#define EMBEDDED                                                                                   \
    .holds = SPD_HOLDING_SAMPLES, .scores = NEAREST_COORDINATES(0), .squares = 1,                  \
    .metrics = {SPD_METRIC_AIRM, ONLY(SPD_METRIC_AIRM), 0}, .prepare = prepare, .meet = meet,      \
    .decide = decide

const classifier classifier_lle = {
    EMBEDDED,
    .kind = SPD_CLASSIFIER_LLE,
    .choices = {{SPD_PARAMETER_K, 10, {5, 10, 20}, most_for_samples, NULL},
                {SPD_PARAMETER_DIMENSIONS, 10, {5, 10, 20, 40}, most_for_samples, NULL}},
};

const classifier classifier_hlle = {
    EMBEDDED,
    .kind = SPD_CLASSIFIER_HESSIAN_LLE,
    .choices = {{SPD_PARAMETER_K, 15, {HESSIAN_LEAST_K, 20, 30}, most_for_samples, NULL},
                {SPD_PARAMETER_DIMENSIONS, 3, {2, 3, 4}, most_for_hessians, NULL}},
};

const classifier classifier_laplacian = {
    EMBEDDED,
    .kind = SPD_CLASSIFIER_LAPLACIAN,
    .choices = {{SPD_PARAMETER_K, 10, {5, 10, 20}, most_for_samples, NULL},
                {SPD_PARAMETER_DIMENSIONS, 10, {5, 10, 20, 40}, most_for_samples, NULL}},
};
