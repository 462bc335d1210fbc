/* tangent.c - the tangent space at the mean M of the training samples.
 *
 *   curved metrics  t(X) = vec log(M^-1/2 X M^-1/2)
 *   flat metrics    t(X) = f(X) - f(M), f the vector whose Euclidean distances are the metric's
 *
 * vec stacks the lower triangle with the off-diagonals times sqrt 2, so that |vec A| = |A|_F: the
 * first line is the log-Euclidean vector of the whitened X (flat.h).
 *
 * The axes are the principal ones of the training vectors T (p x dim), not centred: T = U S A.
 * Of T'T (dim x dim) and T T' (p x p) the smaller is decomposed, A = S^-1 U'T in the second case:
 * dim = n(n+1)/2 may be large, a matrix of dim x dim entries never is. Axes of which T has nothing
 * but rounding are left out. */
#include "classify/tangent.h"

#include <math.h>
#include <string.h>

#include "classify/samples.h"
#include "classify/vectors.h"
#include "ops/pairwise.h"
#include "ops/scale.h"
#include "geometry/flat.h"

/* Of the mean: far below any difference between samples. */
#define PRECISION 1e-10

/* Rounding of eigenvalues, relative to the largest, per dimension. */
#define NOTHING 1e-15

static int is_flat(spd_metric id)
{
    return metric_get(id)->flat;
}

/* ---- vectors -------------------------------------------------------------------------------- */

static spd_status flat_vectors(spd_context *ctx, const tangent_space *t, size_t p, const double *X,
                               double *T)
{
    spd_status status = prepare_set(ctx, metric_get(t->metric), t->n, p, X, "X", T);
    for (size_t i = 0; i < p && status == SPD_OK; i++)
        for (size_t e = 0; e < t->dim; e++)
            T[i * t->dim + e] -= t->origin[e];
    return status;
}

static spd_status curved_vectors(spd_context *ctx, const tangent_space *t, size_t p,
                                 const double *X, double *T)
{
    arena room = {0};
    double *white = arena_alloc(&room, p, t->n * t->n * sizeof *white);
    spd_status status = white ? spd_congruence(ctx, SPD_SET(t->n, p, X), t->n, t->whiten, white)
                              : ctx_nomem(ctx, "whitened matrices");
    if (status == SPD_OK)
        status = prepare_set(ctx, &metric_log_euclidean, t->n, p, white, "X", T);
    arena_free(&room);
    return status;
}

/* T (p x dim) <- t(X). */
static spd_status vectors_of(spd_context *ctx, const tangent_space *t, size_t p, const double *X,
                             double *T)
{
    return t->whiten ? curved_vectors(ctx, t, p, X, T) : flat_vectors(ctx, t, p, X, T);
}

/* t->origin or t->whiten <- from the mean M of the samples. SPD_NOT_CONVERGED passes. */
static spd_status place(spd_context *ctx, const samples *train, arena *keep, tangent_space *t)
{
    size_t n = t->n;
    int flat = is_flat(t->metric);
    arena room = {0};
    double *M = arena_alloc(&room, n * n, sizeof *M), *target = arena_zero(keep, n * n, sizeof *M);
    spd_status status =
        M && target
            ? spd_mean(ctx, t->metric, SPD_SET(n, train->p, train->X),
                       &(spd_mean_options){.size = sizeof(spd_mean_options), .tol = PRECISION}, M,
                       NULL)
            : ctx_nomem(ctx, "the tangent space");
    spd_status remark = status;
    if (status >= 0) {
        *(flat ? &t->origin : &t->whiten) = target;
        status = flat ? prepare_set(ctx, metric_get(t->metric), n, 1, M, "the mean", target)
                      : spd_apply(ctx, SPD_FUNCTION_INVSQRT, 0.0, SPD_SET(n, 1, M), target);
    }
    arena_free(&room);
    return status < 0 ? status : remark;
}

/* ---- axes ----------------------------------------------------------------------------------- */

/* How many of the eigenvalues (ascending) are more than rounding. */
static size_t rank_of(size_t size, const double *lambda)
{
    double least = NOTHING * (double)size * lambda[size - 1];
    size_t rank = 0;
    while (rank < size && lambda[size - 1 - rank] > least)
        rank++;
    return rank;
}

/* A (rank x size) <- the leading eigenvectors of V (size x size, columns, ascending) as rows. */
static void lead(size_t size, size_t rank, const double *V, double *A)
{
    for (size_t a = 0; a < rank; a++)
        for (size_t e = 0; e < size; e++)
            A[a * size + e] = V[e * size + size - 1 - a];
}

/* t->axes <- from the eigenvectors V of T T', lambda their values: U'T over the roots. */
static spd_status axes_from_dual(spd_context *ctx, tangent_space *t, const double *Tt,
                                 const double *lambda, const double *V)
{
    arena room = {0};
    double *U = arena_alloc(&room, t->rank, t->p * sizeof *U);
    if (!U)
        return ctx_nomem(ctx, "the tangent space");
    lead(t->p, t->rank, V, U);
    spd_status status = vectors_products(ctx, t->p, t->rank, U, t->dim, Tt, t->axes);
    for (size_t a = 0; a < t->rank; a++)
        for (size_t e = 0; e < t->dim; e++)
            t->axes[a * t->dim + e] /= sqrt(lambda[t->p - 1 - a]);
    arena_free(&room);
    return status;
}

