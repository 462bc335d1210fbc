/* test_resize.c - resampling and grey images: identities, the range, aliasing, and a twin that
 * writes the definition down for every pixel of both sides at once. */
#include "describe/resize.h"
#include "random_spd.h"
#include "repeat.h"

OWNER(image)

static image *random_image(rng *r, size_t width, size_t height, size_t channels)
{
    image *picture = NULL;
    if (image_new(NULL, width, height, channels, &picture) < 0)
        abort();
    for (size_t i = 0; i < width * height * channels; i++)
        picture->pixel[i] = rng_uniform(r);
    return picture;
}

static image *resized(const image *in, size_t width, size_t height)
{
    image *out = NULL;
    CHECK(resize_image(NULL, in, width, height, &out) == SPD_OK && out->width == width &&
              out->height == height && out->channels == in->channels,
          "%zu x %zu", width, height);
    return out;
}

/* Weight of input j for output i, before it is normalised. */
static double weight(size_t from, size_t to, size_t i, size_t j)
{
    double s = (double)from / (double)to, reach = s > 1.0 ? s : 1.0;
    return fmax(0.0, 1.0 - fabs((double)j + 0.5 - ((double)i + 0.5) * s) / reach);
}

/* One value of the output, as a sum over all of the input. */
static double twin(const image *in, size_t width, size_t height, size_t x, size_t y, size_t c)
{
    double sum = 0.0, total = 0.0;
    for (size_t v = 0; v < in->height; v++)
        for (size_t u = 0; u < in->width; u++) {
            double w = weight(in->width, width, x, u) * weight(in->height, height, y, v);
            sum += w * in->pixel[(v * in->width + u) * in->channels + c];
            total += w;
        }
    return sum / total;
}

TEST(against_twin)
{
    static const size_t sizes[][4] = {/* from, to */
                                      {17, 13, 5, 4}, {5, 4, 17, 13}, {17, 13, 30, 3},
                                      {7, 9, 7, 4},   {1, 1, 6, 5},   {12, 1, 1, 8},
                                      {16, 16, 8, 8}, {9, 7, 1, 1}};
    rng r = seeded(1);
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        const size_t width = sizes[k][2], height = sizes[k][3], channels = k % 2 ? 3 : 1;
        OWN(image) in = random_image(&r, sizes[k][0], sizes[k][1], channels);
        OWN(image) out = resized(in, width, height);
        for (size_t i = 0; i < width * height * channels; i++)
            CHECK_CLOSE(
                out->pixel[i],
                twin(in, width, height, i / channels % width, i / channels / width, i % channels),
                1e-14, "sizes %zu, value %zu", k, i);
    }
}

TEST(identities)
{
    rng r = seeded(2);
    OWN(image) in = random_image(&r, 31, 22, 3), *same = resized(in, 31, 22);
    CHECK(memcmp(in->pixel, same->pixel, 31 * 22 * 3 * sizeof(double)) == 0, " ");
    for (size_t i = 0; i < 31 * 22 * 3; i++)
        in->pixel[i] = 0.7;
    OWN(image) small = resized(in, 8, 40);
    for (size_t i = 0; i < 8 * 40 * 3; i++)
        CHECK_CLOSE(small->pixel[i], 0.7, 1e-15, "value %zu", i);
}

/* Stripes of one pixel become grey; picking every third pixel would keep them. */
TEST(nothing_aliases)
{
    OWN(image) in = NULL;
    CHECK(image_new(NULL, 90, 30, 1, &in) == SPD_OK, " ");
    for (size_t i = 0; i < 90 * 30; i++)
        in->pixel[i] = (double)(i % 90 % 2);
    OWN(image) out = resized(in, 30, 10);
    for (size_t i = 0; i < 30 * 10; i++)
        CHECK(fabs(out->pixel[i] - 0.5) < 0.07, "%g", out->pixel[i]);
}

/* A far smaller and a far larger image, and sizes that are none. */
TEST(extremes)
{
    rng r = seeded(3);
    spd_context *ctx = context_on(0);
    OWN(image) in = random_image(&r, 3000, 2, 1), *out = resized(in, 2, 700);
    image *kept = NULL, *none = NULL;
    for (size_t i = 0; i < 1400; i++)
        CHECK(out->pixel[i] > 0.4 && out->pixel[i] < 0.6, "%g", out->pixel[i]);
    CHECK(resize_image(ctx, in, 0, 5, &kept) == SPD_OK && kept->width == 3000 && kept->height == 5,
          "0 keeps a side");
    image_free(kept);
    CHECK(resize_image(ctx, in, (size_t)1 << 20, (size_t)1 << 20, &none) == SPD_EINVAL && !none,
          " ");
    CHECK_SAYS(ctx, "too large");
    CHECK(resize_image(ctx, in, SIZE_MAX, 2, &none) == SPD_EINVAL && !none, " ");
}

TEST(grey_weights)
{
    double pixel[] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1, 0.25, 0.5, 0.125}, grey[5];
    const double expected[] = {0.299, 0.587, 0.114, 1.0, 0.0747500 + 0.2935 + 0.01425};
    const image colour = {5, 1, 3, pixel, NULL}, plain = {5, 1, 1, pixel, NULL};
    grey_of(&colour, grey);
    for (size_t i = 0; i < 5; i++)
        CHECK_CLOSE(grey[i], expected[i], 1e-15, "pixel %zu", i);
    grey_of(&plain, grey);
    CHECK(memcmp(grey, pixel, sizeof grey) == 0, " ");
}

TEST(out_of_memory)
{
    rng r = seeded(4);
    OWN(image) in = random_image(&r, 9, 8, 3);
    for (sweep_state s = SWEEP(NULL, 1, NULL, 0); sweep_on(&s);) {
        OWN(image) out = NULL;
        s.status = resize_image(NULL, in, 4, 12, &out);
        CHECK_MADE(s, out);
    }
}
