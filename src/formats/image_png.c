/* image_png.c - PNG images through libpng: reading of every colour type and depth, interlaced or
 * not, and writing of 8 bits.
 *
 * libpng reports an error by a jump. The function that waits for it (run) keeps nothing of its own:
 * all that must survive the jump is in a struct of its caller. libpng's memory comes from ours,
 * with which it also returns when an allocation fails. */
#include <math.h>
#include <png.h>
#include <setjmp.h>
#include <string.h>

#include "base/memory.h"
#include "formats/image_formats.h"
#include "io/outfile.h"

/* Deflate packs at most 1032 bytes into one; a text or a profile may take so much memory. */
#define DEFLATE_RATIO 1032.0
#define CHUNK_BYTES   ((png_alloc_size_t)8 << 20)

/* zlib's 1 (fast) to 9: images with noise hardly shrink, so packing is set for speed. */
#define PACKING 2

/* An image while it is read or written. */
typedef struct png_work {
    spd_context *ctx;
    png_structp png;
    png_infop info;
    int starved;  /* an allocation failed */
    size_t limit; /* bytes of an allocation: libpng asks for what a chunk claims to be */
    jmp_buf back;
    spd_status status;
    /* read: */
    image_file *file;
    size_t at; /* the next byte */
    /* or written: */
    const image *picture;
    outfile *out;
    unsigned char *row; /* width x channels */
} png_work;

/* ---- what libpng calls ---------------------------------------------------------------------- */

static void on_error(png_structp png, png_const_charp text)
{
    png_work *w = png_get_error_ptr(png);
    if (w->starved)
        w->status = ctx_nomem(w->ctx, "a PNG image");
    else if (w->status >= 0)
        w->status = ctx_fail(w->ctx, w->out ? SPD_EIO : SPD_EFORMAT, "PNG: %s", text);
    longjmp(w->back, 1);
}

static void on_warning(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text;
}

static void *on_malloc(png_structp png, png_alloc_size_t size)
{
    png_work *w = png_get_mem_ptr(png);
    if (size > w->limit)
        return NULL;
    void *block = mem_alloc(size, 1);
    w->starved |= block == NULL;
    return block;
}

static void on_free(png_structp png, png_voidp block)
{
    (void)png;
    mem_free(block);
}

static void on_read(png_structp png, png_bytep to, size_t size)
{
    png_work *w = png_get_io_ptr(png);
    if (size > w->file->size - w->at)
        png_error(png, "cut off: the file ends too early");
    memcpy(to, w->file->bytes + w->at, size);
    w->at += size;
}

static void on_write(png_structp png, png_bytep bytes, size_t size)
{
    png_work *w = png_get_io_ptr(png);
    outfile_write(w->out, bytes, size);
    if ((w->status = w->out->status) < 0)
        png_error(png, "cannot write");
}

static void on_flush(png_structp png)
{
    (void)png;
}

/* Does the work after libpng is ready; w->status tells how it went. */
static void run(png_work *w, void (*work)(png_work *w))
{
    if (setjmp(w->back))
        return;
    w->png = w->out ? png_create_write_struct_2(PNG_LIBPNG_VER_STRING, w, on_error, on_warning, w,
                                                on_malloc, on_free)
                    : png_create_read_struct_2(PNG_LIBPNG_VER_STRING, w, on_error, on_warning, w,
                                               on_malloc, on_free);
    if (w->png)
        w->info = png_create_info_struct(w->png);
    if (w->info)
        work(w);
    else
        w->status = ctx_nomem(w->ctx, "a PNG image");
}

/* ---- reading -------------------------------------------------------------------------------- */

/* Asks libpng for grey or RGB of 8 or 16 bits, whatever is in the file. */
static void set_transforms(const png_work *w)
{
    const int type = png_get_color_type(w->png, w->info);
    if (type == PNG_COLOR_TYPE_PALETTE)
        png_set_palette_to_rgb(w->png);
    if (type == PNG_COLOR_TYPE_GRAY && png_get_bit_depth(w->png, w->info) < 8)
        png_set_expand_gray_1_2_4_to_8(w->png);
    png_set_strip_alpha(w->png); /* also what a palette's transparency expands to */
}

