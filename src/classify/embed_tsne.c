/* embed_tsne.c - t-SNE of the distances between samples: which of them count, and how. */
#include <math.h>

#include "classify/embed.h"
#include "classify/tsne.h"

#define USUAL_PERPLEXITY 30.0
#define USUAL_THETA      0.5
#define USUAL_ITERATIONS 1000
#define MOST_PAIRS       500 /* samples up to which all pairs count unless told otherwise */
#define NEIGHBOURS       3.0 /* for each unit of the perplexity */

static double theta_of(const spd_embed_options *o, size_t p)
{
    if (o->theta > 0.0)
        return o->theta;
    return o->theta < 0.0 || p <= MOST_PAIRS ? 0.0 : USUAL_THETA;
}

static double perplexity_of(const spd_embed_options *o, size_t p)
{
    if (o->perplexity > 0.0)
        return o->perplexity;
    return fmax(1.0, fmin(USUAL_PERPLEXITY, (double)(p - 1) / NEIGHBOURS));
}

size_t embed_tsne_squares(const spd_embed_options *o, size_t p)
{
    return theta_of(o, p) > 0.0 ? 0 : 12;
}

spd_status embed_check_tsne(spd_context *ctx, const spd_embed_options *o, size_t p)
{
    if (o->dimensions > TSNE_DIMENSIONS)
        return ctx_fail(ctx, SPD_EINVAL, "%zu dimensions requested; tsne has at most %d",
                        o->dimensions, TSNE_DIMENSIONS);
    if (o->perplexity != 0.0 && !(o->perplexity >= 1.0 && o->perplexity < (double)p))
        return ctx_fail(ctx, SPD_EINVAL,
                        "the perplexity %g must be at least 1 and below the number of matrices, "
                        "%zu",
                        o->perplexity, p);
    if (!(o->theta <= 2.0))
        return ctx_fail(ctx, SPD_EINVAL, "theta is %g; it must not be above 2", o->theta);
    return SPD_OK;
}

/* h <- all other samples of each, in their order. */
static spd_status all_others(spd_context *ctx, spd_metric metric, size_t n, size_t p,
                             const double *X, arena *keep, neighbourhoods *h)
{
    double *D2 = arena_alloc(keep, p, p * sizeof *D2);
    *h = (neighbourhoods){.p = p,
                          .k = p - 1,
                          .index = arena_alloc(keep, p, (p - 1) * sizeof *h->index),
                          .d2 = arena_alloc(keep, p, (p - 1) * sizeof *h->d2)};
    spd_status status = arena_status(keep, ctx, "distances");
    if (status == SPD_OK)
        status = spd_pairwise2(ctx, metric, SPD_SET(n, p, X), NULL, D2);
    for (size_t i = 0; i < p && status == SPD_OK; i++)
        for (size_t j = 0, e = i * (p - 1); j < p; j++)
            if (j != i) {
                h->index[e] = (int64_t)j;
                h->d2[e++] = D2[i * p + j];
            }
    return status;
}

static spd_status find_graph(spd_context *ctx, const spd_embed_options *o, double theta, size_t n,
                             size_t p, const double *X, arena *keep, tsne_graph *g)
{
    arena room = {0};
    neighbourhoods h;
    double perplexity = perplexity_of(o, p);
    size_t k = (size_t)fmin((double)(p - 1), ceil(NEIGHBOURS * perplexity));
    spd_status status = theta > 0.0 ? neighbourhoods_find(ctx, o->metric, n, p, X, k, 0, &room, &h)
                                    : all_others(ctx, o->metric, n, p, X, &room, &h);
    if (status == SPD_OK)
        status = tsne_affinities(ctx, p, h.k, h.index, h.d2, perplexity, keep, g);
    arena_free(&room);
    return status;
}

spd_status embed_tsne(spd_context *ctx, const spd_embed_options *o, size_t n, size_t p,
                      const double *X, double *Y, spd_embed_info *info)
{
    arena keep = {0};
    tsne_graph g;
    tsne_field field;
    size_t iterations = o->iterations ? o->iterations : USUAL_ITERATIONS;
    info->theta = theta_of(o, p);
    info->perplexity = perplexity_of(o, p);
    spd_status status = find_graph(ctx, o, info->theta, n, p, X, &keep, &g);
    if (status == SPD_OK)
        status = tsne_field_room(ctx, &g, o->dimensions, info->theta, &keep, &field);
    if (status == SPD_OK)
        status =
            tsne_descend(ctx, &field, o->seed, iterations, Y, &info->divergence, &info->iterations);
    if (status == SPD_OK && !isfinite(info->divergence))
        status = ctx_fail(ctx, SPD_ENUMERIC, "the points of t-SNE left the range of numbers");
    if (status == SPD_OK)
        spectral_signs(p, o->dimensions, Y);
    arena_free(&keep);
    return status;
}
