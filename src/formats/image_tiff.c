/* image_tiff.c - TIFF images through libtiff: the first page.
 *
 * Grey, RGB and palettes of 1 to 16 bits are read here, strip by strip or tile by tile, with all
 * their bits; YCbCr, CMYK, Lab and what else libtiff can turn into 8-bit RGB is left to it.
 * Orientation tags are ignored. Errors stay with the handle: nothing is printed. */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <tiffio.h>

#include "formats/image_formats.h"
#include "io/text.h"

/* The most bytes that come of one: Deflate 1032, PackBits 64, and LZW, whose longest string is of
 * 3837 bytes for 12 bits. What the other schemes can do is not judged. */
#define PACKED_RATIO 2600.0

typedef struct tiff_reader {
    image_file *file;
    toff_t at; /* of the next byte */
    TIFF *tiff;
    char text[200]; /* the first complaint of libtiff */
    uint32_t width, height;
    uint16_t bits, samples, photometric, planar, format, compression;
    const uint16_t *map[3]; /* palette, 2^bits each */
    double map_highest;     /* value of white in it */
    uint32_t across, down;  /* pixels of a strip or tile, which lies in file->room */
    tmsize_t block_bytes, row_bytes;
} tiff_reader;

/* ---- what libtiff calls --------------------------------------------------------------------- */

static tmsize_t on_read(thandle_t handle, void *to, tmsize_t size)
{
    tiff_reader *r = handle;
    const size_t left = r->at < r->file->size ? r->file->size - (size_t)r->at : 0;
    const size_t count = size < 0 ? 0 : (size_t)size < left ? (size_t)size : left;
    memcpy(to, r->file->bytes + (r->file->size - left), count);
    r->at += count;
    return (tmsize_t)count;
}

static tmsize_t on_write(thandle_t handle, void *from, tmsize_t size)
{
    (void)handle;
    (void)from;
    (void)size;
    return 0;
}

static toff_t on_seek(thandle_t handle, toff_t offset, int whence)
{
    tiff_reader *r = handle;
    const toff_t base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? r->at : r->file->size;
    r->at = base + offset;
    return r->at;
}

static int on_close(thandle_t handle)
{
    (void)handle;
    return 0;
}

static toff_t on_size(thandle_t handle)
{
    return ((tiff_reader *)handle)->file->size;
}

__attribute__((format(printf, 4, 0))) static int
on_error(TIFF *tiff, void *user, const char *module, const char *format, va_list arguments)
{
    tiff_reader *r = user;
    (void)tiff;
    (void)module;
    if (!r->text[0] && vsnprintf(r->text, sizeof r->text, format, arguments) <= 0)
        snprintf(r->text, sizeof r->text, "damaged");
    return 1; /* seen: no further handler is called */
}

/* Unknown tags and the like do no harm; but the decoders of JPEG and fax data only warn when
 * these are cut off. */
__attribute__((format(printf, 4, 0))) static int
on_warning(TIFF *tiff, void *user, const char *module, const char *format, va_list arguments)
{
    if (module && (strncmp(module, "JPEG", 4) == 0 || strncmp(module, "Fax", 3) == 0))
        on_error(tiff, user, module, format, arguments);
    return 1;
}

/* ---- the header ----------------------------------------------------------------------------- */

static spd_status bad(const tiff_reader *r, const char *what)
{
    char plain[sizeof r->text];
    return ctx_fail(r->file->ctx, SPD_EFORMAT, "TIFF: %s",
                    text_plain(r->text[0] ? r->text : what, plain, sizeof plain));
}

static spd_status open_tiff(tiff_reader *r)
{
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    if (!options)
        return ctx_nomem(r->file->ctx, "a TIFF image");
    TIFFOpenOptionsSetErrorHandlerExtR(options, on_error, r);
    TIFFOpenOptionsSetWarningHandlerExtR(options, on_warning, r);
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, (tmsize_t)(8 * r->file->most));
    r->tiff = TIFFClientOpenExt("image", "rm", r, on_read, on_write, on_seek, on_close, on_size,
                                NULL, NULL, options);
    TIFFOpenOptionsFree(options);
    return r->tiff ? SPD_OK : bad(r, "damaged");
}

/* How many pixels of it may be in a byte of the file; 0: unknown. */
static double pixels_per_byte(const tiff_reader *r)
{
    const double plain = 8.0 / ((double)r->bits * r->samples);
    switch (r->compression) {
    case COMPRESSION_NONE:
        return plain;
    case COMPRESSION_LZW:
    case COMPRESSION_DEFLATE:
    case COMPRESSION_ADOBE_DEFLATE:
    case COMPRESSION_PACKBITS:
        return PACKED_RATIO * plain;
    default:
        return 0.0;
    }
}

