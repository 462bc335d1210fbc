/* page_embed.c - the drawn samples in two dimensions, before and after the map: by classical
 * scaling, and by t-SNE.
 *
 * Classical scaling of the distances between all of them: a picture of the distances that methods
 * decide by, without looking at labels. AIRM's distances where they are quick, else Stein's, which
 * behave alike and are ten times cheaper; where even these would take long, fewer samples. */
#include <math.h>

#include "cli/frame/cli_memory.h"
#include "cli/report/page.h"

#define SECONDS     4.0   /* of one core, about, for the distances */
#define AIRM_COST   1e-10 /* seconds of a distance over n^3 */
#define STEIN_COST  8e-12
#define FEWEST      60 /* samples to show anything */
#define ENOUGH      300
#define FEWEST_TSNE 20

static size_t affordable(const page *p, double cost)
{
    double n = (double)p->size[0];
    double most = sqrt(2 * SECONDS / (cost * n * n * n));
    return most < (double)p->shown ? (size_t)most : p->shown;
}

/* The metric of the map where it pays. */
static void choose(page *p)
{
    size_t enough = p->shown < ENOUGH ? p->shown : ENOUGH;
    spd_metric metric = p->model ? p->model->options->metric : SPD_METRIC_AIRM;
    p->embed_metric = metric == SPD_METRIC_LOG_EUCLIDEAN ? metric : SPD_METRIC_STEIN;
    p->placed = affordable(p, STEIN_COST);
    if (metric == SPD_METRIC_AIRM && affordable(p, AIRM_COST) >= enough) {
        p->embed_metric = SPD_METRIC_AIRM;
        p->placed = affordable(p, AIRM_COST);
    }
    if (p->placed < FEWEST)
        p->placed = p->shown < FEWEST ? p->shown : FEWEST;
}

/* Y[part] <- by that method; info (or NULL) as spd_embed. */
static spd_status one(page *p, int part, spd_embedding kind, double **to, spd_embed_info *info)
{
    spd_embed_options options = {.size = sizeof options,
                                 .kind = kind,
                                 .metric = p->embed_metric,
                                 .k = 1,
                                 .dimensions = 2,
                                 .seed = p->e->options.seed};
    double *X = page_matrices(p, part, p->placed, NULL);
    double *Y = cli_alloc_table(p->placed, 2, sizeof *Y, "coordinates");
    spd_status status = spd_embed(p->s->ctx, &options, p->size[part], p->placed, X, Y, NULL, info);
    cli_free(X);
    for (size_t e = 0; status >= 0 && kind == SPD_EMBEDDING_MDS && e < 2 * p->placed; e++)
        Y[e] *= sqrt(page_share(p));
    to[part] = status < 0 ? NULL : Y;
    return status;
}

static spd_status by_scaling(page *p, int part)
{
    spd_embed_info info = SPD_STRUCT(spd_embed_info);
    spd_status status = one(p, part, SPD_EMBEDDING_MDS, p->Y, &info);
    p->explained[part] = info.explained;
    return status;
}

/* Dot products of columns of two sets of points (placed x 2 each). */
static double product(const page *p, const double *a, size_t i, const double *b, size_t j)
{
    double sum = 0;
    for (size_t k = 0; k < p->placed; k++)
        sum += a[2 * k + i] * b[2 * k + j];
    return sum;
}

/* Turns and mirrors the points after the map so that they lie as near as possible to those before:
 * distances stay, and the eye can follow a class. With C = A'B (2 x 2), the best rotation has the
 * angle atan2(c01 - c10, c00 + c11); with a mirror first, the second row of C changes its sign. */
static void align(const page *p, const double *B, double *A)
{
    double c00 = product(p, A, 0, B, 0), c01 = product(p, A, 0, B, 1);
    double c10 = product(p, A, 1, B, 0), c11 = product(p, A, 1, B, 1);
    double plain = hypot(c00 + c11, c01 - c10), mirrored = hypot(c00 - c11, c01 + c10);
    double sign = mirrored > plain ? -1 : 1;
    double angle = atan2(c01 - sign * c10, c00 + sign * c11), c = cos(angle), s = sin(angle);
    for (size_t k = 0; k < p->placed; k++) {
        double x = A[2 * k], y = sign * A[2 * k + 1];
        A[2 * k] = c * x - s * y;
        A[2 * k + 1] = s * x + c * y;
    }
}

spd_status page_embed(page *p)
{
    spd_status status = SPD_OK;
    if (p->shown < 4) {
        p->no_embedding = words_text("%zu samples are too few", p->shown);
        return SPD_OK;
    }
    choose(p);
    /* Evenly spaced: the drawn samples are a random choice already, in the order of the file. */
    p->place = cli_alloc(p->placed, sizeof *p->place, "samples");
    for (size_t i = 0; i < p->placed; i++)
        p->place[i] = i * p->shown / p->placed;
    for (int part = 0; part < PAGE_PARTS && status >= 0; part++)
        if (p->size[part])
            status = by_scaling(p, part);
    if (status < 0)
        p->no_embedding = words_text("%s", advice_last(p->s->ctx).text);
    else if (p->Y[1])
        align(p, p->Y[0], p->Y[1]);
    return status;
}

spd_status page_tsne(page *p)
{
    spd_status status = SPD_OK;
    if (!p->Y[0] || p->placed < FEWEST_TSNE)
        return SPD_OK;
    for (int part = 0; part < PAGE_PARTS && status >= 0; part++)
        if (p->Y[part])
            status = one(p, part, SPD_EMBEDDING_TSNE, p->T, NULL);
    if (status < 0)
        p->T[0] = p->T[1] = NULL;
    else if (p->T[1])
        align(p, p->T[0], p->T[1]);
    return status;
}
