/* image_gif.c - GIF images through giflib: the first image of a file, on its screen.
 *
 * Where the image does not cover the screen, the background colour shows; transparency is dropped.
 * The palette's greys make a grey image: the format has no other. Nothing behind the first image is
 * looked at, so an animation costs no more. */
#include <string.h>

#include <gif_lib.h>

#include "formats/image_formats.h"

#define TEXT_OF(x)  #x
#define VALUE_OF(x) TEXT_OF(x)
#define VERSION     VALUE_OF(GIFLIB_MAJOR) "." VALUE_OF(GIFLIB_MINOR) "." VALUE_OF(GIFLIB_RELEASE)

/* A code of at most 12 bits stands for at most 4095 pixels. */
#define PIXELS_PER_BYTE 4096.0

/* Records before the first image; a file of nothing but comments has an end too. */
#define MOST_RECORDS 100000

typedef struct gif_reader {
    image_file *file;
    size_t at; /* the next byte */
    GifFileType *gif;
    const ColorMapObject *map; /* of the first image */
} gif_reader;

static int on_read(GifFileType *gif, GifByteType *to, int length)
{
    gif_reader *r = gif->UserData;
    const size_t left = r->file->size - r->at, asked = length > 0 ? (size_t)length : 0;
    const size_t count = asked < left ? asked : left;
    memcpy(to, r->file->bytes + r->at, count);
    r->at += count;
    return (int)count;
}

static spd_status failed(const gif_reader *r, int code)
{
    if (code == D_GIF_ERR_NOT_ENOUGH_MEM)
        return ctx_nomem(r->file->ctx, "a GIF image");
    const char *text = GifErrorString(code);
    return ctx_fail(r->file->ctx, SPD_EFORMAT, "GIF: %s",
                    r->at >= r->file->size ? "cut off"
                    : text                 ? text
                                           : "damaged");
}

/* Passes over an extension, block by block. */
static spd_status skip_extension(gif_reader *r)
{
    GifByteType *block = NULL;
    int code;
    int good = DGifGetExtension(r->gif, &code, &block) == GIF_OK;
    while (good && block)
        good = DGifGetExtensionNext(r->gif, &block) == GIF_OK;
    return good ? SPD_OK : failed(r, r->gif->Error);
}

/* Reads on to the first image, and its description. */
static spd_status find_image(gif_reader *r)
{
    GifRecordType type = UNDEFINED_RECORD_TYPE;
    for (size_t records = 0; records < MOST_RECORDS; records++) {
        spd_status status = SPD_OK;
        if (DGifGetRecordType(r->gif, &type) != GIF_OK)
            return failed(r, r->gif->Error);
        if (type == IMAGE_DESC_RECORD_TYPE)
            return DGifGetImageDesc(r->gif) == GIF_OK ? SPD_OK : failed(r, r->gif->Error);
        if (type == TERMINATE_RECORD_TYPE)
            break;
        if (type == EXTENSION_RECORD_TYPE)
            status = skip_extension(r);
        if (status < 0)
            return status;
    }
    return ctx_fail(r->file->ctx, SPD_EFORMAT, "GIF: there is no image in it");
}

static int is_grey(const ColorMapObject *map)
{
    for (int k = 0; k < map->ColorCount; k++)
        if (map->Colors[k].Red != map->Colors[k].Green ||
            map->Colors[k].Green != map->Colors[k].Blue)
            return 0;
    return 1;
}

static void paint(const ColorMapObject *map, int index, size_t channels, double *to)
{
    const GifColorType c = map->Colors[index];
    to[0] = c.Red / 255.0;
    if (channels == 3) {
        to[1] = c.Green / 255.0;
        to[2] = c.Blue / 255.0;
    }
}

/* The screen in its background colour; black where it has none. */
static void paint_screen(const gif_reader *r)
{
    const image *made = r->file->made;
    const ColorMapObject *map = r->gif->SColorMap;
    const int index = r->gif->SBackGroundColor;
    const size_t channels = made->channels;
    for (size_t i = 0; i < made->width * made->height; i++) {
        memset(made->pixel + i * channels, 0, channels * sizeof *made->pixel);
        if (map && index >= 0 && index < map->ColorCount)
            paint(map, index, channels, made->pixel + i * channels);
    }
}

/* Which row of the image comes as number k: one after the other, or every eighth from 0, every
 * eighth from 4, every fourth from 2, every second from 1. */
static size_t row_number(size_t k, size_t height, int interlaced)
{
    static const size_t first[] = {0, 4, 2, 1}, step[] = {8, 8, 4, 2};
    for (size_t pass = 0; interlaced && pass < 4; pass++) {
        const size_t rows =
            height > first[pass] ? (height - first[pass] + step[pass] - 1) / step[pass] : 0;
        if (k < rows)
            return first[pass] + k * step[pass];
        k -= rows;
    }
    return k;
}

static spd_status read_rows(gif_reader *r)
{
    const GifImageDesc *d = &r->gif->Image;
    const image *made = r->file->made;
    const size_t channels = made->channels, width = (size_t)d->Width, height = (size_t)d->Height;
    GifPixelType *row = r->file->room;
    for (size_t k = 0; k < height; k++) {
        const size_t y = (size_t)d->Top + row_number(k, height, d->Interlace);
        double *to = made->pixel + (y * made->width + (size_t)d->Left) * channels;
        if (DGifGetLine(r->gif, row, d->Width) != GIF_OK)
            return failed(r, r->gif->Error);
        for (size_t x = 0; x < width; x++) {
            if (row[x] >= r->map->ColorCount)
                return ctx_fail(r->file->ctx, SPD_EFORMAT,
                                "GIF: pixel (%zu, %zu) has a colour that the palette has not",
                                x + (size_t)d->Left, y);
            paint(r->map, row[x], channels, to + x * channels);
        }
    }
    return SPD_OK;
}

/* Room for the screen, which must hold the image. */
static spd_status prepare(gif_reader *r)
{
    const GifFileType *gif = r->gif;
    const GifImageDesc *d = &gif->Image;
    r->map = d->ColorMap ? d->ColorMap : gif->SColorMap;
    if (!r->map)
        return ctx_fail(r->file->ctx, SPD_EFORMAT, "GIF: there is no palette");
    if (gif->SWidth < 1 || gif->SHeight < 1 || d->Width < 1 || d->Height < 1 || d->Left < 0 ||
        d->Top < 0 || d->Width > gif->SWidth - d->Left || d->Height > gif->SHeight - d->Top)
        return ctx_fail(r->file->ctx, SPD_EFORMAT,
                        "GIF: the image, %d x %d from (%d, %d), does not lie on the screen of %d x "
                        "%d: damaged",
                        d->Width, d->Height, d->Left, d->Top, gif->SWidth, gif->SHeight);
    spd_status status = image_begin(r->file, (size_t)gif->SWidth, (size_t)gif->SHeight,
                                    is_grey(r->map) ? 1 : 3, PIXELS_PER_BYTE);
    return status < 0 ? status : image_room(r->file, (size_t)d->Width, 1);
}

spd_status image_decode_gif(image_file *file)
{
    gif_reader r = {.file = file};
    int code = 0;
    r.gif = DGifOpen(&r, on_read, &code);
    if (!r.gif)
        return failed(&r, code);
    spd_status status = find_image(&r);
    if (status == SPD_OK)
        status = prepare(&r);
    if (status == SPD_OK) {
        paint_screen(&r);
        status = read_rows(&r);
    }
    DGifCloseFile(r.gif, &code);
    return status;
}

const char *image_gif_version(void)
{
    return VERSION;
}
