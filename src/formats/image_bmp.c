/* image_bmp.c - BMP images, as Windows and OS/2 1 write them: a palette of 1, 4 or 8 bits, or 16,
 * 24 and 32 bits with the usual or given masks; rows from below or above; nothing packed.
 *
 *   bytes  0  "BM", size of the file, 4 unused bytes, offset of the rows
 *   bytes 14  size of the header, width, height (below 0: from above), planes 1, bits, packing, ...
 *   then      masks of red, green and blue where the packing says so; the palette: blue, green, red
 *
 * Numbers have their low byte first, rows are padded to four bytes. A palette of greys makes a grey
 * image: the format has no other. */
#include <string.h>

#include "formats/image_formats.h"

#define CORE_HEADER 12
#define INFO_HEADER 40
#define FIRST       14 /* where the header begins */

typedef struct bmp_reader {
    image_file *file;
    size_t header; /* bytes of it */
    size_t width, height;
    int from_above;
    unsigned bits, packing;
    size_t colours; /* of the palette */
    size_t palette; /* where it begins */
    size_t entry;   /* bytes of one of its colours: 3 or 4 */
    size_t rows;    /* where they begin */
    uint32_t mask[3];
} bmp_reader;

static uint32_t number(const bmp_reader *r, size_t at, size_t bytes)
{
    uint32_t value = 0;
    for (size_t b = bytes; b-- > 0;)
        value = value << 8 | r->file->bytes[at + b];
    return value;
}

static spd_status bad(const bmp_reader *r, const char *what)
{
    return ctx_fail(r->file->ctx, SPD_EFORMAT, "BMP: %s", what);
}

/* ---- the header ------------------------------------------------------------------------------ */

static void read_core(bmp_reader *r)
{
    r->width = number(r, FIRST + 4, 2);
    r->height = number(r, FIRST + 6, 2);
    r->bits = number(r, FIRST + 10, 2);
    r->entry = 3;
}

static void read_info(bmp_reader *r)
{
    const uint32_t height = number(r, FIRST + 8, 4);
    r->width = number(r, FIRST + 4, 4);
    r->from_above = height >> 31 != 0;
    r->height = r->from_above ? (size_t)(0u - height) : height;
    r->bits = number(r, FIRST + 14, 2);
    r->packing = number(r, FIRST + 16, 4);
    r->colours = number(r, FIRST + 32, 4);
    r->entry = 4;
}

static spd_status read_header(bmp_reader *r)
{
    const size_t size = r->file->size;
    r->header = number(r, FIRST, 4);
    r->rows = number(r, 10, 4);
    if (r->header != CORE_HEADER && (r->header < INFO_HEADER || r->header > 124))
        return bad(r, "an unknown header; save it as a BMP of Windows, or as PNG");
    if (size < FIRST + r->header)
        return bad(r, "cut off");
    if (r->header == CORE_HEADER)
        read_core(r);
    else
        read_info(r);
    r->palette = FIRST + r->header;
    return SPD_OK;
}

/* The masks of 16 and 32 bits: given behind the first 40 bytes, or the usual ones. */
static spd_status read_masks(bmp_reader *r)
{
    const size_t at = FIRST + INFO_HEADER;
    const int given = r->packing == 3 || r->packing == 6, small = r->bits == 16;
    const uint32_t usual[3] = {small ? 0x7c00u : 0xff0000u, small ? 0x3e0u : 0xff00u,
                               small ? 0x1fu : 0xffu};
    if (given && r->file->size < at + 12)
        return bad(r, "cut off");
    for (size_t c = 0; c < 3; c++) {
        const uint32_t mask = given ? number(r, at + 4 * c, 4) : usual[c];
        if (mask == 0 || (small && mask >> 16))
            return bad(r, "a mask of colours that selects nothing");
        r->mask[c] = mask;
    }
    return SPD_OK;
}

