/* bench_images.c - images per second of each descriptor of images, one thread, usual settings: from
 * pixels in memory to the matrix. */
#include "base/rng.h"
#include "bench.h"
#include "describe/descriptor.h"
#include "random_spd.h"

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
    spd_describe_defaults(kind, &options);
    if (how->prepare(ctx, &options, &shared) < 0)
        fail(ctx, how->name);
    bench b = bench_start(SECONDS);
    while (bench_more(&b)) {
        description_free(&out);
        if (how->describe(ctx, shared, &given, &out) < 0)
            fail(ctx, how->name);
    }
    printf("%-11s %5zu x %-5zu %5zu %12.2f %12.1f %6.0f %%\n", how->name, width, height, out.n,
           1e3 * b.best, 1.0 / b.best, bench_spread(&b));
    description_free(&out);
    how->release(shared);
    image_free(in);
    spd_context_free(ctx);
}

int main(void)
{
    printf("\nDescriptors of images, one thread\n%-11s %13s %5s %12s %12s %8s\n", "", "image", "n",
           "ms/image", "images/s", "spread");
    row(SPD_DESCRIBE_GABOR, 64, 64);
    row(SPD_DESCRIBE_GABOR, 640, 480);
    row(SPD_DESCRIBE_SIFT_COLOR, 400, 400);
    row(SPD_DESCRIBE_SIFT_COLOR, 1280, 960);
    row(SPD_DESCRIBE_REGION, 320, 240);
    return 0;
}
