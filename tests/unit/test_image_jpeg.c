/* test_image_jpeg.c - JPEG files that libjpeg writes here: colours, progressive files, inks; cut
 * off, damaged, out of memory. */
#include <stdio.h>

#include <jpeglib.h>

#include "test_image_common.h"

#define WIDTH  19
#define HEIGHT 18

typedef struct jpeg_kind {
    J_COLOR_SPACE in, stored;
    int progressive, restart;
    int adobe; /* with Adobe's marker */
} jpeg_kind;

static size_t samples_of(J_COLOR_SPACE space)
{
    return space == JCS_GRAYSCALE ? 1 : space == JCS_CMYK || space == JCS_YCCK ? 4 : 3;
}

/* sample: HEIGHT x WIDTH x samples */
static file_bytes write_jpeg(const jpeg_kind *kind, const JSAMPLE *sample)
{
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr errors;
    unsigned char *bytes = NULL;
    unsigned long size = 0;
    const size_t samples = samples_of(kind->in);
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg);
    jpeg_mem_dest(&jpeg, &bytes, &size);
    jpeg.image_width = WIDTH;
    jpeg.image_height = HEIGHT;
    jpeg.input_components = (int)samples;
    jpeg.in_color_space = kind->in;
    jpeg_set_defaults(&jpeg);
    jpeg_set_colorspace(&jpeg, kind->stored);
    jpeg_set_quality(&jpeg, 100, TRUE);
    for (int c = 0; c < jpeg.num_components; c++)
        jpeg.comp_info[c].h_samp_factor = jpeg.comp_info[c].v_samp_factor = 1;
    if (kind->progressive)
        jpeg_simple_progression(&jpeg);
    jpeg.restart_in_rows = kind->restart;
    jpeg.write_Adobe_marker = kind->adobe;
    jpeg_start_compress(&jpeg, TRUE);
    while (jpeg.next_scanline < HEIGHT) {
        JSAMPLE row[WIDTH * 4], *rows = row;
        memcpy(row, sample + jpeg.next_scanline * WIDTH * samples, WIDTH * samples);
        jpeg_write_scanlines(&jpeg, &rows, 1);
    }
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    file_bytes file = {NULL, 0};
    bytes_add(&file, bytes, size);
    free(bytes);
    return file;
}

/* Smooth samples, and the pixels they stand for. */
static void fill(const jpeg_kind *kind, JSAMPLE *sample, double *pixel)
{
    const size_t samples = samples_of(kind->in), channels = samples == 1 ? 1 : 3;
    for (size_t y = 0; y < HEIGHT; y++)
        for (size_t x = 0; x < WIDTH; x++) {
            JSAMPLE *s = sample + (y * WIDTH + x) * samples;
            double *p = pixel + (y * WIDTH + x) * channels;
            for (size_t c = 0; c < samples; c++)
                s[c] = (JSAMPLE)(20 + (5 * x + (c + 3) * y) % 256 * 3 / 4 + 9 * c);
            for (size_t c = 0; c < channels; c++) {
                const double ink = s[c] / 255.0, black = samples == 4 ? s[3] / 255.0 : 0.0;
                p[c] = samples < 4 ? ink : kind->adobe ? ink * black : (1.0 - ink) * (1.0 - black);
            }
        }
}

static const jpeg_kind kinds[] = {
    {JCS_GRAYSCALE, JCS_GRAYSCALE, 0, 0, 0},
    {JCS_GRAYSCALE, JCS_GRAYSCALE, 1, 0, 0},
    {JCS_RGB, JCS_YCbCr, 0, 0, 0},
    {JCS_RGB, JCS_YCbCr, 1, 1, 0},
    {JCS_RGB, JCS_RGB, 0, 1, 1},
    {JCS_CMYK, JCS_CMYK, 0, 0, 1},
    {JCS_CMYK, JCS_CMYK, 1, 0, 0},
    {JCS_CMYK, JCS_YCCK, 0, 0, 1},
};

TEST(every_kind_is_read)
{
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        JSAMPLE sample[HEIGHT * WIDTH * 4];
        double pixel[HEIGHT * WIDTH * 3];
        char what[20];
        snprintf(what, sizeof what, "kind %zu", k);
        fill(&kinds[k], sample, pixel);
        file_bytes file = write_jpeg(&kinds[k], sample);
        /* quality 100: quantised by 1, and colours rounded twice */
        expect_pixels(&file, WIDTH, HEIGHT, kinds[k].in == JCS_GRAYSCALE ? 1 : 3, pixel,
                      4.0 / 255.0, what);
    }
}

/* The same coefficients in another order. */
TEST(progressive_is_the_same_image)
{
    JSAMPLE sample[HEIGHT * WIDTH * 4];
    double pixel[HEIGHT * WIDTH * 3];
    jpeg_kind kind = {JCS_RGB, JCS_YCbCr, 0, 0, 0};
    fill(&kind, sample, pixel);
    file_bytes plain = write_jpeg(&kind, sample);
    kind.progressive = 1;
    file_bytes progressive = write_jpeg(&kind, sample);
    OWN(image) picture = decode(plain.bytes, plain.size, NULL);
    if (CHECK(picture, " "))
        expect_pixels(&progressive, WIDTH, HEIGHT, 3, picture->pixel, 0.0, "progressive");
}

TEST(hostile_files)
{
    for (size_t k = 1; k < sizeof kinds / sizeof kinds[0]; k += 2) {
        JSAMPLE sample[HEIGHT * WIDTH * 4];
        double pixel[HEIGHT * WIDTH * 3];
        fill(&kinds[k], sample, pixel);
        file_bytes file = write_jpeg(&kinds[k], sample);
        expect_cuts_refused(&file, "jpeg");
        expect_damage_survived(&file, "jpeg");
        expect_hunger_survived(&file);
    }
}
