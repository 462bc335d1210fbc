/* embed.c - coordinates of samples in a few dimensions: which method, and whether it fits.
 *
 *   lle, hessian-lle, laplacian   bottom eigenvectors of a matrix made from neighbourhoods
 *   pga                           principal axes of the tangent vectors at the mean (tangent.h)
 *   tsne                          embed_tsne.c
 *   mds                           -1/2 (I - 11'/p) D2 (I - 11'/p) = V diag(lambda) V',
 *                                 Y = V sqrt(lambda)  */
#include "classify/embed.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/sized.h"
#include "classify/tangent.h"
#include "classify/values.h"
#include "run/blas.h"
#include "run/parallel.h"
#include "geometry/flat.h"

/* ---- what fits ------------------------------------------------------------------------------- */

static int needs_log_maps(spd_embedding kind)
{
    return kind == SPD_EMBEDDING_LLE || kind == SPD_EMBEDDING_HESSIAN_LLE;
}

spd_status embed_check_metric(spd_context *ctx, spd_embedding kind, spd_metric which)
{
    const metric *m = metric_get(which);
    if (!m)
        return ctx_fail(ctx, SPD_EINVAL, "unknown metric");
    if (!needs_log_maps(kind) || m == &metric_airm || m->flat)
        return SPD_OK;
    return ctx_fail(ctx, SPD_EINVAL,
                    "%s needs tangent spaces, which are not available for %s; use airm, "
                    "log-euclidean, log-cholesky or euclidean, or the laplacian method",
                    spd_name(SPD_ENUM_EMBEDDING, kind), spd_name(SPD_ENUM_METRIC, which));
}

static spd_status check_neighbours(spd_context *ctx, const spd_embed_options *o, size_t p)
{
    size_t d = o->dimensions, least = 1 + d + d * (d + 1) / 2;
    if (o->k == 0 || o->k >= p)
        return ctx_fail(ctx, SPD_EINVAL, "k is %zu; it must be between 1 and %zu for %zu matrices",
                        o->k, p - 1, p);
    if (o->kind == SPD_EMBEDDING_HESSIAN_LLE && o->k < least)
        return ctx_fail(ctx, SPD_EINVAL,
                        "k is %zu: hessian-lle in %zu dimension%s needs at least 1 + d + d(d+1)/2 "
                        "= %zu neighbours; raise k or lower the dimensions",
                        o->k, d, d == 1 ? "" : "s", least);
    return SPD_OK;
}

spd_status embed_check(spd_context *ctx, const spd_embed_options *o, size_t n, size_t p)
{
    size_t d = o->dimensions, manifold = n * (n + 1) / 2;
    if (!spd_name(SPD_ENUM_EMBEDDING, o->kind))
        return ctx_fail(ctx, SPD_EINVAL, "unknown kind of embedding");
    if (p < 2)
        return ctx_fail(ctx, SPD_EINVAL, "one matrix cannot be embedded; give at least 2");
    if (d == 0 || d >= p)
        return ctx_fail(ctx, SPD_EINVAL, "%zu dimensions requested; %zu matrices allow 1 to %zu", d,
                        p, p - 1);
    if (d > manifold && (o->kind == SPD_EMBEDDING_PGA || o->kind == SPD_EMBEDDING_HESSIAN_LLE))
        return ctx_fail(
            ctx, SPD_EINVAL,
            "%zu dimensions requested; the space of %zu x %zu SPD matrices has only %zu", d, n, n,
            manifold);
    spd_status status = embed_check_metric(ctx, o->kind, o->metric);
    if (status == SPD_OK && o->kind != SPD_EMBEDDING_PGA && o->kind != SPD_EMBEDDING_MDS &&
        o->kind != SPD_EMBEDDING_TSNE)
        status = check_neighbours(ctx, o, p);
    if (status == SPD_OK && o->kind == SPD_EMBEDDING_TSNE)
        status = embed_check_tsne(ctx, o, p);
    return status;
}

/* ---- by neighbours --------------------------------------------------------------------------- */

/* M (p x p, zero before) and degree (p) <- the method's matrix; *weight <- degree where it counts.
 */
