/* test_image_png.c - PNG files that libpng writes here: all colour types, depths and interlacings,
 * exact values; cut off, damaged, out of memory. */
#include <png.h>

#include "test_image_common.h"

#define WIDTH  11
#define HEIGHT 9

typedef struct png_kind {
    int type, bits, interlaced, transparent;
} png_kind;

static void add_bytes(png_structp png, png_bytep bytes, size_t size)
{
    bytes_add(png_get_io_ptr(png), bytes, size);
}

static void no_flush(png_structp png)
{
    (void)png;
}

static size_t samples_of(int type)
{
    switch (type) {
    case PNG_COLOR_TYPE_RGB:
        return 3;
    case PNG_COLOR_TYPE_RGB_ALPHA:
        return 4;
    case PNG_COLOR_TYPE_GRAY_ALPHA:
        return 2;
    default:
        return 1;
    }
}

/* 16 colours. */
static void fill_palette(png_color *palette)
{
    for (int i = 0; i < 16; i++)
        palette[i] = (png_color){(png_byte)(17 * i), (png_byte)(255 - 3 * i), (png_byte)(i * i)};
}

/* sample: HEIGHT x WIDTH x samples, of so many bits. */
static file_bytes write_png(const png_kind *kind, const unsigned *sample)
{
    const size_t samples = samples_of(kind->type), row_samples = WIDTH * samples;
    file_bytes file = {NULL, 0};
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    png_set_write_fn(png, &file, add_bytes, no_flush);
    png_set_IHDR(png, info, WIDTH, HEIGHT, kind->bits, kind->type,
                 kind->interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_color palette[16];
    fill_palette(palette);
    if (kind->type == PNG_COLOR_TYPE_PALETTE)
        png_set_PLTE(png, info, palette, kind->bits >= 4 ? 16 : 1 << kind->bits);
    png_byte alpha[2] = {0, 128};
    png_color_16 clear = {.index = 1, .red = 1, .green = 1, .blue = 1, .gray = 1};
    if (kind->transparent)
        png_set_tRNS(png, info, alpha, 2, &clear);
    png_write_info(png, info);

    png_byte rows[HEIGHT][WIDTH * 4 * 2], *row[HEIGHT];
    for (size_t y = 0; y < HEIGHT; y++) {
        memset(row[y] = rows[y], 0, sizeof rows[y]);
        for (size_t i = 0; i < row_samples; i++) {
            const unsigned value = sample[y * row_samples + i];
            const size_t bits = (size_t)kind->bits, at = i * bits;
            if (bits == 16) {
                rows[y][2 * i] = (png_byte)(value >> 8);
                rows[y][2 * i + 1] = (png_byte)value;
            } else {
                rows[y][at / 8] |= (png_byte)(value << (8 - bits - at % 8));
            }
        }
    }
    png_write_image(png, row);
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    return file;
}

/* A random image of the kind as file, and the pixels it must give. */
static file_bytes make_png(const png_kind *kind, rng *r, double *pixel)
{
    const size_t samples = samples_of(kind->type);
    const size_t channels = kind->type & PNG_COLOR_MASK_COLOR ? 3 : 1;
    const int palette = kind->type == PNG_COLOR_TYPE_PALETTE;
    const double highest = (double)((1 << kind->bits) - 1);
    unsigned sample[HEIGHT * WIDTH * 4];
    png_color colour[16];
    fill_palette(colour);
    for (size_t p = 0; p < HEIGHT * WIDTH; p++)
        for (size_t s = 0; s < samples; s++) {
            const unsigned value =
                (unsigned)rng_below(r, palette && kind->bits > 4 ? 16 : (size_t)1 << kind->bits);
            sample[p * samples + s] = value;
            if (palette) {
                pixel[3 * p] = colour[value].red / 255.0;
                pixel[3 * p + 1] = colour[value].green / 255.0;
                pixel[3 * p + 2] = colour[value].blue / 255.0;
            } else if (s < channels) {
                pixel[p * channels + s] = value / highest;
            }
        }
    return write_png(kind, sample);
}

TEST(every_kind_is_read_exactly)
{
    static const int types[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_PALETTE, PNG_COLOR_TYPE_RGB,
                                PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB_ALPHA};
    double pixel[HEIGHT * WIDTH * 3];
    int kinds = 0;
    rng r = seeded(1);
    for (size_t t = 0; t < 5; t++)
        for (int bits = 1; bits <= 16; bits *= 2)
            for (int way = 0; way < 4; way++) {
                const int type = types[t];
                const png_kind kind = {type, bits, way & 1, way >> 1};
                if ((bits < 8 && type != PNG_COLOR_TYPE_GRAY && type != PNG_COLOR_TYPE_PALETTE) ||
                    (bits == 16 && type == PNG_COLOR_TYPE_PALETTE) ||
                    (kind.transparent && (type & PNG_COLOR_MASK_ALPHA)))
                    continue;
                char what[80];
                snprintf(what, sizeof what, "type %d, %d bits, interlaced %d, transparent %d", type,
                         bits, kind.interlaced, kind.transparent);
                file_bytes file = make_png(&kind, &r, pixel);
                expect_pixels(&file, WIDTH, HEIGHT, type & PNG_COLOR_MASK_COLOR ? 3 : 1, pixel, 0.0,
                              what);
                kinds++;
            }
    CHECK(kinds == 52, "%d", kinds);
}

TEST(hostile_files)
{
    static const png_kind kinds[] = {{PNG_COLOR_TYPE_GRAY, 16, 0, 0},
                                     {PNG_COLOR_TYPE_RGB, 8, 1, 1},
                                     {PNG_COLOR_TYPE_PALETTE, 4, 0, 1}};
    double pixel[HEIGHT * WIDTH * 3];
    rng r = seeded(2);
    for (size_t k = 0; k < 3; k++) {
        file_bytes file = make_png(&kinds[k], &r, pixel);
        expect_cuts_refused(&file, "png");
        expect_damage_survived(&file, "png");
        expect_hunger_survived(&file);
    }
}