/* t->rank, axes and vectors <- from the eigenvectors of the smaller Gram matrix. */
static spd_status take_axes(spd_context *ctx, tangent_space *t, const double *T, const double *Tt,
                            const double *lambda, const double *V, arena *keep)
{
    int dual = t->p < t->dim;
    t->rank = rank_of(dual ? t->p : t->dim, lambda);
    t->axes = arena_alloc(keep, t->rank, t->dim * sizeof *t->axes);
    t->vectors = arena_alloc(keep, t->rank, t->p * sizeof *t->vectors);
    spd_status status = arena_status(keep, ctx, "the tangent space");
    if (status == SPD_OK && dual)
        status = axes_from_dual(ctx, t, Tt, lambda, V);
    else if (status == SPD_OK)
        lead(t->dim, t->rank, V, t->axes);
    if (status == SPD_OK)
        status = vectors_products(ctx, t->dim, t->p, T, t->rank, t->axes, t->vectors);
    return status;
}

/* The principal axes of T (p x dim). */
static spd_status find_axes(spd_context *ctx, tangent_space *t, const double *T, arena *keep)
{
    size_t size = t->p < t->dim ? t->p : t->dim;
    arena room = {0};
    double *Tt = arena_alloc(&room, t->dim, t->p * sizeof *Tt);
    double *V = arena_alloc(&room, size, size * sizeof *V);
    double *G = arena_alloc(&room, size, size * sizeof *G);
    double *lambda = arena_alloc(&room, size, sizeof *lambda);
    spd_status status = arena_status(&room, ctx, "the tangent space");
    if (status == SPD_OK) {
        vectors_flip(t->p, t->dim, T, Tt);
        status = t->p < t->dim ? vectors_products(ctx, t->dim, t->p, T, t->p, T, G)
                               : vectors_products(ctx, t->p, t->dim, Tt, t->dim, Tt, G);
    }
    if (status == SPD_OK)
        status = spd_eigh(ctx, SPD_SET(size, 1, G), lambda, V);
    if (status == SPD_OK)
        status = take_axes(ctx, t, T, Tt, lambda, V, keep);
    arena_free(&room);
    return status;
}

/* ---- in and out ----------------------------------------------------------------------------- */

spd_status tangent_learn(spd_context *ctx, spd_metric id, const samples *train, arena *keep,
                         tangent_space *t)
{
    arena room = {0};
    *t = (tangent_space){.metric = id, .n = train->n, .p = train->p, .dim = flat_size(train->n)};
    t->degrees = samples_degrees(train);
    double low, high;
    if (id == SPD_METRIC_EUCLIDEAN && !scale_is_usual(t->n, t->p, train->X, &low, &high))
        return ctx_fail(ctx, SPD_ENUMERIC,
                        "the euclidean tangent space leaves the range of numbers: the largest "
                        "entries of the matrices lie between %.2g and %.2g; bring them to a scale "
                        "near 1",
                        low, high);
    double *T = arena_alloc(&room, t->p, t->dim * sizeof *T);
    spd_status status = T ? place(ctx, train, keep, t) : ctx_nomem(ctx, "the tangent space");
    spd_status remark = status;
    if (status >= 0)
        status = vectors_of(ctx, t, t->p, train->X, T);
    if (status == SPD_OK)
        status = find_axes(ctx, t, T, keep);
    arena_free(&room);
    if (status == SPD_OK && remark > 0)
        status = ctx_fail(ctx, remark, "the mean of the training samples did not converge");
    return status;
}

void tangent_keep(saved_arrays *s, const training_state *c, tangent_space *t)
{
    size_t n = c->train.n;
    if (saved_taking(s)) {
        *t = (tangent_space){.metric = c->method.metric, .n = n, .p = c->train.p};
        t->dim = flat_size(n);
    }
    saved_size(s, "rank", 0, t->dim, &t->rank);
    if (is_flat(t->metric))
        saved_reals(s, "origin", 1, t->dim, &t->origin);
    else
        saved_reals(s, "whiten", n, n, &t->whiten);
    saved_reals(s, "axes", t->rank, t->dim, &t->axes);
}

spd_status tangent_map(spd_context *ctx, const tangent_space *space, const samples *queries,
                       arena *keep, double **vectors)
{
    size_t q = queries->p;
    arena room = {0};
    double *T = arena_alloc(&room, q, space->dim * sizeof *T);
    *vectors = arena_alloc(keep, q, space->rank * sizeof **vectors);
    spd_status status = T && *vectors ? vectors_of(ctx, space, q, queries->X, T)
                                      : ctx_nomem(ctx, "tangent vectors");
    if (status == SPD_OK)
        status = vectors_products(ctx, space->dim, q, T, space->rank, space->axes, *vectors);
    arena_free(&room);
    return status;
}

spd_status tangent_meet(spd_context *ctx, training_state *c)
{
    double *vectors = NULL;
    spd_status status = tangent_map(ctx, c->prepared, &c->queries, &c->meeting, &vectors);
    c->met = vectors;
    return status;
}

spd_status tangent_decide(spd_context *ctx, training_state *c, const tangent_space *space,
                          const classes *of, const double *w, const double *bias, int *label)
{
    size_t q = c->queries.p, count = of->count;
    arena room = {0};
    double *product = arena_alloc(&room, q, count * sizeof *product);
    spd_status status = product ? vectors_products(ctx, space->rank, q, c->met, count, w, product)
                                : ctx_nomem(ctx, "discriminants");
    if (status == SPD_OK)
        training_state_choose(c, of, product, bias, label);
    arena_free(&room);
    return status;
}
