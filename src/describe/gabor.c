/* gabor.c - the face descriptor: covariance of intensity, position and Gabor magnitudes.
 *
 *   o(x, y) = [I, x, y, |G_00|, |G_10|, ..., |G_uv|, ...]          3 + scales * orientations
 *
 * per pixel of the grey image after resizing: I in [0, 1], x and y in pixels from the upper left
 * pixel (0, 0), magnitudes as in gabor_bank.h, u fastest. Regions are blocks of a block-diagonal
 * matrix:
 *
 *   whole    all pixels
 *   halves   all pixels, the columns x < width/2 rounded down, the others
 *   grid     cells, row after row; cell i of c starts at i * side / c rounded down
 *
 * Pixels are written cell after cell, so that every region is a run of rows of one array. */
#include "base/arena.h"
#include "describe/descriptor.h"
#include "filters/gabor_bank.h"
#include "describe/resize.h"

/* Of the wavelets (Harandi et al. 2012): k_v = KMAX / SPACING^v. */
#define KMAX    1.41421356237309505
#define SPACING 1.41421356237309505
#define SIGMA   (2.0 * 3.14159265358979323846)

#define PLAIN_FEATURES 3 /* I, x, y */

/* The regions of an image of one size. */
typedef struct layout {
    size_t width, height;
    size_t rows, columns; /* of cells */
    size_t blocks;        /* cells, and the whole image before them for halves */
} layout;

static layout layout_of(const spd_describe_options *o, size_t width, size_t height)
{
    layout l = {width, height, 1, 1, 1};
    if (o->regions == SPD_REGIONS_HALVES)
        l = (layout){width, height, 1, 2, 3};
    if (o->regions == SPD_REGIONS_GRID)
        l = (layout){width, height, o->grid_rows, o->grid_columns, o->grid_rows * o->grid_columns};
    return l;
}

static spd_status check_layout(spd_context *ctx, const layout *l)
{
    if (l->rows < 1 || l->columns < 1 || l->rows > l->height || l->columns > l->width)
        return ctx_fail(ctx, SPD_EINVAL,
                        "a grid of %zu x %zu regions does not fit an image of %zu x %zu pixels",
                        l->rows, l->columns, l->height, l->width);
    return SPD_OK;
}

/* ---- observations ------------------------------------------------------------------------- */

/* What one image is turned into. */
typedef struct features {
    image *grey;       /* resized */
    double *magnitude; /* filters x height x width */
    double *O;         /* pixels x n, cell after cell */
    size_t n;
    observations *block; /* runs of O */
    arena room;          /* of all but the image */
} features;

static spd_status measure(spd_context *ctx, const gabor_bank *bank, size_t blocks, features *f)
{
    size_t filters = gabor_bank_filters(bank), pixels = f->grey->width * f->grey->height;
    void *work = arena_alloc(&f->room, gabor_bank_work(bank), 1);
    f->n = PLAIN_FEATURES + filters;
    f->magnitude = arena_alloc(&f->room, filters * sizeof(double), pixels);
    f->O = arena_alloc(&f->room, f->n * sizeof(double), pixels);
    f->block = arena_alloc(&f->room, blocks, sizeof *f->block);
    spd_status status = arena_status(&f->room, ctx, "Gabor features");
    if (status >= 0)
        gabor_bank_apply(bank, f->grey->pixel, f->magnitude, work);
    return status;
}

/* Observations of the pixels from .. to-1 of row y, feature after feature: planes of a size that is
 * a power of two get in each other's way in the cache when they are read side by side. */
static void write_row(const features *f, size_t y, size_t from, size_t to, double *o)
{
    size_t pixels = f->grey->width * f->grey->height, at = y * f->grey->width;
    for (size_t x = from; x < to; x++) {
        double *plain = o + (x - from) * f->n;
        plain[0] = f->grey->pixel[at + x];
        plain[1] = (double)x;
        plain[2] = (double)y;
    }
    for (size_t i = PLAIN_FEATURES; i < f->n; i++) {
        const double *plane = f->magnitude + (i - PLAIN_FEATURES) * pixels + at;
        for (size_t x = from; x < to; x++)
            o[(x - from) * f->n + i] = plane[x];
    }
}

/* Writes the observations and says which rows are which block. */
static void write_blocks(const layout *l, features *f)
{
    double *o = f->O;
    observations *block = f->block;
    if (l->blocks > l->rows * l->columns)
        *block++ = (observations){l->width * l->height, f->n, f->O};
    for (size_t cell = 0; cell < l->rows * l->columns; cell++) {
        const spd_rect r = grid_cell(f->grey, l->rows, l->columns, cell);
        *block++ = (observations){r.width * r.height, f->n, o};
        for (size_t y = r.y; y < r.y + r.height; y++, o += r.width * f->n)
            write_row(f, y, r.x, r.x + r.width, o);
    }
}

