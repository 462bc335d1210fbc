/* region.c - covariances of Tuzel's features in rectangles of an image.
 *
 *   C_k = 1/(r_k - 1) sum (o - mu_k)(o - mu_k)'    over the r_k pixels of rectangle k
 *
 * by integral images (integral.h), one matrix for each rectangle: those of the options, else the
 * cells of the grid, else the whole image. With a model, W' C W. The Ledoit-Wolf shrinkage needs
 * sums of fourth order, so it goes over the pixels of each rectangle. */
#include <stdio.h>

#include "base/arena.h"
#include "base/memory.h"
#include "ops/covariance.h"
#include "describe/descriptor.h"
#include "describe/integral.h"
#include "describe/region_features.h"
#include "describe/resize.h"
#include "linalg/dense.h"
#include "linalg/tall.h"

#define MOST_CELLS ((size_t)1 << 28)

/* Where a matrix comes from; y would be the labels. */
static const char *const columns[] = {"left", "top", "width", "height"};
#define COLUMNS (sizeof columns / sizeof columns[0])

/* ---- rectangles ----------------------------------------------------------------------------- */

/* Matrices per image. */
static size_t count_rects(const spd_describe_options *o)
{
    if (o->rects)
        return o->rects;
    return o->grid_rows && o->grid_columns ? o->grid_rows * o->grid_columns : 1;
}

static spd_status check_rect(spd_context *ctx, const image *in, const spd_rect *r, size_t k)
{
    if (r->width == 0 || r->height == 0)
        return ctx_fail(ctx, SPD_EINVAL, "rectangle %zu (x %zu, y %zu, %zu x %zu) is empty", k,
                        r->x, r->y, r->width, r->height);
    if (r->x >= in->width || r->width > in->width - r->x || r->y >= in->height ||
        r->height > in->height - r->y)
        return ctx_fail(ctx, SPD_EINVAL,
                        "rectangle %zu (x %zu, y %zu, %zu x %zu) does not lie inside the image of "
                        "%zu x %zu pixels",
                        k, r->x, r->y, r->width, r->height, in->width, in->height);
    return SPD_OK;
}

/* Are all rectangles in the image, each with pixels enough? The usual regularisation is for parts
 * without contrast; it does not excuse too few pixels. */
static spd_status check_rects(spd_context *ctx, const spd_describe_options *o, const image *in,
                              size_t n, const spd_rect *rect)
{
    if (!o->rects && o->grid_rows && (o->grid_rows > in->height || o->grid_columns > in->width))
        return ctx_fail(ctx, SPD_EINVAL,
                        "a grid of %zu x %zu cells does not fit an image of %zu x %zu pixels",
                        o->grid_rows, o->grid_columns, in->height, in->width);
    spd_covariance_options asked = o->covariance;
    if (asked.regularize <= defaults_regularize(SPD_DESCRIPTOR_REGION))
        asked.regularize = 0.0;
    spd_status status = SPD_OK;
    for (size_t k = 0; k < count_rects(o) && status == SPD_OK; k++) {
        const observations block = {rect[k].width * rect[k].height, n, NULL};
        status = check_rect(ctx, in, &rect[k], k);
        if (status == SPD_OK && (status = covariance_check(ctx, &asked, 1, &block)) < 0) {
            char name[80];
            snprintf(name, sizeof name, "rectangle %zu (%zu x %zu pixels)", k, rect[k].width,
                     rect[k].height);
            ctx_prefix(ctx, name);
        }
    }
    return status;
}

/* ---- matrices ------------------------------------------------------------------------------- */

static void feature_row(const void *user, size_t y, double *O)
{
    const region_features *f = user;
    region_features_row(f, 0, y, f->in->width, O);
}

/* X (d x d) <- covariance for the scatter S (n x n) of r pixels. work: n m doubles with W. */
static void finish(const spd_covariance_options *c, size_t n, size_t r, double *S, double *X,
                   double *work)
{
    scatter sums = {.r = r, .d = n, .S = S};
    double trace = 0.0;
    for (size_t i = 0; i < n; i++)
        trace += S[i * n + i];
    if (c->W) {
        tall_product(n, n, c->m, S, c->W, work);
        dense_trans_product(c->m, c->m, n, c->W, work, 0.0, X);
        spd_symmetrize(c->m, 1, X);
        sums.d = c->m;
        sums.S = X;
    }
    shrinkage_apply(c, &sums, X);
    if (c->regularize > 0.0)
        spd_regularize(sums.d, 1, X, 0.0, shrinkage_ridge(c, r, n, trace));
}

