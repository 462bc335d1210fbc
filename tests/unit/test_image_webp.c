/* test_image_webp.c - WebP files that libwebp writes here: lossless exactly, lossy nearly; cut off,
 * damaged, out of memory. */
#include <webp/encode.h>

#include "test_image_common.h"

#define WIDTH  19
#define HEIGHT 13

/* sample (HEIGHT x WIDTH x 3) and pixel <- a random image, smooth enough to survive lossy packing.
 */
static void draw(rng *r, int smooth, unsigned char *sample, double *pixel)
{
    for (size_t i = 0; i < (size_t)WIDTH * HEIGHT * 3; i++) {
        const size_t x = i / 3 % WIDTH, y = i / 3 / WIDTH;
        sample[i] = (unsigned char)(smooth ? 60 + 5 * x + 4 * y : rng_below(r, 256));
        pixel[i] = sample[i] / 255.0;
    }
}

static file_bytes taken_over(uint8_t *written, size_t size)
{
    file_bytes file = {NULL, 0};
    bytes_add(&file, written, size);
    WebPFree(written);
    return file;
}

static file_bytes write_lossless(const unsigned char *sample)
{
    uint8_t *written = NULL;
    size_t size = WebPEncodeLosslessRGB(sample, WIDTH, HEIGHT, 3 * WIDTH, &written);
    return taken_over(written, size);
}

static file_bytes write_lossy(const unsigned char *sample)
{
    uint8_t *written = NULL;
    size_t size = WebPEncodeRGB(sample, WIDTH, HEIGHT, 3 * WIDTH, 95.0f, &written);
    return taken_over(written, size);
}

TEST(both_kinds_are_read)
{
    static unsigned char sample[WIDTH * HEIGHT * 3];
    static double pixel[WIDTH * HEIGHT * 3];
    rng r = seeded(1);
    draw(&r, 0, sample, pixel);
    file_bytes file = write_lossless(sample);
    expect_pixels(&file, WIDTH, HEIGHT, 3, pixel, 0.0, "lossless");
    draw(&r, 1, sample, pixel);
    file = write_lossy(sample);
    expect_pixels(&file, WIDTH, HEIGHT, 3, pixel, 0.03, "lossy");
}

/* Transparency is dropped: the colours beneath are what is read. */
TEST(transparency_is_dropped)
{
    static unsigned char sample[WIDTH * HEIGHT * 4];
    static double pixel[WIDTH * HEIGHT * 3];
    uint8_t *written = NULL;
    rng r = seeded(2);
    for (size_t i = 0; i < sizeof sample; i++) {
        sample[i] = (unsigned char)(1 + rng_below(&r, 255));
        if (i % 4 < 3)
            pixel[i / 4 * 3 + i % 4] = sample[i] / 255.0;
    }
    size_t size = WebPEncodeLosslessRGBA(sample, WIDTH, HEIGHT, 4 * WIDTH, &written);
    file_bytes file = taken_over(written, size);
    expect_pixels(&file, WIDTH, HEIGHT, 3, pixel, 0.0, "with alpha");
}

TEST(bad_files)
{
    static unsigned char sample[WIDTH * HEIGHT * 3];
    static double pixel[WIDTH * HEIGHT * 3];
    rng r = seeded(3);
    for (int lossy = 0; lossy < 2; lossy++) {
        draw(&r, lossy, sample, pixel);
        file_bytes file = lossy ? write_lossy(sample) : write_lossless(sample);
        const char *what = lossy ? "lossy" : "lossless";
        expect_cuts_refused(&file, what);
        expect_damage_survived(&file, what);
        expect_hunger_survived(&file);
    }
    expect_refusal("RIFF\4\0\0\0WAVEfmt ", 16, "RIFF");
    expect_refusal("RIFF\4\0\0\0WEBP", 12, "WebP: ");
    /* VP8X with the flag of an animation: 2 x 2 pixels */
    expect_refusal("RIFF\x16\0\0\0WEBPVP8X\x0a\0\0\0\x02\0\0\0\1\0\0\1\0\0", 30, "an animation");
}
