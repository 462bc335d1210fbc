/* sift.c - dense SIFT; see sift.h. VLFeat does the work in single precision. */
#include "describe/sift.h"

#include <math.h>
#include <vl/dsift.h>

#include "base/memory.h"

#define LONGEST_SIDE 16384
#define MOST_FRAMES  ((size_t)1 << 23) /* times 128 numbers is what VLFeat's int can hold */
#define BINS         4                 /* along x, along y */
#define ANGLES       8                 /* orientations */
#define WINDOW       2.0               /* deviation of the Gaussian window in bins */
#define SMOOTH_REACH 4.0 /* deviations after which the smoothing Gaussian is cut off */

static size_t frames_along(size_t side, size_t step, size_t bin)
{
    size_t extent = (BINS - 1) * bin;
    return side > extent ? (side - 1 - extent) / step + 1 : 0;
}

spd_status sift_grid_of(spd_context *ctx, size_t width, size_t height, size_t step, size_t bin,
                        sift_grid *grid)
{
    if (step < 1 || bin < 1 || step > LONGEST_SIDE || bin > LONGEST_SIDE)
        return ctx_fail(ctx, SPD_EINVAL,
                        "dense SIFT with step %zu and bins of %zu pixels; both must be 1 to %d",
                        step, bin, LONGEST_SIDE);
    sift_grid made = {.width = width,
                      .height = height,
                      .step = step,
                      .bin = bin,
                      .columns = frames_along(width, step, bin),
                      .rows = frames_along(height, step, bin)};
    if (width > LONGEST_SIDE || height > LONGEST_SIDE)
        return ctx_fail(ctx, SPD_EINVAL,
                        "an image of %zu x %zu pixels is too large for SIFT; resize it to at most "
                        "%d a side",
                        width, height, LONGEST_SIDE);
    if (!made.columns || !made.rows)
        return ctx_fail(ctx, SPD_EINVAL,
                        "an image of %zu x %zu pixels has no room for SIFT with bins of %zu pixels "
                        "(%zu a side at least); resize it to something larger",
                        width, height, bin, (BINS - 1) * bin + 1);
    if (made.columns > MOST_FRAMES / made.rows) {
        ctx_fail(ctx, SPD_EINVAL, "%zu x %zu SIFT descriptors are too many", made.columns,
                 made.rows);
        return ctx_advise(ctx, SPD_EINVAL, SPD_REMEDY_SIFT_STEP | SPD_REMEDY_SIZE, 0.0);
    }
    *grid = made;
    return SPD_OK;
}

size_t sift_centre(const sift_grid *grid, size_t i)
{
    return (BINS - 1) * grid->bin / 2 + grid->step * i;
}

/* ---- smoothing ---------------------------------------------------------------------------- */

/* weight (reach + 1) <- samples of a Gaussian at 0 .. reach, with sum 1 over both sides. */
static void fill_gaussian(double deviation, size_t reach, double *weight)
{
    double sum = 0.0;
    for (size_t t = 0; t <= reach; t++) {
        weight[t] = exp(-0.5 * ((double)t / deviation) * ((double)t / deviation));
        sum += t ? 2.0 * weight[t] : 1.0;
    }
    for (size_t t = 0; t <= reach; t++)
        weight[t] /= sum;
}

/* out (lines x count, transposed: count x lines) <- each line of in convolved with the weights,
 * its ends repeated outwards. */
static void smooth_lines(size_t lines, size_t count, size_t reach, const double *weight,
                         const double *in, double *out)
{
    for (size_t l = 0; l < lines; l++)
        for (size_t i = 0; i < count; i++) {
            const double *line = in + l * count;
            double sum = weight[0] * line[i];
            for (size_t t = 1; t <= reach; t++)
                sum +=
                    weight[t] * (line[i > t ? i - t : 0] + line[i + t < count ? i + t : count - 1]);
            out[i * lines + l] = sum;
        }
}

