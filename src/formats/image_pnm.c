/* image_pnm.c - PBM, PGM and PPM images, plain (P1 P2 P3) and raw (P4 P5 P6).
 *
 *   P5 # comment          magic, then width, height and, but for bitmaps, the highest value
 *   4 3 255               as decimal numbers between blanks and comments; one blank, then the data
 *
 * Raw values take one byte, or two with the high one first when the highest value exceeds 255;
 * raw bitmaps pack eight pixels to a byte, rows padded. 1 is black in bitmaps. Only the first
 * image of a file is read. */
#include <string.h>

#include "formats/image_formats.h"

typedef struct pnm_reader {
    image_file *file;
    size_t at; /* the next byte */
    int kind;  /* the digit after P */
    size_t width, height, channels;
    size_t highest;    /* value of white */
    spd_status status; /* of the first number that was none; then all are 0 */
} pnm_reader;

static int is_blank(unsigned char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

int image_is_pnm(const image_file *file)
{
    const unsigned char *b = file->bytes;
    return file->size >= 3 && b[0] == 'P' && b[1] >= '1' && b[1] <= '6' &&
           (is_blank(b[2]) || b[2] == '#');
}

static spd_status bad(const pnm_reader *r, const char *what)
{
    return ctx_fail(r->file->ctx, SPD_EFORMAT, "PNM: %s (byte %zu)", what, r->at);
}

static void skip_blanks(pnm_reader *r)
{
    const unsigned char *b = r->file->bytes;
    const size_t size = r->file->size;
    int comment = 0;
    for (; r->at < size && (comment || is_blank(b[r->at]) || b[r->at] == '#'); r->at++)
        comment = (comment || b[r->at] == '#') && b[r->at] != '\n' && b[r->at] != '\r';
}

static int is_digit(const pnm_reader *r)
{
    return r->at < r->file->size && r->file->bytes[r->at] >= '0' && r->file->bytes[r->at] <= '9';
}

/* The number that comes next; digits 1: in a bitmap, where the next may follow at once. */
static size_t next_number(pnm_reader *r, size_t digits)
{
    if (r->status < 0)
        return 0;
    skip_blanks(r);
    size_t number = 0, seen = 0;
    for (; seen < digits && is_digit(r); r->at++, seen++)
        number = 10 * number + (size_t)(r->file->bytes[r->at] - '0');
    if (seen == 0)
        r->status = bad(r, r->at < r->file->size ? "expected a number" : "cut off");
    else if (digits > 1 && is_digit(r))
        r->status = bad(r, "a number is too long");
    return number;
}

/* Bytes that the data of the claimed image take at least. */
static size_t least_bytes(const pnm_reader *r)
{
    const size_t values = r->width * r->height * r->channels;
    if (r->kind == 4)
        return (r->width + 7) / 8 * r->height;
    if (r->kind >= 5)
        return values * (r->highest > 255 ? 2 : 1);
    return r->kind == 1 ? values : 2 * values - 1; /* digits, blanks between numbers */
}

static spd_status read_header(pnm_reader *r)
{
    r->width = next_number(r, 9);
    r->height = next_number(r, 9);
    r->highest = r->kind == 1 || r->kind == 4 ? 1 : next_number(r, 9);
    if (r->status < 0)
        return r->status;
    if (r->highest < 1 || r->highest > 65535)
        return bad(r, "the highest value is not in 1 .. 65535");
    if (r->at >= r->file->size || !is_blank(r->file->bytes[r->at]))
        return bad(r, "expected a blank after the header");
    r->at++;
    spd_status status = image_begin(r->file, r->width, r->height, r->channels, 0.0);
    if (status < 0)
        return status;
    const size_t need = least_bytes(r), have = r->file->size - r->at;
    if (have < need)
        return ctx_fail(r->file->ctx, SPD_EFORMAT,
                        "PNM: %zu x %zu pixels take at least %zu bytes, but the file has %zu: "
                        "cut off",
                        r->width, r->height, need, have);
    return SPD_OK;
}

/* Every digit of a plain bitmap is a pixel: blanks between them are optional. */
static spd_status read_plain(pnm_reader *r, double *pixel)
{
    const size_t values = r->width * r->height * r->channels;
    for (size_t i = 0; i < values && r->status == SPD_OK; i++) {
        const size_t value = next_number(r, r->kind == 1 ? 1 : 9);
        if (value > r->highest && r->status == SPD_OK)
            return bad(r, "a value exceeds the highest one");
        const double scaled = (double)value / (double)r->highest;
        pixel[i] = r->kind == 1 ? 1.0 - scaled : scaled;
    }
    return r->status;
}

static void read_bits(const pnm_reader *r, double *pixel)
{
    const size_t stride = (r->width + 7) / 8;
    for (size_t y = 0; y < r->height; y++) {
        const unsigned char *row = r->file->bytes + r->at + y * stride;
        for (size_t x = 0; x < r->width; x++)
            pixel[y * r->width + x] = (row[x / 8] >> (7 - x % 8)) & 1 ? 0.0 : 1.0;
    }
}

static spd_status read_raw(const pnm_reader *r, double *pixel)
{
    const size_t values = r->width * r->height * r->channels;
    const unsigned char *from = r->file->bytes + r->at;
    if (r->highest > 255)
        image_scale_16(values, from, (double)r->highest, pixel);
    else
        image_scale_8(values, from, (double)r->highest, pixel);
    for (size_t i = 0; i < values; i++)
        if (pixel[i] > 1.0)
            return bad(r, "a value exceeds the highest one");
    return SPD_OK;
}

spd_status image_decode_pnm(image_file *file)
{
    pnm_reader r = {.file = file, .at = 2, .kind = file->bytes[1] - '0'};
    r.channels = r.kind % 3 == 0 ? 3 : 1;
    spd_status status = read_header(&r);
    if (status < 0)
        return status;
    if (r.kind <= 3)
        return read_plain(&r, file->made->pixel);
    if (r.kind >= 5)
        return read_raw(&r, file->made->pixel);
    read_bits(&r, file->made->pixel);
    return SPD_OK;
}
