/* sift_color.c - the material descriptor: covariance of SIFT and colours on a regular grid.
 *
 *   o = [SIFT (128), R G B of the 3 x 3 pixels about the centre (27)]           155 numbers
 *
 * per frame of the dense SIFT (sift.h) of the resized image's grey values; colours are in [0, 1],
 * pixel after pixel from the upper left. Centres of frames lie between pixels when 3 bin is odd:
 * the patch is then about the pixel up and to the left (4 for 4.5). Without colours o is the SIFT
 * alone. */
#include "base/arena.h"
#include "describe/descriptor.h"
#include "describe/resize.h"
#include "describe/sift.h"

#define PATCH   3 /* pixels a side */
#define COLOURS (3 * PATCH * PATCH)
#define BIN     3 /* pixels of a spatial bin */

/* ---- colours ------------------------------------------------------------------------------ */

static int has_colours(const image *in)
{
    const double *p = in->pixel;
    for (size_t e = 0; in->channels == 3 && e < in->width * in->height; e++, p += 3)
        if (p[0] != p[1] || p[1] != p[2])
            return 1;
    return 0;
}

/* Grey images need --no-color, unless the user has asked for more repair than is usual. */
static spd_status check_colours(spd_context *ctx, const spd_describe_options *o, const image *in)
{
    double usual = defaults_regularize(SPD_DESCRIPTOR_SIFT_COLOR);
    if (o->grey || o->covariance.regularize > usual ||
        o->covariance.shrinkage != SPD_SHRINKAGE_NONE || has_colours(in))
        return SPD_OK;
    ctx_fail(ctx, SPD_EINVAL,
             "the image has no colours (R = G = B), so the covariance of its colours is singular; "
             "regularising lets grey and coloured images be in one set");
    return ctx_advise(ctx, SPD_EINVAL, SPD_REMEDY_NO_COLOR | SPD_REMEDY_REGULARIZE, 1e-3);
}

/* o (27) <- the pixels about (x, y); the one channel of a grey image counts for all three. */
static void write_patch(const image *in, size_t x, size_t y, double *o)
{
    for (size_t b = y - PATCH / 2; b <= y + PATCH / 2; b++)
        for (size_t a = x - PATCH / 2; a <= x + PATCH / 2; a++) {
            const double *pixel = in->pixel + (b * in->width + a) * in->channels;
            for (size_t c = 0; c < 3; c++)
                *o++ = pixel[in->channels == 3 ? c : 0];
        }
}

static void write_patches(const sift_grid *grid, const image *in, size_t n, double *O)
{
    for (size_t row = 0; row < grid->rows; row++)
        for (size_t column = 0; column < grid->columns; column++, O += n)
            write_patch(in, sift_centre(grid, column), sift_centre(grid, row), O + SIFT_SIZE);
}

/* ---- the descriptor ----------------------------------------------------------------------- */

static spd_status sift_color_prepare(spd_context *ctx, const spd_describe_options *options,
                                     void **shared)
{
    sift_grid grid;
    (void)shared;
    size_t width = options->width, height = options->height, least = 3 * BIN + 1;
    return sift_grid_of(ctx, width ? width : least, height ? height : least, options->step, BIN,
                        &grid);
}

/* *seen <- observations of the resized image, frames x n. */
static spd_status observe(spd_context *ctx, const spd_describe_options *o, const image *in,
                          arena *keep, observations *seen)
{
    sift_grid grid;
    size_t n = SIFT_SIZE + (o->grey ? 0 : COLOURS), pixels = in->width * in->height;
    spd_status status = sift_grid_of(ctx, in->width, in->height, o->step, BIN, &grid);
    if (status < 0)
        return status;
    double *grey = arena_alloc(keep, pixels, sizeof *grey);
    double *O = arena_alloc(keep, grid.rows * grid.columns, n * sizeof *O);
    status = arena_status(keep, ctx, "SIFT observations");
    if (status < 0)
        return status;
    grey_of(in, grey);
    if (grey_is_uniform(pixels, 1, grey))
        return ctx_fail(ctx, SPD_ENOTSPD,
                        "all pixels of the image have the same intensity, so SIFT sees nothing in "
                        "it; leave it out");
    if (!o->grey)
        write_patches(&grid, in, n, O);
    *seen = (observations){grid.rows * grid.columns, n, O};
    return sift_dense(ctx, &grid, grey, n, O);
}

static spd_status sift_color_describe(spd_context *ctx, const spd_describe_options *o,
                                      const void *shared, const input *in, description *out)
{
    (void)shared;
    image *resized = NULL;
    arena room = {0};
    observations seen, some;
    spd_status status = check_colours(ctx, o, in->image);
    if (status >= 0)
        status = resize_image(ctx, in->image, o->width, o->height, &resized);
    if (status >= 0)
        status = observe(ctx, o, resized, &room, &seen);
    if (status >= 0)
        status = observations_thin(ctx, o, &seen, &room, &some);
    if (status >= 0)
        status = description_of_blocks(ctx, &o->covariance, 1, &some, out);
    image_free(resized);
    arena_free(&room);
    return status;
}

static int sift_color_parameters(const spd_describe_options *o, json_t *object)
{
    return description_observations(o, object) |
           json_object_update_new(
               object, json_pack("{s:I, s:I, s:I, s:I, s:f, s:b}", "width", (json_int_t)o->width,
                                 "height", (json_int_t)o->height, "step", (json_int_t)o->step,
                                 "bin", (json_int_t)BIN, "smooth", 0.0, "color", !o->grey));
}

const descriptor descriptor_sift_color = {.kind = SPD_DESCRIPTOR_SIFT_COLOR,
                                          .takes = INPUT_IMAGE,
                                          .prepare = sift_color_prepare,
                                          .describe = sift_color_describe,
                                          .parameters = sift_color_parameters};