/* out <- covariances and means by integral images. */
static spd_status by_integral(spd_context *ctx, const spd_covariance_options *c,
                              const region_features *f, const spd_rect *rect, description *out)
{
    const integral_source source = {f->in->width, f->in->height, f->n, feature_row, f};
    const size_t n = f->n, d = out->n, count = out->count;
    arena room = {0};
    double *S = arena_alloc(&room, count, n * n * sizeof *S);
    double *mean = arena_alloc(&room, count, n * sizeof *mean);
    double *work = arena_alloc(&room, n, d * sizeof *work);
    spd_status status = arena_status(&room, ctx, "covariances of rectangles");
    if (status == SPD_OK)
        status = integral_scatters(ctx, &source, count, rect, S, mean);
    for (size_t k = 0; k < count && status == SPD_OK; k++) {
        const observations block = {rect[k].width * rect[k].height, n, NULL};
        finish(c, n, block.r, S + k * n * n, out->X + k * d * d, work);
        description_mean(c, k, 0, block.r, n, mean + k * n, out);
        description_count(c, 1, &block, out);
    }
    arena_free(&room);
    return status;
}

/* The same over the pixels of each rectangle. */
static spd_status by_pixels(spd_context *ctx, const spd_covariance_options *c,
                            const region_features *f, const spd_rect *rect, description *out)
{
    spd_status status = SPD_OK;
    for (size_t k = 0; k < out->count && status == SPD_OK; k++) {
        const size_t r = rect[k].width * rect[k].height;
        double *O = mem_alloc(r, f->n * sizeof *O);
        const observations block = {r, f->n, O};
        if (!O)
            return ctx_nomem(ctx, "features of a rectangle");
        region_features_rect(f, &rect[k], O);
        status = description_fill(ctx, c, k, 1, &block, out);
        mem_free(O);
    }
    return status;
}

/* ---- the descriptor ------------------------------------------------------------------------- */

static spd_status region_prepare(spd_context *ctx, const spd_describe_options *options,
                                 void **shared)
{
    const size_t rows = options->grid_rows, grid_columns = options->grid_columns;
    size_t cells;
    (void)shared;
    if (!options->rects && !rows != !grid_columns)
        return ctx_fail(ctx, SPD_EINVAL, "a grid of %zu x %zu has no cells", rows, grid_columns);
    if (!options->rects && (mem_mul(rows, grid_columns, &cells) || cells > MOST_CELLS))
        return ctx_fail(ctx, SPD_EINVAL, "a grid of %zu x %zu cells is too fine", rows,
                        grid_columns);
    return SPD_OK;
}

/* out <- the matrices of the rectangles, which are checked. */
static spd_status fill(spd_context *ctx, const spd_describe_options *o, const region_features *f,
                       const spd_rect *rect, description *out)
{
    const spd_covariance_options *c = &o->covariance;
    const size_t count = count_rects(o);
    description made = {0};
    spd_status status = description_room(ctx, c, count, c->W ? c->m : f->n, 1, COLUMNS, &made);
    if (status < 0)
        return status;
    made.column_name = columns;
    for (size_t k = 0; k < count; k++) {
        double *column = made.column + k * COLUMNS;
        column[0] = (double)rect[k].x;
        column[1] = (double)rect[k].y;
        column[2] = (double)rect[k].width;
        column[3] = (double)rect[k].height;
    }
    if (c->shrinkage == SPD_SHRINKAGE_LEDOIT_WOLF)
        status = by_pixels(ctx, c, f, rect, &made);
    else
        status = by_integral(ctx, c, f, rect, &made);
    return description_hand_over(status, &made, out);
}

static spd_status region_describe(spd_context *ctx, const spd_describe_options *o,
                                  const void *shared, const input *in, description *out)
{
    region_features f = {0};
    image *sized = NULL;
    const size_t count = count_rects(o);
    spd_rect *rect = mem_alloc(count, sizeof *rect);
    spd_status status = rect ? SPD_OK : ctx_nomem(ctx, "rectangles");
    (void)shared;
    if (status == SPD_OK)
        status = resize_image(ctx, in->image, o->width, o->height, &sized);
    if (status == SPD_OK)
        status = region_features_new(ctx, sized, !o->grey, &f);
    if (status == SPD_OK) {
        for (size_t k = 0; k < count; k++)
            rect[k] = o->rects ? o->rect[k]
                      : o->grid_rows && o->grid_columns
                          ? grid_cell(sized, o->grid_rows, o->grid_columns, k)
                          : (spd_rect){0, 0, sized->width, sized->height};
        status = check_rects(ctx, o, sized, f.n, rect);
    }
    if (status == SPD_OK)
        status = fill(ctx, o, &f, rect, out);
    region_features_free(&f);
    image_free(sized);
    mem_free(rect);
    return status;
}

static int region_parameters(const spd_describe_options *o, json_t *object)
{
    return json_object_update_new(
        object, json_pack("{s:I, s:I, s:b, s:I, s:I, s:I}", "width", (json_int_t)o->width, "height",
                          (json_int_t)o->height, "grey", o->grey, "rectangles",
                          (json_int_t)o->rects, "grid_rows", (json_int_t)o->grid_rows,
                          "grid_columns", (json_int_t)o->grid_columns));
}

const descriptor descriptor_region = {.kind = SPD_DESCRIPTOR_REGION,
                                      .takes = INPUT_IMAGE,
                                      .prepare = region_prepare,
                                      .describe = region_describe,
                                      .parameters = region_parameters};
