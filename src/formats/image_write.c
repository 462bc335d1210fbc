/* image_write.c - images as PNG files of 8 bits through libpng.
 *
 * As in image_png.c, libpng reports an error by a jump, and the function that waits for it (run)
 * keeps nothing of its own. Images with noise hardly shrink, so packing is set for speed. */
#include <math.h>
#include <png.h>
#include <setjmp.h>

#include "base/memory.h"
#include "formats/image.h"
#include "io/outfile.h"

#define PACKING 2 /* zlib's 1 (fast) to 9 */

typedef struct png_writer {
    spd_context *ctx;
    const image *picture;
    outfile *out;
    png_structp png;
    png_infop info;
    unsigned char *row; /* width x channels */
    jmp_buf back;
    spd_status status; /* of what failed below libpng */
} png_writer;

/* ---- what libpng calls ---------------------------------------------------------------------- */

static void on_error(png_structp png, png_const_charp text)
{
    png_writer *w = png_get_error_ptr(png);
    if (w->status >= 0)
        w->status = ctx_fail(w->ctx, SPD_EIO, "PNG: %s", text);
    longjmp(w->back, 1);
}

static void on_warning(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text;
}

static void *on_malloc(png_structp png, png_alloc_size_t size)
{
    png_writer *w = png_get_mem_ptr(png);
    void *block = mem_alloc(size, 1);
    if (!block)
        w->status = ctx_nomem(w->ctx, "a PNG image");
    return block;
}

static void on_free(png_structp png, png_voidp block)
{
    (void)png;
    mem_free(block);
}

static void on_write(png_structp png, png_bytep bytes, size_t size)
{
    png_writer *w = png_get_io_ptr(png);
    outfile_write(w->out, bytes, size);
    if ((w->status = w->out->status) < 0)
        png_error(png, "cannot write");
}

static void on_flush(png_structp png)
{
    (void)png;
}

/* ---- writing -------------------------------------------------------------------------------- */

/* The nearest of 256 levels; NaN is black. */
static unsigned char level(double value)
{
    if (!(value > 0.0))
        return 0;
    return value < 1.0 ? (unsigned char)lround(255.0 * value) : 255;
}

static void write_rows(const png_writer *w)
{
    const image *picture = w->picture;
    const size_t count = picture->width * picture->channels;
    for (size_t y = 0; y < picture->height; y++) {
        for (size_t i = 0; i < count; i++)
            w->row[i] = level(picture->pixel[y * count + i]);
        png_write_row(w->png, w->row);
    }
}

static void run(png_writer *w)
{
    if (setjmp(w->back))
        return;
    w->png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, w, on_error, on_warning, w, on_malloc,
                                       on_free);
    if (w->png)
        w->info = png_create_info_struct(w->png);
    if (!w->info) {
        w->status = ctx_nomem(w->ctx, "a PNG image");
        return;
    }
    png_set_write_fn(w->png, w, on_write, on_flush);
    png_set_compression_level(w->png, PACKING);
    png_set_filter(w->png, PNG_FILTER_TYPE_BASE, PNG_FILTER_SUB);
    png_set_IHDR(w->png, w->info, (png_uint_32)w->picture->width, (png_uint_32)w->picture->height,
                 8, w->picture->channels == 3 ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_GRAY,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(w->png, w->info);
    write_rows(w);
    png_write_end(w->png, w->info);
}

spd_status image_write(spd_context *ctx, const char *path, const image *picture)
{
    png_writer w = {.ctx = ctx, .picture = picture, .status = SPD_OK};
    spd_status status = image_check(ctx, picture->width, picture->height, picture->channels);
    if (status < 0)
        return status;
    w.row = mem_alloc(picture->width, picture->channels);
    if (!w.row)
        return ctx_nomem(ctx, "a PNG image");
    status = outfile_open(ctx, path, &w.out);
    if (status >= 0) {
        run(&w);
        png_destroy_write_struct(&w.png, &w.info);
        status = outfile_close(w.out, w.status);
    }
    mem_free(w.row);
    return status;
}
