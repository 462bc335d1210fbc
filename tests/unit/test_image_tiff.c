/* test_image_tiff.c - TIFF files that libtiff writes here: depths, colours, strips and tiles,
 * planes, packings, exact values; cut off, damaged, out of memory. */
#include <tiffio.h>

#include "test_image_common.h"

#define WIDTH  19
#define HEIGHT 18
#define TILE   16

typedef struct tiff_kind {
    int bits, samples, photometric, tiled, apart, compression;
    const char *mode; /* byte order: "wl", "wb" */
} tiff_kind;

/* Puts sample number `at` of a row of packed samples. */
static void put_sample(unsigned char *row, size_t at, int bits, unsigned value)
{
    if (bits == 16)
        memcpy(row + 2 * at, &(uint16_t){(uint16_t)value}, 2);
    else
        for (int b = 0; b < bits; b++) {
            const size_t bit = at * (size_t)bits + (size_t)b;
            if ((value >> (bits - 1 - b)) & 1)
                row[bit / 8] |= (unsigned char)(0x80 >> (bit % 8));
        }
}

/* Writes the part of the image at (x, y), across x down pixels, as a strip or tile. */
static void write_block(TIFF *tiff, const tiff_kind *kind, const unsigned *sample, size_t x,
                        size_t y, size_t across, size_t down, size_t plane)
{
    static unsigned char block[WIDTH * HEIGHT * 4 * 2];
    const size_t samples = (size_t)kind->samples, stride = kind->apart ? 1 : samples;
    const size_t row_bytes = (across * stride * (size_t)kind->bits + 7) / 8;
    memset(block, 0, sizeof block);
    for (size_t v = 0; v < down && y + v < HEIGHT; v++)
        for (size_t u = 0; u < across && x + u < WIDTH; u++)
            for (size_t s = 0; s < stride; s++)
                put_sample(block + v * row_bytes, u * stride + s, kind->bits,
                           sample[((y + v) * WIDTH + x + u) * samples + plane + s]);
    const size_t rows = !kind->tiled && y + down > HEIGHT ? HEIGHT - y : down;
    const tmsize_t size = (tmsize_t)(rows * row_bytes);
    if (kind->tiled)
        TIFFWriteEncodedTile(
            tiff, TIFFComputeTile(tiff, (uint32_t)x, (uint32_t)y, 0, (uint16_t)plane), block, size);
    else
        TIFFWriteEncodedStrip(tiff, TIFFComputeStrip(tiff, (uint32_t)y, (uint16_t)plane), block,
                              size);
}

/* sample: HEIGHT x WIDTH x samples */
static file_bytes write_tiff(const tiff_kind *kind, const unsigned *sample,
                             uint16_t (*palette)[256])
{
    TIFF *tiff = TIFFOpen("test.tif", kind->mode);
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, WIDTH);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, HEIGHT);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, kind->bits);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, kind->samples);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, kind->photometric);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, kind->compression);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG,
                 kind->apart ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG);
    if (kind->samples == 2 || kind->samples == 4)
        TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &(uint16_t){EXTRASAMPLE_UNASSALPHA});
    if (kind->photometric == PHOTOMETRIC_PALETTE)
        TIFFSetField(tiff, TIFFTAG_COLORMAP, palette[0], palette[1], palette[2]);
    const size_t across = kind->tiled ? TILE : WIDTH, down = kind->tiled ? TILE : 5;
    if (kind->tiled) {
        TIFFSetField(tiff, TIFFTAG_TILEWIDTH, TILE);
        TIFFSetField(tiff, TIFFTAG_TILELENGTH, TILE);
    } else {
        TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, 5);
    }
    for (size_t plane = 0; plane < (kind->apart ? (size_t)kind->samples : 1); plane++)
        for (size_t y = 0; y < HEIGHT; y += down)
            for (size_t x = 0; x < WIDTH; x += across)
                write_block(tiff, kind, sample, x, y, across, down, plane);
    TIFFClose(tiff);
    return bytes_take("test.tif");
}

static size_t channels_of(const tiff_kind *kind)
{
    return kind->photometric <= PHOTOMETRIC_MINISBLACK ? 1 : 3;
}

/* A random image of the kind as file, and the pixels it must give. */
static file_bytes make_tiff(const tiff_kind *kind, rng *r, double *pixel)
{
    static unsigned sample[HEIGHT * WIDTH * 4];
    static uint16_t palette[3][256];
    const size_t samples = (size_t)kind->samples, channels = channels_of(kind);
    const double highest = (double)((1 << kind->bits) - 1);
    for (size_t i = 0; i < 3 * 256; i++)
        palette[i / 256][i % 256] = (uint16_t)rng_next(r);
    for (size_t p = 0; p < HEIGHT * WIDTH; p++)
        for (size_t s = 0; s < samples; s++) {
            const unsigned value = (unsigned)rng_below(r, (size_t)1 << kind->bits);
            sample[p * samples + s] = value;
            if (kind->photometric == PHOTOMETRIC_PALETTE)
                for (size_t c = 0; c < 3 && s == 0; c++)
                    pixel[3 * p + c] = palette[c][value] / 65535.0;
            else if (s < channels)
                pixel[p * channels + s] = kind->photometric == PHOTOMETRIC_MINISWHITE
                                              ? (highest - value) / highest
                                              : value / highest;
        }
    return write_tiff(kind, sample, palette);
}