static spd_status fill_matrix(spd_context *ctx, const spd_embed_options *o, const neighbourhoods *h,
                              double *M, double *degree, const double **weight, double *bandwidth)
{
    *weight = NULL;
    *bandwidth = NAN;
    if (o->kind == SPD_EMBEDDING_LLE)
        return lle_matrix(ctx, h, o->k, M);
    if (o->kind == SPD_EMBEDDING_HESSIAN_LLE)
        return hessian_matrix(ctx, h, o->k, o->dimensions, M);
    *bandwidth = laplacian_bandwidth(h, o->k);
    laplacian_matrix(h, o->k, *bandwidth, degree, M);
    *weight = degree;
    return SPD_OK;
}

/* Matrix, null vectors and eigenvectors of a graph whose components are known. */
static spd_status solve(spd_context *ctx, const spd_embed_options *o, const neighbourhoods *h,
                        const graph_components *components, double *Y, double *lambda,
                        double *bandwidth)
{
    size_t p = h->p;
    const double *weight = NULL;
    arena room = {0};
    double *M = arena_zero(&room, p, p * sizeof *M), *degree = arena_alloc(&room, p, sizeof *M);
    double *Z = arena_alloc(&room, components->count, p * sizeof *Z);
    spd_status status = arena_status(&room, ctx, "the matrix of the embedding");
    spd_private_blas_hold(); /* small problems, but the same bits always */
    if (status == SPD_OK)
        status = fill_matrix(ctx, o, h, M, degree, &weight, bandwidth);
    if (status == SPD_OK && o->kind == SPD_EMBEDDING_LLE)
        status = lle_vectors(ctx, p, M, components, Z);
    else if (status == SPD_OK)
        components_vectors(p, components, weight, Z);
    spd_private_blas_release();
    if (status == SPD_OK)
        status = spectral_bottom(ctx, p, M, weight, components->count, Z, o->dimensions, Y, lambda);
    arena_free(&room);
    return status;
}

spd_status embed_graph(spd_context *ctx, const spd_embed_options *o, const neighbourhoods *h,
                       int whole, double *Y, double *lambda, double *bandwidth)
{
    arena room = {0};
    graph_components components;
    int closed = o->kind == SPD_EMBEDDING_LLE; /* its edges lead one way */
    spd_status status = components_find(ctx, h, o->k, &room, &components);
    if (status == SPD_OK && whole && components.count > 1)
        status = components_refuse(ctx, &components, h->p, o->k, 0);
    if (status == SPD_OK && closed) {
        status = components_find_closed(ctx, h, o->k, &room, &components);
        if (status == SPD_OK && whole && components.count > 1)
            status = components_refuse(ctx, &components, h->p, o->k, 1);
    }
    if (status == SPD_OK)
        status = solve(ctx, o, h, &components, Y, lambda, bandwidth);
    arena_free(&room);
    return status;
}

static spd_status by_neighbours(spd_context *ctx, const spd_embed_options *o, size_t n, size_t p,
                                const double *X, double *Y, double *lambda, spd_embed_info *info)
{
    arena room = {0};
    neighbourhoods h;
    spd_status status =
        neighbourhoods_find(ctx, o->metric, n, p, X, o->k, needs_log_maps(o->kind), &room, &h);
    if (status == SPD_OK)
        status = embed_graph(ctx, o, &h, 1, Y, lambda, &info->bandwidth);
    arena_free(&room);
    return status;
}

/* ---- by variance ----------------------------------------------------------------------------- */

static spd_status by_distances(spd_context *ctx, const spd_embed_options *o, size_t n, size_t p,
                               const double *X, double *Y, double *lambda, spd_embed_info *info)
{
    arena room = {0};
    double *B = arena_alloc(&room, p, p * sizeof *B), *mean = arena_alloc(&room, p, sizeof *mean);
    spd_status status = B && mean ? spd_pairwise2(ctx, o->metric, SPD_SET(n, p, X), NULL, B)
                                  : ctx_nomem(ctx, "distances");
    if (status == SPD_OK && B) {
        for (size_t e = 0; e < p * p; e++)
            B[e] *= -0.5;
        values_centre(p, B, mean);
        status = spectral_top(ctx, p, B, o->dimensions, Y, lambda, &info->explained);
    }
    arena_free(&room);
    return status;
}