/* A region of one intensity has a covariance with a row of zeros. */
static spd_status check_blocks(spd_context *ctx, const spd_covariance_options *c, size_t blocks,
                               const observations *block)
{
    if (c->W || c->regularize > 0.0 || c->shrinkage != SPD_SHRINKAGE_NONE)
        return SPD_OK;
    for (size_t b = 0; b < blocks; b++)
        if (grey_is_uniform(block[b].r, block[b].n, block[b].O)) {
            ctx_fail(ctx, SPD_ENOTSPD,
                     "all %zu pixels of region %zu of %zu have the same intensity, so the "
                     "covariance is singular",
                     block[b].r, b + 1, blocks);
            return ctx_advise(ctx, SPD_ENOTSPD, SPD_REMEDY_REGULARIZE | SPD_REMEDY_REGIONS, 1e-6);
        }
    return SPD_OK;
}

/* ---- the descriptor ----------------------------------------------------------------------- */

static spd_status bank_for(spd_context *ctx, const spd_describe_options *o, size_t width,
                           size_t height, gabor_bank **bank)
{
    return gabor_bank_new(ctx, width, height, o->scales, o->orientations, KMAX, SPACING, SIGMA,
                          bank);
}

static void gabor_release(void *shared)
{
    gabor_bank_free(shared);
}

/* Shares the filters; images that keep their size need filters of their own. */
static spd_status gabor_prepare(spd_context *ctx, const spd_describe_options *options,
                                void **shared)
{
    gabor_bank *bank = NULL;
    if ((unsigned)options->regions > SPD_REGIONS_GRID)
        return ctx_fail(ctx, SPD_EINVAL, "unknown choice of regions %d", (int)options->regions);
    if (!options->width || !options->height)
        return SPD_OK;
    const layout l = layout_of(options, options->width, options->height);
    spd_status status = check_layout(ctx, &l);
    if (status >= 0)
        status = bank_for(ctx, options, l.width, l.height, &bank);
    if (status >= 0)
        *shared = bank;
    return status;
}

/* *out <- the covariance of the grey image in f. */
static spd_status describe_grey(spd_context *ctx, const spd_describe_options *o,
                                const gabor_bank *bank, features *f, description *out)
{
    const spd_covariance_options *c = &o->covariance;
    const layout l = layout_of(o, f->grey->width, f->grey->height);
    spd_status status = check_layout(ctx, &l);
    if (status >= 0)
        status = measure(ctx, bank, l.blocks, f);
    if (status < 0)
        return status;
    write_blocks(&l, f);
    status = check_blocks(ctx, c, l.blocks, f->block);
    return status < 0 ? status : description_of_blocks(ctx, c, l.blocks, f->block, out);
}

static spd_status gabor_describe(spd_context *ctx, const spd_describe_options *o,
                                 const void *shared, const input *in, description *out)
{
    gabor_bank *own = NULL;
    features f = {0};
    spd_status status = resize_grey(ctx, in->image, o->width, o->height, &f.grey);
    if (status >= 0 && !shared)
        status = bank_for(ctx, o, f.grey->width, f.grey->height, &own);
    if (status >= 0)
        status = describe_grey(ctx, o, shared ? shared : own, &f, out);
    gabor_bank_free(own);
    image_free(f.grey);
    arena_free(&f.room);
    return status;
}

static int gabor_parameters(const spd_describe_options *o, json_t *object)
{
    static const char *const regions[] = {"whole", "halves", "grid"};
    int failed = json_object_update_new(
        object, json_pack("{s:I, s:I, s:I, s:I, s:f, s:f, s:f, s:s}", "width", (json_int_t)o->width,
                          "height", (json_int_t)o->height, "scales", (json_int_t)o->scales,
                          "orientations", (json_int_t)o->orientations, "kmax", KMAX, "spacing",
                          SPACING, "sigma", SIGMA, "regions", regions[o->regions]));
    if (!failed && o->regions == SPD_REGIONS_GRID)
        failed = json_object_update_new(object, json_pack("{s:I, s:I}", "grid_rows",
                                                          (json_int_t)o->grid_rows, "grid_columns",
                                                          (json_int_t)o->grid_columns));
    return failed;
}

const descriptor descriptor_gabor = {.kind = SPD_DESCRIPTOR_GABOR,
                                     .takes = INPUT_IMAGE,
                                     .prepare = gabor_prepare,
                                     .describe = gabor_describe,
                                     .release = gabor_release,
                                     .parameters = gabor_parameters};