static void check_kind(const tiff_kind *kind, rng *r)
{
    static double pixel[HEIGHT * WIDTH * 3];
    char what[120];
    snprintf(what, sizeof what,
             "%d bits, %d samples, photometric %d, tiled %d, apart %d, packed %d", kind->bits,
             kind->samples, kind->photometric, kind->tiled, kind->apart, kind->compression);
    file_bytes file = make_tiff(kind, r, pixel);
    expect_pixels(&file, WIDTH, HEIGHT, channels_of(kind), pixel, 0.0, what);
}

TEST(every_kind_is_read_exactly)
{
    static const int bits[] = {1, 2, 4, 8, 12, 16};
    static const int colours[][2] = {/* photometric, samples */
                                     {PHOTOMETRIC_MINISBLACK, 1}, {PHOTOMETRIC_MINISBLACK, 2},
                                     {PHOTOMETRIC_MINISWHITE, 1}, {PHOTOMETRIC_RGB, 3},
                                     {PHOTOMETRIC_RGB, 4},        {PHOTOMETRIC_PALETTE, 1}};
    rng r = seeded(1);
    for (size_t b = 0; b < 6; b++)
        for (size_t c = 0; c < 6; c++)
            for (int way = 0; way < 4; way++) {
                const tiff_kind kind = {bits[b], colours[c][1],    colours[c][0],      way & 1,
                                        way / 2, COMPRESSION_NONE, b % 2 ? "wl" : "wb"};
                if (kind.photometric != PHOTOMETRIC_PALETTE || kind.bits <= 8)
                    check_kind(&kind, &r);
            }
}

TEST(packings)
{
    static const int schemes[] = {COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE, COMPRESSION_PACKBITS};
    rng r = seeded(2);
    for (size_t s = 0; s < 3; s++) {
        const tiff_kind kind = {8, 3, PHOTOMETRIC_RGB, s == 1, s == 2, schemes[s], "w"};
        check_kind(&kind, &r);
    }
    const tiff_kind fax = {1, 1, PHOTOMETRIC_MINISWHITE, 0, 0, COMPRESSION_CCITTFAX4, "w"};
    check_kind(&fax, &r);
    const tiff_kind large = {16, 1, PHOTOMETRIC_MINISBLACK, 0, 0, COMPRESSION_LZW, "w8"};
    check_kind(&large, &r);
}

/* What libtiff converts: inks are mixed by it, to 8 bits. */
TEST(inks_are_converted)
{
    static unsigned sample[HEIGHT * WIDTH * 4];
    static double pixel[HEIGHT * WIDTH * 3];
    const tiff_kind kind = {8, 4, PHOTOMETRIC_SEPARATED, 0, 0, COMPRESSION_NONE, "w"};
    rng r = seeded(3);
    for (size_t p = 0; p < HEIGHT * WIDTH; p++) {
        for (size_t s = 0; s < 4; s++)
            sample[4 * p + s] = (unsigned)rng_below(&r, 256);
        for (size_t c = 0; c < 3; c++)
            pixel[3 * p + c] =
                (255 - sample[4 * p + c]) * (255 - sample[4 * p + 3]) / (255.0 * 255.0);
    }
    file_bytes file = write_tiff(&kind, sample, NULL);
    expect_pixels(&file, WIDTH, HEIGHT, 3, pixel, 1.0 / 255.0, "inks");
}

TEST(hostile_files)
{
    static const tiff_kind kinds[] = {
        {8, 3, PHOTOMETRIC_RGB, 0, 0, COMPRESSION_LZW, "w"},
        {16, 1, PHOTOMETRIC_MINISBLACK, 1, 0, COMPRESSION_ADOBE_DEFLATE, "wb"},
        {4, 1, PHOTOMETRIC_PALETTE, 0, 0, COMPRESSION_PACKBITS, "w"},
        {8, 4, PHOTOMETRIC_SEPARATED, 0, 0, COMPRESSION_LZW, "w"},
    };
    static double pixel[HEIGHT * WIDTH * 4];
    rng r = seeded(4);
    for (size_t k = 0; k < 4; k++) {
        file_bytes file = make_tiff(&kinds[k], &r, pixel);
        expect_cuts_refused(&file, "tiff");
        expect_damage_survived(&file, "tiff");
        expect_hunger_survived(&file);
    }
}