static spd_status check_kind(bmp_reader *r)
{
    const unsigned bits = r->bits;
    const int masked = bits == 16 || bits == 32;
    if (bits != 1 && bits != 4 && bits != 8 && bits != 24 && !masked)
        return ctx_fail(r->file->ctx, SPD_EFORMAT, "BMP: %u bits for a pixel are not possible",
                        bits);
    if (r->packing && !(masked && (r->packing == 3 || r->packing == 6)))
        return bad(r, "packed; save it unpacked, or as PNG");
    if (bits > 8) {
        r->colours = 0; /* a palette beside such pixels is a hint to old screens */
        return masked ? read_masks(r) : SPD_OK;
    }
    const size_t most = (size_t)1 << bits;
    if (r->colours == 0 || r->colours > most)
        r->colours = most;
    /* The palette of OS/2 files has no number of its own: it ends where the rows begin. */
    if (r->header == CORE_HEADER && r->rows > r->palette &&
        (r->rows - r->palette) / r->entry < r->colours)
        r->colours = (r->rows - r->palette) / r->entry;
    return r->palette + r->colours * r->entry <= r->file->size ? SPD_OK : bad(r, "cut off");
}

/* ---- pixels ---------------------------------------------------------------------------------- */

static int is_grey(const bmp_reader *r)
{
    for (size_t k = 0; k < r->colours; k++) {
        const unsigned char *c = r->file->bytes + r->palette + k * r->entry;
        if (c[0] != c[1] || c[1] != c[2])
            return 0;
    }
    return r->bits <= 8;
}

static size_t row_bytes(const bmp_reader *r)
{
    return (r->width * r->bits + 31) / 32 * 4;
}

/* The share of its highest value that the bits of a mask have. */
static double masked(uint32_t pixel, uint32_t mask)
{
    const uint32_t lowest = mask & (0u - mask);
    const uint32_t value = (pixel & mask) / lowest, highest = mask / lowest;
    return (double)value / (double)highest;
}

/* to (channels) <- pixel x of a row. Non-zero: a colour that the palette does not have. */
static int read_pixel(const bmp_reader *r, const unsigned char *row, size_t x, size_t channels,
                      double *to)
{
    const unsigned char *colour = row + 3 * x;
    if (r->bits == 16 || r->bits == 32) {
        const size_t bytes = r->bits / 8;
        const uint32_t pixel = number(r, (size_t)(row - r->file->bytes) + bytes * x, bytes);
        for (size_t c = 0; c < 3; c++)
            to[c] = masked(pixel, r->mask[c]);
        return 0;
    }
    if (r->bits <= 8) {
        const size_t per = 8 / r->bits, shift = (per - 1 - x % per) * r->bits;
        const size_t index = ((size_t)row[x / per] >> shift) & ((1u << r->bits) - 1);
        if (index >= r->colours)
            return 1;
        colour = r->file->bytes + r->palette + index * r->entry;
    }
    for (size_t c = 0; c < channels; c++)
        to[c] = colour[2 - c] / 255.0;
    return 0;
}

static spd_status read_rows(const bmp_reader *r)
{
    const image *made = r->file->made;
    for (size_t y = 0; y < r->height; y++) {
        const size_t from = r->from_above ? y : r->height - 1 - y;
        const unsigned char *row = r->file->bytes + r->rows + from * row_bytes(r);
        double *to = made->pixel + y * made->width * made->channels;
        for (size_t x = 0; x < r->width; x++)
            if (read_pixel(r, row, x, made->channels, to + x * made->channels))
                return ctx_fail(r->file->ctx, SPD_EFORMAT,
                                "BMP: pixel (%zu, %zu) has a colour that the palette has not", x,
                                y);
    }
    return SPD_OK;
}

spd_status image_decode_bmp(image_file *file)
{
    bmp_reader r = {.file = file};
    spd_status status = read_header(&r);
    if (status == SPD_OK)
        status = check_kind(&r);
    if (status == SPD_OK)
        status = image_begin(file, r.width, r.height, is_grey(&r) ? 1 : 3, 0.0);
    if (status < 0)
        return status;
    if (r.rows < r.palette + r.colours * r.entry || r.rows > file->size ||
        (file->size - r.rows) / row_bytes(&r) < r.height)
        return ctx_fail(file->ctx, SPD_EFORMAT,
                        "BMP: %zu x %zu pixels of %u bits take %zu bytes from byte %zu, but the "
                        "file has %zu: cut off or damaged",
                        r.width, r.height, r.bits, row_bytes(&r) * r.height, r.rows, file->size);
    return read_rows(&r);
}
