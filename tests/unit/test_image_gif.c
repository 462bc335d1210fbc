/* test_image_gif.c - GIF files that giflib writes here: palettes of all sizes, grey and coloured,
 * interlaced, smaller than their screen, several images; cut off, damaged, out of memory. */
#include <gif_lib.h>

#include "test_image_common.h"

#define WIDTH  17
#define HEIGHT 21

typedef struct gif_kind {
    int bits;      /* of the palette */
    int grey, own; /* its colours; belongs to the image, not to the screen */
    int interlaced;
    int left, top; /* the image on its screen, which it reaches to the end of */
    int images;    /* the first counts */
} gif_kind;

static int to_bytes(GifFileType *gif, const GifByteType *from, int length)
{
    bytes_add(gif->UserData, from, (size_t)length);
    return length;
}

static ColorMapObject *make_palette(const gif_kind *kind, rng *r)
{
    ColorMapObject *map = GifMakeMapObject(1 << kind->bits, NULL);
    for (int k = 0; k < map->ColorCount; k++) {
        GifColorType *c = &map->Colors[k];
        c->Red = (GifByteType)rng_below(r, 256);
        c->Green = kind->grey ? c->Red : (GifByteType)rng_below(r, 256);
        c->Blue = kind->grey ? c->Red : (GifByteType)rng_below(r, 256);
    }
    map->Colors[0].Red = kind->grey ? map->Colors[0].Green : (GifByteType)~map->Colors[0].Green;
    return map;
}

static void put(const ColorMapObject *map, int index, size_t channels, double *to)
{
    const GifColorType c = map->Colors[index];
    to[0] = c.Red / 255.0;
    if (channels == 3) {
        to[1] = c.Green / 255.0;
        to[2] = c.Blue / 255.0;
    }
}

/* One image of random pixels; pixel, if not NULL, <- what they are. */
static void write_image(GifFileType *gif, const gif_kind *kind, const ColorMapObject *map, rng *r,
                        double *pixel)
{
    static GifPixelType index[HEIGHT][WIDTH];
    static const int first[] = {0, 4, 2, 1}, step[] = {8, 8, 4, 2};
    const int width = WIDTH - kind->left, height = HEIGHT - kind->top;
    const size_t channels = kind->grey ? 1 : 3;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            index[y][x] = (GifPixelType)rng_below(r, (size_t)1 << kind->bits);
            if (pixel)
                put(map, index[y][x], channels,
                    pixel + (size_t)((y + kind->top) * WIDTH + x + kind->left) * channels);
        }
    EGifPutImageDesc(gif, kind->left, kind->top, width, height, kind->interlaced,
                     kind->own ? map : NULL);
    for (int pass = 0; pass < (kind->interlaced ? 4 : 1); pass++)
        for (int y = kind->interlaced ? first[pass] : 0; y < height;
             y += kind->interlaced ? step[pass] : 1)
            EGifPutLine(gif, index[y], width);
}

static file_bytes write_gif(const gif_kind *kind, rng *r, double *pixel)
{
    file_bytes file = {NULL, 0};
    int code = 0;
    ColorMapObject *map = make_palette(kind, r);
    GifFileType *gif = EGifOpen(&file, to_bytes, &code);
    const size_t channels = kind->grey ? 1 : 3;
    EGifPutScreenDesc(gif, WIDTH, HEIGHT, kind->bits, 1, kind->own ? NULL : map);
    for (size_t i = 0; i < (size_t)WIDTH * HEIGHT; i++)
        if (kind->own)
            memset(pixel + i * channels, 0, channels * sizeof *pixel);
        else
            put(map, 1, channels, pixel + i * channels);
    EGifPutComment(gif, "a comment before the image");
    for (int k = 0; k < kind->images; k++)
        write_image(gif, kind, map, r, k ? NULL : pixel);
    EGifCloseFile(gif, &code);
    GifFreeMapObject(map);
    return file;
}

TEST(every_kind_is_read_exactly)
{
    static double pixel[WIDTH * HEIGHT * 3];
    rng r = seeded(1);
    for (int bits = 1; bits <= 8; bits++)
        for (int way = 0; way < 16; way++) {
            const gif_kind kind = {bits,        way & 1,     (way >> 1) & 1, (way >> 2) & 1,
                                   way / 8 * 3, way / 8 * 2, 1 + way % 2};
            char what[80];
            snprintf(what, sizeof what, "%d bits, way %d", bits, way);
            file_bytes file = write_gif(&kind, &r, pixel);
            expect_pixels(&file, WIDTH, HEIGHT, kind.grey ? 1 : 3, pixel, 0.0, what);
        }
}

TEST(bad_files)
{
    static double pixel[WIDTH * HEIGHT * 3];
    const gif_kind kind = {4, 0, 0, 1, 1, 1, 1};
    rng r = seeded(2);
    file_bytes file = write_gif(&kind, &r, pixel);
    file.size--; /* the end mark behind the image is not needed */
    expect_cuts_refused(&file, "gif");
    expect_damage_survived(&file, "gif");
    expect_hunger_survived(&file);
    expect_refusal("GIF89a", 6, "GIF: cut off");
    expect_refusal("GIF89a\2\0\2\0\0\0\0;", 14, "no image in it");
    /* an image of 2 x 2 without any palette, and one that leaves its screen */
    expect_refusal("GIF89a\2\0\2\0\0\0\0,\0\0\0\0\2\0\2\0\0\2\2\x84\x51\0;", 29, "no palette");
    expect_refusal("GIF89a\2\0\2\0\x80\0\0\0\0\0\xff\xff\xff,\1\0\0\0\2\0\2\0\0\2\2\x84\x51\0;", 35,
                   "does not lie on the screen");
    expect_refusal(
        "GIF89a\xff\xff\xff\xff\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0\2\0\2\0\0\2\2\x84\x51\0;", 35,
        "at most");
    expect_refusal(
        "GIF89a\xff\x3f\xff\x1f\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0\2\0\2\0\0\2\2\x84\x51\0;", 35,
        "too many for a file");
}
