/* sift.c - dense SIFT; see sift.h.
 *
 * The weight of a pixel in a bin is a product of one number for its column and one for its row.
 * So one row of pixels after the other is summed up at the columns that frames ask for, and the
 * sums are added to all frames that the row belongs to: nothing is computed between the grid
 * points, and the working set is a few rows. Eight orientations lie side by side throughout, for
 * the compiler to make vectors of. */
#include "describe/sift.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"

#define LONGEST_SIDE 16384
#define MOST_FRAMES  ((size_t)1 << 23) /* 8 GiB of descriptors */
#define BINS         4                 /* along x, along y */
#define ANGLES       8                 /* orientations */
#define ACROSS       (BINS * ANGLES)   /* numbers of a descriptor in one row of bins */
#define WINDOW       2.0               /* deviation of the Gaussian window in bins */
#define CLAMP        0.2
#define FAINT        1e-8 /* squared length below which a gradient counts as none */

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

/* ---- gradients ---------------------------------------------------------------------------- */

/* The angle of a gradient in units of 45 degrees, from 0 to about 8: VLFeat's cubic for the
 * arctangent, which is off by up to 0.01 radians. */
static double turn_of(double gx, double gy)
{
    const double eighth = atan(1.0), up = fabs(gy) + FLT_EPSILON;
    const double r = gx >= 0.0 ? (gx - up) / (gx + up) : (gx + up) / (up - gx);
    const double half = (gx >= 0.0 ? 1.0 : 3.0) + (0.1821 * r * r - 0.9675) * r / eighth;
    const double turn = gy < 0.0 ? -half : half;
    return turn < 0.0 ? turn + (double)ANGLES : turn;
}

/* G (8) <- the length of a gradient, shared by the two orientations next to it. */
static void write_votes(double gx, double gy, double *G)
{
    const double square = gx * gx + gy * gy;
    memset(G, 0, ANGLES * sizeof *G);
    if (!(square >= FAINT))
        return;
    const double turn = turn_of(gx, gy), size = sqrt(square);
    const size_t low = (size_t)turn;
    const double share = turn - (double)low;
    G[low % ANGLES] += (1.0 - share) * size;
    G[(low + 1) % ANGLES] += share * size;
}

/* G (width + 2 reach, x 8) <- votes of a row of pixels, the first and the last repeated outwards.
 * Central differences, one-sided at the border. */
static void gradient_row(const sift_grid *grid, const double *grey, size_t y, size_t reach,
                         double *G)
{
    const size_t width = grid->width;
    const double *here = grey + y * width;
    const double *above = y ? here - width : here;
    const double *below = y + 1 < grid->height ? here + width : here;
    const double tall = above == here || below == here ? 1.0 : 0.5;
    double *first = G + reach * ANGLES, *last = first + (width - 1) * ANGLES;
    for (size_t x = 0; x < width; x++) {
        const size_t left = x ? x - 1 : 0, right = x + 1 < width ? x + 1 : x;
        const double gx = (here[right] - here[left]) / (double)(right - left);
        write_votes(gx, tall * (below[x] - above[x]), first + x * ANGLES);
    }
    for (size_t t = 1; t <= reach; t++) {
        memcpy(first - t * ANGLES, first, ANGLES * sizeof *G);
        memcpy(last + t * ANGLES, last, ANGLES * sizeof *G);
    }
}

/* ---- bins --------------------------------------------------------------------------------- */

/* weight (4 x (2 bin - 1)) <- those of the pixels about the centre of each bin: a tent of half
 * width bin times the Gaussian window about the centre of the descriptor. */
static void fill_weights(size_t bin, double *weight)
{
    const double side = (double)bin, deviation = WINDOW * side;
    for (size_t b = 0; b < BINS; b++)
        for (size_t t = 0; t < 2 * bin - 1; t++) {
            const double u = (double)t - (side - 1.0);
            const double z = (u + side * ((double)b - 0.5 * (BINS - 1))) / deviation;
            *weight++ = (1.0 - fabs(u) / side) * exp(-0.5 * z * z);
        }
}