/* out (height x width) <- grey convolved with a Gaussian. */
static spd_status smooth_image(spd_context *ctx, const sift_grid *grid, double deviation,
                               const double *grey, double *out)
{
    size_t reach = (size_t)ceil(SMOOTH_REACH * deviation), pixels = grid->width * grid->height;
    double *weight = mem_alloc(reach + 1, sizeof *weight);
    double *turned = mem_alloc(pixels, sizeof *turned);
    if (weight && turned) {
        fill_gaussian(deviation, reach, weight);
        smooth_lines(grid->height, grid->width, reach, weight, grey, turned);
        smooth_lines(grid->width, grid->height, reach, weight, turned, out);
    }
    mem_free(weight);
    mem_free(turned);
    return weight && turned ? SPD_OK : ctx_nomem(ctx, "a smoothed image");
}

/* *single <- the image as VLFeat takes it, smoothed; new. */
static spd_status make_single(spd_context *ctx, const sift_grid *grid, double smooth,
                              const double *grey, float **single)
{
    size_t pixels = grid->width * grid->height;
    double *smoothed = smooth > 0.0 ? mem_alloc(pixels, sizeof *smoothed) : NULL;
    float *made = mem_alloc(pixels, sizeof *made);
    spd_status status = SPD_OK;
    if (!made || (smooth > 0.0 && !smoothed))
        status = ctx_nomem(ctx, "an image for SIFT");
    if (status >= 0 && smoothed)
        status = smooth_image(ctx, grid, smooth, grey, smoothed);
    if (status >= 0) {
        for (size_t e = 0; e < pixels; e++)
            made[e] = (float)(smoothed ? smoothed[e] : grey[e]);
        *single = made;
        made = NULL;
    }
    mem_free(smoothed);
    mem_free(made);
    return status;
}

/* ---- VLFeat ------------------------------------------------------------------------------- */

/* VLFeat allocates by itself and does not look whether it got what it asked for. So what it will
 * need is asked for here first, and given back. */
static spd_status check_memory(spd_context *ctx, const sift_grid *grid)
{
    size_t pixels = grid->width * grid->height, frames = grid->columns * grid->rows;
    size_t floats = (ANGLES + 2) * pixels + frames * SIFT_SIZE;
    void *room = mem_alloc(floats * sizeof(float) + frames * sizeof(VlDsiftKeypoint), 1);
    if (!room)
        return ctx_nomem(ctx, "dense SIFT");
    mem_free(room);
    return SPD_OK;
}

static VlDsiftFilter *make_filter(const sift_grid *grid)
{
    VlDsiftFilter *filter =
        vl_dsift_new_basic((int)grid->width, (int)grid->height, (int)grid->step, (int)grid->bin);
    if (!filter)
        return NULL;
    vl_dsift_set_bounds(filter, 0, 0, (int)grid->width - 1, (int)grid->height - 1);
    vl_dsift_set_flat_window(filter, VL_FALSE);
    vl_dsift_set_window_size(filter, WINDOW);
    return filter;
}

spd_status sift_dense(spd_context *ctx, const sift_grid *grid, double smooth, const double *grey,
                      size_t stride, double *O)
{
    size_t frames = grid->columns * grid->rows;
    float *single = NULL;
    VlDsiftFilter *filter = NULL;
    spd_status status = make_single(ctx, grid, smooth, grey, &single);
    if (status >= 0)
        status = check_memory(ctx, grid);
    if (status >= 0 && !(filter = make_filter(grid)))
        status = ctx_nomem(ctx, "dense SIFT");
    if (status >= 0 && (size_t)vl_dsift_get_keypoint_num(filter) != frames)
        status = ctx_fail(ctx, SPD_ENUMERIC, "VLFeat places %d SIFT frames, expected %zu",
                          vl_dsift_get_keypoint_num(filter), frames);
    if (status >= 0) {
        vl_dsift_process(filter, single);
        const float *descriptor = vl_dsift_get_descriptors(filter);
        for (size_t f = 0; f < frames; f++)
            for (size_t i = 0; i < SIFT_SIZE; i++)
                O[f * stride + i] = (double)descriptor[f * SIFT_SIZE + i];
    }
    if (filter)
        vl_dsift_delete(filter);
    mem_free(single);
    return status;
}
