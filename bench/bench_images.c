/* bench_images.c - images per second of each descriptor of images, one thread, usual settings: from
 * pixels in memory to the matrix. Then dense SIFT alone, VLFeat's beside it where there is one. */
#include "base/rng.h"
#include "bench.h"
#include "describe/descriptor.h"
#include "describe/sift.h"
#include "random_spd.h"
#ifdef HAVE_VLFEAT
#include <vl/dsift.h>
#endif

#define SECONDS 2.0

/* Waves and noise, in colours. */
static image *make_image(size_t width, size_t height)
{
    rng r;
    image *in = NULL;
    rng_seed(&r, 1);
    if (image_new(NULL, width, height, 3, &in) < 0)
        abort();
    for (size_t e = 0; e < 3 * width * height; e++) {
        size_t x = e / 3 % width, y = e / 3 / width;
        in->pixel[e] =
            0.5 + 0.3 * sin(0.3 * (double)x + 0.01 * (double)(y * y)) + 0.2 * rng_uniform(&r);
    }
    return in;
}

static void fail(spd_context *ctx, const char *name)
{
    printf("%s: %s\n", name, spd_context_error(ctx)->message);
    exit(1);
}

static void row(spd_descriptor kind, size_t width, size_t height)
{
    const descriptor *how = descriptor_of(kind);
    spd_context *ctx = spd_context_new();
    spd_describe_options options;
    image *in = make_image(width, height);
    const input given = {.image = in};
    description out = {0};
    void *shared = NULL;
    spd_context_set_threads(ctx, 1);
    spd_describe_defaults(kind, &options, sizeof options);
    if (how->prepare(ctx, &options, &shared) < 0)
        fail(ctx, spd_name(SPD_ENUM_DESCRIPTOR, kind));
    bench b = bench_start(SECONDS);
    while (bench_more(&b)) {
        description_free(&out);
        if (how->describe(ctx, &options, shared, &given, &out) < 0)
            fail(ctx, spd_name(SPD_ENUM_DESCRIPTOR, kind));
    }
    printf("%-11s %5zu x %-5zu %5zu %12.2f %12.1f %6.0f %%\n", spd_name(SPD_ENUM_DESCRIPTOR, kind),
           width, height, out.n, 1e3 * b.best, 1.0 / b.best, bench_spread(&b));
    description_free(&out);
    if (how->release)
        how->release(shared);
    image_free(in);
    spd_context_free(ctx);
}

/* ---- dense SIFT alone --------------------------------------------------------------------- */

static void sift_row(const char *who, size_t side, const bench *b)
{
    printf("%-11s %5zu x %-5zu %5d %12.2f %12.1f %6.0f %%\n", who, side, side, SIFT_SIZE,
           1e3 * b->best, 1.0 / b->best, bench_spread(b));
}

#ifdef HAVE_VLFEAT
static void vlfeat_row(size_t side, const double *grey)
{
    float *single = malloc(side * side * sizeof *single);
    bench b = bench_start(SECONDS);
    for (size_t e = 0; single && e < side * side; e++)
        single[e] = (float)grey[e];
    while (bench_more(&b)) {
        VlDsiftFilter *filter = vl_dsift_new_basic((int)side, (int)side, 4, 3);
        vl_dsift_set_flat_window(filter, VL_FALSE);
        vl_dsift_process(filter, single);
        vl_dsift_delete(filter);
    }
    sift_row("VLFeat", side, &b);
    free(single);
}
#endif

static void dense_sift(size_t side)
{
    image *in = make_image(side, side);
    double *grey = block(side * side);
    sift_grid grid;
    for (size_t e = 0; e < side * side; e++)
        grey[e] = in->pixel[3 * e];
    if (sift_grid_of(NULL, side, side, 4, 3, &grid) < 0)
        exit(1);
    double *O = block(grid.rows * grid.columns * SIFT_SIZE);
    bench b = bench_start(SECONDS);
    while (bench_more(&b))
        if (sift_dense(NULL, &grid, grey, SIFT_SIZE, O) < 0)
            exit(1);
    sift_row("SIFT", side, &b);
#ifdef HAVE_VLFEAT
    vlfeat_row(side, grey);
#endif
    image_free(in);
    free(grey);
    free(O);
}

int main(void)
{
    printf("\nDescriptors of images, one thread\n%-11s %13s %5s %12s %12s %8s\n", "", "image", "n",
           "ms/image", "images/s", "spread");
    row(SPD_DESCRIPTOR_GABOR, 64, 64);
    row(SPD_DESCRIPTOR_GABOR, 640, 480);
    row(SPD_DESCRIPTOR_SIFT_COLOR, 400, 400);
    row(SPD_DESCRIPTOR_SIFT_COLOR, 1280, 960);
    row(SPD_DESCRIPTOR_REGION, 320, 240);
    printf("\nDense SIFT alone, step 4, bin 3\n");
    dense_sift(400);
    return 0;
}