/* sums (columns x 4 x 8) <- votes of a row of pixels in the four bins of every column of frames. */
static void sum_columns(const sift_grid *grid, const double *weight, const double *G, double *sums)
{
    const size_t reach = 2 * grid->bin - 1;
    for (size_t c = 0; c < grid->columns; c++)
        for (size_t b = 0; b < BINS; b++, sums += ANGLES) {
            const double *w = weight + b * reach;
            const double *g = G + (c * grid->step + b * grid->bin) * ANGLES;
            double sum[ANGLES] = {0.0};
            for (size_t t = 0; t < reach; t++, g += ANGLES)
                for (size_t i = 0; i < ANGLES; i++)
                    sum[i] += w[t] * g[i];
            memcpy(sums, sum, sizeof sum);
        }
}

/* Adds the sums of the row of pixels y to every bin that it belongs to; y runs beyond the image. */
static void add_row(const sift_grid *grid, const double *weight, long y, const double *sums,
                    size_t stride, double *O)
{
    const long bin = (long)grid->bin;
    for (size_t r = 0; r < grid->rows; r++)
        for (size_t b = 0; b < BINS; b++) {
            const long v = y - (long)(r * grid->step + b * grid->bin) + bin - 1;
            if (v < 0 || v >= 2 * bin - 1)
                continue;
            const double w = weight[(long)b * (2 * bin - 1) + v];
            double *o = O + r * grid->columns * stride + b * ACROSS;
            for (size_t c = 0; c < grid->columns; c++)
                for (size_t i = 0; i < ACROSS; i++)
                    o[c * stride + i] += w * sums[c * ACROSS + i];
        }
}

/* ---- descriptors -------------------------------------------------------------------------- */

static void scale_to_one(double *d)
{
    double square = 0.0;
    for (size_t i = 0; i < SIFT_SIZE; i++)
        square += d[i] * d[i];
    const double scale = 1.0 / (sqrt(square) + FLT_EPSILON);
    for (size_t i = 0; i < SIFT_SIZE; i++)
        d[i] *= scale;
}

static void normalise(double *d)
{
    scale_to_one(d);
    for (size_t i = 0; i < SIFT_SIZE; i++)
        d[i] = d[i] < CLAMP ? d[i] : CLAMP;
    scale_to_one(d);
}

/* O <- descriptors of the image as it is; work: weights, votes and sums of a row. */
static void describe_frames(const sift_grid *grid, const double *grey, size_t stride, double *O,
                            double *work)
{
    const size_t reach = grid->bin - 1, frames = grid->rows * grid->columns;
    const long end = (long)((grid->rows - 1) * grid->step + BINS * grid->bin);
    const long height = (long)grid->height;
    double *weight = work, *G = weight + BINS * (2 * grid->bin - 1);
    double *sums = G + (grid->width + 2 * reach) * ANGLES;
    fill_weights(grid->bin, weight);
    for (size_t f = 0; f < frames; f++)
        memset(O + f * stride, 0, SIFT_SIZE * sizeof *O);
    for (long y = -(long)reach; y < end; y++) {
        if (y == -(long)reach || (y > 0 && y < height)) {
            gradient_row(grid, grey, y > 0 ? (size_t)y : 0, reach, G);
            sum_columns(grid, weight, G, sums);
        }
        add_row(grid, weight, y, sums, stride, O);
    }
    for (size_t f = 0; f < frames; f++)
        normalise(O + f * stride);
}

spd_status sift_dense(spd_context *ctx, const sift_grid *grid, const double *grey, size_t stride,
                      double *O)
{
    const size_t room = BINS * (2 * grid->bin - 1) + (grid->width + 2 * grid->bin) * ANGLES +
                        grid->columns * ACROSS;
    double *work = mem_alloc(room, sizeof *work);
    if (!work)
        return ctx_nomem(ctx, "dense SIFT");
    describe_frames(grid, grey, stride, O, work);
    mem_free(work);
    return SPD_OK;
}