static spd_status read_header(tiff_reader *r)
{
    if (!TIFFGetField(r->tiff, TIFFTAG_IMAGEWIDTH, &r->width) ||
        !TIFFGetField(r->tiff, TIFFTAG_IMAGELENGTH, &r->height) ||
        !TIFFGetField(r->tiff, TIFFTAG_PHOTOMETRIC, &r->photometric))
        return bad(r, "a tag that every image needs is missing");
    TIFFGetFieldDefaulted(r->tiff, TIFFTAG_BITSPERSAMPLE, &r->bits);
    TIFFGetFieldDefaulted(r->tiff, TIFFTAG_SAMPLESPERPIXEL, &r->samples);
    TIFFGetFieldDefaulted(r->tiff, TIFFTAG_PLANARCONFIG, &r->planar);
    TIFFGetFieldDefaulted(r->tiff, TIFFTAG_SAMPLEFORMAT, &r->format);
    TIFFGetFieldDefaulted(r->tiff, TIFFTAG_COMPRESSION, &r->compression);
    if (r->bits == 0 || r->samples == 0)
        return bad(r, "samples with zero bits");
    const size_t channels = r->photometric <= PHOTOMETRIC_MINISBLACK ? 1 : 3;
    return image_begin(r->file, r->width, r->height, channels, pixels_per_byte(r));
}

/* ---- what libtiff turns into RGB ----------------------------------------------------------- */

static spd_status read_converted(tiff_reader *r)
{
    TIFFRGBAImage rgba;
    char why[1024] = "";
    spd_status status = image_room(r->file, (size_t)r->width * r->height, sizeof(uint32_t));
    if (status < 0)
        return status;
    uint32_t *raster = (uint32_t *)(void *)r->file->room;
    if (!TIFFRGBAImageOK(r->tiff, why) || !TIFFRGBAImageBegin(&rgba, r->tiff, 1, why)) {
        if (!r->text[0])
            snprintf(r->text, sizeof r->text, "%.199s", why);
        return bad(r, "a kind of image that cannot be converted");
    }
    rgba.orientation = rgba.req_orientation = ORIENTATION_TOPLEFT; /* as it is stored */
    const int good = TIFFRGBAImageGet(&rgba, raster, r->width, r->height);
    TIFFRGBAImageEnd(&rgba);
    if (!good || r->text[0])
        return bad(r, "damaged");
    double *to = r->file->made->pixel;
    const size_t pixels = (size_t)r->width * r->height;
    for (size_t p = 0; p < pixels; p++) {
        to[3 * p] = TIFFGetR(raster[p]) / 255.0;
        to[3 * p + 1] = TIFFGetG(raster[p]) / 255.0;
        to[3 * p + 2] = TIFFGetB(raster[p]) / 255.0;
    }
    return SPD_OK;
}

/* ---- what is read here --------------------------------------------------------------------- */

/* Sample number `index` of a row: 16 bits in the machine's order, else packed, high bits first. */
static unsigned sample_at(const unsigned char *row, size_t index, size_t bits)
{
    unsigned value = 0;
    if (bits == 8)
        return row[index];
    if (bits == 16) {
        uint16_t wide;
        memcpy(&wide, row + 2 * index, sizeof wide);
        return wide;
    }
    for (size_t b = index * bits; b < (index + 1) * bits; b++)
        value = 2 * value + (((unsigned)row[b / 8] >> (7 - b % 8)) & 1u);
    return value;
}

/* The pixel's channels <- one sample, number `sample` of the pixel. */
static void put(const tiff_reader *r, unsigned value, size_t sample, double *pixel)
{
    const double highest = (double)((1u << r->bits) - 1);
    if (r->photometric == PHOTOMETRIC_PALETTE)
        for (size_t c = 0; c < 3; c++)
            pixel[c] = r->map[c][value] / r->map_highest;
    else if (r->photometric == PHOTOMETRIC_MINISWHITE)
        pixel[0] = (highest - value) / highest;
    else
        pixel[sample] = value / highest;
}

/* The palette; some programs write 8 bits of its 16. */
static spd_status read_palette(tiff_reader *r)
{
    uint16_t *map[3], highest = 0;
    if (!TIFFGetField(r->tiff, TIFFTAG_COLORMAP, &map[0], &map[1], &map[2]))
        return bad(r, "a palette image without palette");
    for (size_t c = 0; c < 3; c++) {
        r->map[c] = map[c];
        for (size_t i = 0; i < (size_t)1 << r->bits; i++)
            highest = map[c][i] > highest ? map[c][i] : highest;
    }
    r->map_highest = highest < 256 ? 255.0 : 65535.0;
    return SPD_OK;
}