/* Checks the header and makes room: for one row, or for all when they are interlaced. */
static spd_status prepare(png_work *w)
{
    const size_t width = png_get_image_width(w->png, w->info);
    const size_t height = png_get_image_height(w->png, w->info);
    const int colour = png_get_color_type(w->png, w->info) & PNG_COLOR_MASK_COLOR;
    const int bits = png_get_bit_depth(w->png, w->info) * png_get_channels(w->png, w->info);
    const size_t channels = colour ? 3 : 1;
    spd_status status =
        image_begin(w->file, width, height, channels, DEFLATE_RATIO * 8.0 / (double)bits);
    if (status < 0)
        return status;
    w->limit += 16 * width; /* rows of 64-bit pixels */
    set_transforms(w);
    const int interlaced = png_set_interlace_handling(w->png) > 1;
    png_read_update_info(w->png, w->info);
    if (png_get_channels(w->png, w->info) != channels)
        return ctx_fail(w->ctx, SPD_EFORMAT, "PNG: a palette without colours");
    return image_room(w->file, interlaced ? height : 1, png_get_rowbytes(w->png, w->info));
}

static void scale_row(const png_work *w, size_t y, const unsigned char *row)
{
    const image *made = w->file->made;
    const size_t count = made->width * made->channels;
    double *to = made->pixel + y * count;
    if (png_get_bit_depth(w->png, w->info) == 16)
        image_scale_16(count, row, 65535.0, to);
    else
        image_scale_8(count, row, 255.0, to);
}

/* Interlaced images come in seven passes, each of which refines all rows. */
static void read_rows(const png_work *w)
{
    const size_t bytes = png_get_rowbytes(w->png, w->info);
    const int passes = png_get_interlace_type(w->png, w->info) == PNG_INTERLACE_ADAM7 ? 7 : 1;
    for (int pass = 1; pass <= passes; pass++)
        for (size_t y = 0; y < w->file->made->height; y++) {
            unsigned char *row = w->file->room + (passes > 1 ? y * bytes : 0);
            png_read_row(w->png, row, NULL);
            if (pass == passes)
                scale_row(w, y, row);
        }
}

static void read_image(png_work *w)
{
    png_set_user_limits(w->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX); /* prepare is stricter */
    png_set_chunk_malloc_max(w->png, CHUNK_BYTES);
    png_set_read_fn(w->png, w, on_read);
    png_read_info(w->png, w->info);
    w->status = prepare(w);
    if (w->status < 0)
        return;
    read_rows(w);
    png_read_end(w->png, NULL);
}

spd_status image_decode_png(image_file *file)
{
    png_work w = {.ctx = file->ctx, .file = file, .status = SPD_OK, .limit = CHUNK_BYTES};
    run(&w, read_image);
    png_destroy_read_struct(&w.png, &w.info, NULL);
    return w.status;
}

/* ---- writing -------------------------------------------------------------------------------- */

/* The nearest of 256 levels; NaN is black. */
static unsigned char level(double value)
{
    if (!(value > 0.0))
        return 0;
    return value < 1.0 ? (unsigned char)lround(255.0 * value) : 255;
}

static void write_rows(const png_work *w)
{
    const image *picture = w->picture;
    const size_t count = picture->width * picture->channels;
    for (size_t y = 0; y < picture->height; y++) {
        for (size_t i = 0; i < count; i++)
            w->row[i] = level(picture->pixel[y * count + i]);
        png_write_row(w->png, w->row);
    }
}

static void write_image(png_work *w)
{
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
    png_work w = {.ctx = ctx, .picture = picture, .status = SPD_OK, .limit = SIZE_MAX};
    spd_status status = image_check(ctx, picture->width, picture->height, picture->channels);
    if (status < 0)
        return status;
    w.row = mem_alloc(picture->width, picture->channels);
    if (!w.row)
        return ctx_nomem(ctx, "a PNG image");
    status = outfile_open(ctx, path, &w.out);
    if (status >= 0) {
        run(&w, write_image);
        png_destroy_write_struct(&w.png, &w.info);
        status = outfile_close(w.out, w.status);
    }
    mem_free(w.row);
    return status;
}

const char *image_png_version(void)
{
    return png_get_libpng_ver(NULL);
}