/* Y, lambda <- the first d axes of a tangent space; zero where it has fewer. */
static double take_axes(const tangent_space *t, size_t d, double *Y, double *lambda)
{
    double all = 0.0, taken = 0.0;
    memset(Y, 0, t->p * d * sizeof *Y);
    memset(lambda, 0, d * sizeof *lambda);
    for (size_t i = 0; i < t->p; i++)
        for (size_t a = 0; a < t->rank; a++) {
            double y = t->vectors[i * t->rank + a];
            all += y * y;
            if (a < d) {
                Y[i * d + a] = y;
                lambda[a] += y * y;
                taken += y * y;
            }
        }
    return all > 0.0 ? fmin(taken / all, 1.0) : 1.0;
}

static spd_status by_axes(spd_context *ctx, const spd_embed_options *o, size_t n, size_t p,
                          const double *X, double *Y, double *lambda, spd_embed_info *info)
{
    const spd_samples all = {.p = p, .n = n, .X = X};
    arena room = {0};
    tangent_space t;
    spd_status status = tangent_learn(ctx, o->metric, &all, &room, &t);
    if (status >= 0) {
        info->explained = take_axes(&t, o->dimensions, Y, lambda);
        spectral_signs(p, o->dimensions, Y);
    }
    arena_free(&room);
    return status;
}

/* ---- public ---------------------------------------------------------------------------------- */

static spd_status compute(spd_context *ctx, const spd_embed_options *o, size_t n, size_t p,
                          const double *X, double *Y, double *lambda, spd_embed_info *info)
{
    size_t squares = o->kind == SPD_EMBEDDING_MDS    ? 2
                     : o->kind == SPD_EMBEDDING_PGA  ? 0
                     : o->kind == SPD_EMBEDDING_TSNE ? embed_tsne_squares(o, p)
                                                     : 1;
    spd_status status = ctx_ask(ctx, "the matrix of the embedding",
                                (double)sizeof(double) * (double)squares * (double)p * (double)p);
    if (status < 0)
        return status;
    if (o->kind == SPD_EMBEDDING_MDS)
        return by_distances(ctx, o, n, p, X, Y, lambda, info);
    if (o->kind == SPD_EMBEDDING_PGA)
        return by_axes(ctx, o, n, p, X, Y, lambda, info);
    if (o->kind == SPD_EMBEDDING_TSNE) {
        for (size_t c = 0; c < o->dimensions; c++)
            lambda[c] = (double)NAN;
        return embed_tsne(ctx, o, n, p, X, Y, info);
    }
    return by_neighbours(ctx, o, n, p, X, Y, lambda, info);
}

spd_status spd_embed(spd_context *ctx, const spd_embed_options *options, size_t n, size_t p,
                     const double *X, double *Y, double *eigenvalue, spd_embed_info *info)
{
    ctx_clear(ctx);
    if (!options || n == 0 || p == 0 || !X || !Y)
        return ctx_fail(ctx, SPD_EINVAL, "matrices, options or the output array are missing");
    spd_embed_options o = {0};
    spd_status status = sized_take(ctx, "spd_embed_options", sizeof o, &o, options);
    if (status >= 0)
        status = sized_check(ctx, "spd_embed_info", info);
    if (status >= 0)
        status = embed_check(ctx, &o, n, p);
    if (status < 0)
        return status;
    size_t d = o.dimensions;
    spd_embed_info found = {
        .explained = NAN, .bandwidth = NAN, .divergence = NAN, .perplexity = NAN, .theta = NAN};
    double *apart = mem_alloc(p + 1, d * sizeof *apart), *lambda = apart;
    if (!apart)
        return ctx_nomem(ctx, "coordinates");
    status = compute(ctx, &o, n, p, X, apart + d, lambda, &found);
    if (status >= 0) {
        memcpy(Y, apart + d, p * d * sizeof *Y);
        if (eigenvalue)
            memcpy(eigenvalue, lambda, d * sizeof *lambda);
        sized_give(sizeof found, &found, info);
    }
    mem_free(apart);
    return status;
}