/* How the image is cut, and room for one piece. */
static spd_status make_room(tiff_reader *r)
{
    if (TIFFIsTiled(r->tiff)) {
        TIFFGetField(r->tiff, TIFFTAG_TILEWIDTH, &r->across);
        TIFFGetField(r->tiff, TIFFTAG_TILELENGTH, &r->down);
        r->block_bytes = TIFFTileSize(r->tiff);
        r->row_bytes = TIFFTileRowSize(r->tiff);
    } else {
        TIFFGetFieldDefaulted(r->tiff, TIFFTAG_ROWSPERSTRIP, &r->down);
        r->across = r->width;
        r->block_bytes = TIFFStripSize(r->tiff);
        r->row_bytes = TIFFScanlineSize(r->tiff);
    }
    r->down = r->down > r->height ? r->height : r->down;
    if (r->across == 0 || r->down == 0 || r->block_bytes <= 0 || r->row_bytes <= 0 ||
        (size_t)r->block_bytes > 8 * r->file->most || r->block_bytes / r->row_bytes < r->down)
        return bad(r, "strips or tiles of impossible size");
    return image_room(r->file, (size_t)r->block_bytes, 1);
}

/* Reads the strip or tile with pixel (x, y), of one plane when these are apart. */
static spd_status read_block(tiff_reader *r, uint32_t x, uint32_t y, uint16_t plane)
{
    const uint32_t rows = r->height - y < r->down ? r->height - y : r->down;
    const tmsize_t got =
        TIFFIsTiled(r->tiff)
            ? TIFFReadEncodedTile(r->tiff, TIFFComputeTile(r->tiff, x, y, 0, plane), r->file->room,
                                  r->block_bytes)
            : TIFFReadEncodedStrip(r->tiff, TIFFComputeStrip(r->tiff, y, plane), r->file->room,
                                   r->block_bytes);
    if (got < r->row_bytes * (tmsize_t)rows || r->text[0])
        return bad(r, "cut off");
    return SPD_OK;
}

/* Takes over the pixels of the strip or tile that begins at (x, y). */
static void place_block(const tiff_reader *r, uint32_t x, uint32_t y, uint16_t plane)
{
    const int apart = r->planar == PLANARCONFIG_SEPARATE;
    const size_t channels = r->file->made->channels;
    const size_t taken = apart || r->photometric == PHOTOMETRIC_PALETTE ? 1 : channels;
    const size_t stride = apart ? 1 : r->samples;
    for (size_t v = 0; v < r->down && y + v < r->height; v++) {
        const unsigned char *row = r->file->room + v * (size_t)r->row_bytes;
        double *to = r->file->made->pixel + ((y + v) * r->width + x) * channels;
        for (size_t u = 0; u < r->across && x + u < r->width; u++)
            for (size_t s = 0; s < taken; s++)
                put(r, sample_at(row, u * stride + s, r->bits), plane + s, to + u * channels);
    }
}

static spd_status read_blocks(tiff_reader *r)
{
    const int apart = r->planar == PLANARCONFIG_SEPARATE && r->photometric == PHOTOMETRIC_RGB;
    const uint16_t planes = apart ? 3 : 1;
    spd_status status = SPD_OK;
    for (uint16_t plane = 0; plane < planes; plane++)
        for (uint32_t y = 0; y < r->height; y += r->down)
            for (uint32_t x = 0; x < r->width; x += r->across) {
                status = read_block(r, x, y, plane);
                if (status < 0)
                    return status;
                place_block(r, x, y, plane);
            }
    return status;
}

static spd_status read_direct(tiff_reader *r)
{
    if (r->samples < (r->photometric == PHOTOMETRIC_RGB ? 3 : 1))
        return bad(r, "an RGB image with fewer than three samples in a pixel");
    spd_status status = SPD_OK;
    if (r->photometric == PHOTOMETRIC_PALETTE)
        status = read_palette(r);
    if (status == SPD_OK)
        status = make_room(r);
    return status < 0 ? status : read_blocks(r);
}

/* ---- both ---------------------------------------------------------------------------------- */

static spd_status read_image(tiff_reader *r)
{
    spd_status status = read_header(r);
    if (status < 0)
        return status;
    if (r->photometric > PHOTOMETRIC_PALETTE)
        return read_converted(r);
    if (r->bits > 16 || (r->format != SAMPLEFORMAT_UINT && r->format != SAMPLEFORMAT_VOID))
        return ctx_fail(r->file->ctx, SPD_EFORMAT,
                        "TIFF: samples of %u bits, %s, are not supported; convert them to 8 or "
                        "16 bits, unsigned",
                        (unsigned)r->bits,
                        r->format == SAMPLEFORMAT_IEEEFP ? "floating point"
                        : r->format == SAMPLEFORMAT_UINT ? "unsigned"
                                                         : "signed or complex");
    return read_direct(r);
}

spd_status image_decode_tiff(image_file *file)
{
    tiff_reader r = {.file = file};
    spd_status status = open_tiff(&r);
    if (status == SPD_OK) {
        status = read_image(&r);
        TIFFClose(r.tiff);
    }
    return status;
}

const char *image_tiff_version(void)
{
    return TIFFGetVersion();
}
