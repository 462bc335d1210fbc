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

#include "base/memory.h"
#include "classify/products.h"
#include "engine/pairwise.h"
#include "geometry/flat.h"

/* Of the mean: far below any difference between samples. */
#define PRECISION 1e-10

/* Rounding of eigenvalues, relative to the largest, per dimension. */
#define NOTHING 1e-15

static int is_flat(spd_metric id)
{
    return metric_get(id)->dist2 == flat_dist2;
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
    double *white = mem_alloc(p, t->n * t->n * sizeof *white);
    if (!white)
        return ctx_nomem(ctx, "whitened matrices");
    spd_status status = spd_congruence(ctx, t->n, t->n, p, X, t->whiten, white);
    if (status == SPD_OK)
        status = prepare_set(ctx, &metric_log_euclidean, t->n, p, white, "X", T);
    mem_free(white);
    return status;
}

/* T (p x dim) <- t(X). */
static spd_status vectors_of(spd_context *ctx, const tangent_space *t, size_t p, const double *X,
                             double *T)
{
    return t->whiten ? curved_vectors(ctx, t, p, X, T) : flat_vectors(ctx, t, p, X, T);
}

/* t->origin or t->whiten <- from the mean M of the samples. SPD_NOT_CONVERGED passes. */
static spd_status place(spd_context *ctx, const samples *train, tangent_space *t)
{
    size_t n = t->n;
    double *M = mem_alloc(n * n, sizeof *M), *target = mem_zero(n * n, sizeof *target);
    spd_status status = SPD_OK, remark = SPD_OK;
    if (!M || !target)
        status = ctx_nomem(ctx, "the tangent space");
    if (status == SPD_OK)
        remark = status = spd_mean(
            ctx, t->metric, n, train->p, train->X,
            &(spd_mean_options){.size = sizeof(spd_mean_options), .tol = PRECISION}, M, NULL);
    if (status >= 0) {
        int flat = is_flat(t->metric);
        *(flat ? &t->origin : &t->whiten) = target;
        status = flat ? prepare_set(ctx, metric_get(t->metric), n, 1, M, "the mean", target)
                      : spd_apply(ctx, SPD_INVSQRT, 0.0, n, 1, M, target);
        target = NULL;
    }
    mem_free(target);
    mem_free(M);
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
    double *U = mem_alloc(t->rank, t->p * sizeof *U);
    if (!U)
        return ctx_nomem(ctx, "the tangent space");
    lead(t->p, t->rank, V, U);
    spd_status status = products_between(ctx, t->p, t->rank, U, t->dim, Tt, t->axes);
    for (size_t a = 0; a < t->rank; a++)
        for (size_t e = 0; e < t->dim; e++)
            t->axes[a * t->dim + e] /= sqrt(lambda[t->p - 1 - a]);
    mem_free(U);
    return status;
}

/* t->rank, axes and vectors <- from the eigenvectors of the smaller Gram matrix. */
static spd_status take_axes(spd_context *ctx, tangent_space *t, const double *T, const double *Tt,
                            const double *lambda, const double *V)
{
    int dual = t->p < t->dim;
    t->rank = rank_of(dual ? t->p : t->dim, lambda);
    t->axes = mem_alloc(t->rank, t->dim * sizeof *t->axes);
    t->vectors = mem_alloc(t->rank, t->p * sizeof *t->vectors);
    if (!t->axes || !t->vectors)
        return ctx_nomem(ctx, "the tangent space");
    spd_status status = SPD_OK;
    if (dual)
        status = axes_from_dual(ctx, t, Tt, lambda, V);
    else
        lead(t->dim, t->rank, V, t->axes);
    if (status == SPD_OK)
        status = products_between(ctx, t->dim, t->p, T, t->rank, t->axes, t->vectors);
    return status;
}

/* The principal axes of T (p x dim). */
static spd_status find_axes(spd_context *ctx, tangent_space *t, const double *T)
{
    size_t size = t->p < t->dim ? t->p : t->dim;
    double *Tt = mem_alloc(t->dim, t->p * sizeof *Tt), *V = mem_alloc(size, size * sizeof *V);
    double *G = mem_alloc(size, size * sizeof *G), *lambda = mem_alloc(size, sizeof *lambda);
    spd_status status = SPD_OK;
    if (!Tt || !V || !G || !lambda) {
        status = ctx_nomem(ctx, "the tangent space");
        goto done;
    }
    products_flip(t->p, t->dim, T, Tt);
    if (t->p < t->dim)
        status = products_between(ctx, t->dim, t->p, T, t->p, T, G);
    else
        status = products_between(ctx, t->p, t->dim, Tt, t->dim, Tt, G);
    if (status == SPD_OK)
        status = spd_eigh(ctx, size, 1, G, lambda, V);
    if (status == SPD_OK)
        status = take_axes(ctx, t, T, Tt, lambda, V);
done:
    mem_free(Tt);
    mem_free(V);
    mem_free(G);
    mem_free(lambda);
    return status;
}

/* ---- in and out ----------------------------------------------------------------------------- */

void tangent_free(tangent_space *space)
{
    if (!space)
        return;
    mem_free(space->origin);
    mem_free(space->whiten);
    mem_free(space->axes);
    mem_free(space->vectors);
    mem_free(space);
}

spd_status tangent_learn(spd_context *ctx, spd_metric id, const samples *train,
                         tangent_space **space)
{
    tangent_space *t = mem_zero(1, sizeof *t);
    double *T = mem_alloc(train->p, flat_size(train->n) * sizeof *T);
    spd_status status = SPD_OK, remark = SPD_OK;
    if (t)
        *t =
            (tangent_space){.metric = id, .n = train->n, .p = train->p, .dim = flat_size(train->n)};
    if (!t || !T)
        status = ctx_nomem(ctx, "the tangent space");
    else
        remark = status = place(ctx, train, t);
    if (status >= 0)
        status = vectors_of(ctx, t, t->p, train->X, T);
    if (status == SPD_OK)
        status = find_axes(ctx, t, T);
    mem_free(T);
    if (status < 0)
        tangent_free(t);
    else
        *space = t;
    if (status == SPD_OK && remark > 0)
        status = ctx_fail(ctx, remark, "the mean of the training samples did not converge");
    return status;
}

spd_status tangent_map(spd_context *ctx, const tangent_space *space, const samples *queries,
                       double *vectors)
{
    double *T = mem_alloc(queries->p, space->dim * sizeof *T);
    if (!T)
        return ctx_nomem(ctx, "tangent vectors");
    spd_status status = vectors_of(ctx, space, queries->p, queries->X, T);
    if (status == SPD_OK)
        status =
            products_between(ctx, space->dim, queries->p, T, space->rank, space->axes, vectors);
    mem_free(T);
    return status;
}

void tangent_release_met(void *met)
{
    tangent_met *t = met;
    if (t)
        mem_free(t->vectors);
    mem_free(t);
}

spd_status tangent_meet(spd_context *ctx, const tangent_space *space, const samples *queries,
                        void **met)
{
    tangent_met *t = mem_zero(1, sizeof *t);
    spd_status status = SPD_OK;
    if (t) {
        t->q = queries->p;
        t->vectors = mem_alloc(queries->p, space->rank * sizeof *t->vectors);
    }
    if (!t || !t->vectors)
        status = ctx_nomem(ctx, "tangent vectors");
    else
        status = tangent_map(ctx, space, queries, t->vectors);
    if (status < 0)
        tangent_release_met(t);
    else
        *met = t;
    return status;
}
