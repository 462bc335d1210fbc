/* image.c - images in memory, and which reader the first bytes of a file ask for. */
#include "formats/image.h"

#include <string.h>

#include "base/memory.h"
#include "formats/image_formats.h"

/* ---- images ------------------------------------------------------------------------------- */

/* Are there more than `most` values? */
static int too_many(size_t width, size_t height, size_t channels, size_t most)
{
    size_t pixels, values;
    return mem_mul(width, height, &pixels) || mem_mul(pixels, channels, &values) || values > most;
}

spd_status image_check(spd_context *ctx, size_t width, size_t height, size_t channels)
{
    if (width == 0 || height == 0)
        return ctx_fail(ctx, SPD_EINVAL, "an image of %zu x %zu has no pixels", width, height);
    if (channels != 1 && channels != 3)
        return ctx_fail(ctx, SPD_EINVAL, "an image has 1 channel or 3, not %zu", channels);
    if (too_many(width, height, channels, IMAGE_VALUES))
        return ctx_fail(ctx, SPD_EINVAL,
                        "an image of %zu x %zu pixels with %zu channel%s is too large; "
                        "at most %zu values are possible",
                        width, height, channels, channels == 1 ? "" : "s", IMAGE_VALUES);
    return SPD_OK;
}

spd_status image_new(spd_context *ctx, size_t width, size_t height, size_t channels,
                     image **picture)
{
    spd_status status = image_check(ctx, width, height, channels);
    if (status < 0)
        return status;
    image *made = mem_alloc(1, sizeof *made);
    double *pixel = mem_alloc(width * height * channels, sizeof *pixel);
    if (!made || !pixel) {
        mem_free(made);
        mem_free(pixel);
        return ctx_nomem(ctx, "the pixels of an image");
    }
    *made = (image){width, height, channels, pixel, NULL};
    *picture = made;
    return SPD_OK;
}

void image_free(image *picture)
{
    if (!picture)
        return;
    if (picture->room)
        budget_give(picture->room, picture->width * picture->height * picture->channels);
    mem_free(picture->pixel);
    mem_free(picture);
}

/* ---- for the readers ------------------------------------------------------------------------ */

spd_status image_begin(image_file *file, size_t width, size_t height, size_t channels,
                       double per_byte)
{
    if (width == 0 || height == 0)
        return ctx_fail(file->ctx, SPD_EFORMAT, "the header claims %zu x %zu pixels", width,
                        height);
    if (too_many(width, height, channels, file->most))
        return ctx_fail(file->ctx, SPD_EFORMAT,
                        "the header claims %zu x %zu pixels with %zu channel%s; "
                        "at most %zu values are read",
                        width, height, channels, channels == 1 ? "" : "s", file->most);
    if (per_byte > 0.0 && (double)(width * height) > per_byte * (double)file->size)
        return ctx_fail(file->ctx, SPD_EFORMAT,
                        "the header claims %zu x %zu pixels, too many for a file of %zu bytes: "
                        "cut off or damaged",
                        width, height, file->size);
    if (file->budget && !budget_take(file->budget, width * height * channels))
        return ctx_fail(file->ctx, SPD_ECANCELLED, "reading cancelled");
    spd_status status = image_new(file->ctx, width, height, channels, &file->made);
    if (status == SPD_OK)
        file->made->room = file->budget;
    else if (file->budget)
        budget_give(file->budget, width * height * channels);
    return status;
}

spd_status image_room(image_file *file, size_t count, size_t size)
{
    file->room = mem_zero(count, size);
    return file->room ? SPD_OK : ctx_nomem(file->ctx, "the rows of an image");
}

void image_scale_8(size_t count, const unsigned char *from, double highest, double *to)
{
    for (size_t i = 0; i < count; i++)
        to[i] = from[i] / highest;
}

void image_scale_16(size_t count, const unsigned char *from, double highest, double *to)
{
    for (size_t i = 0; i < count; i++)
        to[i] = (256 * from[2 * i] + from[2 * i + 1]) / highest;
}

/* ---- formats -------------------------------------------------------------------------------- */

/* How files begin that a library reads, or the stand-in for one that is missing. */
static const struct {
    const char *start;
    size_t length, least; /* bytes of the start, and of the smallest file that counts */
    const char *eighth;   /* what stands at byte 8, or NULL */
    spd_status (*decode)(image_file *file);
} formats[] = {
    {"\x89PNG\r\n\x1a\n", 8, 8, NULL, image_decode_png},
    {"\xff\xd8\xff", 3, 3, NULL, image_decode_jpeg},
    {"II*\0", 4, 8, NULL, image_decode_tiff},
    {"MM\0*", 4, 8, NULL, image_decode_tiff},
    {"II+\0", 4, 8, NULL, image_decode_tiff},
    {"MM\0+", 4, 8, NULL, image_decode_tiff},
    {"RIFF", 4, 12, "WEBP", image_decode_webp},
    {"GIF87a", 6, 6, NULL, image_decode_gif},
    {"GIF89a", 6, 6, NULL, image_decode_gif},
    {"BM", 2, 26, NULL, image_decode_bmp},
};

/* What else is often taken for an image that can be read. */
static const struct {
    const char *start, *name;
} strangers[] = {
    {"RIFF", "sound, film or other RIFF"},
    {"%PDF", "a PDF file"},
    {"P7\n", "a PAM image"},
    {"PF\n", "a floating point map"},
    {"Pf\n", "a floating point map"},
    {"<", "HTML or XML text"},
    {"PK\003\004", "a zip archive"},
    {"\x93NUMPY", "a numpy array"},
};

/* Whether the bytes look like text. */
static int is_text(const image_file *file)
{
    const size_t look = file->size < 64 ? file->size : 64;
    for (size_t i = 0; i < look; i++) {
        const unsigned char c = file->bytes[i];
        if (c != '\t' && c != '\n' && c != '\r' && (c < ' ' || c == 0x7f))
            return 0;
    }
    return 1;
}

static const char *name_stranger(const image_file *file)
{
    if (file->size == 0)
        return "an empty file";
    for (size_t s = 0; s < sizeof strangers / sizeof strangers[0]; s++) {
        const size_t length = strlen(strangers[s].start);
        if (file->size >= length && memcmp(file->bytes, strangers[s].start, length) == 0)
            return strangers[s].name;
    }
    return is_text(file) ? "text" : "of unknown content";
}

static spd_status decode(image_file *file)
{
    for (size_t f = 0; f < sizeof formats / sizeof formats[0]; f++)
        if (file->size >= formats[f].least &&
            memcmp(file->bytes, formats[f].start, formats[f].length) == 0 &&
            (!formats[f].eighth || memcmp(file->bytes + 8, formats[f].eighth, 4) == 0))
            return formats[f].decode(file);
    if (image_is_pnm(file))
        return image_decode_pnm(file);
    return ctx_fail(
        file->ctx, SPD_EFORMAT,
        "%s, not a supported image; use PNG, JPEG, TIFF, WebP, GIF, BMP or PNM (.pbm, .pgm, "
        ".ppm)",
        name_stranger(file));
}

spd_status image_decode_file(const image_file *file, image **picture)
{
    image_file work = *file;
    spd_status status = decode(&work);
    mem_free(work.room);
    if (status < 0)
        image_free(work.made);
    else
        *picture = work.made;
    return status;
}

spd_status image_decode(spd_context *ctx, const unsigned char *bytes, size_t size, budget *room,
                        image **picture)
{
    const image_file file = {
        .ctx = ctx, .bytes = bytes, .size = size, .most = IMAGE_VALUES, .budget = room};
    return image_decode_file(&file, picture);
}
