/* test_image_pnm.c - PBM, PGM and PPM images, plain and raw, written by hand; cut off, damaged, out
 * of memory. */
#include "test_image_common.h"

typedef struct sample {
    const char *bytes;
    size_t size;
    size_t width, height, channels;
    double pixel[8];
} sample;

#define FILE_OF(text) text, sizeof text - 1

static const sample samples[] = {
    {FILE_OF("P1\n# a comment\n3 2\n1 0 1\n010"), 3, 2, 1, {0, 1, 0, 1, 0, 1}},
    {FILE_OF("P1 2 1 1# inside\n0"), 2, 1, 1, {0, 1}},
    {FILE_OF("P2 3 2 15\n0 3 15\n5 9 6\n"), 3, 2, 1, {0, 3 / 15., 1, 5 / 15., 9 / 15., 6 / 15.}},
    {FILE_OF("P2\t1 2\r\n65535 # white\n 0 65535"), 1, 2, 1, {0, 1}},
    {FILE_OF("P3#\n2 1 255 255 0 51  102 7 1"), 2, 1, 3, {1, 0, 0.2, 0.4, 7 / 255., 1 / 255.}},
    {FILE_OF("P4\n3 2\n\xa0\x5f"), 3, 2, 1, {0, 1, 0, 1, 0, 1}},
    {FILE_OF("P4 9 1 \x7f\x00"), 9, 1, 1, {1, 0, 0, 0, 0, 0, 0, 0}},
    {FILE_OF("P5 3 1 255\n\x00\x33\xff"), 3, 1, 1, {0, 0.2, 1}},
    {FILE_OF("P5\n2 1 #\n100\n\x19\x64"), 2, 1, 1, {0.25, 1}},
    {FILE_OF("P5 2 1 1023\n\x03\xff\x01\x00"), 2, 1, 1, {1, 256 / 1023.}},
    {FILE_OF("P6 2 1 255\n\xff\x00\x33\x66\x07\x01"),
     2,
     1,
     3,
     {1, 0, 0.2, 0.4, 7 / 255., 1 / 255.}},
    {FILE_OF("P6 1 1 65535\n\xff\xff\x00\x00\x80\x00"), 1, 1, 3, {1, 0, 32768 / 65535.}},
};
#define SAMPLES (sizeof samples / sizeof samples[0])

static file_bytes bytes_made(const sample *s)
{
    file_bytes file = {NULL, 0};
    bytes_add(&file, s->bytes, s->size);
    return file;
}

TEST(every_kind_is_read_exactly)
{
    for (size_t k = 0; k < SAMPLES; k++) {
        const sample *s = &samples[k];
        double pixel[9] = {0};
        char what[20];
        snprintf(what, sizeof what, "sample %zu", k);
        memcpy(pixel, s->pixel, sizeof s->pixel);
        pixel[8] = 1.0; /* the ninth pixel of sample 6, which is white */
        file_bytes file = bytes_made(s);
        expect_pixels(&file, s->width, s->height, s->channels, pixel, 0.0, what);
    }
}

static void refused(const char *text, const char *part)
{
    expect_refusal(text, strlen(text), part);
}

TEST(bad_headers)
{
    refused("P2 3 2 0\n1 1 1 1 1 1", "1 .. 65535");
    refused("P2 3 2 65536\n1 1 1 1 1 1", "1 .. 65535");
    refused("P2 3 x 5\n1 1 1 1 1 1", "expected a number");
    refused("P2 3 -2 5\n1 1 1 1 1 1", "expected a number");
    refused("P2 0 2 5\n1", "0 x 2");
    refused("P2 2 1 5\n1 6", "exceeds");
    refused("P5 2 1 5\n\001\006", "exceeds");
    refused("P1 2 1 1x", "expected a number");
    refused("P1 2 1 02", "exceeds");
    refused("P2 2 1 5", "expected a blank");
    refused("P2 2 1 5 1", "cut off");
    refused("P6 100000 100000 255\n.", "at most");
    refused("P6 999999999 999999999 255\n.", "at most");
    refused("P6 99999999999999999999 1 255\n.", "too long");
    refused("P6 10000 5000 255\n.", "150000000 bytes");
    refused("P4 100000 100000\n.", "at most");
    refused("P1 10000 10000\n1", "cut off");
}

TEST(hostile_files)
{
    for (size_t k = 0; k < SAMPLES; k++) {
        file_bytes file = bytes_made(&samples[k]);
        expect_damage_survived(&file, "pnm");
        expect_hunger_survived(&file);
        if (k != 2 && k != 3) { /* without their last digit or line break still numbers */
            file.size -= samples[k].bytes[1] == '3';
            expect_cuts_refused(&file, "pnm");
        }
    }
}
